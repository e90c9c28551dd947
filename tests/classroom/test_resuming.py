"""What is judged again, and what is not, told from data alone: nothing is judged here."""

from dataclasses import replace
from pathlib import Path

import pytest

from course.errors import ConfigurationError, FileFormatError
from graders.classroom.differences import differences, falls
from graders.classroom.grading import _merged, _refuse_unknown
from graders.classroom.results import Hashes, Result, Results
from graders.classroom.submitted import submissions
from graders.records.report import ExerciseReport, Report, TrialVerdict
from graders.records.verdict import not_yet, passed


def result(*scores: float, notebook: str = "n") -> Result:
    trials = (
        TrialVerdict("t", 3, passed() if each else not_yet("a.code", "expected more"))
        for each in scores
    )
    exercises = tuple(ExerciseReport(f"1.{n}", (t,)) for n, t in enumerate(trials, start=1))
    return Result("ada", "c", report=Report("x", "c", exercises), hashes=Hashes(notebook))


def test_a_grade_falls_on_the_same_notebook_alone() -> None:
    assert falls(result(1, 1), result(1, 0))
    assert falls(result(1), replace(result(1), status="ungraded"))
    assert not falls(result(1, 0), result(1, 1))
    assert not falls(result(1, 1), result(0, 0, notebook="another"))
    assert not falls(None, result(0))


def test_differences_name_the_exercise() -> None:
    before = result(1, 0)
    [found] = differences({before.key: before}, [result(0, 0)])
    assert (found.exercise, found.before, found.after, found.code) == ("1.1", 3, 0, "a.code")


def test_one_exercise_judged_again_leaves_the_others() -> None:
    again = result(1, 0)
    assert again.report is not None
    part = replace(again, report=replace(again.report, exercises=again.report.exercises[1:]))
    merged = _merged(result(0, 1), part)
    assert merged.report is not None
    assert [each.score for each in merged.report.exercises] == [0, 0]


def test_an_exercise_that_is_not_there_is_refused() -> None:
    _refuse_unknown("0.2")
    with pytest.raises(ConfigurationError, match=r"that chapter has 0\.1, 0\.2, 0\.3"):
        _refuse_unknown("0.9")


def test_results_come_back_as_they_were_and_a_cut_line_is_dropped(tmp_path: Path) -> None:
    kept = Results(tmp_path)
    kept.add(result(1, 0))
    kept.add(replace(result(1), student="bö \ud800"))
    path = tmp_path / "results.jsonl"
    path.write_bytes(path.read_bytes() + b'{"student": "cy"')
    again = Results(tmp_path)
    assert [each.student for each in again] == ["ada", "bö ?"]
    assert next(iter(again)) == result(1, 0)
    again.add(replace(result(1), student="cy"))
    assert [each.student for each in Results(tmp_path)] == ["ada", "bö ?", "cy"]
    path.write_text("hello\n")
    with pytest.raises(FileFormatError, match="line 1"):
        Results(tmp_path)


def test_what_lies_in_a_folder_is_told_by_name(tmp_path: Path) -> None:
    for name, data in {
        "ada/c/a.ipynb": "1", "ada/c/b.ipynb": "2", "bo/c/a.ipynb": "1", "bo/c/b.ipynb": "1",
        "cy/c/work.zip": "", "de/c/notes.txt": "", "eve/c/x.ipynb.txt": "1",
    }.items():  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(data)
    (tmp_path / "fay/c").mkdir(parents=True)
    (tmp_path / "fay/c/x.ipynb").symlink_to("/etc/passwd")
    found = {each.student: each.code for each in submissions(tmp_path, [])}
    assert found == {
        "ada": "submission.several", "bo": "", "cy": "submission.archive",
        "de": "submission.refused", "eve": "", "fay": "submission.link",
    }  # fmt: skip
