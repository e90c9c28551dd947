"""Exercise 4.6: traces of supervisors whose delegations waited for each other, or did not."""

from __future__ import annotations

from course.observability.diagnosis import waits
from graders.exercises.kit import *
from graders.exercises.sample_traces import exported, partly_failed

_STAGE = stage_of(
    "[[each.worker, each.behind, each.seconds] for each in student.waits(Trace.from_json(case))]",
    given="from course.trace import Trace",
)
_NAMES = ("plumbing", "carpentry", "painting", "roofing", "gardening", "tiling")
Step = tuple[str, str, float, float, int | None]
"""Operation, name, start, end, and the place of the step it belongs to."""


def trace_of(steps: Sequence[Step]) -> str:
    """A trace with these steps, in the published format; they have to be in their order."""
    named = ("operation", "name", "start", "end", "above")
    spans = [dict(zip(named, step, strict=True)) for step in steps]
    return exported(partly_failed(spans, "delegate"))


def _times(draw: random.Random, many: int) -> list[float]:
    """Seconds that are not round, in sixteenths: sums of them are exact."""
    return [each / 16 for each in draw.sample(range(33, 192, 2), many)]


def _led(end: float) -> list[Step]:
    return [("invoke_agent", "caretaker", 0.0, end, None)]


def _in_a_row(draw: random.Random) -> list[Step]:
    """Three delegations of one message, each of which begins when the one before has ended."""
    (one, two, three), (a, b, c) = draw.sample(_NAMES, 3), _times(draw, 3)
    return [
        *_led(3 + a + b + c),
        ("decompose", "caretaker", 0.0, 1.0, 0),
        ("chat", "small", 0.0, 1.0, 1),
        ("delegate", one, 1.0, 1 + a, 0),
        ("delegate", two, 1 + a, 1 + a + b, 0),
        ("delegate", three, 1 + a + b, 1 + a + b + c, 0),
        ("synthesise", "caretaker", 1 + a + b + c, 2 + a + b + c, 0),
    ]


def _at_once(draw: random.Random) -> list[Step]:
    """The same, as it should be."""
    names, times = draw.sample(_NAMES, 3), _times(draw, 3)
    longest = max(times)
    return [
        *_led(2 + longest),
        ("decompose", "caretaker", 0.0, 1.0, 0),
        *(("delegate", n, 1.0, 1 + t, 0) for n, t in zip(names, times, strict=True)),
        ("synthesise", "caretaker", 1 + longest, 2 + longest, 0),
    ]


def _in_rounds(draw: random.Random) -> list[Step]:
    """Two messages: what is asked for later could not begin before."""
    (one, two, three, four), (a, b, c, d) = draw.sample(_NAMES, 4), _times(draw, 4)
    then = 1 + max(a, b)
    return [
        *_led(then + 2 + max(c, d)),
        ("chat", "small", 0.0, 1.0, 0),
        ("delegate", one, 1.0, 1 + a, 0),
        ("delegate", two, 1.0, 1 + b, 0),
        ("chat", "small", then, then + 1, 0),
        ("delegate", three, then + 1, then + 1 + c, 0),
        ("delegate", four, then + 1, then + 1 + d, 0),
    ]


def _with_pauses(draw: random.Random) -> list[Step]:
    """Workers ask models of their own, which is no message of the supervisor's; and the second
    begins a moment after the first has ended."""
    (one, two), (a, b) = draw.sample(_NAMES, 2), _times(draw, 2)
    then = 1.5 + a
    return [
        *_led(then + b + 1),
        ("decompose", "caretaker", 0.0, 1.0, 0),
        ("delegate", one, 1.0, 1 + a, 0),
        ("chat", "small", 1.0, 1 + a, 2),
        ("delegate", two, then, then + b, 0),
        ("chat", "small", then, then + b, 4),
    ]


def _rounds_in_a_row(draw: random.Random) -> list[Step]:
    """Two messages, and a wait after each; what began after a tool waited for no delegation."""
    (one, two, three, four), (a, b, c, d) = draw.sample(_NAMES, 4), _times(draw, 4)
    then = 1 + a + b
    return [
        *_led(then + 3 + c + d),
        ("decompose", "caretaker", 0.0, 1.0, 0),
        ("delegate", one, 1.0, 1 + a, 0),
        ("delegate", two, 1 + a, then, 0),
        ("decompose", "caretaker", then, then + 1, 0),
        ("execute_tool", "find_key", then + 1, then + 2, 0),
        ("delegate", three, then + 2, then + 2 + c, 0),
        ("delegate", four, then + 2 + c, then + 2 + c + d, 0),
    ]


def _two_at_a_time(draw: random.Random) -> list[Step]:
    """Four delegations, of which only two run at once: the others begin as one of these ends."""
    one, two, three, four = draw.sample(_NAMES, 4)
    a, b, c, d = sorted(_times(draw, 4))
    return [
        *_led(9 + b + c + d),
        ("decompose", "caretaker", 0.0, 2.0, 0),
        ("delegate", one, 2.0, 2 + a, 0),
        ("delegate", two, 2.0, 2 + b, 0),
        ("delegate", three, 2 + a, 2 + a + c, 0),
        ("delegate", four, 2 + b, 2 + b + d, 0),
    ]


def _long_and_short(draw: random.Random) -> list[Step]:
    """Two at a time: who waits began when the one ended that had begun first."""
    one, two, three = draw.sample(_NAMES, 3)
    a, b, c = sorted(_times(draw, 3))
    return [
        *_led(9 + a + b + c),
        ("decompose", "caretaker", 0.0, 2.0, 0),
        ("delegate", one, 2.0, 2 + b, 0),
        ("delegate", two, 2.0, 2 + a, 0),
        ("delegate", three, 2 + b, 2 + b + c, 0),
    ]


def _by_one_worker(draw: random.Random) -> list[Step]:
    """Two messages, each with two tasks for the same worker, who does one after the other."""
    [name], (a, b, c, d) = draw.sample(_NAMES, 1), _times(draw, 4)
    then = 1 + a + b
    return [
        *_led(then + 2 + c + d),
        ("decompose", "caretaker", 0.0, 1.0, 0),
        ("delegate", name, 1.0, 1 + a, 0),
        ("delegate", name, 1 + a, then, 0),
        ("decompose", "caretaker", then, then + 1, 0),
        ("delegate", name, then + 1, then + 1 + c, 0),
        ("delegate", name, then + 1 + c, then + 1 + c + d, 0),
    ]


def _below(draw: random.Random) -> list[Step]:
    """A supervisor below does it wrong; the one above and its own delegations are innocent."""
    (one, two, sub, other), (a, b, c) = draw.sample(_NAMES, 4), _times(draw, 3)
    end = 3 + a + b
    return [
        *_led(end + 20),
        ("decompose", "caretaker", 0.0, 1.0, 0),
        ("delegate", sub, 1.0, end, 0),
        ("invoke_agent", sub, 1.0, end, 2),
        ("decompose", sub, 1.0, 2.0, 3),
        ("delegate", one, 2.0, 2 + a, 3),
        ("delegate", two, 2 + a, 2 + a + b, 3),
        ("delegate", other, 2 + a, 2 + a + c, 0),  # late, but no sibling of its own was before it
    ]


Case = Callable[[random.Random], list[Step]]


def _traces(*makers: Case) -> ScenarioMaker:
    return cases(*makers, made=trace_of)


_found = compared(
    lambda text: [[w.worker, w.behind, w.seconds] for w in waits(Trace.from_json(text))],
    within=1e-6,
)


WAITS = Exercise(
    "4.6", ("waits",), (
        Trial("finds those that waited, behind whom, and how long", _STAGE, _traces(_in_a_row),
              _found("which sibling ended last before it began, and when the message was there")),
        Trial("accuses nobody who began at once, or was asked for later", _STAGE,
              _traces(_at_once, _in_rounds, _in_a_row),
              _found("which delegations belong to one message"), 0.5),
        Trial(
            "finds them where only some had to wait, and below other supervisors",
            _STAGE,
            _traces(_two_at_a_time, _long_and_short, _rounds_in_a_row, _below, _with_pauses,
                    _by_one_worker),
            _found("whose siblings you look at: delegations of this message, with the same parent"),
            points=0.5,
        ),
    ),
    builds_on={"Wait": "course.observability.diagnosis:Wait"},
    places={
        "*": "the waits in the {} trace",
        "*.*": "the {1} wait in the {0} trace",
        "*.*.0": "the worker of the {1} wait in the {0} trace",
        "*.*.1": "`behind` of the {1} wait in the {0} trace",
        "*.*.2": "`seconds` of the {1} wait in the {0} trace",
    },
    finished={"waits": "course.observability.diagnosis:waits"},
)  # fmt: skip
