"""What the exercises name in the package is there: places, and imports of their stages."""

import ast
import importlib
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

import pytest

from course.errors import ConfigurationError
from graders import exercises
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


def test_a_module_in_a_chapters_package_is_enough_and_a_number_is_there_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for chapter, numbers in {"97": ("97.10", "97.2"), "98": ("98.1", "98.1")}.items():
        package = tmp_path / f"ch{chapter}"
        package.mkdir()
        (package / "__init__.py").touch()
        for name, number in zip("ab", numbers, strict=True):
            made = f'from graders.exercises.kit import *\nONE = Exercise("{number}", (), ())\n'
            (package / f"{name}.py").write_text(made)
    monkeypatch.setattr(exercises, "__path__", [*exercises.__path__, str(tmp_path)])
    assert [each.number for each in exercises_of("97")] == ["97.2", "97.10"]
    with pytest.raises(ConfigurationError, match=r"ch98\.b: there is another 98\.1"):
        exercises_of("98")
