"""Every system with a limit of ten seconds, and everything in it that can hang.

`tests/patterns/test_in_time.py` asks that each run ends in time with an answer that says so, and
`python -m tests.benchmarks.promises` prints how much longer each takes.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict

from course import clock, connect, run
from course.agent import Agent
from course.approval import Question, needs_approval
from course.context import SUMMARY_REQUEST, Context
from course.delegation import Task, TaskGroup
from course.limits import LAST_SHARE, Limits
from course.models import Scripted
from course.models.wire import Call, ChatRequest, Reply
from course.pipeline import Pipeline, Stage
from course.routing import Router
from course.supervisor import Supervisor, Worker
from course.supervisor_worker import Factory, PlanningSupervisor, Repeated, Timeouts
from course.team import HUMAN, Guards, consultation, escalation, hub_and_spoke
from course.tools import Tool, tool

SECONDS = 10.0
SLACK = LAST_SHARE * SECONDS
FOR_EVER = 1e6
WHAT = ("model", "list", "route", "plan", "answer", "summary", "tool", "worker", "approval")
"""What hangs: every model call, or those of one kind; a tool, a worker's model, an approver."""
SAYS_SO = re.compile(r"max_seconds|longer than it may|10 s\b|I am putting you through|spare says")
"""How an answer says that the time was over."""

LIMITS = Limits(max_seconds=SECONDS)
PATIENT = Timeouts(call=None, task=None, answer=None)


class Letter(BaseModel):
    """What the chain fills."""

    model_config = ConfigDict(frozen=True)
    request: str
    topic: str = ""
    draft: str = ""


def kind(request: ChatRequest) -> str:
    """For what a model is asked."""
    asked = {"matters": "list", "route": "route", "plan": "plan"}.get(str(request.schema_name))
    if asked:
        return asked
    if str(request.messages[0]["content"]).startswith(SUMMARY_REQUEST):
        return "summary"
    if request.key.agent.endswith("answering") or request.key.agent == "synthesis":
        return "answer"
    return "worker" if request.key.agent in ("ada", "bob") else "model"


def called(request: ChatRequest) -> bool:
    return any(message["role"] == "tool" for message in request.messages)


def says(request: ChatRequest) -> Any:
    """What a model that does not hang answers: it uses what it is offered, once."""
    matters = [{"agent": name, "request": f"Something for {name}."} for name in ("ada", "bob")]
    tasks = [
        {"id": f"t{n}", "description": f"Find the figure of year {n}", "worker": name,
         "dependencies": []}
        for n, name in enumerate(("ada", "bob"))
    ]  # fmt: skip
    forms = {
        "matters": {"matters": matters},
        "route": {"agents": ["ada", "bob"]},
        "plan": {"goal": "figures", "tasks": tasks, "final_instruction": ""},
        "choice": {"tools": ["look"]},
        "topic": {"topic": "rain"},
        "draft": {"draft": "It rains."},
    }
    if request.schema_name in forms:
        return json.dumps(forms[str(request.schema_name)])
    offered = {each.name for each in request.tools}
    if not called(request):
        if "delegate_to_agent" in offered:
            orders = ({"worker_agent": name, "task": "Find it."} for name in ("ada", "bob"))
            return Reply(calls=tuple(Call("delegate_to_agent", json.dumps(o)) for o in orders))
        for name in ("consult_ada", "look"):
            given = {"request": "Find it."} if name == "consult_ada" else {}
            if name in offered:
                return Reply(calls=(Call(name, json.dumps(given)),))
    if "complete" in offered:
        return Reply(calls=(Call("complete", '{"result": true}'),))
    return f"{request.key.agent} says it is 42."


def model(hung: str) -> Scripted:
    async def script(request: ChatRequest) -> Any:
        if hung in ("model", kind(request)):
            await asyncio.sleep(FOR_EVER)
        return says(request)

    return Scripted(script, latency=0.1)


def looking(hung: str) -> Tool:
    """A tool that asks for approval first."""

    @tool(timeout=None)
    async def look() -> str:
        """Look it up."""
        await asyncio.sleep(FOR_EVER if hung == "tool" else 0.1)
        return "42"

    async def approver(question: Question) -> bool:
        await asyncio.sleep(FOR_EVER if hung == "approval" else 0.1)
        return True

    return needs_approval(look, approver, timeout=FOR_EVER)


@dataclass(frozen=True)
class Played:
    """How a run ended: what it said, after how many seconds, and at which limit."""

    answer: str
    seconds: float
    stop: Any

    @property
    def late(self) -> float:
        """Seconds beyond the limit."""
        return max(0.0, self.seconds - SECONDS)

    @property
    def told(self) -> bool:
        """Whether it came to its end by itself, somebody else answered, or it says that its time
        was over.
        """
        by_itself = self.stop is None and self.seconds < SECONDS
        return by_itself or bool(SAYS_SO.search(self.answer))


@dataclass(frozen=True)
class Seat:
    """A system, and what it is run with."""

    make: Callable[[Tool], Any]
    options: Mapping[str, Any] = field(default_factory=dict)


async def person(said: str) -> str:
    return "It is a rash."


def agents(look: Tool) -> tuple[Agent, Agent]:
    return (
        Agent(name="ada", description="does ada", instructions="You are Ada.", tools=(look,)),
        Agent(name="bob", description="does bob", instructions="You are Bob."),
    )


def spare() -> Agent:
    return Agent(name="spare", description="the rest", instructions="You are the spare one.")


def chain(look: Tool) -> Pipeline[Letter]:
    thinker = Agent(name="thinker", tools=(look,))
    stages = (
        Stage(name="topic", work=thinker, reads=("request",), writes=("topic",)),
        Stage(name="draft", work=Agent(name="writer"), reads=("topic",), writes=("draft",)),
    )
    return Pipeline(name="letter", state=Letter, stages=stages, limits=LIMITS)


def planner(look: Tool, **more: Any) -> PlanningSupervisor:
    settings = {"name": "boss", "workers": agents(look), "timeouts": PATIENT, "limits": LIMITS}
    return PlanningSupervisor(**{**settings, **more})


def boss(look: Tool, **more: Any) -> Supervisor:
    settings = {"name": "boss", "workers": agents(look), "limits": LIMITS}
    return Supervisor(**{**settings, "delegation_seconds": None, **more})


def inner(make: Callable[..., Any], look: Tool, **more: Any) -> tuple[Any, Agent]:
    """Workers of whom the first leads others without a limit of its own."""
    return make(look, name="ada", description="leads", limits=Limits(), **more), agents(look)[1]


def below(look: Tool) -> tuple[Agent, ...]:
    return tuple(Agent(name=n, description=f"does {n}", tools=(look,)) for n in ("ann", "ben"))


def group() -> TaskGroup:
    made = TaskGroup(limits=LIMITS, max_exchanges=1, context=Context.of("Hello.").add(
        {"role": "assistant", "content": "Yes?"}, {"role": "user", "content": "A rash."}
    ))  # fmt: skip
    for id in ("one", "two"):
        made.add(lambda: Task[bool](instructions="Ask."), id=id, description=f"settles {id}")
    return made


HUB = Agent(name="hub", description="the desk")
GUARDS = Guards(max_seconds=SECONDS)
SYSTEMS: dict[str, Seat] = {
    "agent": Seat(lambda look: Agent(name="solo", tools=(look,), limits=LIMITS)),
    "pipeline": Seat(chain),
    "router": Seat(lambda look: Router(agents=agents(look), limits=LIMITS)),
    "router, fallback": Seat(
        lambda look: Router(agents=agents(look), limits=LIMITS, fallback=spare())
    ),
    "hub": Seat(lambda look: hub_and_spoke(HUB, agents(look), guards=GUARDS)),
    "hub, person": Seat(
        lambda look: hub_and_spoke(HUB, agents(look), guards=GUARDS, fallback=HUMAN)
    ),
    "hub, fallback": Seat(
        lambda look: hub_and_spoke(HUB, (*agents(look), spare()), guards=GUARDS, fallback="spare")
    ),
    "escalation": Seat(lambda look: escalation(agents(look), guards=GUARDS)),
    "consultation": Seat(
        lambda look: consultation(Agent(name="asker"), agents(look), guards=GUARDS)
    ),
    "supervisor": Seat(boss),
    "supervisor, fallback": Seat(lambda look: boss(look, escalate_to=spare())),
    "nested supervisor": Seat(
        lambda look: boss(look, workers=inner(boss, look, workers=below(look), coordinates=True))
    ),
    "supervisor of a planner": Seat(lambda look: boss(look, workers=inner(planner, look))),
    "task": Seat(
        lambda look: Task[bool](instructions="Ask.", tools=(look,), limits=LIMITS),
        {"person": person},
    ),
    "task group": Seat(lambda look: group(), {"person": person}),
    "planner": Seat(planner),
    "planner, fallback": Seat(lambda look: planner(look, fallback=spare())),
    "planner, person": Seat(lambda look: planner(look, fallback=HUMAN)),
    "planner, sentence": Seat(lambda look: planner(look, fallback="Please call us.")),
    "nested planner": Seat(lambda look: planner(look, workers=inner(planner, look))),
    "repeated worker": Seat(
        lambda look: Repeated.of(Worker(name="ada", tools=(look,), limits=LIMITS))
    ),
    "factory": Seat(lambda look: Factory(name="maker", tools=(look,), limits=LIMITS)),
}


def play(name: str, hung: str) -> Played:
    """Let a system answer while something in it hangs, with a long conversation before it where
    it takes one.
    """
    seat, look = SYSTEMS[name], looking(hung)
    system, request, more = seat.make(look), "What is the figure?", dict(seat.options)

    async def main() -> Played:
        asked: Any = None if isinstance(system, Task) else request
        if name in ("agent", "supervisor"):
            said = ({"role": "user", "content": f"Line {n}."} for n in range(3))
            asked, more["max_exchanges"] = Context(tuple(said)), 1
        result = await run(system, asked, client=connect(model(hung)), **more)
        return Played(result.answer, clock.now(), result.stop)

    return clock.simulate(main())
