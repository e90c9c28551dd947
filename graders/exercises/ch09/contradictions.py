"""Exercise 9.2: results that give different figures for the same thing."""

from __future__ import annotations

from course.contradictions import contradictions
from course.results import TaskResult
from graders.exercises.kit import *

_STAGE = """
from course.results import TaskResult


async def stage(bench, student):
    found = []
    for case in bench.params["cases"]:
        results = [TaskResult(task_id=id, worker="w", result=text) for id, text in case["results"]]
        told = student.contradictions(iter(results) if case["once"] else results)
        found.append(sorted([each.about, [list(pair) for pair in each.said]] for each in told))
    return found
"""
_THINGS = ("fare", "crew", "distance", "deck", "subsidy", "fuel", "noise")
Told = list[Any]
"""About what, and who says which figure."""
Case = tuple[list[list[str]], list[Told]]
"""(Task, text) of each result, and the contradictions that it is made with."""
Maker = Callable[[random.Random], Case]


def _figures(draw: random.Random, many: int) -> list[int]:
    """Numbers that no rounding makes equal."""
    return draw.sample(range(120, 980, 40), many)


def _two(draw: random.Random) -> Case:
    """Two results, in other words of no weight and another order."""
    (a, b), (one, other), thing = names(draw, 2), _figures(draw, 2), draw.choice(_THINGS)
    results = [
        [a, f"Snow fell. The {thing} of the ferry in 2025 was {one} EUR."],
        [b, f"In 2025 the {thing} of the ferry was {other} EUR (log 7)."],
    ]
    said = [[a, f"{one} EUR"], [b, f"{other} EUR"]]
    return results, [[f"{thing} of the ferry in 2025", said]]


def _agree(draw: random.Random) -> Case:
    """The same, rounded, written otherwise, or not about the same thing."""
    (a, b, c), thing = names(draw, 3), draw.choice(_THINGS)
    year, many = draw.randrange(2020, 2026), draw.randrange(400, 499)
    results = [
        [a, f"The {thing} in {year} was {many},000 EUR. The mast: 14 km."],
        [b, f"The {thing} in {year} was 0.{many} million euros. The mast: 15 hours."],
        [c, f"The {thing} in {year + 1} was 77 EUR. The keel: 16 km."],
    ]
    return results, []


def _three(draw: random.Random) -> Case:
    """Three results, of which the last agrees with the first: two figures stand out."""
    (a, b, c), (one, other), thing = names(draw, 3), _figures(draw, 2), draw.choice(_THINGS)
    unit = draw.choice(("EUR", "hours", "tonnes"))
    results = [[a, f"The {thing} is {one} {unit}."], [b, f"{thing.title()}: {other} {unit}."],
               [c, f"The {thing} was about {one} {unit}."]]  # fmt: skip
    return results, [[thing, [[a, f"{one} {unit}"], [b, f"{other} {unit}"]]]]


def _each_its_own(draw: random.Random) -> Case:
    """Three results with three figures."""
    ids, many, thing = names(draw, 3), _figures(draw, 3), draw.choice(_THINGS)
    pairs = list(zip(ids, many, strict=True))
    results = [[id, f"The {thing} of the boat is {figure} EUR."] for id, figure in pairs]
    return results, [[f"{thing} of the boat", [[id, f"{figure} EUR"] for id, figure in pairs]]]


def _several(draw: random.Random) -> Case:
    """Two contradictions between the same two results, and a unit that parts two others."""
    (a, b), things, many = names(draw, 2), draw.sample(_THINGS, 3), _figures(draw, 4)
    x, y, z = things
    results = [
        [a, f"The {x} is {many[0]} EUR. The {y} is {many[1]} hours. The {z} is 5 EUR."],
        [b, f"The {y} is {many[2]} hours. The {x} is {many[3]} EUR. The {z} is 9 km."],
    ]
    return results, [
        [x, [[a, f"{many[0]} EUR"], [b, f"{many[3]} EUR"]]],
        [y, [[a, f"{many[1]} hours"], [b, f"{many[2]} hours"]]],
    ]


def _with_itself(draw: random.Random) -> Case:
    """One result changes its mind, and what it says first is what the other says."""
    (a, b), (one, other), thing = names(draw, 2), _figures(draw, 2), draw.choice(_THINGS)
    fickle = f"The {thing} was {one} EUR. No: the {thing} is {other} EUR."
    agreeing = [a, fickle], [b, f"The {thing} is {one} EUR."]
    return draw.sample(agreeing, 2), []


def _by_its_first(draw: random.Random) -> Case:
    """It changes its mind to what the other says: its first figure is what counts."""
    (a, b), (one, other), thing = names(draw, 2), _figures(draw, 2), draw.choice(_THINGS)
    fickle = f"The {thing} was {one} EUR. The {thing} is {other} EUR."
    results = [[a, fickle], [b, f"The {thing} is {other} EUR."]]
    return results, [[thing, [[a, f"{one} EUR"], [b, f"{other} EUR"]]]]


def _in_two_units(draw: random.Random) -> Case:
    """It gives two figures in two units: each is the first that it gives in that one."""
    (a, b), (one, other), thing = names(draw, 2), _figures(draw, 2), draw.choice(_THINGS)
    results = [
        [a, f"The {thing} was 14 km. The {thing} is {one} hours."],
        [b, f"The {thing} is {other} hours."],
    ]
    return results, [[thing, [[a, f"{one} hours"], [b, f"{other} hours"]]]]


def _alone(draw: random.Random) -> Case:
    """One result that contradicts itself, one without figures, and none at all."""
    (a, b), (one, other), thing = names(draw, 2), _figures(draw, 2), draw.choice(_THINGS)
    return [[a, f"The {thing} was {one} EUR. The {thing} is {other} EUR."], [b, "Nothing."]], []


def _nobody(draw: random.Random) -> Case:
    return [], []


def _cases(*makers: Maker) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        made = [make(draw) for make in makers]
        cases = [{"results": found, "once": bool(n % 2)} for n, (found, _) in enumerate(made)]
        return Scenario(params={"cases": cases})

    return world


def wanted(results: list[list[str]]) -> list[Told]:
    """The contradictions of a case, as the package finds them."""
    said = (TaskResult(task_id=id, worker="w", result=text) for id, text in results)
    return sorted([each.about, [list(pair) for pair in each.said]] for each in contradictions(said))


_found = compared(lambda case: wanted(case["results"]))


MAKERS: tuple[Maker, ...] = (
    _two, _agree, _three, _each_its_own, _several, _with_itself, _by_its_first, _in_two_units,
    _alone, _nobody,
)  # fmt: skip


CONTRADICTIONS = Exercise(
    "9.2", ("contradictions",), (
        Trial("finds two figures for the same thing, with their tasks", _STAGE,
              _cases(_two, _several),
              _found("what makes two claims be about the same thing: their words, and their unit")),
        Trial("accuses nobody who says the same, or speaks of something else", _STAGE,
              _cases(_agree, _nobody, _two),
              _found("which of the figures are different: rounding is no contradiction")),
        Trial("tells each figure once, where several results speak", _STAGE,
              _cases(_three, _each_its_own),
              _found("said: one pair for each claim that different keeps"), 0.5),
        Trial("takes what a result says first for its figure", _STAGE,
              _cases(_with_itself, _by_its_first, _in_two_units, _alone),
              _found("a result that gives two figures for one thing: its first one counts"), 0.5),
    ),
    builds_on={
        "Contradiction": "course.contradictions:Contradiction",
        "different": "course.contradictions:different",
    },
    places={
        "*": "the contradictions in the {} results",
        "*.*": "the {1} contradiction in the {0} results",
        "*.*.0": "what the {1} contradiction in the {0} results is about",
        "*.*.1.*.0": "the {2} task of the {1} contradiction in the {0} results",
        "*.*.1.*.1": "the {2} figure of the {1} contradiction in the {0} results",
        "*.*.1": "what is said of it in the {1} contradiction of the {0} results",
    },
    finished={"contradictions": "course.contradictions:contradictions"},
)  # fmt: skip
