"""A course in use is changed safely: what does not fit is refused, and nothing is deleted."""

import json
from pathlib import Path

import pytest

from course.errors import ConfigurationError
from graders import cli, exercises, release
from graders.classroom.student_repo import copy_for_students
from graders.exercises import lookup
from tests.notebooks import kit


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course with one chapter of this course's own, released."""
    book = kit.read(kit.ROOT / "solutions/00_start_here/00_start_here.ipynb")
    root = kit.make_course(tmp_path / "course", book, "00_start_here")
    (root / "notebooks/00_start_here").mkdir(parents=True)
    (root / "notebooks/00_start_here/00_start_here.ipynb").write_text("released")
    kit.commit(root)
    return root


def change(root: Path, before: str, after: str) -> None:
    path = root / "solutions/00_start_here/00_start_here.ipynb"
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")
    kit.commit(root)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('play_hidden(\\"0.1\\"', 'play_hidden(\\"0.9\\"', "exercise 0.9 is checked, and"),
        (
            'play_hidden(\\"0.1\\"',
            'print(\\"0.1\\"',
            "exercise 0.1 is judged, and no cell checks it",
        ),
        ('"points": 1', '"points": 4', "exercise 0.1 has 4 points in its check cell and 1 in"),
    ],
)
def test_a_chapter_without_its_data_is_refused_and_the_release_stays(
    course: Path, before: str, after: str, said: str
) -> None:
    change(course, before, after)
    with pytest.raises(release.ReleaseError, match=said):
        release.release(course)
    kept = course / "notebooks/00_start_here/00_start_here.ipynb"
    assert kept.read_text() == "released"


@pytest.mark.parametrize("said", ["NameError: no x", "ConfigurationError: write seeds"])
def test_data_that_cannot_be_loaded_is_told_in_a_line(
    course: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    kind, _, message = said.partition(": ")
    error = {"NameError": NameError, "ConfigurationError": ConfigurationError}[kind](message)

    def broken(_chapter: str) -> None:
        raise error

    monkeypatch.setattr(release, "exercises_of", broken)
    with pytest.raises(release.ReleaseError, match=f"exercises/ch00 cannot be loaded: {said}"):
        release.release(course)


@pytest.mark.parametrize("text", ["<<<<<<< HEAD", "{}", "[]", '{"cells": 1}'])
def test_a_source_that_is_no_notebook_is_told_in_a_line(course: Path, text: str) -> None:
    path = course / "solutions/00_start_here/00_start_here.ipynb"
    path.write_text(text)
    kit.commit(course)
    with pytest.raises(release.ReleaseError, match="is no notebook"):
        release.release(course)


def test_every_chapter_of_the_course_has_its_data() -> None:
    release.refuse_without_data(kit.ROOT)


def test_own_seeds_take_the_place_of_the_open_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "seeds.toml"
    monkeypatch.setattr(lookup, "SEEDS", own)
    open_ones = exercises.exercise("0.1").hidden_seeds
    other = tmp_path / "other.toml"
    other.write_text('"0.1" = [71, 72]\n')
    monkeypatch.setattr(lookup, "SEEDS", other)
    assert exercises.exercise("0.1").hidden_seeds == (71, 72) != open_ones
    assert exercises.exercise("0.2").hidden_seeds == open_ones
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('"0.1" = "71"\n')
    monkeypatch.setattr(lookup, "SEEDS", wrong)
    with pytest.raises(ConfigurationError, match="a list of numbers"):
        exercises.exercise("0.1")
    for number in ("0.11", "77.1", "one"):  # else it would keep its open seeds in silence
        strange = tmp_path / f"{number}.toml"
        strange.write_text(f'"{number}" = [71]\n')
        monkeypatch.setattr(lookup, "SEEDS", strange)
        with pytest.raises(ConfigurationError, match=f"there is no exercise '{number}'"):
            exercises.exercise("0.1")


def test_a_copy_for_students_has_no_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "students"
    assert cli.main(["student-repo", str(target)]) == 0
    there = {path.name for path in target.iterdir()}
    assert {"notebooks", "course", "graders", "README.md", "Makefile"} <= there
    assert not there & {"solutions", "tests", ".git"}
    assert cli.main(["student-repo", str(target)]) == 2
    assert "is not empty: name a new folder" in capsys.readouterr().err
    with pytest.raises(ConfigurationError, match="lies in the course itself"):
        copy_for_students(kit.ROOT / "build/for-students")
    notebook = json.loads((target / "notebooks/00_start_here/00_start_here.ipynb").read_text())
    assert "BEGIN SOLUTION" not in json.dumps(notebook)
