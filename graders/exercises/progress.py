"""Where a student stands in a chapter, by what the checks said on this machine."""

from __future__ import annotations

import os
from collections.abc import Sequence

from course.notebook import ledger
from course.notebook.exercises import folder
from graders.feedback.words import points
from graders.records.report import ExerciseReport
from graders.records.scenario import Exercise


def standing(report: ExerciseReport, chapter: Sequence[Exercise]) -> str:
    """One line: "2 of 2 · 14 of 20 in this chapter · next: 3.3".

    Args:
        report: of the exercise that was just played.
        chapter: the exercises of its chapter, in order.
    """
    earned = points(report.score, report.max_score)
    if os.environ.get("NBGRADER_EXECUTION"):  # nbgrader keeps its own book
        return earned
    open_ones = [each for each in chapter if not _passes(each)]
    passed = sum(each.points for each in chapter if each not in open_ones)
    parts = [earned, f"{points(passed, sum(each.points for each in chapter))} in this chapter"]
    if all(trial.verdict.passed for trial in report.trials):
        numbers = [each.number for each in chapter]
        here = numbers.index(report.number)
        rest = sorted(open_ones, key=lambda each: numbers.index(each.number) < here)
        parts.append(f"next: {rest[0].number}" if rest else _next_chapter(report.number))
    return " · ".join(part for part in parts if part)


def _passes(exercise: Exercise) -> bool:
    titles = [trial.title for trial in exercise.trials]
    return ledger.load().get(exercise.number, ledger.Standing()).outcome(titles) == "passed"


def _next_chapter(number: str) -> str:
    following = f"{int(number.partition('.')[0]) + 1:02}"
    notebooks = folder("notebooks")
    there = notebooks is not None and any(notebooks.glob(f"{following}_*"))
    return f"next: chapter {following}" if there else "all done"
