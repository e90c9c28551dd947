"""Exercise 12.1: what the interval of a paired difference says, in one word."""

from __future__ import annotations

from graders.exercises.kit import *

_STAGE = """
async def stage(bench, student):
    words = []
    for each in bench.params["cases"]:
        low, high = (float(end) for end in each["ends"])
        try:
            word = student.reading(low, high, tasks=each["tasks"], matters=each["matters"])
        except ValueError:
            word = "ValueError"
        words.append(word)
    return words
"""
Interval = dict[str, Any]
Maker = Callable[[random.Random], Interval]


def _interval(low: float, high: float, tasks: int, matters: float) -> Interval:
    """Ends as texts, since JSON has no NaN."""
    return {"ends": [repr(low), repr(high)], "tasks": tasks, "matters": matters}


def _between(low: float, high: float, *, tasks: tuple[int, int] = (10, 60)) -> Maker:
    """An interval, and what matters, blown up by the same factor."""

    def made(draw: random.Random) -> Interval:
        unit = draw.randrange(2, 40) / 2
        return _interval(low * unit, high * unit, draw.randint(*tasks), unit)

    return made


_CLEAR = (_between(-3, -1.5), _between(1.5, 4), _between(-0.5, 0.25), _between(-2, 3))
_ONE_SIDE = (_between(0.1, 0.5), _between(-0.75, -0.25), _between(0.5, 1.5), _between(-1.25, -0.5))
_WIDE = (
    _between(-0.5, 2), _between(-2, 0.5), _between(0.05, 2), _between(-2, -0.05), _between(2, 2),
)  # fmt: skip
_EDGES = (
    _between(-1, 1), _between(0, 2), _between(-2, 0), _between(0, 1), _between(-1, -0.25),
)  # fmt: skip
_TEN = (_between(1.5, 4, tasks=(10, 10)), _between(-3, -2, tasks=(10, 10)))
_FEW = (
    _between(-3, -1.5, tasks=(9, 9)), _between(2, 3, tasks=(2, 8)),
    _between(-0.5, 0.5, tasks=(2, 9)), _between(-2, 3, tasks=(2, 9)),
)  # fmt: skip
_NONE = (
    _between(3, 1.5), _between(-1, -2, tasks=(2, 9)), _between(float("nan"), 2),
    _between(-2, float("nan")), _between(float("nan"), float("nan"), tasks=(2, 9)),
)  # fmt: skip


def _word(each: Interval) -> str:
    low, high = map(float, each["ends"])
    if not low <= high:
        return "ValueError"
    tests = {
        "few": each["tasks"] < 10,
        "alike": max(abs(low), abs(high)) <= each["matters"],
        "better": high < 0,
        "worse": low > 0,
    }
    return next((word for word, fits in tests.items() if fits), "open")


_words = compared(_word)


READING = Exercise(
    "12.1", ("reading",), (
        Trial("reads intervals that are clear, narrow or wide", _STAGE,
              cases(*_CLEAR, *_ONE_SIDE, *_WIDE),
              _words("which word is tried first, and what the whole interval has to do for it")),
        Trial("counts an end that is just 0, or just what matters", _STAGE, cases(*_EDGES, *_TEN),
              _words("the ends: included for alike; 0 itself is neither above nor below 0")),
        Trial("trusts no interval from too few tasks", _STAGE, cases(*_FEW, *_CLEAR),
              _words("how many tasks are too few, and what goes before everything else"), 0.5),
        Trial("refuses what is no interval", _STAGE, cases(*_NONE, *_CLEAR),
              _words("what you refuse: NaN is neither smaller nor larger than anything"), 0.5),
    ),
    places={"*": "the word for the {} interval"},
)  # fmt: skip
