"""Several attempts of a student at a chapter: which of them are judged, and which one counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from graders.classroom.collected import Collected, kept_at, read_collected
from graders.classroom.lateness import days_late, penalty
from graders.classroom.results import Result
from graders.classroom.settings import Settings
from graders.classroom.submitted import Submission

Rows = dict[tuple[str, str], list[Collected]]


def judged_attempts(found: Sequence[Submission], folder: Path, rules: Settings) -> list[Submission]:
    """What is judged: where the best counts, every attempt instead of the one that was laid out."""
    if rules.attempts != "best":
        return list(found)
    several = {key: rows for key, rows in _rows(folder).items() if len(rows) > 1}
    others = [each for each in found if (each.student, each.chapter) not in several]
    attempts = [
        Submission(row.student, row.chapter, kept_at(row, folder), row.attempt)
        for rows in several.values()
        for row in rows
    ]
    return [*others, *attempts]


def counting(
    results: Iterable[Result], folder: Path, rules: Settings
) -> list[tuple[Result, Collected | None]]:
    """One result for each student and chapter, with how it was handed in, as far as that is known.

    Where the best counts, it is the one with the most points after lateness, the first of equal
    ones; else the one whose file the rule has chosen when it was collected.
    """
    collected = _rows(folder)
    groups: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for each in results:
        groups[each.student, each.chapter].append(each)
    return [_chosen(group, collected.get(key, []), rules) for key, group in groups.items()]


def _chosen(
    group: Sequence[Result], rows: Sequence[Collected], rules: Settings
) -> tuple[Result, Collected | None]:
    laid_out = next((row for row in rows if row.counts), None)
    told = [(each, _row_of(each, rows) or laid_out) for each in sorted(group, key=_attempt)]
    if rules.attempts == "best":
        return max(told, key=lambda both: _earned(both[0], both[1], rules))
    hashes = [each.hashes.notebook for each, _ in told]
    if laid_out and laid_out.sha256 in hashes:
        return told[hashes.index(laid_out.sha256)][0], laid_out
    return told[0]


def _earned(result: Result, row: Collected | None, rules: Settings) -> float:
    if result.score is None:
        return -1.0
    return result.score - penalty(days_late(row, rules.late), result.score, rules.late)


def _row_of(result: Result, rows: Sequence[Collected]) -> Collected | None:
    return next((row for row in rows if row.sha256 == result.hashes.notebook), None)


def _attempt(result: Result) -> int:
    return result.attempt


def _rows(folder: Path) -> Rows:
    """What was handed in, by student and chapter."""
    found: Rows = defaultdict(list)
    for row in read_collected(folder):
        if row.student and (row.sha256 or row.counts):
            found[row.student, row.chapter].append(row)
    return found
