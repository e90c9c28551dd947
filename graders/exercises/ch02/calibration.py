"""Exercises 2.4 and 2.5: the coverage-accuracy curve, and the threshold that is read from it."""

from __future__ import annotations

from graders.exercises.kit import *

Judged = tuple[float, bool]
"""A guess: how sure, and whether right."""

_CURVES = """
from course.evaluation.calibration import Judged


async def stage(bench, student):
    curves = []
    for each in bench.params["cases"]:
        points = student.coverage_accuracy([Judged(sure, right) for sure, right in each["judged"]])
        names = ("threshold", "coverage", "accuracy", "count")
        curves.append([{name: getattr(point, name) for name in names} for point in points])
    return curves
"""


def _guesses(draw: random.Random, count: int, *, ties: bool = False) -> list[Judged]:
    """Guesses in no order, the surer ones right more often; some share a confidence with `ties`."""
    steps = draw.sample(range(30, 100), max(2, count // 3) if ties else count)
    sure = [step / 100 for step in steps]
    spread = [*sure, *(draw.choice(sure) for _ in range(count - len(sure)))]
    draw.shuffle(spread)
    return [(each, draw.random() < each) for each in spread]


def _close(draw: random.Random) -> list[Judged]:
    """Two that are nearly as sure as each other, and one that is not sure at all."""
    close = draw.randrange(300, 990) / 1000
    return [(close, True), (0.0, draw.random() < 0.5), (close + 0.0002, False), (0.995, True)]


def _curve(judged: list[Judged]) -> list[dict[str, float]]:
    """The curve by counting, once for each confidence."""
    points = []
    for threshold in sorted({sure for sure, _ in judged}, reverse=True):
        kept = [right for sure, right in judged if sure >= threshold]
        covered, right = len(kept) / len(judged), sum(kept) / len(kept)
        points.append(
            {"threshold": threshold, "coverage": covered, "accuracy": right, "count": len(kept)}
        )
    return points


def _sets(*makers: Callable[[random.Random], list[Judged]]) -> ScenarioMaker:
    return cases(*makers, made=lambda judged: {"judged": judged})


_drawn = compared(lambda case: _curve(case["judged"]), within=1e-9)


COVERAGE_ACCURACY = Exercise(
    "2.4", ("coverage_accuracy",), (
        Trial("gives a point for each confidence, the highest first", _CURVES,
              _sets(lambda draw: _guesses(draw, 7), lambda draw: _guesses(draw, 4)),
              _drawn("which guesses count at a threshold, and what each share is a share of")),
        Trial("lets guesses of the same confidence come together", _CURVES,
              _sets(lambda draw: _guesses(draw, 9, ties=True), _close),
              _drawn("guesses of equal confidence: no threshold can tell them apart"), 0.5),
        Trial("draws nothing from nothing, and a point from a single guess", _CURVES,
              _sets(lambda draw: [], lambda draw: [(draw.randrange(10, 90) / 100, False)]),
              _drawn("what happens when nothing was judged"), 0.5),
    ),
    places={
        "*": "the points of the {} list",
        "*.*": "the {1} point of the {0} list",
    },
    finished={"coverage_accuracy": "course.evaluation.calibration:coverage_accuracy"},
)  # fmt: skip

_THRESHOLDS = """
import math
from course.evaluation.calibration import Judged


async def stage(bench, student):
    found = []
    for each in bench.params["cases"]:
        judged = [Judged(sure, right) for sure, right in each["judged"]]
        try:
            threshold = student.threshold_for(judged, each["accuracy"])
        except ValueError:
            threshold = "ValueError"
        found.append("infinity" if threshold == math.inf else threshold)
    return found
"""


def _falling(draw: random.Random) -> dict[str, Any]:
    """Nine right of ten down to some confidence, then ever more wrong ones."""
    high = sorted(draw.sample(range(70, 100), 10), reverse=True)
    miss = draw.randrange(3, 9)
    judged = [(step / 100, place != miss) for place, step in enumerate(high)]
    low = draw.sample(range(20, 60), 6)
    judged += [(step / 100, place >= 4) for place, step in enumerate(sorted(low, reverse=True))]
    draw.shuffle(judged)
    return {"judged": judged, "accuracy": 0.9}


def _dipping(draw: random.Random) -> dict[str, Any]:
    """The surest guess is wrong, and yet those below it make up for it."""
    steps = sorted(draw.sample(range(50, 99), 9), reverse=True)
    judged = [(step / 100, place > 0) for place, step in enumerate(steps)]
    below = [(step / 100, False) for step in draw.sample(range(20, 50), 5)]
    accuracy = draw.choice((0.8, 0.85))
    mixed = [*judged, *below]
    draw.shuffle(mixed)
    return {"judged": mixed, "accuracy": accuracy}


def _twice_dipping(draw: random.Random) -> dict[str, Any]:
    """It falls twice below what is wanted, and the sure ones below make up for it each time."""
    right = "-+++++--++++++-+++"
    steps = sorted(draw.sample(range(30, 99), len(right)), reverse=True)
    judged = [(step / 100, sign == "+") for step, sign in zip(steps, right, strict=True)]
    draw.shuffle(judged)
    return {"judged": judged, "accuracy": 0.77}


def _surest(draw: random.Random) -> dict[str, Any]:
    """The surest guess is right, and no other."""
    steps = sorted(draw.sample(range(40, 99), 4), reverse=True)
    judged = [(step / 100, place == 0) for place, step in enumerate(steps)]
    draw.shuffle(judged)
    return {"judged": judged, "accuracy": 0.9}


def _hopeless(draw: random.Random) -> dict[str, Any]:
    steps = draw.sample(range(30, 99), 6)
    highest = max(steps)
    judged = [(step / 100, step != highest and draw.random() < 0.5) for step in steps]
    return {"judged": judged, "accuracy": 0.95}


def _nearly(draw: random.Random) -> dict[str, Any]:
    """The widest point has eight right ones of nine: nearly what is wanted, and not enough."""
    steps = sorted(draw.sample(range(40, 99), 9), reverse=True)
    judged = [(step / 100, place != 5) for place, step in enumerate(steps)]
    draw.shuffle(judged)
    return {"judged": judged, "accuracy": 0.9}


def _nothing(draw: random.Random) -> dict[str, Any]:
    return {"judged": [], "accuracy": 0.9}


def _no_share(*shares: float) -> Callable[[random.Random], dict[str, Any]]:
    return lambda draw: {"judged": _guesses(draw, 4), "accuracy": draw.choice(shares)}


def _edge(accuracy: float) -> Callable[[random.Random], dict[str, Any]]:
    """All right, or no matter how many: the surest are right, the others are not."""

    def made(draw: random.Random) -> dict[str, Any]:
        steps = sorted(draw.sample(range(40, 99), 6), reverse=True)
        judged = [(step / 100, place < 3) for place, step in enumerate(steps)]
        draw.shuffle(judged)
        return {"judged": judged, "accuracy": accuracy}

    return made


def _threshold(judged: list[Judged], accuracy: float) -> float | str:
    if not judged or not 0 <= accuracy <= 1:
        return "ValueError"
    good = [p["threshold"] for p in _curve(judged) if p["accuracy"] >= accuracy]
    return good[-1] if good else "infinity"


_set = compared(lambda case: _threshold(case["judged"], case["accuracy"]), within=1e-9)


THRESHOLD_FOR = Exercise(
    "2.5", ("threshold_for",), (
        Trial("covers as much as the accuracy allows", _THRESHOLDS,
              cases(_falling, _edge(1), _edge(0), _surest, _nearly),
              _set("which of the points that are good enough covers most")),
        Trial("looks past a dip: a surer guess may be wrong while those below it are right",
              _THRESHOLDS, cases(_dipping, _twice_dipping, _falling),
              _set("where you stop looking: the accuracy may fall and rise again"), 0.5),
        Trial("trusts no guess when the accuracy cannot be had, and refuses what makes no sense",
              _THRESHOLDS,
              cases(_hopeless, _nothing, _no_share(90, 1.5), _no_share(1.1, 2), _no_share(-0.1)),
              _set("what you return when no threshold is good enough, and what you refuse"), 0.5),
    ),
    builds_on={"coverage_accuracy": "course.evaluation.calibration:coverage_accuracy"},
    places={
        "*": "the threshold for the {} list",
    },
    finished={"threshold_for": "course.evaluation.calibration:threshold_for"},
)  # fmt: skip
