"""Several attempts: with "best" all are judged, and the one with the most points counts."""

from dataclasses import replace
from pathlib import Path

import pytest

from graders.classroom.attempts import counting, judged_attempts
from graders.classroom.collected import Collected, kept_at, write_collected
from graders.classroom.results import Hashes, Result
from graders.classroom.settings import Counts, Late, Settings
from graders.classroom.submitted import Submission
from graders.records.report import ExerciseReport, Report, TrialVerdict
from graders.records.verdict import not_yet, passed

CHAPTER = "00_start_here"
BEST = Settings(attempts="best", late=Late(percent_per_day=40))


def result(attempt: int, points: float) -> Result:
    verdict = passed() if points else not_yet("value", "no")
    exercise = ExerciseReport("0.1", (TrialVerdict("says it", points or 1.0, verdict),))
    report = Report("x.ipynb", CHAPTER, (exercise,))
    return Result("ada", CHAPTER, attempt, report=report, hashes=Hashes(str(attempt)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three attempts, the last of them two days late."""
    rows = [
        Collected(f"{n}", "ada", CHAPTER, str(n), attempt=n, late_s=late, counts=counts)
        for n, late, counts in ((1, "0", ""), (2, "0", ""), (3, "90000", "yes"))
    ]
    write_collected(rows, tmp_path)
    return tmp_path


def test_every_attempt_is_judged_where_the_best_counts(folder: Path) -> None:
    laid_out = Submission("ada", CHAPTER, folder / "x.ipynb")
    other = Submission("bo", CHAPTER, folder / "y.ipynb")
    assert judged_attempts([laid_out, other], folder, Settings()) == [laid_out, other]
    kind, *attempts = judged_attempts([laid_out, other], folder, BEST)
    assert kind == other
    assert [each.attempt for each in attempts] == [1, 2, 3]
    rows = [Collected("", "ada", CHAPTER, str(n)) for n in (1, 2, 3)]
    assert [each.path for each in attempts] == [kept_at(row, folder) for row in rows]


@pytest.mark.parametrize(
    ("points", "attempt"),
    [
        ((4.0, 4.0, 4.0), 1),  # the first of equal ones
        ((1.0, 4.0, 4.0), 2),
        ((1.0, 1.0, 9.0), 3),  # 1.8 points after two days, which is still the most
        ((4.0, 0.0, 9.0), 1),
    ],
)
def test_the_best_is_the_one_with_the_most_points_after_lateness(
    folder: Path, points: tuple[float, ...], attempt: int
) -> None:
    results = [result(n, each) for n, each in enumerate(points, start=1)]
    [(chosen, row)] = counting(results, folder, BEST)
    assert (chosen.attempt, row and row.attempt) == (attempt, attempt)
    [(chosen, row)] = counting(results, folder, Settings())  # the rule of the day chose the last
    assert (chosen.attempt, row and row.attempt) == (3, 3)


def test_an_attempt_that_cannot_be_graded_does_not_count_against_one_that_can(folder: Path) -> None:
    broken = replace(result(2, 4.0), status="ungraded", code="notebook.not_json")
    [(chosen, _)] = counting([result(1, 0.0), broken], folder, BEST)
    assert chosen.attempt == 1


@pytest.mark.parametrize(("rule", "late_s"), [("last", "90000"), ("first", "0"), ("best", "0")])
def test_of_one_file_at_two_times_the_time_of_the_rule_counts(
    tmp_path: Path, rule: Counts, late_s: str
) -> None:
    counts = ["", "yes"] if rule == "last" else ["yes", ""]
    rows = [
        Collected(f"{n}", "ada", CHAPTER, "1", attempt=n, late_s=late, counts=each)
        for n, late, each in zip((1, 2), ("0", "90000"), counts, strict=True)
    ]
    write_collected(rows, tmp_path)
    results = [result(1, 4.0), replace(result(1, 4.0), attempt=2)]
    [(_, row)] = counting(
        results[: 2 if rule == "best" else 1], tmp_path, replace(BEST, attempts=rule)
    )
    assert row and row.late_s == late_s
