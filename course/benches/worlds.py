"""Benches on a world: a task's calls as errands, and a bench of any domain's requests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from course import clock
from course.benches.bench import Bench, Case, Maker, Named, span_of
from course.benches.oracle import Errand
from course.benches.outcome import Scored, counted, value_of
from course.results import Evidence
from course.scenarios.world.domain import Domain, toolbox
from course.scenarios.world.rubric import rubric
from course.tools import Tool, call_tool

TUNED = (
    "the simulated model's planning rules were made with these requests at hand: compare its"
    " patterns by time and cost here, not by success"
)

NO_WALK = "what this task needs is no call that works: its answer lies in a refusal"


@dataclass(frozen=True)
class Scene:
    """A bench on a world: its tasks, and how one is opened.

    Attributes:
        listed: the tasks.
        opened: opens a task's case; it closes the world after it.
    """

    listed: tuple[Named, ...]
    opened: Callable[[Named], AbstractContextManager[Case]]
    licence: str = "Apache-2.0"
    tuned: str = ""

    def tasks(self) -> Sequence[Named]:
        """All tasks."""
        return self.listed

    def open(self, task: Named) -> AbstractContextManager[Case]:
        """Open one."""
        return self.opened(task)


@dataclass(frozen=True)
class Walk:
    """What a task needs, and the right values; `excluded` says why it is not known."""

    errands: tuple[Errand, ...] = ()
    truth: Mapping[str, str] | None = None
    excluded: str = ""

    def told(self) -> dict[str, Any]:
        """As fields of a `Case`."""
        return {"errands": self.errands, "truth": self.truth or {}, "excluded": self.excluded}


def from_calls(made: Iterable[Evidence], request: str) -> Walk:
    """The calls of a run as errands: a call needs those before it that told its arguments."""
    errands: list[Errand] = []
    truth: dict[str, str] = {}
    results: dict[str, str] = {}
    for call in made:
        arguments = json.loads(call.arguments or "{}")
        if any(each.is_asked(call.tool, arguments) for each in errands) or call.failed:
            continue
        unknown = [str(v) for v in arguments.values() if str(v).lower() not in request.lower()]
        needs = tuple(id for id, said in results.items() if any(v in said for v in unknown))
        id, told = f"m{len(errands) + 1}", ", ".join(f"{k} {v}" for k, v in arguments.items())
        says = f"Call {call.tool.replace('_', ' ')} with {told}" if told else call.tool
        errands.append(Errand(id, call.tool, arguments, says, needs))
        truth[id], results[id] = value_of(call.result), call.result
    return Walk(tuple(errands), truth) if errands else Walk(excluded=NO_WALK)


def walked(
    calls: Iterable[tuple[str, Mapping[str, Any]]], tools: Mapping[str, Tool], request: str
) -> Walk:
    """What known calls give in this world."""

    async def results() -> list[Evidence]:
        found = []
        for name, given in calls:
            arguments = json.dumps(dict(given), default=str)
            said = await call_tool(tools[name], arguments)
            found.append(Evidence(name, arguments, said, "ok"))
        return found

    return from_calls(clock.simulate(results()), request)


def facts_of(
    missing: Callable[[str], Sequence[Any]], facts: Sequence[Any]
) -> Callable[[str], Scored]:
    """A scorer of facts that are looked for word by word."""

    def score(answer: str) -> Scored:
        lost = missing(answer)
        return counted({"/".join(f) if isinstance(f, tuple) else f: f not in lost for f in facts})

    return score


def domain_bench(domain: Domain[Any]) -> Maker:
    """A bench of a domain's requests by level."""
    key = domain.name.replace(" ", "_")

    def make(argument: str, tasks: int, world_seed: int) -> Bench:
        levels = span_of(argument, of="levels", default="1-5", most=5)
        kinds = {f"{key}/{each.name}": each for each in domain.requests if each.level in levels}
        worlds: dict[str, Any] = {}

        @contextmanager
        def opened(task: Named) -> Iterator[Case]:
            if "world" not in worlds:  # nobody writes into it, so all runs share one
                worlds["world"] = domain.open(seed=world_seed)
                worlds["workers"] = domain.workers(worlds["world"])
            if task.id not in worlds:
                worlds[task.id] = case(task)
            yield worlds[task.id]

        def case(task: Named) -> Case:
            world, agents, kind = worlds["world"], worlds["workers"], kinds[task.id]
            sample = kind.on(world)
            made = [(call.tool, call.arguments) for call in sample.walk]
            walk = walked(made, toolbox(agents), sample.text)

            def said(answer: str) -> Scored:
                verdicts = rubric(world, kind, answer)
                needed = {
                    v.criterion: v.passed for v in verdicts if v.kind in ("fact", "gap", "source")
                }
                wrong = [v.reason for v in verdicts if not v.passed and v.criterion not in needed]
                return counted(needed, wrong=wrong)

            return Case(request=sample.text, agents=agents, said=said, **walk.told())

        listed = tuple(Named(id, key, each.level) for id, each in kinds.items())
        return Scene(listed, opened, tuned=TUNED)

    return make
