"""What judging anew changed: who gains, who would lose, and who has agreed to that."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from graders.classroom.csv_cells import write_table
from graders.classroom.results import Key, Result
from graders.records.wording import one_line

FILE = "regrade.csv"
COLUMNS = ("student", "chapter", "attempt", "exercise", "before", "after", "code", "held")


@dataclass(frozen=True, slots=True)
class Difference:
    """One exercise of one submission with other points than before; "" for the whole of it."""

    key: Key
    exercise: str
    before: float | None
    after: float | None
    code: str
    held: bool

    def row(self) -> tuple[object, ...]:
        """Its cells, in the order of `COLUMNS`."""
        before, after = ("" if each is None else each for each in (self.before, self.after))
        return (*self.key, self.exercise, before, after, self.code, "yes" if self.held else "")

    def __str__(self) -> str:
        student, chapter, _ = self.key
        place = f"{chapter} {self.exercise}".strip()
        before, after = (
            "none" if each is None else f"{each:g}" for each in (self.before, self.after)
        )
        held = "  held back" if self.held else ""
        return f"{one_line(student):<24} {place:<28} {before:>6} -> {after:>6}{held}"


def falls(before: Result | None, after: Result) -> bool:
    """Whether a grade that stands would be lower, on the very same notebook."""
    if before is None or before.score is None:
        return False
    if before.hashes.notebook != after.hashes.notebook and after.hashes.notebook:
        return False
    return after.score is None or after.score < before.score


def differences(before: Mapping[Key, Result], after: Iterable[Result]) -> Iterator[Difference]:
    """Where points differ, exercise by exercise, and in the whole where the status differs too."""
    for result in after:
        old = before.get(result.key)
        if old is None or old.hashes.notebook != result.hashes.notebook:
            continue
        if old.status != result.status:
            yield Difference(result.key, "", old.score, result.score, result.code, result.held)
            continue
        was = {each.number: each.score for each in old.report.exercises} if old.report else {}
        for exercise in result.report.exercises if result.report else ():
            if was.get(exercise.number) != exercise.score:
                codes = [t.verdict.code for t in exercise.trials if not t.verdict.passed]
                yield Difference(
                    result.key,
                    exercise.number,
                    was.get(exercise.number),
                    exercise.score,
                    codes[0] if codes else "",
                    result.held,
                )


def write_differences(found: Sequence[Difference], folder: Path) -> Path:
    """All of them as a table with a line each; what was there before is written over."""
    path = folder / FILE
    write_table(path, COLUMNS, (each.row() for each in found))
    return path


def agreed(count: int) -> bool:
    """Ask on a terminal whether so many grades may fall; nobody there says no."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(f"{count} grades would fall. Let them? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
