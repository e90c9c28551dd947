"""Exercise 6.2: tasks that wait for each other, with the members of each circle."""

from __future__ import annotations

from graders.exercises.kit import *

_STAGE = stage_of(
    "sorted(turned(list(each)) for each in student.circles(Plan.model_validate(case)))",
    given="""
from course.supervisor_worker import Plan


def turned(circle):
    first = circle.index(min(circle)) if circle else 0
    return [*circle[first:], *circle[:first]]
""",
)
Case = Callable[[random.Random], dict[str, Any]]


def _ring(draw: random.Random, ids: Sequence[str], *also: str) -> list[dict[str, Any]]:
    """Tasks each of which waits for the next, the last for the first; the first for others too."""
    following = [*ids[1:], ids[0]]
    more = [also, *((),) * len(ids)]
    return [
        task(draw, id, *extra, need)  # so that the first it waits for need not be in the circle
        for id, need, extra in zip(ids, following, more, strict=False)
    ]


def _one(draw: random.Random) -> dict[str, Any]:
    """Three in a circle."""
    ids = names(draw, 3)
    return plan(shuffled(draw, _ring(draw, ids)))


def _with_others(draw: random.Random) -> dict[str, Any]:
    """A circle of four that waits for one task, and two tasks that wait for the circle."""
    before, after, last, *ids = names(draw, 7)
    tasks = [task(draw, before), *_ring(draw, ids, before), task(draw, after, ids[2])]
    return plan(shuffled(draw, [*tasks, task(draw, last, after, before)]))


def _two(draw: random.Random) -> dict[str, Any]:
    """Two circles, of which the first waits for the second."""
    a, b, c, d, e = names(draw, 5)
    return plan([*_ring(draw, [a, b], c), *_ring(draw, [c, d, e])])


def _three(draw: random.Random) -> dict[str, Any]:
    """Three circles side by side."""
    a, b, c, d, e, f, g = names(draw, 7)
    rings = [*_ring(draw, [a, b]), *_ring(draw, [c, d, e]), *_ring(draw, [f, g])]
    return plan(shuffled(draw, rings))


def _itself(draw: random.Random) -> dict[str, Any]:
    """A task that waits for itself, and one that waits for it."""
    a, b, c = names(draw, 3)
    return plan(shuffled(draw, [task(draw, a, a), task(draw, b, a), task(draw, c)]))


def _alone(draw: random.Random) -> dict[str, Any]:
    """Nothing but a task that waits for itself."""
    [a] = names(draw, 1)
    return plan([task(draw, a, a)])


def _none(draw: random.Random) -> dict[str, Any]:
    """Two ways from one task to another meet again: that is no circle."""
    a, b, c, d, e = names(draw, 5)
    tasks = [task(draw, a), task(draw, b, a), task(draw, c, a), task(draw, d, b, c)]
    return plan(shuffled(draw, [*tasks, task(draw, e, d, a)]))


def _nothing_there(draw: random.Random) -> dict[str, Any]:
    """A task that waits for one that does not exist: a problem, but no circle."""
    a, b, gone = names(draw, 3)
    return plan([task(draw, a, gone), task(draw, b, a)])


def _turned(circle: Sequence[str]) -> list[str]:
    first = circle.index(min(circle))
    return [*circle[first:], *circle[:first]]


def around(data: dict[str, Any]) -> list[list[str]]:
    """The circles of a plan whose circles share no task, by walking from every task."""
    needs = {each["id"]: each["dependencies"] for each in data["tasks"]}

    def back(start: str, path: list[str]) -> Iterable[list[str]]:
        for need in needs.get(path[-1], ()):
            if need == start:
                yield path
            elif need not in path:
                yield from back(start, [*path, need])

    found = {tuple(_turned(path)) for start in needs for path in back(start, [start])}
    return [list(each) for each in sorted(found)]


_found = compared(around)


CIRCLES = Exercise(
    "6.2", ("circles",), (
        Trial("names the members of a circle, in the order of waiting", _STAGE,
              cases(_one, _two, _three),
              _found("whom each member waits for: that is the next one")),
        Trial("accuses nobody who waits for a circle, or for whom it waits", _STAGE,
              cases(_with_others, _itself, _alone),
              _found("who is on the way round: not everybody who never gets to run")),
        Trial("finds none where there is none", _STAGE, cases(_none, _nothing_there, _one),
              _found("what makes it a circle: a task that is met again on one way")),
    ),
    builds_on={"in_order": "course.supervisor_worker.plan:in_order"},
    places={
        "*": "the circles of the {} plan",
        "*.*": "the {1} circle of the {0} plan",
        "*.*.*": "the {2} task of the {1} circle of the {0} plan",
    },
    finished={"circles": "course.supervisor_worker.plan:circles"},
)  # fmt: skip
