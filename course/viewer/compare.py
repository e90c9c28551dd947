"""Where two runs part, and why: in one sentence.

They are laid beside each other by what was asked of whom, and not by their order, so that the same
request to two patterns can be compared as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from course.viewer.picture import Picture
from course.viewer.sentences import Moment, short
from course.viewer.steps import CALLS, INVOKE, Job, TraceStep

SAME = 1e-6  # seconds
Key = tuple[str, str, int, int, str, int, str]
"""An event's place: agent, first words of the job, n-th such job, n-th turn in it, kind, n-th such
step, phase."""


@dataclass(frozen=True)
class Parting:
    """Where two runs part: seconds, the sentence, and the event in each."""

    time: float
    sentence: str
    a: int
    b: int

    def as_json(self) -> dict[str, Any]:
        """As the scripts have it."""
        return {"time": self.time, "sentence": self.sentence, "a": self.a, "b": self.b}


def comparison(
    a: Picture, b: Picture, *, names: tuple[str, str] = ("A", "B"), said: str = ""
) -> dict[str, Any]:
    """Two runs as the scripts show them, on one clock, at the moment where they part.

    Args:
        a, b: the runs.
        names: what they are called.
        said: what stands above, such as the sentence of a contract that one of them broke.
    """
    found = parting(a, b, names=names)
    views = [a.as_json(), b.as_json()]
    where = found.as_json() if found else None
    return {"views": views, "names": list(names), "parting": where, "said": said}


def parting(a: Picture, b: Picture, *, names: tuple[str, str] = ("A", "B")) -> Parting | None:
    """The first event in which two runs differ, with the cause; None where they do not."""
    one, two = list(_keyed(a)), list(_keyed(b))
    here, there = dict(one), dict(two)
    apart = [(key, here[key], there.get(key, -1)) for key, _ in one]
    apart += [(key, -1, place) for key, place in two if key not in here]
    differing = [each for each in apart if _differs(a, b, *each[1:])]
    if not differing:
        return None
    _, x, y = min(differing, key=lambda each: _when(a, b, *each[1:]))
    time = _when(a, b, x, y)[0]
    ends = b.end - a.end
    whole = "Both end at the same second."
    if abs(ends) > SAME:
        later = "later" if ends > 0 else "earlier"
        whole = f"{names[1]} ends {abs(ends):.2f} s {later}."
    same = f"The same until {time:.2f} s; then " if time > SAME else ""
    sentence = f"{same}{_said(a, b, x, y, names)}"
    sentence = sentence[0].upper() + sentence[1:]
    return Parting(time, f"{sentence} {whole}", _at(a, x, time), _at(b, y, time))


def _keyed(picture: Picture) -> Iterator[tuple[Key, int]]:
    """The events of a run by what was asked of whom."""
    jobs: dict[tuple[str, str], int] = defaultdict(int)
    number: dict[Job, int] = {}
    for job in picture.jobs:
        number[job] = jobs[_asked(job)]
        jobs[_asked(job)] += 1
    turns: dict[TraceStep, int] = {}
    for job in picture.jobs:
        turns |= {step: n for n, step in enumerate(s for s in job.steps if s.kind == INVOKE)}
    steps: dict[tuple[Job | None, int, str, str], list[TraceStep]] = defaultdict(list)
    seen: dict[TraceStep, int] = {}
    for place, moment in enumerate(picture.moments):
        step = moment.step
        if step is None:
            yield ("caller", "", 0, 0, moment.phase, 0, moment.phase), place
            continue
        name = step.span.name if step.kind == "execute_tool" else ""
        turn = next((turns[up] for up in (step, *step.above()) if up in turns), 0)
        alike = steps[step.job, turn, step.kind, name]
        if step not in seen:
            seen[step] = len(alike)
            alike.append(step)
        agent, words = _asked(step.job) if step.job else (step.who, "")
        nth = number[step.job] if step.job else 0
        yield (agent, words, nth, turn, f"{step.kind} {name}", seen[step], moment.phase), place


def _asked(job: Job) -> tuple[str, str]:
    return job.agent, short(job.words.lower(), 60)


def _differs(a: Picture, b: Picture, x: int, y: int) -> bool:
    if x < 0 or y < 0:
        return True
    one, two = a.moments[x], b.moments[y]
    if one.step is None:  # where it ends tells nothing that did not begin before
        return one.phase == "once" and one.words != two.words
    return abs(one.time - two.time) > SAME or one.bad != two.bad or _came(one) != _came(two)


def _came(moment: Moment) -> object:
    """What came of a call with this event, to be compared."""
    step = moment.step
    if step is None or step.kind not in CALLS or moment.phase == "begin":
        return ""
    key = "output.messages" if step.kind == "chat" else "tool.call.result"
    return step.told(f"gen_ai.{key}")


def _when(a: Picture, b: Picture, x: int, y: int) -> tuple[float, bool, int]:
    """When an event differs: at the earlier of both. What is there twice goes before what is
    missing, since it can say why."""
    times = [p.moments[n].time for p, n in ((a, x), (b, y)) if n >= 0]
    return min(times), x < 0 or y < 0, max(x, y)


def _at(picture: Picture, place: int, time: float) -> int:
    """The event to show: the one that differs, or where there is none the last until then."""
    if place >= 0:
        return place
    before = [n for n, each in enumerate(picture.moments) if each.time <= time + SAME]
    return before[-1] if before else 0


def _said(a: Picture, b: Picture, x: int, y: int, names: Sequence[str]) -> str:
    if x < 0 or y < 0:
        has, lacks = (names[0], names[1]) if y < 0 else (names[1], names[0])
        text = (a.moments[x] if y < 0 else b.moments[y]).text.rstrip(".")
        return f"in {has}: {text}. In {lacks} this never happens."
    one, two = a.moments[x], b.moments[y]
    if one.step is None or two.step is None:
        return "they are asked different things."
    late = two.time - one.time
    if abs(late) <= SAME:
        return f"in {names[0]}: {one.text} In {names[1]}: {two.text}"
    word = "later" if late > 0 else "earlier"
    text = one.text if one.text == two.text else two.text
    why = _why(b if late > 0 else a, two if late > 0 else one, a if late > 0 else b, late > 0)
    return f"in {names[1]} this comes {abs(late):.2f} s {word}: {text.rstrip('.')}{why}."


def _why(slow: Picture, moment: Moment, fast: Picture, later: bool) -> str:
    """What the later one waited for, or what took longer in it."""
    step = moment.step
    assert step is not None
    if moment.phase == "end" and step.kind in CALLS:
        other = "the other" if later else "this one"
        used = step.told("gen_ai.usage.output_tokens")
        wrote = f", which wrote {used} tokens here" if used else ""
        return f", since the call took longer than in {other}{wrote}"
    waited = _waited_for(slow, step)
    not_ = "" if later else "not "
    verb = "waits for" if later else "wait for"
    if not waited or waited == _waited_for(fast, step):
        return ""
    return f", since it {'' if later else 'does '}{not_}{verb} {waited}"


def _waited_for(picture: Picture, step: TraceStep) -> str:
    """What ended at the instant in which a step began: a line, or somebody's work."""
    start = step.span.start
    for each in picture.steps:
        if each.kind == "wait" and each.job is step.job and abs(each.span.end - start) <= SAME:
            return each.span.name
    ended = [
        job
        for job in picture.jobs
        if job is not step.job and abs(job.opened_by.span.end - start) <= SAME and start > 0
    ]
    return ended[-1].name if ended else ""
