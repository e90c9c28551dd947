"""The front page: what is done, what is next, what is folded, and beginning anew."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from course import notebook
from course.errors import ConfigurationError
from course.notebook import exercises, folding, front, ledger, show
from tests.notebooks import kit

NAME = f"{kit.CHAPTER}/{kit.CHAPTER}.ipynb"
ANSWER = "def double(x):\n    return x + x"


@pytest.fixture
def copied(course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A student's copy of the fixture course; we are on its front page."""
    copy = tmp_path / "copy"
    shutil.copytree(course, copy, ignore=shutil.ignore_patterns(".git", ".progress*"))
    monkeypatch.setattr(ledger, "_seen", {})
    monkeypatch.delenv("SWITCHBOARD_STATE")
    monkeypatch.chdir(copy / "notebooks")
    return copy


def told(capsys: pytest.CaptureFixture[str]) -> str:
    notebook.home()
    return capsys.readouterr().out


def test_the_front_page_says_what_is_done_and_what_is_next(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "next: chapter 90, exercise 90.1" in told(capsys).lower()
    assert "○ not begun" in told(capsys)
    ledger.record("90.1", {"doubles": "passed"})
    said = told(capsys)
    assert "◐ 1 of 2" in said and "2 of 5" in said and "exercise 90.2" in said
    ledger.record("90.2", {"squares": "passed"})
    assert "✓ done" in told(capsys)
    ledger.record("90.1", {"doubles": "failed"})  # a fresh run of all, or a worse answer
    said = told(capsys)
    assert "✓ done (last try ✗: 90.1)" in said and "5 of 5" in said and "Next" not in said


def test_its_links_open_the_chapters(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundles: list[dict[str, Any]] = []
    monkeypatch.setattr(front, "show_html", lambda html, plain: bundles.append({"html": html}))
    notebook.home()
    assert f'<a href="{NAME}">90 A chapter to test with</a>' in bundles[0]["html"]
    assert (copied / "notebooks" / NAME).exists()


def test_progress_is_the_same_in_a_chapter_a_copy_and_after_a_restart(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.record("90.1", {"doubles": "passed"})
    work = copied / "work" / kit.CHAPTER
    shutil.copytree(copied / "notebooks" / kit.CHAPTER, work)
    monkeypatch.setattr(exercises, "REPOSITORY", copied)
    (copied.parent / "elsewhere").mkdir()
    for place in (copied / "notebooks" / kit.CHAPTER, work, copied.parent / "elsewhere"):
        monkeypatch.setattr(ledger, "_seen", {})
        monkeypatch.chdir(place)
        assert ledger.load()["90.1"].outcome() == "passed", place
    monkeypatch.chdir(copied / "solutions" / kit.CHAPTER)  # whose answers are not the student's
    assert ledger.load() == {}


def test_what_is_no_chapter_and_what_is_unreadable_is_left_out(
    copied: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    half = (copied / "notebooks" / NAME).read_text(encoding="utf-8")[:900]
    for text in ("", half, "[]", '{"cells": 3}', '{"cells": [3, {}]}'):
        (copied / "notebooks" / kit.CHAPTER / "scratch.ipynb").write_text(text, encoding="utf-8")
        assert told(capsys).count("90 ") == 1, text
    shutil.rmtree(copied / "notebooks" / kit.CHAPTER)
    assert "no chapters here" in told(capsys)
    notebook.lean()
    assert "no chapters here" in capsys.readouterr().out


# Folding all but the hour.


def test_lean_folds_what_goes_deeper_and_opens_it_again(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = copied / "notebooks" / NAME
    book = kit.read(path)
    kit.by_id(book, "heading_saved").metadata.tags = ["more"]
    kit.write(book, path)
    before = path.read_bytes()
    notebook.lean()
    folded = [cell.id for cell in kit.read(path).cells if cell.metadata.get(folding.COLLAPSED)]
    assert folded == ["heading_saved"]
    notebook.lean()
    notebook.lean(False)
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == [
        "Folded to the hour", "Nothing had to be changed.", "Opened again"
    ]  # fmt: skip
    assert path.read_bytes() == before


# Where nothing is written.


def test_a_copy_far_away_changes_no_other_notebook(
    copied: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    theirs = answered(copied / "notebooks" / NAME)
    book = kit.read(theirs)
    kit.by_id(book, "heading_saved").metadata.tags = ["more"]
    kit.write(book, theirs)
    monkeypatch.setattr(exercises, "REPOSITORY", copied)
    before = theirs.read_bytes()
    far = tmp_path / "far" / "away" / "from" / "it"
    far.mkdir(parents=True)
    monkeypatch.chdir(far)
    notebook.lean()
    mine = far / "mine.ipynb"
    mine.write_bytes(before)
    notebook.reset("90.1")
    notebook.lean()
    assert "NotImplementedError" in source(mine, "ex_90_1")
    assert kit.by_id(kit.read(mine), "heading_saved").metadata.get(folding.COLLAPSED)
    with pytest.raises(ConfigurationError, match="nothing to reset"):
        notebook.reset("91")
    assert theirs.read_bytes() == before


# Beginning anew.


def answered(path: Path) -> Path:
    book = kit.read(path)
    kit.by_id(book, "ex_90_1").source = ANSWER
    kit.by_id(book, "ex_90_2").source = "print(9)"
    return kit.write(book, path)


def source(path: Path, name: str) -> str:
    return str(kit.by_id(kit.read(path), name).source)


@pytest.mark.parametrize(
    ("what", "back"),
    [("90.1", {"ex_90_1"}), ("90", {"ex_90_1", "ex_90_2"}), ("all", {"ex_90_1", "ex_90_2"})],
)
def test_an_exercise_begins_anew(
    copied: Path, what: str, back: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = answered(copied / "notebooks" / NAME)
    before = path.read_bytes()
    for number in ("90.1", "90.2"):
        ledger.record(number, {"a": "passed"})
    notebook.reset(what)
    stubbed = {name for name in ("ex_90_1", "ex_90_2") if "NotImpl" in source(path, name)}
    assert stubbed == back
    assert {f"ex_{number.replace('.', '_')}" for number in ledger.load()} | back == {
        "ex_90_1", "ex_90_2"
    }  # fmt: skip
    assert path.with_name(f"{path.name}.before").read_bytes() == before
    assert "Reload Notebook from Disk" in capsys.readouterr().out


def test_of_a_copy_the_copy_begins_anew(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = copied / "work"
    shutil.copytree(copied / "notebooks" / kit.CHAPTER, work)
    mine, theirs = (
        answered(each) for each in (work / Path(NAME).name, copied / "notebooks" / NAME)
    )
    book = json.loads(mine.read_text(encoding="utf-8"))
    book["cells"].reverse()  # cells may have been moved
    mine.write_text(json.dumps(book), encoding="utf-8")
    monkeypatch.chdir(work)
    notebook.reset("90.1")
    assert "NotImplementedError" in source(mine, "ex_90_1")
    assert source(theirs, "ex_90_1") == ANSWER


def test_an_answer_cell_that_was_deleted_is_named(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = answered(copied / "notebooks" / NAME)
    book = kit.read(path)
    book.cells.remove(kit.by_id(book, "ex_90_1"))
    kit.write(book, path)
    notebook.reset("90")
    assert "the answer cell of 90.1 is missing" in capsys.readouterr().out
    assert "NotImplementedError" in source(path, "ex_90_2")


def test_cells_that_were_moved_are_found(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = answered(copied / "notebooks" / NAME)
    before, book = told(capsys), kit.read(path)
    book.cells.reverse()
    kit.write(book, path)
    assert told(capsys) == before
    notebook.reset("90")
    assert "NotImplementedError" in source(path, "ex_90_1")


@pytest.mark.parametrize("what", ["", "90.7", "7", "90.", "everything"])
def test_what_is_no_exercise_resets_nothing(copied: Path, what: str) -> None:
    path = answered(copied / "notebooks" / NAME)
    ledger.record("90.1", {"a": "passed"})
    with pytest.raises(ConfigurationError, match='"all"'):
        notebook.reset(what)
    assert source(path, "ex_90_1") == ANSWER
    assert ledger.load()["90.1"].outcome() == "passed"


# The box that folds.


def test_the_box_says_how_the_chapters_are(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import ipywidgets

    made: list[Any] = []
    checkbox = ipywidgets.Checkbox
    monkeypatch.setattr(front, "watched", lambda: True)
    monkeypatch.setattr(show, "in_notebook", lambda: False)
    monkeypatch.setattr(
        ipywidgets, "Checkbox", lambda **told: made.append(checkbox(**told)) or made[-1]
    )
    path = copied / "notebooks" / NAME
    book = kit.read(path)
    kit.by_id(book, "heading_saved").metadata.tags = ["more"]
    kit.write(book, path)
    notebook.home()
    made[0].value = True
    notebook.home()
    assert [box.value for box in made] == [True, True]
    made[1].value = False
    notebook.home()
    assert made[2].value is False
