"""The course's chapters as they are judged: released notebooks with their exercises."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from course.errors import ConfigurationError
from course.notebook.exercises import RELEASED
from graders.exercises import exercises_of
from graders.judge.chapters import Chapter, read_chapter
from graders.records.scenario import Exercise
from graders.release import FORMER, ROOT


@cache
def released(root: Path = RELEASED.parent) -> tuple[Chapter, ...]:
    """Every chapter of `notebooks/`, in order."""
    paths = sorted((root / "notebooks").glob("*/*.ipynb"))
    return tuple(
        read_chapter(path, _Later(path.stem[:2]), former(path.stem), _reference(path, root))
        for path in paths
    )


def _reference(path: Path, root: Path) -> Path | None:
    """The notebook with the solutions; None in a copy without them."""
    solved = root / "solutions" / path.stem / path.name
    return solved if solved.exists() else None


def former(name: str, root: Path = ROOT) -> dict[str, Path]:
    """The notebooks that former releases gave out for a chapter, by the number of the release."""
    kept = sorted((root / FORMER).glob(f"*/{name}.ipynb"))
    return {path.parent.name: path for path in kept}


def named(name: str) -> str:
    """The chapter of this name or number, such as "01"; empty when there is none."""
    names = (each.name for each in released())
    return next((each for each in names if name in (each, each.partition("_")[0])), "")


def asked(name: str) -> str:
    """The chapter that `--chapter` names; empty when it names none.

    Raises:
        ConfigurationError: there is no such one.
    """
    if name and not named(name):
        listed = ", ".join(each.name for each in released())
        raise ConfigurationError(f"--chapter {name}: there is no such one; there are {listed}")
    return named(name)


class _Later(Sequence[Exercise]):
    """The exercises of a chapter, loaded when somebody wants to see one."""

    def __init__(self, number: str) -> None:
        self._number = number

    @cached_property
    def _all(self) -> tuple[Exercise, ...]:
        return exercises_of(self._number)

    def __getitem__(self, index: Any) -> Any:
        return self._all[index]

    def __len__(self) -> int:
        return len(self._all)
