"""Runs with what the documented systems seldom show: skipped tasks, retries, faults, turns."""

from collections.abc import Callable

from course import (
    Agent,
    Plan,
    PlanningSupervisor,
    ToolError,
    Trace,
    Worker,
    clock,
    connect,
    hub_and_spoke,
    run,
    run_sync,
    tool,
)
from course.scenarios.front_desk import Desk, colleagues, reception
from course.supervisor_worker.plan import PlanTask
from course.supervisor_worker.supervisor import FailurePolicy


@tool
def find_tonnage(pier: int) -> str:
    """Find the tonnage of a pier."""
    if pier == 3:
        raise ToolError("the book of pier 3 is lost")
    return f"pier {pier}: {pier * 100} tons"


def failing_plan() -> Trace:
    """A plan in which one task fails, after tries, and those that need it are skipped."""
    clerk = Worker(name="clerk", description="finds the tonnage of piers", tools=(find_tonnage,))
    writer = Worker(name="writer", description="writes reports")
    tasks = (
        PlanTask(id="t1", worker="clerk", description="Find the tonnage of pier 1."),
        PlanTask(id="t2", worker="clerk", description="Find the tonnage of pier 3."),
        PlanTask(id="t3", worker="writer", description="Write a report.", dependencies=("t2",)),
        PlanTask(id="t4", worker="writer", description="Shorten it.", dependencies=("t3", "t1")),
    )
    policy = FailurePolicy(downstream="skip")
    boss = PlanningSupervisor(name="boss", workers=(clerk, writer), failure_policy=policy)
    trace = Trace("boss: the piers", messages=True)
    plan = Plan(goal="a report on the piers", tasks=tasks)
    run_sync(boss, "Report on the piers.", plan=plan, trace=trace, client=connect("simulated"))
    return trace


def turns() -> Trace:
    """A conversation of two turns in one trace."""
    trace = Trace("clinic", messages=True)

    async def talk() -> None:
        with Desk(seed=7) as desk:
            clinic = hub_and_spoke(reception(desk), colleagues(desk), name="clinic")
            session = None
            for said in ("What does Katya Tanaka still owe?", "And when is her next appointment?"):
                result = await run(
                    clinic, said, session=session, client=connect("simulated"), trace=trace
                )
                session = result.session

    clock.simulate(talk())
    return trace


def faulty() -> Trace:
    """An agent whose model fails and is asked again, and whose tool takes time."""
    trace = Trace("clerk: the tonnage", messages=True)
    clerk = Agent(name="clerk", instructions="Look it up.", tools=(find_tonnage,))
    client = connect("simulated", profile="faulty")
    run_sync(clerk, "What is the tonnage of pier 1?", trace=trace, client=client)
    return trace


RUNS: dict[str, Callable[[], Trace]] = {
    each.__name__: each for each in (failing_plan, turns, faulty)
}
