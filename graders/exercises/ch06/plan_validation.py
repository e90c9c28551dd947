"""Exercise 6.1: what is wrong with a plan, all of it at once."""

from __future__ import annotations

from collections import Counter

from graders.exercises.kit import *
from graders.exercises.sample_plans import REGISTRY, WORKERS

_STAGE = (
    REGISTRY
    + """

async def stage(bench, student):
    registry = registry_of(bench.params["workers"])
    flaws, messages = [], []
    for data in bench.params["plans"]:
        told = list(student.first_look(Plan.model_validate(data), registry))
        flaws.append(sorted([each.flaw, *each.tasks] for each in told))
        messages.append([str(each) for each in told])
    return {"flaws": flaws, "messages": messages}
"""
)
_NOBODY = ("roofing", "gardening", "tiling")
Case = Callable[[random.Random], dict[str, Any]]


def _sound(draw: random.Random) -> dict[str, Any]:
    """A plan in which tasks wait for later ones of the list: that is no problem."""
    a, b, c, d = names(draw, 4)
    return plan([task(draw, a, b, c), task(draw, b, d), task(draw, c, d), task(draw, d)])


def _no_matter(draw: random.Random) -> dict[str, Any]:
    """Tasks that wait for each other, and for themselves: wrong, but none of the three flaws."""
    a, b, c = names(draw, 3)
    return plan([task(draw, a, b), task(draw, b, a), task(draw, c, c)])


def _empty(draw: random.Random) -> dict[str, Any]:
    return plan([])


def _worker(draw: random.Random) -> dict[str, Any]:
    a, b = names(draw, 2)
    return plan([task(draw, a), task(draw, b, a, worker=draw.choice(_NOBODY))])


def _dependency(draw: random.Random) -> dict[str, Any]:
    a, b, gone = names(draw, 3)
    return plan([task(draw, a), task(draw, b, a, gone)])


def _duplicate(draw: random.Random) -> dict[str, Any]:
    a, b = names(draw, 2)
    return plan([task(draw, a), task(draw, b), task(draw, a)])


def _everything(draw: random.Random) -> dict[str, Any]:
    """Three kinds in one plan, two of them in one task."""
    a, b, c, gone = names(draw, 4)
    nobody = task(draw, b, gone, worker=draw.choice(_NOBODY))
    return plan([task(draw, a), nobody, task(draw, c), task(draw, c, a)])


def _several_of_a_kind(draw: random.Random) -> dict[str, Any]:
    """The same worker that does not exist in two tasks; two things in one that are not there."""
    a, b, c, d, gone, lost = names(draw, 6)
    one, other = draw.sample(_NOBODY, 2)
    tasks = [
        task(draw, a, worker=one),
        task(draw, b, gone, lost),
        task(draw, c, gone, worker=one),
        task(draw, d, a, worker=other),
    ]
    return plan(tasks)


def _three_times(draw: random.Random) -> dict[str, Any]:
    """One id three times, another one twice: that is two problems."""
    a, b, c = names(draw, 3)
    return plan(task(draw, each) for each in draw.sample([a, a, a, b, b, c], 6))


def _double(draw: random.Random) -> dict[str, Any]:
    """Two tasks have one id, and each has a flaw of its own."""
    a, gone = names(draw, 2)
    one, other = draw.sample(_NOBODY, 2)
    return plan([task(draw, a, worker=one), task(draw, a, gone, worker=other)])


def _capitals(draw: random.Random) -> dict[str, Any]:
    """Names and ids are compared as they are written."""
    a, b = names(draw, 2)
    shouted = task(draw, b, a.upper(), worker=draw.choice(WORKERS).upper())
    return plan([task(draw, a), shouted])


def _saying(*words: str) -> Callable[[Any], bool]:
    def told(text: Any) -> bool:
        said = re.split(r"\W+", text)
        return all(word in said for word in words)

    return such_that(f"a message with {', '.join(words)}", told)


def _wanted(data: dict[str, Any]) -> list[tuple[str, str, Callable[[Any], bool]]]:
    """The problems of a plan: how each is called, whose it is, and what has to be said of it."""
    ids = Counter(each["id"] for each in data["tasks"])
    found = [("duplicate_id", id, _saying(id)) for id, many in ids.items() if many > 1]
    for each in data["tasks"]:
        id, worker = each["id"], each["worker"]
        if worker not in WORKERS:
            found.append(("unknown_worker", id, _saying(id, worker, *WORKERS)))
        gone = [need for need in each["dependencies"] if need not in ids]
        found += [("unknown_dependency", id, _saying(id, need)) for need in gone]
    return found


def _plans(*cases: Case) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        return Scenario(params={"workers": WORKERS, "plans": [case(draw) for case in cases]})

    return world


def _found(look: str) -> Checks:
    def checks(world: Scenario) -> list[Any]:
        wanted = [_wanted(each) for each in world.params["plans"]]
        flaws = [sorted([flaw, id] for flaw, id, _ in each) for each in wanted]
        return [
            equals(flaws, at="flaws", look=f"look at {look}"),
            *(
                fits([said for *_, said in each], at=f"messages.{n}", any_order=True, look=_WORDS)
                for n, each in enumerate(wanted)
            ),
        ]

    return checks


_WORDS = "look at the messages: whose it is, what is wrong, and which workers there are"
FIRST_LOOK = Exercise(
    "6.1", ("first_look",), (
        Trial("finds each of the three, and nothing else", _STAGE,
              _plans(_sound, _worker, _dependency, _duplicate, _no_matter, _empty),
              _found("what is compared with what: a task may wait for one further down")),
        Trial(
            "finds everything at once",
            _STAGE,
            _plans(_everything, _several_of_a_kind),
            _found(
                "what ends your search (a plan and a task may have several problems), and at"
                " `tasks`: whose flaw it is, not what it names"
            ),
            points=0.5,
        ),
        Trial("tells each id once, and compares names as they are written", _STAGE,
              _plans(_three_times, _double, _capitals),
              _found("an id that three tasks have: that is one problem"), 0.5),
    ),
    places={
        "flaws": "the problems of the plans",
        "flaws.*": "the problems of the {} plan",
        "flaws.*.*": "the {1} problem of the {0} plan",
        "flaws.*.*.0": "the flaw of the {1} problem in the {0} plan",
        "flaws.*.*.1": "the task of the {1} problem in the {0} plan",
        "messages": "the problems' texts",
        "messages.*": "the texts of the {} plan's problems",
        "messages.*.*": "the text of the {1} problem of the {0} plan",
    },
    finished={
        name: f"course.supervisor_worker.planning:{name}"
        for name in ("problems", "_of_ids", "_of_worker", "_of_needs")
    },
)  # fmt: skip
