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
        """The best that the checks said which the notebook holds today."""
        return self.standing.outcome(self.exercise.titles or None)

    def cells(self) -> tuple[str, ...]:
        """Return exercise, best, last, tries and points as text."""
        best, last = self.outcome, self.standing.lately(self.exercise.titles or None)
        said = (signed(best), "" if last == best else signed(last))
        return self.exercise.number, *said, str(self.standing.tries), f"{self.exercise.points:g}"


def signed(outcome: ledger.Outcome) -> str:
    """Sign and word: "✓ passed"."""
    return f"{ledger.SIGNS[outcome]} {WORDS[outcome]}"


def progress() -> None:
    """Show a table of the exercises: number, the best and the last outcome, tries, points.

    Inside a chapter it shows that chapter; elsewhere all of them. It counts what the visible
    checks said on this machine. It is not a grade.
    """
    notebooks = folder("notebooks")
    found = rows(exercises(notebooks)) if notebooks else []
    here = Path.cwd().name
    chosen = [row for row in found if row.exercise.chapter == here] or found
    if not chosen:
        print("There are no exercises here yet; open a chapter in notebooks/ and come back.")
        return
    show_html(_html(chosen), _plain(chosen))


def rows(found: Sequence[Exercise]) -> list[Row]:
    """Exercises with how they stand."""
    standings, none = ledger.load(), ledger.Standing()
    return [Row(each, standings.get(each.number, none)) for each in found]


def _summary(rows: Sequence[Row]) -> str:
    passed = sum(row.outcome == "passed" for row in rows)
    return f"{passed} of {len(rows)} exercises pass their visible checks"


HEAD = ("exercise", "best", "last, if another", "tries", "points")


def _html(rows: Sequence[Row]) -> Markup:
    head = joined(fill('<th scope="col" style="text-align: left">{}</th>', name) for name in HEAD)
    lines = ([fill('<td style="text-align: left">{}</td>', t) for t in row.cells()] for row in rows)
    return fill(
        "<table><caption>{}</caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table>",
        _summary(rows), head, joined(fill("<tr>{}</tr>", joined(cells)) for cells in lines),
    )  # fmt: skip


def _plain(rows: Sequence[Row]) -> str:
    lines = [HEAD, *(row.cells() for row in rows)]
    table = [f"{a:<10}{b:<18}{c:<18}{d:>5}{e:>8}" for a, b, c, d, e in lines]
    return "\n".join([*table, _summary(rows)])
