"""One run: a cell of an experiment becomes a row of `runs` and its rows of `spans`."""

from __future__ import annotations

import asyncio
import hashlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from itertools import accumulate
from math import log
from typing import Any

from course import clock
from course.benches import outcome
from course.benches.bench import Bench, Case, Named, make
from course.benches.oracle import Oracle
from course.benches.outcome import Scored
from course.errors import ConfigurationError, CourseError, ModelError
from course.lab.faults import profile_with, troubled
from course.lab.patterns import PATTERNS, POLICIES, Setup
from course.lab.spec import Cell, flaws_of
from course.models.connect import connect
from course.models.draws import Draws
from course.models.line import guarded
from course.models.simulated import Simulated
from course.models.wire import Key
from course.runner import run
from course.trace import Span, Trace

IN, OUT = "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"
MOMENT = 1e-3
"""Seconds after a deadline in which who keeps to it by itself can still hand over what there is."""
WORK = ("chat", "execute_tool")
Row = dict[str, Any]


@dataclass(frozen=True)
class Played:
    """A run that is over.

    Attributes:
        row: of `runs`.
        spans: rows of `spans`.
        trace: the run's.
        answer: what it answered; "" where it broke.
    """

    row: Row
    spans: list[Row]
    trace: Trace
    answer: str


def play(cell: Cell, *, messages: bool = False) -> Played:
    """Run a cell in virtual time; the same cell gives the same bytes on every machine.

    Args:
        cell: the run.
        messages: whether the trace has what was asked and answered.

    Raises ConfigurationError: its bench, pattern, policy, profile or model does not exist.
    """
    with _opened(cell) as (task, case):
        return clock.simulate(_played(cell, task, case, messages), speed=1 if cell.live else None)


def play_side_by_side(cells: Sequence[Cell], *, in_flight: int) -> list[Played]:
    """Run cells in real time, so many at once at the most: for a service over the network."""

    async def all_of_them(opened: Sequence[tuple[Named, Case]]) -> list[Played]:
        places = asyncio.Semaphore(in_flight)

        async def one(cell: Cell, task: Named, case: Case) -> Played:
            async with places:
                return await _played(cell, task, case, messages=False)

        return await asyncio.gather(
            *(one(cell, *each) for cell, each in zip(cells, opened, strict=True))
        )

    with ExitStack() as stack:
        opened = [stack.enter_context(_opened(cell)) for cell in cells]
        return clock.simulate(all_of_them(opened), speed=1)


@contextmanager
def _opened(cell: Cell) -> Iterator[tuple[Named, Case]]:
    bench, listed = _bench(cell.bench, cell.tasks, cell.world_seed)
    task = listed[cell.task]
    with bench.open(task) as case:
        yield task, case


async def _played(cell: Cell, task: Named, case: Case, messages: bool) -> Played:
    """Run a cell whose task is open, and judge what came of it."""
    trace = Trace(cell.run_id, seed=cell.seed, run_id=cell.run_id, messages=messages)
    answer, stop, scored, seconds = await _answered(cell, task, case, trace)
    if scored is None:
        scored = case.judged(answer, by_marks=cell.model == "oracle")
    steps = trace.spans
    row = {
        **cell.row(),
        "cluster": task.cluster, "level": task.level, "agents": len(case.agents),
        "stop_reason": stop, "latency_s": seconds,
        "status": scored.status, "success": scored.success, "share": scored.share,
        "right": scored.right, "needed": scored.needed, "wrong": scored.wrong, "why": scored.why,
        "trace_sha": _hash(trace),
        **measured(steps, case),
    }  # fmt: skip
    row["parallelism"] = row["work_s"] / seconds if seconds else None
    return Played(row, list(span_rows(cell.run_id, steps)) if cell.spans else [], trace, answer)


@cache
def _bench(text: str, tasks: int, world_seed: int) -> tuple[Bench, dict[str, Named]]:
    made = make(text, tasks=tasks, world_seed=world_seed)
    return made, {task.id: task for task in made.tasks()}


async def _answered(
    cell: Cell, task: Named, case: Case, trace: Trace
) -> tuple[str, str, Scored | None, float]:
    """The answer, the limit that ended the run, a verdict if it broke, and the seconds."""
    if case.only_chain and cell.pattern != "pipeline":
        return (
            "",
            "",
            outcome.excluded(f"{cell.bench} is a fixed chain: only pipeline runs it"),
            0.0,
        )
    if cell.model == "oracle" and case.excluded:
        return "", "", outcome.excluded(case.excluded), 0.0
    way = POLICIES[cell.policy]
    setup = Setup(
        agents=case.agents, shared=case.shared, policy=way, deadline=cell.deadline,
        chain=case.chain,
    )  # fmt: skip
    try:
        system = PATTERNS[cell.pattern](setup)
    except CourseError as error:
        return "", "", outcome.excluded(f"{cell.pattern} cannot be made here: {error}"), 0.0
    client = guarded(_client(cell, task, case), **way.line())
    ask = partial(run, system, case.request, client=client)
    wait, *waits = arrivals(cell)
    begin = clock.now() + wait
    try:
        due = None if cell.deadline is None else wait + cell.deadline + MOMENT
        async with asyncio.timeout(due) as late:
            mine = _timed(wait, partial(ask, run_id=task.id, trace=trace))
            others = (
                _quietly(_timed(each, partial(ask, run_id=f"load {n}", trace=Trace(f"load {n}"))))
                for n, each in enumerate(waits, start=1)
            )
            result, *_ = await asyncio.gather(mine, *others)
        answer, end = result
    except TimeoutError:
        if not late.expired():
            raise
        told = outcome.counted(dict.fromkeys(case.truth or {"an answer": ""}, False))
        return "", "deadline", told, clock.now() - begin
    except ModelError as error:
        return "", "", outcome.failed(str(error)), clock.now() - begin
    except Exception as error:  # no plan, an unfilled stage, or a pattern of one's own that broke
        return "", "", outcome.failed(f"{type(error).__name__}: {error}"), clock.now() - begin
    stop = answer.stop.reason if answer.stop else ""
    return str(answer.answer), stop, None, end - begin


def arrivals(cell: Cell) -> list[float]:
    """After how many seconds each request of a load arrives, the one that is measured first.

    That one comes in the middle, so that it meets those before it and those after it. The gaps are
    exponential, a Poisson process, and the same for every pattern that is compared.
    """
    draws = Draws(cell.seed, Key("arrivals"))
    gaps = (-cell.gap * log(1 - draws.uniform(f"gap {n}")) for n in range(1, cell.load))
    times = list(accumulate(gaps, initial=0.0))
    return [times.pop(cell.load // 2), *times]


async def _timed(wait: float, ask: Callable[[], Awaitable[Any]]) -> tuple[Any, float]:
    """What comes of a request that arrives after so many seconds, and when it came."""
    if wait:
        await asyncio.sleep(wait)
    return await ask(), clock.now()


async def _quietly(running: Any) -> None:
    """A run that is only there as load."""
    try:
        await running
    except CourseError:
        return


def _client(cell: Cell, task: Named, case: Case) -> Any:
    """What answers: the oracle or the simulated model under the cell's faults, or a service."""
    if cell.live:
        return connect("endpoint", seed=cell.seed)
    profile = profile_with(
        cell.profile, model=cell.fault_model, kind=cell.fault_kind, tool=cell.fault_tool,
        tool_kind=cell.tool_kind,
    )  # fmt: skip
    seed = cell.seed + 1_000_003 * cell.epoch
    if cell.model == "oracle":
        owners: dict[str, list[str]] = {}
        for agent in case.agents:
            for tool in agent.tools:
                owners.setdefault(tool.name, []).append(agent.name)
        flaws = flaws_of(cell.flaw)
        responder: Any = Oracle(task.id, case.errands, owners, flaws, seed)
    elif cell.model == "simulated":
        responder = Simulated(profile, seed)
    else:
        raise ConfigurationError(f"there is no model '{cell.model}'")
    responder = troubled(responder, rate=cell.fault_model, kind=cell.fault_kind, seed=seed)
    return connect(responder, seed=seed, profile=profile, wire=False)


# -- what a trace says of a run -------------------------------------------------------------------


def measured(steps: list[Span], case: Case) -> Row:
    """The columns of `runs` that a run's steps tell."""
    counts = Counter(step.operation for step in steps)
    chats = [step for step in steps if step.operation == "chat"]
    tools = [step for step in steps if step.operation == "execute_tool"]
    retries = sum(int(step.attributes.get("switchboard.attempt", 1)) > 1 for step in chats)
    moves = [step.name.partition(" -> ")[2] for step in steps if step.operation == "handoff"]
    wasted = waste(steps)
    own = {tool.name for agent in case.agents for tool in agent.tools}
    return {
        "critical_path_s": critical_path(steps),
        "work_s": sum(step.seconds for step in steps if step.operation in WORK),
        "first_answer_s": min(
            (step.end for step in tools if step.status == "ok" and step.name in own), default=None
        ),
        "calls": len(chats) - retries,
        "requests": len(chats),
        "retries": retries,
        "tool_calls": len(tools),
        "tool_errors": sum(step.status == "error" for step in tools),
        "handoffs": counts["handoff"],
        "delegations": counts["delegate"] + counts["dispatch"],
        "loops": len(moves) - len(set(moves)),
        "tokens_in": _total(chats, IN),
        "tokens_out": _total(chats, OUT),
        "tokens_waste": _total(wasted, IN) + _total(wasted, OUT),
        "cost_usd": sum(float(s.attributes.get("switchboard.cost_usd", 0)) for s in chats),
        "context_max": max((int(step.attributes.get(IN, 0)) for step in chats), default=0),
    }


def critical_path(steps: list[Span]) -> float:
    """Seconds of model and tool calls on the chain that ends last: each waits for the one before.

    Walks back from the end: the call that ended last, then the one that ended last before that one
    began, and so on.
    """
    work = sorted((s for s in steps if s.operation in WORK), key=lambda step: step.end)
    ends = [step.end for step in work]
    total, here = 0.0, len(work)
    while here:
        step = work[here - 1]
        total += step.seconds
        here = min(here - 1, bisect_right(ends, step.start + 1e-9))
    return total


def waste(steps: list[Span]) -> list[Span]:
    """Model calls whose work was done again or given up: those of a task's or delegation's
    failed tries."""
    parents = {step.span_id: step.parent_id for step in steps}
    until: dict[str, float] = {}
    for step in steps:
        if step.operation in ("dispatch", "delegate"):
            failed = [e.time for e in step.events if e.name == "attempt" and e.attributes["error"]]
            until[step.span_id] = step.end if step.status == "error" else max(failed, default=-1.0)
    found = []
    for step in steps:
        above = parents[step.span_id] if step.operation == "chat" else None
        while above is not None and above not in until:
            above = parents[above]
        if above is not None and step.end <= until[above]:
            found.append(step)
    return found


def span_rows(run_id: str, steps: list[Span]) -> Iterator[Row]:
    """The steps of a run as rows of `spans`."""
    number = {step.span_id: place for place, step in enumerate(steps)}
    agents: dict[str | None, str] = {None: ""}
    for step in steps:
        told, error = step.attributes, step.attributes.get("error.type", "")
        agent = str(told.get("gen_ai.agent.name") or agents.get(step.parent_id, ""))
        agents[step.span_id] = agent
        yield {
            "run_id": run_id,
            "span": number[step.span_id],
            "parent": number.get(step.parent_id or ""),
            "operation": step.operation,
            "name": step.name,
            "agent": agent,
            "role": str(told.get("switchboard.role", "")),
            "start_s": step.start,
            "end_s": step.end,
            "queue_s": step.seconds if step.operation == "wait" else 0.0,
            "ttft_s": told.get("gen_ai.response.time_to_first_chunk"),
            "attempt": told.get("switchboard.attempt"),
            "status": step.status,
            "error_type": str(error),
            "fault": step.name if step.operation == "fault" else "",
            "tokens_in": int(told.get(IN, 0)) if step.operation == "chat" else 0,
            "tokens_out": int(told.get(OUT, 0)) if step.operation == "chat" else 0,
        }


def _total(steps: list[Span], attribute: str) -> int:
    return sum(int(step.attributes.get(attribute, 0)) for step in steps)


def _hash(trace: Trace) -> str:
    """A hash of all steps of a trace, in their order."""
    told = [
        (s.operation, s.name, s.parent_id, s.start, s.end, s.status, s.error,
         sorted(s.attributes.items()), [(e.name, e.time) for e in s.events])
        for s in trace.spans
    ]  # fmt: skip
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]
