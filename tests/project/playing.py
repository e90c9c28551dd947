"""The reference system in a domain, with a competent model, and what was seen while it worked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from course import clock
from course.errors import ToolError
from course.models import ApiError
from course.models.wire import ChatRequest, Reply
from course.runner import run
from course.scenarios.domains import DOMAINS
from course.scenarios.world.domain import Domain, toolbox
from course.scenarios.world.requests import Request, Sample
from course.scenarios.world.world import World
from course.supervisor import Worker
from course.supervisor_worker import Plan, PlanningSupervisor, PlanResult, Registry
from graders.exercises.ch11.errands import Errand, Job, errands_of
from graders.exercises.ch11.model import ProjectModel
from graders.records.log import Exchange, Log
from tests.project.boundary import REF, Asked, Fault, Site, by_id, drawn, spans, tries

NAMED = {domain.name: domain for domain in DOMAINS}
WHOLE = (1, 2, 3, 4, 5)
SEED = 7


@dataclass(frozen=True)
class Played:
    """One run.

    Attributes:
        asked: what was asked, and what a right answer holds; one for each level.
        workers: as they were handed over.
        log: what crossed the boundary, with the exported trace.
        ended: virtual seconds that it took.
    """

    world: World
    asked: tuple[tuple[Request[Any], Sample], ...]
    job: Job
    workers: tuple[Worker, ...]
    result: PlanResult
    log: Log
    ended: float

    @property
    def ids(self) -> dict[str, str]:
        """The plan's tasks by the references in their descriptions."""
        return {REF.findall(task.description)[0]: task.id for task in self.result.plan.tasks}

    @property
    def needs(self) -> dict[str, list[str]]:
        """What each task depends on."""
        return {task.id: list(task.dependencies) for task in self.result.plan.tasks}

    @property
    def tries(self) -> Log:
        """What was seen, with one exchange for each try of a task."""
        return tries(self.log, self.ids)

    @property
    def spans(self) -> Log:
        """What was seen, with one exchange for each task."""
        return spans(self.tries)

    @property
    def seconds(self) -> dict[str, float]:
        """What each task took, as seen."""
        return {str(by_id(e)): (e.end or 0.0) - e.start for e in self.spans.exchanges}

    @property
    def makespan(self) -> float:
        """From the first request to a worker to the last answer of one."""
        seen = self.spans.exchanges
        return max(e.end or 0.0 for e in seen) - min(e.start for e in seen)

    def of(self, worker: str) -> list[Exchange]:
        """The requests of one worker."""
        return [e for e in self.log.exchanges if self.whose(e) == worker]

    def whose(self, exchange: Exchange) -> str | None:
        """The worker whose instructions stand in a request to a model; the judge's key."""
        if exchange.kind != "model":
            return None
        told = str(exchange.request["messages"][0].get("content") or "")
        return next((w.name for w in self.workers if told.startswith(w.instructions)), None)

    def dispatched(self, exchange: Exchange) -> str | None:
        """The task that a request gives to a worker; the judge's key."""
        if self.whose(exchange) is None:
            return None
        return self.ids[REF.findall(str(exchange.request["messages"][1]["content"]))[0]]


@dataclass(frozen=True)
class Stage:
    """Everything that is there before a run begins."""

    world: World
    asked: tuple[tuple[Request[Any], Sample], ...]
    text: str
    job: Job
    site: Site
    boss: PlanningSupervisor

    async def run(self, **how: Any) -> PlanResult:
        return await run(self.boss, self.text, client=self.site.client, **how)


def stage(
    world: World,
    domain: Domain[Any],
    levels: Sequence[int] = WHOLE,
    *,
    fault: Fault | None = None,
    besides: Sequence[Errand] = (),
    first: Sequence[str] = (),
    **more: Any,
) -> Stage:
    """The reference system before it serves the requests of these levels, all in one.

    Args:
        besides: more that there is to do.
        first: what the model answers at first when it is asked for a plan.
        more: of the supervisor.
    """
    chosen = [domain.requests[level - 1] for level in levels]
    asked = tuple((request, request.on(world)) for request in chosen)
    samples = [sample for _, sample in asked]
    text = " ".join(sample.text for sample in samples)
    agents = domain.workers(world)
    job = errands_of(text, samples, toolbox(agents))
    job = replace(job, errands=(*job.errands, *besides))
    model = ProjectModel(job, {agent.name: [tool.name for tool in agent.tools] for agent in agents})
    plans = list(first)

    def reply(request: ChatRequest) -> Reply | str:
        if request.schema_name == "plan" and plans:
            return plans.pop(0)
        # its code word hangs on the request and not on the order of requests
        whole = repr([message.get("content") for message in request.messages])
        code = hashlib.blake2b(whole.encode(), digest_size=4).hexdigest()
        return model.reply(request, f"x{code}")

    site = Site(reply, seed=world.seed, fault=fault)
    registry = Registry(site.staff(agents))
    boss = PlanningSupervisor(name="chief", workers=registry.workers, **more)
    return Stage(world, asked, text, job, site, boss)


def play(
    world: World,
    domain: Domain[Any],
    levels: Sequence[int] = WHOLE,
    *,
    plan: Plan | None = None,
    **how: Any,
) -> Played:
    """Let the reference system serve the requests of these levels; `how` as in `stage`."""
    ready = stage(world, domain, levels, **how)

    async def main() -> tuple[PlanResult, float]:
        return await ready.run(plan=plan), clock.now()

    result, ended = clock.simulate(main())
    log = ready.site.log(result.answer, trace=result.trace.to_json(), ended=ended)
    workers = ready.boss.registry.workers
    return Played(world, ready.asked, ready.job, workers, result, log, ended)


Plays = Callable[..., Played]
"""Domain's name, levels, weather: the fixture `played`."""


def rarest(run: Played) -> Worker:
    """The worker with the fewest tasks."""
    owners = [task.worker for task in run.result.plan.tasks]
    return next(w for w in run.workers if w.name == min(set(owners), key=owners.count))


# What goes wrong


def storm(seed: int, share: float = 0.2) -> Fault:
    """Connections that break and services that are overloaded, each call with this chance."""

    def fault(asked: Asked) -> Exception | float | None:
        luck = drawn("storm", seed, asked.kind, asked.name, asked.text, asked.before)
        if luck.random() >= share:
            return None
        if asked.kind == "tool":
            return ConnectionError("connection reset")
        headers = {"retry-after": "1"}
        busy = ApiError(429, "too many requests", code="rate_limit_exceeded", headers=headers)
        return luck.choice([busy, ApiError(500, "overloaded"), ApiError(503, "no capacity")])

    return fault


def dead(worker: Worker) -> Fault:
    """All tools of a worker break, every time."""
    names = {tool.name for tool in worker.tools}

    def fault(asked: Asked) -> Exception | float | None:
        return ConnectionError("no route to host") if asked.name in names else None

    return fault


def stubborn(call: Any) -> Fault:
    """One call of a tool is refused, whatever it is told."""
    sent = json.dumps(dict(call.arguments), sort_keys=True)

    def fault(asked: Asked) -> Exception | float | None:
        if asked.name == call.tool and asked.text == sent:
            return ToolError("the ledger is sealed by order of the auditor: ask the notary instead")
        return None

    return fault


def slow(call: Any, seconds: float) -> Fault:
    """One call of a tool takes so much longer."""
    sent = json.dumps(dict(call.arguments), sort_keys=True)

    def fault(asked: Asked) -> Exception | float | None:
        return seconds if asked.name == call.tool and asked.text == sent else None

    return fault
