"""The chapters of the course, read from the notebooks themselves."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from course.notebook.exercises import Exercise, cells_of, exercises, source_of

TITLE = re.compile(r"^# (\d\d) · (.+)$", re.MULTILINE)
QUESTION = re.compile(r"^\*\*(.+\?)\*\*$", re.MULTILINE)
MINUTES = re.compile(r"\*\*([^*\n]+)\*\* \((\d+) minutes\)")


@dataclass(frozen=True)
class Chapter:
    """One chapter as its first cell describes it.

    Attributes:
        number: such as ``"08"``.
        title: such as ``"Failures"``.
        question: what it asks; empty where its head has none.
        minutes: by what they are for, such as ``{"The hour": 55, "An hour more": 60}``.
        path: its notebook.
        exercises: in order.
    """

    number: str
    title: str
    question: str
    minutes: Mapping[str, int]
    path: Path
    exercises: tuple[Exercise, ...]

    @property
    def points(self) -> float:
        """What all its exercises are worth."""
        return sum(each.points for each in self.exercises)


def chapters(notebooks: Path) -> list[Chapter]:
    """List the chapters under ``notebooks``; what is no chapter, or unreadable, is skipped."""
    found = exercises(notebooks)
    heads = {path: _head(path) for path in sorted(notebooks.glob("*/*.ipynb"))}
    return [
        Chapter(
            number=title[1],
            title=title[2].strip(),
            question=question[1] if (question := QUESTION.search(head)) else "",
            minutes={what: int(number) for what, number in MINUTES.findall(head)},
            path=path,
            exercises=tuple(each for each in found if each.chapter == path.parent.name),
        )
        for path, head in heads.items()
        if (title := TITLE.search(head))
    ]


def _head(path: Path) -> str:
    """The cell with the title, wherever it was moved to; empty where there is none."""
    return next((text for text in map(source_of, cells_of(path)) if TITLE.match(text)), "")
