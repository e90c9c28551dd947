"""Every chapter obeys the rules, runs, and teaches: unsolved fails, solved passes."""

from functools import cache
from pathlib import Path

import pytest
from nbformat import NotebookNode

from graders import release
from tests.notebooks import kit, lints
from tests.notebooks.weight import weigh

SOURCES = lints.notebooks("solutions")
RELEASED = lints.notebooks("notebooks")


read = cache(kit.read)
"""The chapters, which no test changes."""


def name(path: Path) -> str:
    return f"{path.parents[1].name}/{path.stem}"


@pytest.mark.parametrize("lint", lints.EVERYWHERE, ids=lambda lint: lint.__name__)
@pytest.mark.parametrize("path", [*SOURCES, *RELEASED], ids=name)
def test_a_notebook_obeys(path: Path, lint: lints.Lint) -> None:
    assert lint(read(path)) == []


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_a_source_marks_its_solutions(path: Path) -> None:
    assert lints.solutions_marked(read(path)) == []


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_saved_cells_equal_the_package(path: Path) -> None:
    chapter = int(path.stem.partition("_")[0])
    assert lints.saved(read(path), lints.package(), chapter) == []


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_saved_cells_call_what_the_package_calls(path: Path) -> None:
    assert lints.shadowed(read(path)) == []


def test_what_says_it_is_built_in_a_chapter_is_shown_there() -> None:
    books = {int(path.stem.partition("_")[0]): read(path) for path in SOURCES}
    assert lints.unshown(books, lints.package()) == []


@pytest.mark.parametrize("path", RELEASED, ids=name)
def test_a_chapter_is_light(path: Path) -> None:
    assert weigh(read(path)).faults() == []


@pytest.mark.parametrize("path", RELEASED, ids=name)
def test_a_release_holds_no_answer_and_no_hidden_check(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "BEGIN SOLUTION" not in text
    assert "HIDDEN TESTS" not in text
    assert "play_hidden" not in text


def test_the_release_is_up_to_date() -> None:
    assert [str(each) for each in release.check()] == []


def test_every_chapter_has_its_notebook() -> None:
    assert release.chapters() == [path.stem for path in SOURCES]


def solved_passes(ran: NotebookNode) -> None:
    """No cell of a source ends in an error; an unexpected one has already ended the run."""
    faulty = [cell.id for cell in ran.cells if kit.errors(cell)]
    assert faulty == []
    assert lints.no_faults_stored(ran) == []


def unsolved_fails(ran: NotebookNode) -> None:
    """Each check of an untouched release says ○ in one line; nothing else goes wrong."""
    for cell in ran.cells:
        if kit.grade_id(cell).endswith("_check"):
            [error] = kit.errors(cell)
            assert error.ename == "NotAttempted"
            assert [line[0] for line in error.traceback] == ["○"]
        else:
            # Only what is to be tried on one's own answer may need it; the chapter goes on.
            assert "try" in cell.metadata.get("tags", []) or not kit.errors(cell), cell.source
            faults = [f"{e.ename}: {e.evalue}" for e in kit.errors(cell)]
            assert [each for each in faults if not each.startswith(kit.OUTCOMES)] == [], cell.source


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_what_a_source_shows_is_free_of_faults(path: Path) -> None:
    """The solved chapters are run by nbval, which compares each cell with what is stored."""
    assert lints.no_faults_stored(read(path)) == []


def test_the_fixture_chapter_solved_and_unsolved(course: Path, tmp_path: Path) -> None:
    file = f"{kit.CHAPTER}/{kit.CHAPTER}.ipynb"
    solved_passes(kit.read(course / "solutions" / file))
    ran = kit.execute(kit.read(course / "notebooks" / file), tmp_path, allow=kit.OUTCOMES)
    unsolved_fails(ran)
    kit.by_id(ran, "ex_90_1_check").outputs = []  # as of a check that passes unsolved
    with pytest.raises(ValueError, match="unpack"):
        unsolved_fails(ran)
