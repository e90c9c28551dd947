"""What the exercises name in the package is there: places, and imports of their stages."""

import ast
import importlib
from collections.abc import Iterator
from operator import attrgetter

import pytest

from graders.exercises import exercises_of
from graders.records.scenario import Exercise

EXERCISES = [each for n in range(14) for each in exercises_of(f"{n:02}")]


def named(exercise: Exercise) -> Iterator[str]:
    """Places as "module:attribute"."""
    yield from exercise.builds_on.values()
    yield from exercise.finished.values()
    for stage in {trial.stage for trial in exercise.trials}:
        for node in ast.walk(ast.parse(stage)):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("course"):
                yield from (f"{node.module}:{alias.name}" for alias in node.names)


def is_there(place: str) -> bool:
    module, _, name = place.partition(":")
    try:
        attrgetter(name)(importlib.import_module(module))
    except (ImportError, AttributeError):
        try:
            importlib.import_module(f"{module}.{name}")
        except ImportError:
            return False
    return True


@pytest.mark.parametrize("exercise", EXERCISES, ids=[each.number for each in EXERCISES])
def test_what_an_exercise_names_in_the_package_is_there(exercise: Exercise) -> None:
    assert [place for place in named(exercise) if not is_there(place)] == []
