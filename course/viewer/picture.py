"""All that is drawn of a run, worked out once: agents, cords, rows, events and what hangs on what.

A cord lies from one event to another, not from one second to another: a tool takes no virtual time,
and yet its cord is seen. Nothing here is a guess about what a step meant: what the picture needs
stands in the trace (docs/trace.md), and what does not stand there is not drawn.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

from course.trace import Trace
from course.viewer.desk import Desk
from course.viewer.outline import outline
from course.viewer.sentences import Moment, moments_of
from course.viewer.steps import (
    CALLS,
    INVOKE,
    PERSON,
    WORKFLOW,
    Job,
    TraceStep,
    boss_of,
    jobs_of,
    steps_of,
)

CordKind = Literal["held", "lent", "handed", "tool", "model"]
CALLER, MODEL = "caller", "model"
DRAWN = (*CALLS, "wait", "fault", "approve")
"""Steps that are bars or marks in a row."""


@dataclass(eq=False, slots=True)
class Cord:
    """What joins two jacks from the event `begin` until before the event `end`.

    "held": the caller's line to who has the conversation; "lent": asked, and comes back;
    "handed": handed over; "tool" and "model": a call.
    """

    kind: CordKind
    a: str
    b: str
    begin: int
    end: int
    step: TraceStep | None = None
    lane: int = 0

    @property
    def bad(self) -> bool:
        """Whether it may be drawn as failed: what takes time has not failed before its end."""
        return self.step is not None and self.step.failed and self.step.instant


@dataclass(eq=False, slots=True)
class Picture:
    """A run as it is drawn; `told` says what of it is not."""

    trace: Trace
    steps: list[TraceStep]
    jobs: list[Job]
    moments: list[Moment]
    end: float
    agents: dict[str, list[str]] = field(default_factory=dict)
    cords: list[Cord] = field(default_factory=list)
    critical: list[TraceStep] = field(default_factory=list)
    spans_of_events: dict[TraceStep, tuple[int, int]] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)

    @property
    def under(self) -> dict[str, str]:
        """Who stands in a second row, and under whom: who works for somebody that works for
        others. Who has the conversation stands in the first."""
        lenders: dict[str, str] = {}
        for cord in self.cords:
            if cord.kind == "lent":
                lenders.setdefault(cord.b, cord.a)
        for cord in self.cords:
            if cord.kind in ("held", "handed"):
                lenders.pop(cord.b, None)
        found = {}
        for name in lenders:
            way = [name]
            while (above := lenders.get(way[-1])) and above not in way:
                way.append(above)
            if len(way) > 2:
                found[name] = way[-2]
        return found

    @property
    def request(self) -> str:
        """What was asked, of several turns the first."""
        asked = (m.words for m in self.moments if m.step is None and m.phase == "once")
        return next(asked, "")

    @property
    def facts(self) -> dict[str, float]:
        """The run in numbers: seconds, model calls, tokens, US dollars."""
        chats = [step.span.attributes for step in self.steps if step.kind == "chat"]
        keys = ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens")
        return {
            "seconds": self.end,
            "calls": len(chats),
            "tokens": sum(number(each.get(key)) for each in chats for key in keys),
            "cost": sum(number(each.get("switchboard.cost_usd")) for each in chats),
        }

    def parts(self, job: Job) -> list[TraceStep]:
        """What is drawn in a job's row; the job itself where nothing is told of what was done."""
        drawn = [step for step in job.steps if step.kind in DRAWN]
        return drawn or [job.opened_by] * job.untold

    def as_json(self, told: Sequence[str] = ()) -> dict[str, Any]:
        """What the scripts draw, as plain data; `told` is said in its head.

        Steps, jobs and events are named by their places.
        """
        desk, place, under = Desk(), {job: n for n, job in enumerate(self.jobs)}, self.under
        steps = [self._step(step, place, desk) for step in self.steps]
        name = self.trace.name.partition(": ")[0]
        of_request = name and self.request.startswith(name.rstrip(" ."))
        return {
            "name": self.steps[0].span.name if self.steps and of_request else name,
            "request": self.request,
            "seed": self.trace.seed,
            "told": [*told, *self.told],
            "end": self.end,
            **self.facts,
            "models": sorted({step.span.name for step in self.steps if step.kind == "chat"}),
            "agents": [
                {"name": name, "tools": tools, "under": under.get(name, "")}
                for name, tools in self.agents.items()
            ],
            "jobs": [self._job(job) for job in self.jobs],
            "cords": [
                [c.kind, c.a, c.b, c.begin, c.end, c.step.order if c.step else -1, c.lane, +c.bad]
                for c in self.cords
            ],
            "moments": [
                {
                    "t": rounded(m.time), "who": m.who, "text": m.text,
                    "step": m.step.order if m.step else -1, "phase": m.phase, "mark": m.mark,
                    "bad": m.bad, **({"words": m.words} if m.step is None else {}),
                }
                for m in self.moments
            ],
            "critical": [step.order for step in self.critical],
            "steps": steps,
            "messages": desk.messages,
        }  # fmt: skip

    def _step(self, step: TraceStep, place: dict[Job, int], desk: Desk) -> dict[str, Any]:
        return {
            "op": step.kind, "name": step.span.name, "who": step.who,
            "job": place[step.job] if step.job else -1,
            "a": rounded(step.span.start), "b": rounded(step.span.end), "bad": step.failed,
            **({"depth": step.depth} if step.depth else {}),
            **({"refine": True} if step.up and step.up.kind == "refine" else {}),
            **desk.tell(step),
        }  # fmt: skip

    def _job(self, job: Job) -> dict[str, Any]:
        first, last = self.spans_of_events.get(job.opened_by, (0, 0))
        tries = job.tries
        return {
            "id": job.id, "agent": job.agent, "words": job.words,
            "a": rounded(job.opened_by.span.start), "b": rounded(job.opened_by.span.end),
            "status": job.status, "error": job.error, "from": first, "to": last,
            "tries": [rounded(each.time) for each in tries[:-1]],
            "parts": [step.order for step in self.parts(job)], "step": job.opened_by.order,
            "depth": len({up.job for up in job.opened_by.above()} - {None}),
        }  # fmt: skip


def rounded(seconds: float) -> float:
    """Microseconds are enough for a picture."""
    return round(seconds, 6)


def number(value: object) -> float:
    """A number, 0 where it is none."""
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else 0


def picture_of(trace: Trace) -> Picture:
    """Work out what is drawn of a trace; an empty one has a caller and nobody else. Of one that
    is too large the outline is drawn."""
    trace, told = outline(trace)
    steps = steps_of(trace)
    end = max((step.span.end for step in steps), default=0.0)
    moments = moments_of(steps, trace.name, end)
    made = Picture(trace, steps, jobs_of(steps), moments, end, told=told)
    made.spans_of_events = _events_inside(moments)
    made.agents = _agents(made)
    made.cords = _in_lanes(list(_cords(made)))
    made.critical = critical(steps)
    return made


def _events_inside(moments: Iterable[Moment]) -> dict[TraceStep, tuple[int, int]]:
    """The first and the last event of each step and of what is inside it."""
    found: dict[TraceStep, tuple[int, int]] = {}
    for index, each in enumerate(moments):
        for step in (each.step, *each.step.above()) if each.step else ():
            found[step] = (found.get(step, (index, 0))[0], index)
    return found


def _agents(made: Picture) -> dict[str, list[str]]:
    """Who takes part, in the order in which they appear, with the tools that each used."""
    found: dict[str, list[str]] = {}
    frames = _frames(made.steps)
    for step in made.steps:
        if step in frames:
            continue
        if step.kind == "handoff" and (sender := step.told("switchboard.handoff.from")):
            found.setdefault(sender, [])
        if step.who and (step.busy or step.kind in (INVOKE, "handoff", "skip", "delegate")):
            tools = found.setdefault(step.who, [])
            if step.kind == "execute_tool" and step.span.name not in tools:
                tools.append(step.span.name)
        if step.kind == "approve" and step.who:
            found |= {step.who: found.get(step.who, []), PERSON: []}
    return found


def _frames(steps: Sequence[TraceStep]) -> set[TraceStep]:
    """What only stands around a conversation, such as a session on a line: those inside have it."""
    return {
        up
        for step in steps
        if step.told("switchboard.holder")
        for up in step.above()
        if up.kind == WORKFLOW and not up.told("switchboard.holder")
    }


def _holds(made: Picture) -> list[tuple[str, int]]:
    """Who has the conversation with the caller, and from which event on."""
    frames = _frames(made.steps)
    told = [
        (inside[1] if step.kind == "handoff" else inside[0], _holder(step))
        for step in made.steps
        if step not in frames and (inside := made.spans_of_events.get(step))
    ]
    taken: list[tuple[str, int]] = []
    for index, agent in sorted(told, key=lambda each: each[0]):
        if agent and (not taken or taken[-1][0] != agent):
            taken.append((agent, index if taken else 0))
    return taken


def _holder(step: TraceStep) -> str:
    """Who has the conversation with this step, if it says so: else who works for nobody."""
    if said := step.told("switchboard.holder"):
        return said
    if any(up.kind in (INVOKE, "dispatch", "delegate", "task", "handoff") for up in step.above()):
        return ""
    if boss_of(step) or (step.kind == WORKFLOW and not step.busy):
        return ""
    return step.who if step.busy and step.kind != "handoff" else ""


def _cords(made: Picture) -> Iterator[Cord]:
    held = list(_held(made))
    yield from held
    for step in made.steps:
        first, last = made.spans_of_events.get(step, (-1, -1))
        if first < 0 or not step.who:
            continue
        alone = step.job if step.kind == "dispatch" else None
        if alone and alone.untold and (boss := boss_of(step)) not in ("", step.who):
            yield Cord("lent", boss, step.who, first, max(last, first + 1), step)
        if step.kind == "execute_tool":
            yield Cord("tool", step.who, step.span.name, first, max(last, first + 1), step)
        elif step.kind == "chat":
            yield Cord("model", step.who, MODEL, first, max(last, first + 1), step)
        elif step.kind == "approve":
            yield Cord("lent", step.who, PERSON, first, max(last, first + 1), step)
        elif step.kind == "handoff":
            yield from _moved(made, step, first, held)
        elif step.kind == INVOKE and (boss := boss_of(step)) not in ("", step.who):
            around = step.job.opened_by if step.job and _only_turn(step) else step
            begin = first if around.kind == INVOKE else made.spans_of_events[around][0]
            over = bisect_left(made.moments, step.span.end, key=lambda each: each.time)
            yield Cord("lent", boss, step.who, begin, max(last, over, begin + 1), step)


def _held(made: Picture) -> Iterator[Cord]:
    """The caller's line, from one holder to the next; who holds it while nothing happens is left
    out."""
    holds = _holds(made)
    for (agent, begin), (_, end) in pairwise([*holds, ("", len(made.moments))]):
        if begin < end:
            made.agents.setdefault(agent, [])
            yield Cord("held", CALLER, agent, begin, end)


def _moved(made: Picture, step: TraceStep, first: int, held: Sequence[Cord]) -> Iterator[Cord]:
    """The cord of a handoff: as long as the other has it, or until it comes back."""
    sender, kind = step.told("switchboard.handoff.from"), step.told("switchboard.handoff.kind")
    if sender in ("", step.who) or kind == "return":
        return
    end = next((cord.end for cord in held if cord.begin <= first < cord.end), len(made.moments))
    if kind != "consult":
        yield Cord("handed", sender, step.who, first, max(end, first + 1), step)
        return
    for each in made.steps[step.order + 1 :]:
        given_back = each.told("switchboard.handoff.kind") == "return"
        if given_back and each.told("switchboard.handoff.from") == step.who:
            end = made.spans_of_events[each][0]
            break
    yield Cord("lent", sender, step.who, first, max(end, first + 1), step)


def _only_turn(step: TraceStep) -> bool:
    """Whether a job's agent works once, so that its cord lies from when the job was given."""
    assert step.job is not None
    return sum(each.kind == INVOKE and each.who == step.who for each in step.job.steps) == 1


def _in_lanes(cords: list[Cord]) -> list[Cord]:
    """Side by side where several cords lie between the same two at once."""
    busy: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for cord in sorted(cords, key=lambda each: each.begin):
        ends = busy[cord.kind, cord.a, cord.b]
        free = next((n for n, end in enumerate(ends) if end <= cord.begin), len(ends))
        ends[free : free + 1] = [cord.end]
        cord.lane = free
    return cords


def critical(steps: Sequence[TraceStep]) -> list[TraceStep]:
    """The steps that the end waited for: from the end back, always what ended last."""
    found = []
    pending = [(step, step.span.end) for step in steps if step.up is None]
    while pending:
        step, time = pending.pop()
        lasting = [c for c in step.children if not c.instant and c.kind != "monitor"]
        if not lasting and not step.instant:
            found.append(step)
        for child in sorted(lasting, key=lambda c: (-c.span.end, c.span.start)):
            if child.span.end <= time + 1e-9:
                pending.append((child, child.span.end))
                time = child.span.start
    return sorted(found, key=lambda step: step.span.start)
