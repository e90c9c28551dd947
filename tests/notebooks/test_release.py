"""Release: from a source to a student's notebook, and back to a graded one."""

import copy
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_raw_cell

from graders import cli, release
from graders.judge.rebuild import rebuild
from graders.release import NUMBER
from tests.notebooks import kit

NAME = f"{kit.CHAPTER}/{kit.CHAPTER}.ipynb"


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    return kit.make_course(tmp_path / "fresh")


@pytest.fixture
def released(course: Path) -> NotebookNode:
    return kit.read(course / "notebooks" / NAME)


def test_a_stub_names_its_exercise(released: NotebookNode) -> None:
    assert kit.by_id(released, "ex_90_2").source == (
        'async def square(x: float) -> float:\n    """Return `x` times `x`."""\n'
        '    # YOUR CODE HERE\n    raise NotImplementedError("Exercise 90.2 not attempted yet")'
    )


def test_hidden_checks_are_gone_and_visible_ones_stay(released: NotebookNode) -> None:
    source = kit.by_id(released, "ex_90_1_check").source
    assert 'check("90.1 doubles", seconds=2)' in source
    assert "graders" not in source


def test_a_release_carries_its_number(released: NotebookNode) -> None:
    assert released.metadata.switchboard == {"release": NUMBER}


def test_only_tagged_outputs_are_kept(released: NotebookNode) -> None:
    kept = [cell.id for cell in released.cells if cell.get("outputs")]
    assert kept == ["trace"]
    assert all(cell.get("execution_count") is None for cell in released.cells)


def test_check_cells_are_locked_and_solution_cells_are_not(released: NotebookNode) -> None:
    assert kit.by_id(released, "ex_90_1_check").metadata.editable is False
    assert "editable" not in kit.by_id(released, "ex_90_1").metadata


def test_run_all_goes_on_after_a_check_from_the_first_exercise(released: NotebookNode) -> None:
    going_on = [
        cell.id for cell in released.cells if "raises-exception" in cell.metadata.get("tags", [])
    ]
    code = [cell.id for cell in released.cells if cell.cell_type == "code"]
    assert going_on == code[code.index("ex_90_1") :]


def test_a_release_repeated_is_the_same_bytes(course: Path) -> None:
    assert release.check(course) == []


def test_editors_leave_nothing_in_a_release(fresh: Path) -> None:
    release.generate(fresh / "one", fresh)
    source = fresh / "solutions" / NAME
    book = kit.read(source)
    book.metadata.language_info = {"name": "python", "version": "3.99", "mimetype": "text/x"}
    book.metadata.widgets = {"state": {}}
    book.cells[0].metadata.collapsed = True
    kit.write(book, source)
    release.generate(fresh / "other", fresh)
    assert release.compare(fresh / "one", fresh / "other") == []


def test_a_changed_source_is_noticed_and_released(fresh: Path) -> None:
    assert [each.kind for each in release.release(fresh)] == ["missing"]
    kit.commit(fresh)
    assert release.release(fresh) == []
    source = fresh / "solutions" / NAME
    book = kit.read(source)
    book.cells[0].source += "\nMore."
    kit.write(book, source)
    assert [str(each) for each in release.check(fresh)] == [f"{NAME}: changed"]
    kit.commit(fresh)
    assert [each.kind for each in release.release(fresh)] == ["changed"]


@pytest.mark.parametrize("folder", ["notebooks", "solutions"])
def test_a_dirty_tree_is_refused_and_left_alone(fresh: Path, folder: str) -> None:
    mine = fresh / folder / "mine.txt"
    mine.write_text("an evening's work")
    with pytest.raises(release.ReleaseError, match=r"not committed yet: .*mine\.txt"):
        release.release(fresh)
    assert mine.exists()
    assert not (fresh / "notebooks" / kit.CHAPTER).exists()


def test_without_git_nothing_is_overwritten(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", str(fresh / "nowhere"))
    with pytest.raises(release.ReleaseError, match="no git checkout"):
        release.release(fresh)


def test_what_git_ignores_survives_and_strays_go(fresh: Path) -> None:
    release.release(fresh)
    chapter = fresh / "notebooks" / kit.CHAPTER
    (chapter / ".progress.json").write_text("{}")
    (chapter / "old.txt").write_text("from an earlier edition")
    kit.commit(fresh)
    assert [str(each) for each in release.release(fresh)] == [f"{kit.CHAPTER}/old.txt: stray"]
    assert (chapter / ".progress.json").exists()


def test_files_beside_the_notebook_are_released(fresh: Path) -> None:
    (fresh / "solutions" / kit.CHAPTER / "data.csv").write_text("a,b\n")
    (fresh / "solutions" / kit.CHAPTER / ".progress.json").write_text("{}")
    release.generate(fresh / "made", fresh)
    made = {path.name for path in (fresh / "made" / kit.CHAPTER).iterdir()}
    assert made == {f"{kit.CHAPTER}.ipynb", "data.csv"}


def test_a_faulty_source_is_named(fresh: Path) -> None:
    source = fresh / "solutions" / NAME
    book = kit.read(source)
    kit.by_id(book, "ex_90_2").metadata.nbgrader.grade_id = "ex_90_1"
    kit.write(book, source)
    with pytest.raises(release.ReleaseError, match=f"{kit.CHAPTER}: .*ex_90_1"):
        release.generate(fresh / "made", fresh)


def test_a_source_that_is_no_notebook_is_named(fresh: Path) -> None:
    (fresh / "solutions" / NAME).write_text('{"cells": [<<<<<<< mine')
    with pytest.raises(release.ReleaseError, match=f"solutions/{NAME} is no notebook: "):
        release.refuse_without_data(fresh)


def test_the_command_refuses_with_one_line(
    fresh: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> None:
        raise release.ReleaseError("not committed yet: x")

    monkeypatch.setattr(release, "release", refuse)
    assert cli.main(["release"]) == 1
    assert capsys.readouterr().err == "release: not committed yet: x\n"


@pytest.mark.parametrize(
    ("found", "code"), [([], 0), ([release.Difference(Path("a"), "changed")], 1)]
)
def test_the_check_says_what_is_out_of_date(
    found: list[release.Difference],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(release, "check", lambda: found)
    assert cli.main(["release", "--check"]) == code
    assert ("a: changed" in capsys.readouterr().out) == bool(found)


# Rebuilding a submission.


def edited(released: NotebookNode, name: str, source: str) -> NotebookNode:
    book = copy.deepcopy(released)
    kit.by_id(book, name).source = source
    return book


def sources(book: NotebookNode) -> list[str]:
    return [cell.source for cell in book.cells]


def test_an_untouched_release_is_itself(released: NotebookNode) -> None:
    assert rebuild(released, released) == released


def test_answers_and_trials_are_taken_over(released: NotebookNode) -> None:
    book = edited(edited(released, "ex_90_1", "def double(x): return x + x"), "start", "import os")
    rebuilt = rebuild(released, book)
    assert kit.by_id(rebuilt, "ex_90_1").source == "def double(x): return x + x"
    assert kit.by_id(rebuilt, "start").source == "import os"


def test_a_changed_check_is_the_release_s_again(released: NotebookNode) -> None:
    assert rebuild(released, edited(released, "ex_90_1_check", "pass")) == released


def test_metadata_of_a_submission_counts_for_nothing(released: NotebookNode) -> None:
    book = copy.deepcopy(released)
    kit.by_id(book, "ex_90_1_check").metadata.tags = ["skip-execution"]
    kit.by_id(book, "ex_90_2_check").metadata.nbgrader.points = 100
    kit.by_id(book, "ex_90_1").metadata.nbgrader.grade_id = "other"
    book.metadata.kernelspec.name = "mine"
    assert rebuild(released, book) == released


def test_deleted_and_reordered_cells_are_back(released: NotebookNode) -> None:
    book = copy.deepcopy(released)
    book.cells.remove(kit.by_id(book, "ex_90_1_check"))
    book.cells.reverse()
    assert sources(rebuild(released, book)) == sources(released)


def test_added_cells_stay_behind_their_neighbour(released: NotebookNode) -> None:
    book = copy.deepcopy(released)
    place = book.cells.index(kit.by_id(book, "ex_90_1"))
    book.cells.insert(place, new_code_cell("def helper(): ...", metadata={"tags": ["x"]}))
    book.cells.insert(0, new_raw_cell("a note"))
    rebuilt = rebuild(released, book)
    assert sources(rebuilt) == sources(book)
    assert rebuilt.cells[0].cell_type == "markdown"
    assert rebuilt.cells[place + 1].metadata == {}


def test_a_second_copy_of_a_check_is_plain_code(released: NotebookNode) -> None:
    book = copy.deepcopy(released)
    second = copy.deepcopy(kit.by_id(book, "ex_90_1_check"))
    second.id = "second"
    book.cells.append(second)
    rebuilt = rebuild(released, book)
    assert "nbgrader" not in rebuilt.cells[-1].metadata
    assert len([cell for cell in rebuilt.cells if kit.grade_id(cell) == "ex_90_1_check"]) == 1


@pytest.mark.parametrize("bare", [False, True], ids=["as saved", "without ids and marks"])
@pytest.mark.parametrize("place", [0, -1], ids=["above", "below"])
def test_a_copy_of_an_answer_moves_nothing(released: NotebookNode, place: int, bare: bool) -> None:
    book = edited(released, "ex_90_2", "KEPT = []\ndef square(x): return KEPT[0](x)")
    answer = kit.by_id(book, "ex_90_2")
    book.cells.insert(book.cells.index(answer) + 1, new_code_cell("KEPT.append(my_square)"))
    again = copy.deepcopy(answer)
    again.id = "again"
    book.cells.insert(place % len(book.cells), again)
    for number, cell in enumerate(book.cells if bare else ()):
        cell.id, cell.metadata = f"new-{number}", NotebookNode()
    assert sources(rebuild(released, book)) == sources(book)


def test_cells_with_new_ids_are_recognised_by_their_text(released: NotebookNode) -> None:
    book = copy.deepcopy(released)
    for number, cell in enumerate(book.cells):
        cell.id = f"new-{number}"
    assert rebuild(released, book) == released


def test_a_rebuilt_notebook_is_valid(released: NotebookNode) -> None:
    book = copy.deepcopy(released)
    book.cells.append(new_code_cell("1"))
    nbformat.validate(rebuild(released, book))
