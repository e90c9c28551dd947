"""A supervisor that plans: a request becomes a graph of tasks, and is carried out in parallel.

`Plan` says what is to be done, `problems` what is wrong with it, `PlanningSupervisor` who does it.
"""

from course.supervisor_worker import running as running  # says how it is carried out
from course.supervisor_worker.aggregate import Aggregated, aggregate
from course.supervisor_worker.load_balancer import LoadBalancer, Replica, Unavailable
from course.supervisor_worker.plan import (
    PLAN_SCHEMA,
    Plan,
    PlanError,
    PlannerError,
    PlanTask,
    critical_path,
    shape,
    urgency,
    waves,
)
from course.supervisor_worker.planning import Problem, make_plan, problems
from course.supervisor_worker.schedule import schedule
from course.supervisor_worker.selecting import Repeated, select, strategy_of
from course.supervisor_worker.store import Store
from course.supervisor_worker.supervisor import (
    BreakerChanged,
    FailurePolicy,
    PlanMade,
    PlanningSupervisor,
    PlanResult,
    TaskCompleted,
    TaskRetried,
    TaskStarted,
    Timeouts,
)
from course.supervisor_worker.task_run import refine
from course.supervisor_worker.workers import Factory, Registry, staff, worker_for

__all__ = [
    "PLAN_SCHEMA",
    "Aggregated",
    "BreakerChanged",
    "Factory",
    "FailurePolicy",
    "LoadBalancer",
    "Plan",
    "PlanError",
    "PlanMade",
    "PlanResult",
    "PlanTask",
    "PlannerError",
    "PlanningSupervisor",
    "Problem",
    "Registry",
    "Repeated",
    "Replica",
    "Store",
    "TaskCompleted",
    "TaskRetried",
    "TaskStarted",
    "Timeouts",
    "Unavailable",
    "aggregate",
    "critical_path",
    "make_plan",
    "problems",
    "refine",
    "schedule",
    "select",
    "shape",
    "staff",
    "strategy_of",
    "urgency",
    "waves",
    "worker_for",
]
