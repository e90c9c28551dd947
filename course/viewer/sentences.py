"""What happens in a run: one sentence an event, in the order in which it happens.

The same sentence is the caption under the board, what a screen reader hears, a row of the table,
a chapter mark and what two runs are compared by. An instant may hold several events: a tool takes
no virtual time. They have an order all the same, and it is by events that one steps through a run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Literal

from course.viewer.steps import (
    GIVEN,
    INVOKE,
    PERSON,
    TraceStep,
    boss_of,
    messages_of,
    parsed,
    text_of,
)

Phase = Literal["begin", "end", "once"]
QUOTED = 110  # characters of what somebody said
NAMED = 60  # characters of a call's values
NOBODY = "nobody"  # who decides where no person did, as course.approval says it


@dataclass(eq=False, slots=True)
class Moment:
    """An event: when, what is said of it, and whether it is a chapter (`mark`) or a failure.

    `step` is None where the caller asks or hears, and `words` is what they do.
    """

    time: float
    who: str
    text: str
    step: TraceStep | None = None
    phase: Phase = "once"
    mark: str = ""
    bad: bool = False
    words: str = ""


def short(text: str, most: int = QUOTED) -> str:
    """A text on one line, cut where it is longer."""
    line = " ".join(str(text).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def _ended(text: str) -> str:
    """A sentence with its full stop, where it has no end yet."""
    return text if text.endswith((".", "…", "?", "!")) else f"{text}."


def quoted(text: str, most: int = QUOTED) -> str:
    """Somebody's words."""
    return f"“{short(text, most)}”"


def moments_of(steps: Sequence[TraceStep], name: str, end: float) -> list[Moment]:
    """The events of a run, from what the caller asks to what they hear.

    Args:
        steps: as `steps_of` gives them.
        name: of the trace; as `run` writes it, it has the request.
        end: seconds of the whole run.
    """
    events = []
    for step in steps:
        for made in (*_stopped(step), *_TELL.get(step.kind, _nothing)(step)):
            events.append((_place(step, made), made))
    events.sort(key=lambda each: each[0])
    asked = [s for s in steps if s.told("switchboard.request") and s.kind != "receive"]
    asked = [s for s in asked if not any(up in asked for up in s.above())]
    heard = [s for s in steps if s.told("switchboard.answer") and s.kind != "receive"]
    heard = [s for s in heard if not any(up in heard for up in s.above())]
    first = [_asks(s.told("switchboard.request"), s.span.start) for s in asked]
    first = first or [_asks(_first_words(steps, name), 0)]
    last = [_hears(s.told("switchboard.answer"), s.span.end) for s in heard] or [_hears("", end)]
    return _merged(first, [made for _, made in events], last)


def _first_words(steps: Sequence[TraceStep], name: str) -> str:
    """What the caller asks where no step notes it: the words of the first agent's job, or those
    after the system's name. Any other name of a trace is not what somebody said."""
    turn = next((each for each in steps if each.kind == INVOKE), None)
    if turn and turn.job and turn.job.opened_by is turn and turn.job.words:
        return turn.job.words
    system, _, said = name.partition(": ")
    return said if any(s.up is None and s.span.name == system for s in steps) else ""


def _asks(words: str, time: float) -> Moment:
    said = f": {quoted(words, 160)}" if words else "."
    return Moment(time, "caller", f"The caller asks{said}", words=words)


def _hears(words: str, time: float) -> Moment:
    text = f"The caller hears: {quoted(words, 160)}" if words else "The run is over."
    return Moment(time, "caller", text, words=words, phase="end")


def _merged(first: list[Moment], inner: Iterable[Moment], last: Iterable[Moment]) -> list[Moment]:
    """Several turns of one conversation: what is asked stands before what begins with it, and what
    is heard after what was done until then. Somebody may be greeted before they ask."""
    told, left, heard = (
        list[Moment](),
        deque(inner),
        deque(sorted(last, key=lambda each: each.time)),
    )
    first.sort(key=lambda each: each.time)
    begin = min([first[0].time, *(each.time for each in left)])
    while heard and heard[0].time < begin:
        told.append(heard.popleft())
    first[0].time = min(first[0].time, *(each.time for each in (*left, *heard)))
    for asks, following in zip(first, [*first[1:], None], strict=True):
        told.append(asks)
        until = following.time if following else inf
        while True:
            goes_on = bool(left) and _before(left[0], until)
            hears = bool(heard) and heard[0].time <= until
            if hears and not (goes_on and left[0].time <= heard[0].time):
                told.append(heard.popleft())
                told[-1].time = max(told[-1].time, told[-2].time)
            elif goes_on:
                told.append(left.popleft())
            else:
                break
    if told[-1].step or told[-1].phase != "end":
        told.append(_hears("", told[-1].time))
    return told


def _before(moment: Moment, until: float) -> bool:
    return moment.time < until or (moment.time == until and moment.phase == "end")


def _place(step: TraceStep, moment: Moment) -> tuple[float, int, int, int]:
    """Where an event stands among those of its instant: what ended here and began before comes
    first, from the inside out; then what begins, in the trace's order, and its end with it."""
    if moment.phase != "end":
        return moment.time, step.order, 0, 0
    last = _last_begun(step, moment.time)
    return moment.time, last, 1, -step.depth


def _last_begun(step: TraceStep, time: float) -> int:
    """The order of the last step that began at this time inside `step`, or -1."""
    found, inside = -1, [step]
    while inside:
        each = inside.pop()
        if each.span.start == time:
            found = max(found, each.order)
        inside += [child for child in each.children if child.span.end == time]
    return found


def _me(step: TraceStep) -> str:
    job = step.job
    return job.name if job and job.agent == step.who else step.who or step.span.name


def _nothing(step: TraceStep) -> Iterator[Moment]:
    yield from ()


def _stopped(step: TraceStep) -> Iterator[Moment]:
    """That a limit ended a step: told of the innermost that says so."""
    stop = step.told("switchboard.stop")
    inside = list(step.children)
    while stop and inside:
        each = inside.pop()
        if each.told("switchboard.stop") == stop:
            return
        inside += each.children
    if stop:
        text = _ended(f"{_me(step)} is stopped: {short(stop.removeprefix('stopped: '))}")
        yield Moment(step.span.end, step.who, text, step, "end", "failure", bad=True)


def _chat(step: TraceStep) -> Iterator[Moment]:
    me, span = _me(step), step.span
    again = int(span.attributes.get("switchboard.attempt", 1) or 1) > 1
    yield Moment(
        span.start, step.who, f"{me} asks the model{' again' if again else ''}.", step, "begin",
        "retry" if again else "",
    )  # fmt: skip
    if step.failed:
        text = f"The model fails {me}: {short(span.error or 'no answer')}"
        yield Moment(span.end, step.who, text, step, "end", "failure", bad=True)
        return
    answer: dict[str, Any] = next(iter(messages_of(step, "output")), {"parts": []})
    calls = [str(p.get("name")) for p in answer["parts"] if p.get("type") == "tool_call"]
    if calls:
        names = dict.fromkeys(calls)
        times = f", {len(calls)} times" if len(names) == 1 < len(calls) else ""
        text = f"The model tells {me} to call {' and '.join(names)}{times}."
    elif said := text_of(answer):
        text = f"The model answers {me}: {quoted(said)}"
    else:
        text = f"The model answers {me}."
    yield Moment(span.end, step.who, text, step, "end")


def values_of(step: TraceStep) -> str:
    """What a tool was called with, in a few words."""
    given = parsed(step.span.attributes.get("gen_ai.tool.call.arguments"))
    values = [v for v in given.values() if v not in ("", [], {})] if isinstance(given, dict) else []
    return short(", ".join(map(str, values)), NAMED) or "nothing"


def _tool(step: TraceStep) -> Iterator[Moment]:
    me, span = _me(step), step.span
    calls = _ended(f"{me} calls {span.name} with {values_of(step)}")
    fails = f"{span.name} fails {me}: {short(span.error or 'an error')}"
    mark = "failure" if step.failed else ""
    if step.instant:
        yield Moment(
            span.start, step.who, fails if step.failed else calls, step, "once", mark, step.failed
        )
        return
    yield Moment(span.start, step.who, calls, step, "begin")
    text = fails if step.failed else f"{span.name} answers {me}."
    yield Moment(span.end, step.who, text, step, "end", mark, step.failed)


_MOVES = {"consult": "consults", "return": "gives the conversation back to"}


def _handoff(step: TraceStep) -> Iterator[Moment]:
    sender, kind = step.told("switchboard.handoff.from"), step.told("switchboard.handoff.kind")
    verb = _MOVES.get(kind, "hands the conversation to")
    why = step.told("switchboard.handoff.reason")
    text = f"{sender} {verb} {step.who}" + (f": {quoted(why)}" if why else ".")
    yield Moment(step.span.start, step.who, text, step, "once", "handoff")


def _given(step: TraceStep) -> Iterator[Moment]:
    job, span = step.job, step.span
    assert job is not None
    boss = boss_of(step)
    if step.kind == "stage":
        begins = f"{span.name} begins with {job.agent}." if job.agent != span.name else ""
        yield Moment(span.start, job.agent, begins or f"{span.name} begins.", step, "begin")
        ends = "fails: " + short(job.error) if step.failed else "is over."
        yield Moment(
            span.end, job.agent, f"{span.name} {ends}", step, "end",
            "failure" if step.failed else "", step.failed,
        )  # fmt: skip
        return
    to = f"{job.id} to {job.agent}" if job.id else f"{job.agent} a task"
    what = f": {quoted(job.words)}" if job.words else "."
    text = f"{boss} gives {to}{what}" if boss else f"{job.name} begins{what}"
    yield Moment(span.start, job.agent, text, step, "begin", "delegation")
    lost = step.told("switchboard.task.result") if not step.failed else ""
    text = f"{job.name} reports back" + (f": {quoted(lost)}" if lost else ".")
    if step.failed:
        text = f"{job.name} gives up: {short(job.error)}"
    yield Moment(
        span.end, job.agent, text, step, "end", "failure" if step.failed else "", step.failed
    )


def _skip(step: TraceStep) -> Iterator[Moment]:
    job = step.job
    assert job is not None
    text = f"{job.name} is skipped: {short(job.error)}"
    yield Moment(step.span.end, job.agent, text, step, "end", "failure", bad=True)


def _said(
    template: str, mark: str = "", *, at_end: bool = False
) -> Callable[..., Iterator[Moment]]:
    """A sentence about a step that is told once, where it begins or where it ends."""

    def tell(step: TraceStep) -> Iterator[Moment]:
        span, why = step.span, short(step.told("switchboard.error"))
        task = step.job.id if step.job and step.job.id else "the task"
        text = template.format(who=step.who or span.name, name=span.name, why=why, task=task)
        time, phase = (span.end, "end") if at_end else (span.start, "begin")
        yield Moment(time, step.who, _ended(" ".join(text.split())), step, phase, mark)  # type: ignore[arg-type]

    return tell


def _plan(step: TraceStep) -> Iterator[Moment]:
    plan = parsed(step.span.attributes.get("switchboard.plan"))
    tasks = plan.get("tasks") if isinstance(plan, dict) else None
    if step.failed:
        text = f"{step.who} finds no plan: {short(step.span.error or '')}"
    elif isinstance(tasks, list):
        text = f"{step.who} lays a plan of {len(tasks)} task{'' if len(tasks) == 1 else 's'}."
    else:
        text = f"{step.who} has chosen its tools: {step.told('switchboard.tools') or 'none'}."
    yield Moment(step.span.end, step.who, text, step, "end", "plan", step.failed)


def _fault(step: TraceStep) -> Iterator[Moment]:
    text = f"A fault strikes {_me(step)}: {step.span.name}."
    yield Moment(step.span.start, step.who, text, step, "begin", "failure")


def _route(step: TraceStep) -> Iterator[Moment]:
    chosen = (step.told("switchboard.route.agents") or "nobody").replace(", ", " and ")
    by = step.told("switchboard.route.by")
    text = f"{f'The {by}' if by else step.span.name} chooses {chosen}."
    yield Moment(step.span.end, step.who, text, step, "end", "plan", step.failed)


def _approve(step: TraceStep) -> Iterator[Moment]:
    asker = step.told("switchboard.approval.asked_by") or step.who
    text = f"{asker} asks a person for a yes: {quoted(step.span.name)}"
    yield Moment(step.span.start, step.who, text, step, "begin", "delegation")
    said = step.told("switchboard.approval.approved")
    answer = {"True": "says yes", "False": "says no"}.get(said, "does not answer")
    by, why = (step.within(f"switchboard.approval.{key}") for key in ("decided_by", "reason"))
    if by == NOBODY:
        answer = "decides, which counts as a no"
    by = "The person" if by in ("", "a person") else by[0].upper() + by[1:]
    told = f"{by} {answer}" + (f": {quoted(why)}" if why else ".")
    yield Moment(step.span.end, PERSON, told, step, "end")


_together = _said("{who} puts the answers together", "aggregation")
_TELL: dict[str, Callable[[TraceStep], Iterator[Moment]]] = {
    "chat": _chat,
    "execute_tool": _tool,
    "handoff": _handoff,
    **dict.fromkeys(GIVEN, _given),
    "skip": _skip,
    "plan": _plan,
    "route": _route,
    "approve": _approve,
    "fault": _fault,
    "take_down": _said("{who} takes down what the caller wants", "plan"),
    "enter": _said("{who} takes over", "handoff"),
    "refine": _said("{who} rewrites {task}, since {why}", "retry"),
    "wait": _said("{who} waits: {name}", "retry"),
    "escalate": _said("The run is escalated: {name}", "handoff"),
    "select": _said("One of the answers to {task} is chosen", "aggregation", at_end=True),
    **dict.fromkeys(("aggregate", "synthesise", "reduce"), _together),
}
