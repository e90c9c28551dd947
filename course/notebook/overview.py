"""A table of what is done and what is left."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from course.notebook import ledger
from course.notebook.exercises import Exercise, exercises, folder
from course.notebook.show import show_html

WORDS = {"passed": "passed", "failed": "not yet", "not attempted": "not attempted"}


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    exercise: Exercise
    standing: ledger.Standing

    @property
    def outcome(self) -> ledger.Outcome:
        """The worst outcome over the checks that the notebook holds today."""
        return self.standing.outcome(self.exercise.titles or None)

    def cells(self) -> tuple[str, str, str, str]:
        """Return exercise, state, tries and points as text."""
        state = f"{ledger.SIGNS[self.outcome]} {WORDS[self.outcome]}"
        points = f"{self.exercise.points:g}"
        return self.exercise.number, state, str(self.standing.tries), points


def progress(*, everything: bool = False) -> None:
    """Show a table of the exercises: number, state, tries, points.

    Inside a chapter it shows that chapter; elsewhere, or with ``everything=True``, all of them.
    It counts what the visible checks said on this machine. It is not a grade.
    """
    notebooks = folder("notebooks")
    rows = _rows(notebooks) if notebooks else []
    here = Path.cwd().name
    chosen = [row for row in rows if row.exercise.chapter == here]
    if everything or not chosen:
        chosen = rows
    if not chosen:
        print("There are no exercises here yet; open a chapter in notebooks/ and come back.")
        return
    show_html(_html(chosen), _plain(chosen))


def _rows(notebooks: Path) -> list[Row]:
    standings: dict[str, ledger.Standing] = {}
    for path in sorted(notebooks.glob(f"*/{ledger.NAME}")):
        standings |= ledger.load(path)
    standings |= ledger.load()
    none = ledger.Standing()
    return [Row(each, standings.get(each.number, none)) for each in exercises(notebooks)]


def _summary(rows: Sequence[Row]) -> str:
    passed = sum(row.outcome == "passed" for row in rows)
    return f"{passed} of {len(rows)} exercises pass their visible checks"


HEAD = ("exercise", "state", "tries", "points")


def _html(rows: Sequence[Row]) -> str:
    left = 'style="text-align: left"'
    head = "".join(f'<th scope="col" {left}>{name}</th>' for name in HEAD)
    body = "".join(
        "<tr>" + "".join(f"<td {left}>{html.escape(text)}</td>" for text in row.cells()) + "</tr>"
        for row in rows
    )
    caption = html.escape(_summary(rows))
    return (
        f"<table><caption>{caption}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _plain(rows: Sequence[Row]) -> str:
    lines = [HEAD, *(row.cells() for row in rows)]
    table = [f"{a:<10}{b:<18}{c:>5}{d:>8}" for a, b, c, d in lines]
    return "\n".join([*table, _summary(rows)])
