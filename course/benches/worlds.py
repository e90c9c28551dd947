"""Benches of the course's own scenarios: front desk, support, drive-through and the six domains.

What a task of the front desk or of support needs is found by a reference run: a single agent of
the simulated model, whose calls count if the bench's own scorer finds its answer right.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from course import clock
from course.benches.bench import Bench, Case, Named, all_in_one, bench, span_of
from course.benches.oracle import Errand, value_of
from course.benches.outcome import Scored, counted
from course.models import connect
from course.pipeline import Pipeline, Stage
from course.results import Evidence, evidence_in
from course.runner import run
from course.scenarios import drive_through, front_desk, support
from course.scenarios.domains import DOMAINS
from course.scenarios.front_desk.requests import state as desk_state
from course.scenarios.front_desk.specialists import specialists
from course.scenarios.world.domain import Domain, toolbox
from course.scenarios.world.rubric import rubric
from course.tools import Tool, call_tool

TUNED = (
    "the simulated model's planning rules were made with these requests at hand: compare its"
    " patterns by time and cost here, not by success"
)
_REMEDIES = {
    "router": ("check_line", "restart_router"),
    "wifi": ("check_line", "change_wifi_channel"),
    "port": ("check_line", "measure_line", "reset_port"),
    "profile": ("check_line", "measure_line", "lower_profile"),
}
_NO_WALK = "what this task needs is no call that works: its answer lies in a refusal"


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


def _from_calls(made: Iterable[Evidence], request: str) -> Walk:
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
    return Walk(tuple(errands), truth) if errands else Walk(excluded=_NO_WALK)


def _reference(case: Case) -> Walk:
    """What a single agent of the simulated model calls for a task; excluded if it is not right."""
    client = connect("simulated", profile="instant", wire=False)
    result = clock.simulate(run(all_in_one(case.agents), case.request, client=client))
    if not case.judged(result.answer, by_marks=False).success:
        return Walk(excluded=_NO_WALK)
    return _from_calls(evidence_in(result.context), case.request)


def _walked(
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

    return _from_calls(clock.simulate(results()), request)


def _facts(
    missing: Callable[[str], Sequence[Any]], facts: Sequence[Any]
) -> Callable[[str], Scored]:
    """A scorer of facts that are looked for word by word."""

    def score(answer: str) -> Scored:
        lost = missing(answer)
        return counted({"/".join(f) if isinstance(f, tuple) else f: f not in lost for f in facts})

    return score


@bench("front_desk")
def desk_bench(argument: str, tasks: int, world_seed: int) -> Bench:
    """The clinic's twelve requests; "front_desk:5" takes the first five."""
    kinds = front_desk.REQUESTS[: int(argument) if argument.isdecimal() else None]
    names = {f"front_desk/{kind.name}": kind for kind in kinds}

    @contextmanager
    def opened(task: Named, *, known: bool = True) -> Iterator[Case]:
        with front_desk.Desk(seed=world_seed) as desk:
            sample = names[task.id].on(desk)
            yield Case(
                request=sample.text,
                agents=specialists(desk),
                shared=("find_patient",),
                said=_facts(sample.missing, sample.facts),
                state=lambda: desk_state(desk) == sample.after,
                **(walk(task).told() if known else {}),
            )

    @cache
    def walk(task: Named) -> Walk:
        with opened(task, known=False) as case:
            return _reference(case)

    kind_of = ("look-up", "two-step", "compound", "write", "impossible", "ambiguous")
    listed = tuple(Named(id, k.level, kind_of.index(k.level) + 1) for id, k in names.items())
    return Scene(listed, opened)


@bench("support")
def support_bench(argument: str, tasks: int, world_seed: int) -> Bench:
    """Customers with a fault on their line: two tiers; the line has to work afterwards."""

    @contextmanager
    def opened(task: Named) -> Iterator[Case]:
        _, fault, number = task.id.split("/")
        with support.HelpDesk(seed=world_seed) as desk:
            call = support.calls(desk, fault)[int(number)]
            yield Case(
                request=call.text,
                agents=support.tiers(desk),
                shared=("find_customer",),
                said=lambda answer: counted({"an answer": bool(answer.strip())}),
                state=lambda: support.fault_of(desk, call.line_id) is None,
                **walk(task).told(),
            )

    @cache
    def walk(task: Named) -> Walk:
        """Who calls, and what mends this fault: done once in a world of its own."""
        _, fault, number = task.id.split("/")
        with support.HelpDesk(seed=world_seed) as desk:
            call = support.calls(desk, fault)[int(number)]
            tools = {tool.name: tool for tool in (*desk.first_line, *desk.second_line)}
            line = {"line_id": call.line_id}
            made = [("find_customer", {"name": call.name})]
            return _walked([*made, *((each, line) for each in _REMEDIES[fault])], tools, call.text)

    listed = tuple(
        Named(f"support/{fault}/{number}", fault, 1 + (fault in ("port", "profile")))
        for fault in _REMEDIES
        for number in range(min(tasks, 4))
    )
    return Scene(listed, opened)


@bench("drive_through")
def window_bench(argument: str, tasks: int, world_seed: int) -> Bench:
    """Sixteen orders at a window: a chain of four stages, and no other pattern."""
    kinds = {f"drive_through/{kind.name}": kind for kind in drive_through.REQUESTS}

    @contextmanager
    def opened(task: Named) -> Iterator[Case]:
        with drive_through.Window(seed=world_seed) as window:
            sample = kinds[task.id].on(window)
            before = drive_through.orders(window)

            def right() -> bool:
                now = drive_through.orders(window)
                new = [lines for number, lines in now.items() if number not in before]
                return new == ([sample.lines] if sample.lines else [])

            yield Case(
                request=sample.text,
                agents=(
                    drive_through.host(),
                    drive_through.cashier(window),
                    drive_through.server(),
                ),
                said=_facts(sample.missing, sample.facts),
                state=right,
                chain=_chain(window),
                only_chain=True,
                excluded="an oracle runs errands, and an order is filled in field by field",
            )

    kind_of = list(dict.fromkeys(kind.level for kind in drive_through.REQUESTS))
    listed = tuple(Named(id, k.level, kind_of.index(k.level) + 1) for id, k in kinds.items())
    return Scene(listed, opened, tuned=TUNED)


def _chain(window: drive_through.Window) -> Pipeline[Any]:
    """The drive-through's four stages, as chapter 02 builds them."""
    told = ("order_number", "lines", "refused")
    stages = (
        Stage(
            name="listening",
            work=drive_through.host(),
            reads=("request",),
            writes=("greeting", "wishes", "paying"),
        ),
        Stage(
            name="menu",
            work=window.check_order,
            reads=("wishes",),
            writes=(*told, "sorry"),
            ends_on="sorry",
        ),
        Stage(
            name="till",
            work=drive_through.cashier(window),
            reads=("order_number", "paying"),
            writes=("total", "receipt"),
            check=window.check_payment,
        ),
        Stage(
            name="window",
            work=drive_through.server(),
            reads=(*told, "total"),
            writes=("answer",),
            check=window.check_answer,
        ),
    )
    return Pipeline(name="drive-through", stages=stages, state=drive_through.Order, answer="answer")


def _domain_bench(domain: Domain[Any]) -> Callable[[str, int, int], Bench]:
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
            walk = _walked(made, toolbox(agents), sample.text)

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


for _domain in DOMAINS:
    bench(_domain.name.replace(" ", "_"))(_domain_bench(_domain))
