"""Plans, workers and a model for tests of the supervisor that plans, seen at the boundary.

`World` answers every request by who asks (the planner, a worker, the refiner, the answerer) and
records what crossed as the judge's log, so that the judge's own checks can be put to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from openai import AsyncOpenAI

from course import clock, connect
from course.models import ApiError, Scripted
from course.models.wire import ChatRequest, Reply
from course.supervisor import Worker
from course.supervisor_worker import Plan, PlanningSupervisor, PlanTask, task_run
from graders.records.log import Exchange, Log

Says = Callable[["Asked"], Any]


def task(id: str, *after: str, worker: str = "w", what: str = "", **more: Any) -> PlanTask:
    words = what or f"Find the figure of {id}"
    return PlanTask(id=id, description=words, worker=worker, dependencies=after, **more)


def plan_of(*tasks: PlanTask) -> Plan:
    return Plan(goal="Find figures.", tasks=tasks)


def worker(name: str, **more: Any) -> Worker:
    return Worker(name=name, description=f"does {name}", instructions=f"You do {name}.", **more)


def chief(*names: str, **more: Any) -> PlanningSupervisor:
    """A supervisor called "chief" with a worker of each name; by default one called "w"."""
    workers = tuple(worker(name) for name in names or ("w",))
    return PlanningSupervisor(**{"name": "chief", "workers": workers, **more})


@st.composite
def dags(draw: st.DrawFn, most: int = 12) -> tuple[Plan, dict[str, float]]:
    """A plan and what each task takes: whole seconds, zero among them."""
    count = draw(st.integers(1, most))
    tasks = []
    for number in range(count):
        earlier = [f"t{n}" for n in range(number)]
        needs = draw(st.lists(st.sampled_from(earlier), unique=True, max_size=4)) if earlier else []
        tasks.append(task(f"t{number}", *needs))
    order = draw(st.permutations(tasks))
    seconds = {t.id: float(draw(st.integers(0, 9))) for t in tasks}
    return plan_of(*order), seconds


_here: ContextVar[tuple[tuple[str, int], ...]] = ContextVar("here", default=())


def _watched(step: Callable[..., Any], *, attempt: bool) -> Callable[..., Any]:
    """A step of a task that notes which task it is about, and which try; no request says that."""

    async def watched(run: Any, doing: Any, *more: Any) -> Any:
        number = len(doing.tries) + 1 if attempt else 0
        token = _here.set((*_here.get(), (doing.task.id, number)))
        try:
            return await step(run, doing, *more)
        finally:
            _here.reset(token)

    return watched


setattr(task_run, "attempt", _watched(task_run.attempt, attempt=True))  # noqa: B010
setattr(task_run, "prepare", _watched(task_run.prepare, attempt=False))  # noqa: B010


class Asked:
    """One request to the model: who asks, for which task, which try, in which words."""

    def __init__(self, request: ChatRequest) -> None:
        self.request = request
        self.agent = request.key.agent
        self.task, self.attempt = (*_here.get(), ("", 0))[0]  # of a team's tasks, the team's own
        self.place = "/".join(["run", *(f"{id}/{n}" if n else id for id, n in _here.get())])
        self.words = str(request.messages[-1].get("content") or "")
        self.before = 0  # requests of this agent for this task so far

    @property
    def refines(self) -> bool:
        return self.agent.endswith("refining")

    @property
    def answers(self) -> bool:
        return self.agent.endswith("answering")

    @property
    def plans(self) -> bool:
        return self.agent.endswith("planning")


class World:
    """A model that answers by `says`, and the log of what was asked.

    `says` gives text, a Reply, an ApiError, or `(seconds, any of these)`; None is the usual
    answer: the plan, "REWRITTEN" with the old words and the error, "the answer", or "<task> is
    done".
    """

    def __init__(self, says: Says | None = None, *, plan: Plan | None = None) -> None:
        self.says = says or (lambda asked: None)
        self.plan = plan
        self.exchanges: list[Exchange] = []
        self.asked: list[Asked] = []

    @property
    def client(self) -> AsyncOpenAI:
        return connect(Scripted(self.answer))

    async def answer(self, request: ChatRequest) -> Any:
        asked = Asked(request)
        asked.before = sum((a.agent, a.task) == (asked.agent, asked.task) for a in self.asked)
        self.asked.append(asked)
        number = len(self.exchanges)
        body = {
            "task": asked.words,
            "agent": asked.agent,
            "id": asked.task,
            "messages": list(request.messages),
        }
        self.exchanges.append(Exchange(number, "model", request.model, body, clock.now()))
        said = self.says(asked)
        seconds, said = said if isinstance(said, tuple) else (0.0, said)
        said = self.usual(asked) if said is None else said
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            self.close(number, "cancelled", None)
            raise
        if isinstance(said, ApiError):
            reply = {"error": said.message, "status": said.status, **said.headers}
            self.close(number, "failed", reply)
            raise said
        self.close(number, "answered", said.text if isinstance(said, Reply) else said)
        return said

    def usual(self, asked: Asked) -> str:
        if asked.plans:
            assert self.plan is not None
            return self.plan.model_dump_json()
        if asked.refines:
            lines = dict(part.split(": ", 1) for part in asked.words.split("\n\n"))
            return f"{lines['Task']} (heeding: {lines['Error']})"
        return "the answer" if asked.answers else f"{asked.task} is done"

    def close(self, number: int, outcome: Any, reply: Any) -> None:
        token = reply if isinstance(reply, str) else ""  # in these worlds no two answers are alike
        self.exchanges[number] = replace(
            self.exchanges[number], end=clock.now(), outcome=outcome, reply=reply, token=token
        )

    def log(self, result: Any = None, *, ended: float = 0.0, trace: Any = None) -> Log:
        return Log(tuple(self.exchanges), result=result, returned=True, ended=ended, trace=trace)

    def of(self, task: str) -> list[Asked]:
        """What the workers were asked for one task."""
        return [a for a in self.asked if a.task == task and not a.refines]


def by_task(exchange: Exchange) -> str | None:
    """The judge's key: a worker's exchange belongs to its task."""
    agent = str(exchange.request["agent"])
    return None if agent.startswith("chief ") else str(exchange.request["id"])
