"""Pairs that are too alike: planted copies are found, and answers made apart are not."""

import ast
import re
from itertools import combinations

import pytest

from graders.chapters import released
from graders.classroom.similar import Solutions, pairs
from tests.grading.answers import of_chapter
from tests.grading.judging import solved
from tests.needs import package

CHAPTER = "03_handoff"


@pytest.fixture(autouse=True, scope="module")
def needed() -> None:
    package("copydetect")


def solutions(book: object) -> Solutions:
    cells = book.cells  # type: ignore[attr-defined]
    marked = ((cell.metadata.get("nbgrader", {}), cell.source) for cell in cells)
    return {about["grade_id"]: source for about, source in marked if about.get("solution")}


def disguised(source: str) -> str:
    """The answer with other names, another layout, a comment, and its helpers in another order."""
    tree = ast.parse(source)
    names = {each.arg for each in ast.walk(tree) if isinstance(each, ast.arg)}
    names |= {
        each.id
        for each in ast.walk(tree)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    for name in names:
        source = re.sub(rf"\b{name}\b", f"my_{name}", source)
    first, *others = ast.parse(source).body
    return "# my own work\n" + "\n\n".join(map(ast.unparse, [first, *others[::-1]]))


def test_five_of_five_copies_are_found_and_no_pair_made_apart() -> None:
    [chapter] = [each for each in released() if each.name == CHAPTER]
    shared = [solutions(chapter.released), solutions(solved(CHAPTER))]
    right = {number: told.right for number, told in of_chapter("03").items()}
    styles = min(map(len, right.values()))
    students = {
        f"student {n}": {f"ex_{number.replace('.', '_')}": told[n][1]
                         for number, told in right.items()}
        for n in range(styles)
    }  # fmt: skip
    assert len(list(combinations(students, 2))) >= 10
    assert dict(pairs(students, shared)) == {}
    for name in list(students)[:5]:
        copy = {exercise: disguised(source) for exercise, source in students[name].items()}
        assert list(dict(pairs({**students, "a copy": copy}, shared))) == [("a copy", name)]
