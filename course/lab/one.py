"""One run: a cell of an experiment becomes a row of `runs` and its rows of `spans`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
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
from course.errors import ConfigurationError, ContextOverflow, CourseError, ModelError
from course.foreign import Foreign
from course.lab import frameworks
from course.lab.kept import NotKept, Service
from course.lab.measures import measured
from course.lab.patterns import PATTERNS, POLICIES, Setup
from course.lab.spec import Cell, flaws_of
from course.models.connect import connect
from course.models.draws import Draws
from course.models.injection import profile_with, troubled
from course.models.line import guarded
from course.models.simulated import Simulated
from course.models.wire import Key
from course.observability.measures import digest, measures, put_off, step_rows
from course.runner import run
from course.trace import Trace

MOMENT = 1e-3
"""Seconds after a deadline in which who keeps to it by itself can still hand over what there is."""
DEADLINE, CONTEXT = "deadline", "context_length"
"""Stop reasons of a run that was cut off at its deadline, and of one that broke since what it had
to say was longer than its model reads."""
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


def play(cell: Cell, *, messages: bool = False, kept: Service | None = None) -> Played:
    """Run a cell in virtual time; the same cell gives the same bytes on every machine.

    Args:
        cell: the run.
        messages: whether the trace has what was asked and answered.
        kept: the answers with which a run of a real service is played again; without them the
            service is asked, in real time.

    Raises ConfigurationError: its bench, pattern, policy, profile or model does not exist, or the
    pattern breaks as it is made; `course.lab.kept.NotKept`: it asks what was never answered.
    """
    speed = 1 if cell.live and not kept else None
    with opened(cell) as (task, case):
        played = clock.simulate(played_in(cell, task, case, messages, kept), speed=speed)
    if kept and kept.refused(cell):
        raise NotKept(f"run {cell.run_id} asks what was never answered")
    return played


@contextmanager
def opened(cell: Cell) -> Iterator[tuple[Named, Case]]:
    """The task of a cell, and the case that it is within the block."""
    bench, task = _tasks(cell.bench, cell.tasks, cell.world_seed)[cell.task]
    with bench.open(task) as case:
        yield task, case


@cache
def _tasks(text: str, tasks: int, world_seed: int) -> dict[str, tuple[Bench, Named]]:
    made = make(text, tasks=tasks, world_seed=world_seed)
    return {task.id: (made, task) for task in made.tasks()}


async def played_in(
    cell: Cell, task: Named, case: Case, messages: bool = False, service: Service | None = None
) -> Played:
    """Run a cell whose task is open, on the loop that is there, and judge what came of it."""
    trace = Trace(cell.run_id, seed=cell.seed, run_id=cell.run_id, messages=messages)
    answer, stop, scored, seconds = await _answered(cell, task, case, trace, service)
    if scored is None:
        scored = case.judged(answer, by_marks=cell.model == "oracle")
    steps, told = trace.spans, ("status", "success", "share", "right", "needed", "wrong", "why")
    row = {
        **cell.row(),
        "cluster": task.cluster, "level": task.level, "agents": len(case.agents),
        "stop_reason": stop, "latency_s": seconds,
        "latency_net_s": max(0.0, seconds - put_off(steps)), "trace_sha": digest(trace),
        **{name: getattr(scored, name) for name in told},
        **measures(steps, {tool.name for agent in case.agents for tool in agent.tools}),
        **measured(cell.measures, steps),
    }  # fmt: skip
    row["parallelism"] = row["work_s"] / seconds if seconds else None
    return Played(row, list(step_rows(cell.run_id, steps)) if cell.spans else [], trace, answer)


async def _answered(
    cell: Cell, task: Named, case: Case, trace: Trace, service: Service | None
) -> tuple[str, str, Scored | None, float]:
    """The answer, the limit that ended the run, a verdict if it broke, and the seconds."""
    if case.only_chain and cell.pattern != "pipeline":
        return _excluded(f"{cell.bench} is a fixed chain: only pipeline runs it")
    if cell.model == "oracle" and case.excluded:
        return _excluded(case.excluded)
    way = POLICIES[cell.policy]
    setup = Setup(agents=case.agents, shared=case.shared, policy=way, deadline=cell.deadline,
                  chain=case.chain)  # fmt: skip
    frameworks.enter(cell.pattern)
    if cell.pattern not in PATTERNS:
        return _excluded(f"{cell.pattern}: the framework has no such pattern")
    try:
        system = PATTERNS[cell.pattern](setup)
    except CourseError as error:
        return _excluded(f"{cell.pattern} cannot be made here: {error}")
    except Exception as error:  # a pattern of one's own: all its runs would end so
        said = f"{type(error).__name__}: {error}".splitlines()[0]
        raise ConfigurationError(
            f"pattern '{cell.pattern}' breaks as it is made: {said}"
        ) from error
    if cell.fault_move and isinstance(system, Foreign):
        return _excluded(f"{cell.pattern}: moves of another framework cannot be made to fail")
    rate = service.rate if service and cell.live else None
    client = guarded(_client(cell, task, case, service), **way.line(), rate=rate)
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
        return "", DEADLINE, told, clock.now() - begin
    except Exception as error:  # a model, no plan, an unfilled stage, or a pattern of one's own
        kind = "" if isinstance(error, ModelError) else f"{type(error).__name__}: "
        stop = CONTEXT if isinstance(error, ContextOverflow) else ""
        return "", stop, outcome.failed(f"{kind}{error}"), clock.now() - begin
    stop = answer.stop.reason if answer.stop else ""
    return str(answer.answer), stop, None, end - begin


def _excluded(why: str) -> tuple[str, str, Scored, float]:
    return "", "", outcome.excluded(why), 0.0


def arrivals(cell: Cell) -> list[float]:
    """After how many seconds each request of a load arrives, the one that is measured first.

    That one comes in the middle, so that it meets those before it and those after it. The gaps are
    exponential, a Poisson process, and the same for every pattern that is compared. Each task has
    its own, so that what many tasks show hangs on no single draw.
    """
    draws = Draws(cell.seed, Key(cell.task, "arrivals"))
    gaps = (-cell.gap * log(1 - draws.uniform(f"gap {n}")) for n in range(1, cell.load))
    times = list(accumulate(gaps, initial=0.0))
    return [times.pop(cell.load // 2), *times]


async def _timed(wait: float, ask: Callable[[], Awaitable[Any]]) -> tuple[Any, float]:
    """What comes of a request that arrives after so many seconds, and when it came."""
    if wait:
        await asyncio.sleep(wait)
    return await ask(), clock.now()


async def _quietly(running: Awaitable[Any]) -> None:
    """A run that is only there as load."""
    with suppress(CourseError):
        await running


def _client(cell: Cell, task: Named, case: Case, service: Service | None) -> Any:
    """What answers: the oracle or the simulated model under the cell's faults, or a service."""
    if cell.live:
        return service.client(cell) if service else connect("endpoint", seed=cell.luck)
    profile = profile_with(
        cell.profile, model=cell.fault_model, kind=cell.fault_kind, tool=cell.fault_tool,
        tool_kind=cell.tool_kind, move=cell.fault_move, weather=task.id,
    )  # fmt: skip
    seed = cell.luck
    responder: Any = Simulated(profile, seed)
    if cell.model == "oracle":
        owners: dict[str, list[str]] = {}
        for agent in case.agents:
            for tool in agent.tools:
                owners.setdefault(tool.name, []).append(agent.name)
        responder = Oracle(task.id, case.errands, owners, flaws_of(cell.flaw), seed,
                           case.truth)  # fmt: skip
    responder = troubled(responder, rate=cell.fault_model, kind=cell.fault_kind, seed=seed)
    return connect(responder, seed=seed, profile=profile, wire=False)
