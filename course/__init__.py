"""Switchboard: multi-agent orchestration to learn from, in text and in voice.

Every noun of the course is a name of this package, and `run` is its front door: it lets an agent,
a pipeline, a router, a team, a supervisor or a typed task answer a request. Names load when they
are first used, so that `import course` costs next to nothing.

Where each system lives, and the chapter that builds it:

    course/agent.py            one agent and its loop                         01
    course/pipeline/           a fixed chain of stages                        02
    course/routing/            who should answer: static, dynamic, hybrid     02
    course/team/               handoffs: hub and spoke, escalation, consultation  03
    course/supervisor/         delegate and stay in control                   04
    course/delegation/         typed tasks that talk with the person          05
    course/supervisor_worker/  plan, carry out in parallel, answer            06 to 10
    course/voice/              the same systems spoken, on LiveKit            13

What no run needs: course/observability/ reads traces, course/evaluation/ scores and compares,
course/benches/ has tasks with known answers, course/lab/ compares patterns in experiments
(chapter 12), and course/reproductions/ measures published figures again.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str
    from course import clock as clock
    from course.agent import Agent as Agent
    from course.answers import Usage as Usage
    from course.context import Context as Context
    from course.conversation import Conversation as Conversation
    from course.delegation import Task as Task
    from course.delegation import TaskGroup as TaskGroup
    from course.errors import CourseError as CourseError
    from course.errors import ToolError as ToolError
    from course.handoff import Handoff as Handoff
    from course.limits import Limits as Limits
    from course.limits import Stop as Stop
    from course.models.connect import connect as connect
    from course.models.names import LARGE as LARGE
    from course.models.names import SMALL as SMALL
    from course.pipeline import Pipeline as Pipeline
    from course.pipeline import Stage as Stage
    from course.routing import Router as Router
    from course.runner import run as run
    from course.runner import run_sync as run_sync
    from course.runner import stream as stream
    from course.session import Session as Session
    from course.supervisor import Supervisor as Supervisor
    from course.supervisor import Worker as Worker
    from course.supervisor_worker import Plan as Plan
    from course.supervisor_worker import PlanningSupervisor as PlanningSupervisor
    from course.systems import Result as Result
    from course.team import Team as Team
    from course.team.patterns import consultation as consultation
    from course.team.patterns import escalation as escalation
    from course.team.patterns import hub_and_spoke as hub_and_spoke
    from course.tools import Tool as Tool
    from course.tools import tool as tool
    from course.trace import Trace as Trace
    from course.trace import span as span

_NAMES = {
    "agent": "Agent",
    "answers": "Usage",
    "context": "Context",
    "conversation": "Conversation",
    "delegation": "Task TaskGroup",
    "errors": "CourseError ToolError",
    "handoff": "Handoff",
    "limits": "Limits Stop",
    "models.connect": "connect",
    "models.names": "LARGE SMALL",
    "pipeline": "Pipeline Stage",
    "routing": "Router",
    "runner": "run run_sync stream",
    "session": "Session",
    "supervisor": "Supervisor Worker",
    "supervisor_worker": "Plan PlanningSupervisor",
    "systems": "Result",
    "team": "Team",
    "team.patterns": "consultation escalation hub_and_spoke",
    "tools": "Tool tool",
    "trace": "Trace span",
}
_HOMES = {name: f"course.{home}" for home, names in _NAMES.items() for name in names.split()}

__all__ = ["__version__", "clock", *_HOMES]


def __getattr__(name: str) -> Any:
    if name == "clock":
        return import_module("course.clock")
    if name == "__version__":
        return _version()
    if name not in _HOMES:
        raise AttributeError(f"course has no '{name}'; it has: {', '.join(__all__)}")
    return getattr(import_module(_HOMES[name]), name)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # dearer than all the rest here

    try:
        return version("switchboard-course")
    except PackageNotFoundError:  # read from a checkout that was never installed
        return "0+unknown"


def __dir__() -> list[str]:
    return sorted(__all__)
