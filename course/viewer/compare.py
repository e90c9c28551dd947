"""Where two runs part, and why: in one sentence.

They are laid beside each other by what was asked of whom, and not by their order, so that the same
request to two patterns can be compared as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile, zip_longest
from typing import Any, Literal

from course.viewer.picture import Picture
from course.viewer.sentences import Moment, quoted, short, values_of
from course.viewer.steps import CALLS, INVOKE, Job, TraceStep, messages_of

SAME = 1e-6  # seconds
ALIKE = 60  # characters that two texts may begin with before where they part is shown
Key = tuple[str, str, int, int, str, int, str]
"""An event's place: agent, first words of the job, n-th such job, n-th turn in it, kind (of a tool,
with its name and values), n-th such step, phase."""


@dataclass(frozen=True)
class Parting:
    """Where two runs part: seconds, the sentence, and the event in each; which of both lacks it,
    if one does, shows its last one until then."""

    time: float
    sentence: str
    a: int
    b: int
    lacking: Literal["", "a", "b"] = ""

    def as_json(self) -> dict[str, Any]:
        """As the scripts have it."""
        return {"time": self.time, "sentence": self.sentence, "a": self.a, "b": self.b}


def comparison(
    a: Picture, b: Picture, *, names: tuple[str, str] = ("A", "B"), said: str = "",
    found: Parting | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Two runs as the scripts show them, on one clock, at the moment where they part.

    Args:
        a, b: the runs.
        names: what they are called.
        said: what stands above, such as the sentence of a contract that one of them broke.
        found: where they part, if that is known already.
    """
    found = found or parting(a, b, names=names)
    views = [a.as_json(), b.as_json()]
    where = found.as_json() if found else None
    return {"views": views, "names": list(names), "parting": where, "said": said}


def parting(a: Picture, b: Picture, *, names: tuple[str, str] = ("A", "B")) -> Parting | None:
    """The first event in which two runs differ, with the cause; None where they do not."""
    both = {_asked(job) for job in a.jobs} & {_asked(job) for job in b.jobs}
    here, there = dict(_keyed(a, both)), dict(_keyed(b, both))
    apart = [(place, there.get(key, -1)) for key, place in here.items()]
    apart += [(-1, place) for key, place in there.items() if key not in here]
    differing = [each for each in apart if _differs(a, b, *each)]
    if not differing:
        return None
    x, y = min(differing, key=lambda each: _when(a, b, *each))
    time = _when(a, b, x, y)[0]
    if x < 0 or y < 0:
        x, y = _instead(a, b, x, y, differing)
    ends = b.end - a.end
    whole = "Both end at the same second."
    if abs(ends) > SAME:
        later = "later" if ends > 0 else "earlier"
        whole = _large(f"{names[1]} ends {abs(ends):.2f} s {later}.")
    same = f"The same until {time:.2f} s; then " if time > SAME else ""
    sentence = _large(f"{same}{_said(a, b, x, y, names)}")
    lacking: Literal["", "a", "b"] = "a" if x < 0 else "b" if y < 0 else ""
    return Parting(time, f"{sentence} {whole}", _at(a, x, time), _at(b, y, time), lacking)


def _instead(
    a: Picture, b: Picture, x: int, y: int, differing: Sequence[tuple[int, int]]
) -> tuple[int, int]:
    """An event that one run lacks, with what the other one's agent does at that instant instead."""
    run, other, place = (a, b, x) if y < 0 else (b, a, y)
    missed = run.moments[place]
    for found in (v if y < 0 else u for u, v in differing if (u if y < 0 else v) < 0):
        each = other.moments[found]
        if _does(each) == _does(missed) and abs(each.time - missed.time) <= SAME:
            return (x, found) if y < 0 else (found, y)
    return x, y


def _does(moment: Moment) -> tuple[object, ...]:
    step = moment.step
    return (moment.who, moment.phase, step and step.kind, step and step.span.name)


def _large(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


def _keyed(picture: Picture, both: Collection[tuple[str, str]]) -> Iterator[tuple[Key, int]]:
    """The events of a run by what was asked of whom; in words only where `both` runs have them."""
    jobs: dict[tuple[str, str], int] = defaultdict(int)
    asked: dict[Job, tuple[str, str]] = {}
    number: dict[Job, int] = {}
    for job in picture.jobs:
        asked[job] = _asked(job) if _asked(job) in both else (job.agent, "")
        number[job] = jobs[asked[job]]
        jobs[asked[job]] += 1
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
        name = _call(step) if step.kind in CALLS else ""
        turn = next((turns[up] for up in (step, *step.above()) if up in turns), 0)
        alike = steps[step.job, turn, step.kind, name]
        if step not in seen:
            seen[step] = len(alike)
            alike.append(step)
        agent, words = asked[step.job] if step.job else (step.who, "")
        nth = number[step.job] if step.job else 0
        yield (agent, words, nth, turn, f"{step.kind} {name}", seen[step], moment.phase), place


def _asked(job: Job) -> tuple[str, str]:
    return job.agent, short(job.words.lower(), 60)


def _call(step: TraceStep) -> str:
    """A call by who answers it and, of a tool, what it is called with."""
    return f"{step.span.name} {step.told('gen_ai.tool.call.arguments')}".strip()


def _differs(a: Picture, b: Picture, x: int, y: int) -> bool:
    if x < 0 or y < 0:
        return True
    one, two = a.moments[x], b.moments[y]
    if one.step is None:  # where it ends tells nothing that did not begin before
        return one.phase == "once" and one.words != two.words
    return abs(one.time - two.time) > SAME or one.bad != two.bad or _passed(one) != _passed(two)


def _passed(moment: Moment) -> object:
    """What a call was told or what came of it with this event, to be compared."""
    step = moment.step
    if step is None or step.kind not in CALLS:
        return ""
    if step.kind == "chat":
        return _words_of(step, "input" if moment.phase == "begin" else "output")
    return "" if moment.phase == "begin" else step.told("gen_ai.tool.call.result")


def _words_of(step: TraceStep, key: str) -> list[str]:
    """A call's messages as texts: who says what, calls and results included."""
    return [
        f"{m.get('role')}: {' '.join(str(p[k]) for p in m['parts'] for k in _SAYS if p.get(k))}"
        for m in messages_of(step, key)
    ]


_SAYS = ("content", "response", "name", "arguments")


def _when(a: Picture, b: Picture, x: int, y: int) -> tuple[float, bool, float, int]:
    """When an event differs: at the earlier of both. What is there twice goes before what is
    missing, since it can say why, and what comes late before what comes later still."""
    times = [p.moments[n].time for p, n in ((a, x), (b, y)) if n >= 0]
    return min(times), x < 0 or y < 0, max(times), max(x, y)


def _at(picture: Picture, place: int, time: float) -> int:
    """The event to show: the one that differs, or where there is none the last until then."""
    if place >= 0:
        return place
    before = [n for n, each in enumerate(picture.moments) if each.time <= time + SAME]
    return before[-1] if before else 0


def _said(a: Picture, b: Picture, x: int, y: int, names: Sequence[str]) -> str:
    if x < 0 or y < 0:
        has, lacks = (names[0], names[1]) if y < 0 else (names[1], names[0])
        run, place = (a, x) if y < 0 else (b, y)
        text = run.moments[place].text.rstrip(".")
        again = " once more" if _asks_again(run, place) else ""
        return f"in {has}: {text}{again}. In {lacks} this never happens."
    one, two = a.moments[x], b.moments[y]
    if one.step is None or two.step is None:
        return "they are asked different things."
    late = two.time - one.time
    if abs(late) <= SAME:
        if one.step.kind == "chat" and one.phase == "begin":
            return _told_else(one.step, two.step, names)
        return f"in {names[0]}: {_ended(one.text)} In {names[1]}: {_ended(two.text)}"
    word = "later" if late > 0 else "earlier"
    if one.text != two.text:
        other = f"In {names[1]}, {abs(late):.2f} s {word}: {_ended(two.text)}"
        return f"in {names[0]}: {_ended(one.text)} {other}"
    slow, fast = ((b, two), (a, one)) if late > 0 else ((a, one), (b, two))
    why = _why(slow, fast, later=late > 0)
    return f"in {names[1]} this comes {abs(late):.2f} s {word}: {two.text.rstrip('.')}{why}."


def _asks_again(picture: Picture, place: int) -> bool:
    """Whether the model is asked that was asked in this job before."""
    moment = picture.moments[place]
    before = (each.step for each in picture.moments[:place] if each.phase == "begin")
    asked = [each for each in before if each and each.kind == "chat"]
    step = moment.step
    if step is None or step.kind != "chat" or moment.mark == "retry" or moment.phase != "begin":
        return False
    return any(each.job is step.job for each in asked)


def _ended(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _told_else(one: TraceStep, two: TraceStep, names: Sequence[str]) -> str:
    """What the model is told in one run, and not in the other."""
    ours, theirs = _words_of(one, "input"), _words_of(two, "input")
    place = next(n for n, (x, y) in enumerate(zip_longest(ours, theirs)) if x != y)
    if place >= len(ours) or place >= len(theirs):
        has, lacks = (names[1], names[0]) if place >= len(ours) else (names[0], names[1])
        said = (ours if place < len(ours) else theirs)[place]
        return f"in {has} the model is told {quoted(said)}. In {lacks} it is not."
    x, y = ours[place], theirs[place]
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(x, y, strict=False)))
    begin = alike - ALIKE // 2 if alike > ALIKE else 0
    more = "… " if begin else ""
    x, y = (quoted(f"{more}{each[begin:]}") for each in (x, y))
    return f"in {names[0]} the model is told {x}. In {names[1]} it is told {y}."


def _why(slow: tuple[Picture, Moment], fast: tuple[Picture, Moment], *, later: bool) -> str:
    """What the later one waited for, or what took longer in it."""
    moment = slow[1]
    step = moment.step
    assert step is not None
    if moment.phase == "end" and step.kind in CALLS:
        other = "the other" if later else "this one"
        used = step.told("gen_ai.usage.output_tokens")
        wrote = f", which wrote {used} tokens here" if used else ""
        return f", since the call took longer than in {other}{wrote}"
    waited, otherwise = (_waited_for(p, m.step) if m.step else "" for p, m in (slow, fast))
    not_ = "" if later else "not "
    verb = "waits for" if later else "wait for"
    if waited in ("", otherwise):
        return ""
    return f", since it {'' if later else 'does '}{not_}{verb} {waited}"


def _waited_for(picture: Picture, step: TraceStep) -> str:
    """What ended at the instant in which a step began: a line, somebody's work, or a call."""
    start = step.span.start
    for each in picture.steps:
        if each.kind == "wait" and each.job is step.job and abs(each.span.end - start) <= SAME:
            return each.span.name
    ended = [
        job
        for job in picture.jobs
        if job is not step.job and abs(job.opened_by.span.end - start) <= SAME and start > 0
    ]
    if ended or start <= 0:
        return ended[-1].name if ended else ""
    over = [
        each.step
        for each in picture.moments
        if each.phase == "end" and each.step and abs(each.time - start) <= SAME
    ]
    calls = [each for each in over if each is not step and each.kind in CALLS]
    calls.sort(key=lambda each: each.job is not step.job)  # its own before anybody else's
    if not calls:
        return ""
    call = calls[0]
    if call.kind == "execute_tool":
        return f"{call.span.name} with {values_of(call)}"
    return "the model" if call.who == step.who else f"the model's answer to {call.who}"
