"""A table of what is done and what is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from course.markup import Markup, fill, joined
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


def _html(rows: Sequence[Row]) -> Markup:
    head = joined(fill('<th scope="col" style="text-align: left">{}</th>', name) for name in HEAD)
    lines = ([fill('<td style="text-align: left">{}</td>', t) for t in row.cells()] for row in rows)
    return fill(
        "<table><caption>{}</caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table>",
        _summary(rows), head, joined(fill("<tr>{}</tr>", joined(cells)) for cells in lines),
    )  # fmt: skip


def _plain(rows: Sequence[Row]) -> str:
    lines = [HEAD, *(row.cells() for row in rows)]
    table = [f"{a:<10}{b:<18}{c:>5}{d:>8}" for a, b, c, d in lines]
    return "\n".join([*table, _summary(rows)])
