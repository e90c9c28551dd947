"""Every wrong answer of the fixture chapter fails its own check, with a reason, and no other.

Here a kernel stands in which the solved chapter has run: the wrong answer goes in, every check cell
runs, and the right answer goes back. test_answers.py has the chapters' own; nbgrader grades made
students in test_students.py.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from graders import release
from tests.grading.answers import of_chapter
from tests.notebooks import kit
from tests.notebooks.lints import EXERCISE

CHAPTERS = [kit.CHAPTER, *release.chapters()]
CASES = [
    pytest.param(number, source, id=f"{number}-{name}")
    for number, each in of_chapter(kit.CHAPTER[:2]).items()
    for name, source in each.wrong
]


class Desk:
    """A kernel in which a chapter's source was run."""

    def __init__(self, book: NotebookNode, client: NotebookClient) -> None:
        self.book = book
        self._client = client

    def run(self, source: str) -> list[NotebookNode]:
        """Run code and return its errors."""
        cell = new_code_cell(source)
        self.book.cells.append(cell)
        self._client.execute_cell(cell, len(self.book.cells) - 1)
        self.book.cells.pop()
        return kit.errors(cell)

    def verdicts(self) -> dict[str, NotebookNode]:
        """Run every check cell, hidden part included; return the errors by exercise number."""
        found = {}
        for cell in list(self.book.cells):
            name = kit.grade_id(cell)
            if name.endswith("_check") and (errors := self.run(cell.source)):
                found[name.removeprefix("ex_").removesuffix("_check").replace("_", ".")] = errors[0]
        return found


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    book = kit.chapter()
    with running(book, tmp_path_factory.mktemp("desk")) as client:
        yield Desk(book, client)


@contextmanager
def running(book: NotebookNode, folder: Path) -> Iterator[NotebookClient]:
    """Run a notebook on a kernel that stays until the block ends."""
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(book, timeout=60, kernel_name="python3", resources=resources)
    with client.setup_kernel():
        for index, cell in enumerate(book.cells):
            client.execute_cell(cell, index)
        client.allow_errors = True  # from here on they are what is looked for
        yield client


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_exercise_has_a_wrong_answer(chapter: str) -> None:
    path = kit.ROOT / "solutions" / chapter / f"{chapter}.ipynb"
    book = kit.read(path) if path.exists() else kit.chapter()
    found = (EXERCISE.match(kit.grade_id(cell)) for cell in book.cells)
    exercises = {f"{int(each[1])}.{int(each[2])}" for each in found if each}
    wrong = {number for number, each in of_chapter(chapter[:2]).items() if each.wrong}
    assert wrong
    assert not exercises or wrong == exercises  # the project is judged as a whole


def defined(source: str) -> str:
    """Return the last name that a solution cell defines."""
    return ast.parse(source).body[-1].name  # type: ignore[attr-defined]


@pytest.mark.parametrize(("number", "source"), CASES)
def test_a_wrong_answer_fails_its_check_alone(number: str, source: str, desk: Desk) -> None:
    right = kit.by_id(desk.book, f"ex_{number.replace('.', '_')}").source
    # or a wrong answer that does not parse would change nothing
    desk.run(f"del {defined(right)}")
    desk.run(source)
    verdicts = desk.verdicts()
    desk.run(right)
    assert list(verdicts) == [number]
    [line] = verdicts[number].traceback
    assert verdicts[number].ename == "CheckFailed"
    assert line.startswith(f"✗ {number} ")
