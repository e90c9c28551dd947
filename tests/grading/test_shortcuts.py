"""The course's finished version is no answer, in whatever way it is come by.

Judged in the notebook's way, where each exercise meets a third of the ways, and in boxes, where
three meet them all. With `pytest --long` all meet all in both.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import course
from course.systems import carry_out
from graders.box import Parent, warm
from graders.child.withheld import function_at
from graders.exercises import exercises_of
from graders.judge.endings import verdict_on
from graders.judge.inside import play_inside
from graders.judge.judge import world_of
from graders.judge.outside import play_outside, script_for
from graders.records.scenario import Exercise
from graders.records.verdict import Verdict
from graders.release import chapters
from tests.grading.judging import SEED, cells_at_once, cells_of, names_of
from tests.grading.shortcuts import shortcuts
from tests.judge.boxes import strongest
from tests.judge.exercises.playing import TOKENS
from tests.marking import LONG

BUILT = re.compile(r"(?:(?:Built|Used) in chapter \d+,[^.]*|; )exercise (\d+\.\d+)\b")
EXERCISES = [(name, each) for name in chapters() for each in exercises_of(name[:2])]
FINISHED = [(name, each) for name, each in EXERCISES if each.finished]
BOXED = ("1.2", "3.3", "6.1")
"""A coroutine function, a generator, and one that the package has under another name."""

BOX_ONLY = ("imports the module again", "reads what was compiled")
"""The one would leave this process with two of it; the other needs something compiled."""

OTHER = """\
from course.models.breaker import Breaker

guards = {}


async def call_through(breaker, call):
    guard = guards.setdefault(id(breaker), Breaker(failures=breaker.failures))
    probe = guard.admit()
    try:
        answer = await call()
    except Exception:
        guard.settle(False, probe=probe)
        raise
    guard.settle(True, probe=probe)
    return answer
"""


def answers(exercise: Exercise) -> dict[str, str]:
    """The exercise's shortcuts: 8.3 can only be solved with methods of another object."""
    return {"guards with it": OTHER} if exercise.number == "8.3" else shortcuts(exercise)


@pytest.fixture(scope="module")
def parent() -> Iterator[Parent]:
    with warm(strongest()) as warmed:
        yield warmed


each_finished = pytest.mark.parametrize(
    ("chapter", "exercise"), [pytest.param(*each, id=each[1].number) for each in FINISHED]
)
each_boxed = pytest.mark.parametrize(
    ("chapter", "exercise"),
    [
        pytest.param(*each, id=each[1].number, marks=() if each[1].number in BOXED else LONG)
        for each in FINISHED
    ],
)


@pytest.fixture
def as_before() -> Iterator[None]:
    """A module that an answer runs again says anew how its systems are carried out: undone here."""
    known = dict(carry_out.registry)
    yield
    for kind, carrier in known.items():
        carry_out.register(kind, carrier)


@each_finished
@pytest.mark.usefixtures("as_before")
@pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")
def test_it_earns_nothing_in_the_notebook(
    request: pytest.FixtureRequest, chapter: str, exercise: Exercise
) -> None:
    ways = [(way, each) for way, each in answers(exercise).items() if way not in BOX_ONLY]
    if not request.config.getoption("long"):
        ways = [ways[0], *ways[1 + FINISHED.index((chapter, exercise)) % 3 :: 3]]
    for turn, (way, source) in enumerate(ways):
        names = names_of(cells_at_once(chapter, exercise, source))
        place = turn % len(exercise.trials)
        for trial in exercise.trials[place : place + 1] if turn else exercise.trials:
            scenario = world_of(exercise, trial, SEED)
            log = play_inside(trial.stage, scenario, TOKENS, names, exercise)
            told = verdict_on(log, trial.checks(scenario), exercise=exercise.number)
            assert told.code == "cell.finished", (way, trial.title, told.message)


@each_boxed
def test_it_earns_nothing_in_a_box(
    request: pytest.FixtureRequest, parent: Parent, chapter: str, exercise: Exercise
) -> None:
    every = request.config.getoption("long")
    for turn, (way, source) in enumerate(answers(exercise).items()):
        trials = exercise.trials if every else [exercise.trials[turn % len(exercise.trials)]]
        for trial in trials:
            scenario = world_of(exercise, trial, SEED)
            script = script_for(
                trial.stage, scenario, cells_of(chapter, exercise, source), exercise
            )
            played = play_outside(parent, script, scenario, TOKENS)
            told = verdict_on(played.log, trial.checks(scenario), notes=played.notes)
            assert told.code == "cell.finished", (way, trial.title, told.message)


def test_the_verdict_names_the_place_and_what_may_be_used() -> None:
    told = imported("1.2")
    assert told.message == (
        "that is the finished version from course.agent: write your own;"
        " earlier exercises' finished versions are yours to use"
    )


def imported(number: str) -> Verdict:
    chapter, exercise = next(each for each in FINISHED if each[1].number == number)
    names = names_of(cells_at_once(chapter, exercise, shortcuts(exercise)["imports it"]))
    trial = exercise.trials[0]
    scenario = world_of(exercise, trial, SEED)
    log = play_inside(trial.stage, scenario, TOKENS, names, exercise)
    return verdict_on(log, trial.checks(scenario), exercise=number)


def test_it_is_there_again_afterwards() -> None:
    finished = function_at("course.agent:answer_call")
    code = finished.__code__
    assert imported("1.2").code == "cell.finished"
    assert finished.__code__ is code


def test_what_the_package_says_it_built_in_an_exercise_is_withheld_there() -> None:
    """Both ways round, apart from what the package does in pieces of its own.

    What 8.3 builds small it has as an object.
    """
    built: dict[str, set[str]] = {}
    root = Path(course.__file__).parent
    for path in sorted(root.rglob("*.py")):
        module = ".".join(["course", *path.relative_to(root).with_suffix("").parts])
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if BUILT.search(text) else ():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                for number in BUILT.findall(ast.get_docstring(node) or ""):
                    built.setdefault(number, set()).add(f"{module}:{node.name}")
    withheld = {each.number: set(each.finished.values()) for _, each in FINISHED}
    assert {place.split(".")[-2] for place in withheld.pop("8.3")} == {"breaker:Breaker"}
    pieces = {
        number: {each for each in places if re.search(r":_|:\w+\.", each)}
        for number, places in withheld.items()
    }
    assert {number: places - pieces[number] for number, places in withheld.items()} == built


@each_finished
def test_what_is_withheld_is_nothing_an_answer_may_build_on(
    chapter: str, exercise: Exercise
) -> None:
    assert not set(exercise.finished.values()) & set(exercise.builds_on.values())
    assert all(function_at(place) for place in exercise.finished.values())
