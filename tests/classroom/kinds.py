"""Thirty ways to hand in a chapter, whichever it is, and what has to come of each."""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graders.exercises import exercises_of
from graders.records.scenario import Exercise
from tests.grading.answers import answers
from tests.grading.odd import MANGLED, is_answer, name, solved, stub, text

Json = dict[str, Any]
Answers = Mapping[str, str]
Wrong = tuple[frozenset[str], Answers]
"""What a wrong answer loses, and its solution cells."""


@dataclass(frozen=True)
class Handed:
    """What one student hands in, and what has to come of it.

    Attributes:
        make: gives the file's bytes; None where nothing is handed in.
        lost: numbers of the exercises that do not get all their points.
        code: why it cannot be graded; empty when it can.
        file: its name; the chapter's when empty.
        zips: how many zips it lies in, one in another, where an LMS takes it.
    """

    make: Callable[[], bytes] | None
    lost: frozenset[str] = frozenset()
    code: str = ""
    file: str = ""
    zips: int = 0


def kinds(chapter: str) -> dict[str, Handed]:
    """The ways, by the names of the students who hand in so."""
    return _right(chapter) | _wrong(chapter) | _hostile(chapter) | _unreadable(chapter)


def book(chapter: str, answers: Answers | None = None) -> Json:
    """The solved chapter, but for these solution cells, by grade id."""
    made = copy.deepcopy(solved(chapter))
    for cell in made["cells"]:
        cell["source"] = (answers or {}).get(name(cell), cell["source"])
    return made


def right(chapter: str, answers: Answers | None = None) -> bytes:
    return json.dumps(book(chapter, answers)).encode()


def lost(result: Json) -> frozenset[str]:
    """Numbers of the exercises that did not get all their points in a line of results.jsonl."""
    return frozenset(
        each["number"]
        for each in result["report"]["exercises"]
        if not all(trial["verdict"]["sign"] == "passed" for trial in each["trials"])
    )


def _all(chapter: str) -> tuple[Exercise, ...]:
    return exercises_of(chapter[:2])


def _right(chapter: str) -> dict[str, Handed]:
    def ways(**named: str) -> dict[str, Handed]:
        return {
            student.replace("_", " "): Handed(lambda way=way: mangled(chapter, way))  # type: ignore[misc]
            for student, way in named.items()
        }

    return {
        "right": Handed(lambda: right(chapter)),
        "renamed": Handed(lambda: right(chapter), file="Kopie von final (2).ipynb", zips=2),
        "Zoë O'Neil; drop": Handed(lambda: right(chapter), file="Übung – Zoë's.ipynb"),
        "no checks": Handed(lambda: _edited(chapter, _without_checks)),
        "edited checks": Handed(lambda: _edited(chapter, _without_doubt)),
        "other kernel": Handed(lambda: _edited(chapter, _for_another_kernel)),
    } | ways(
        no_marks="no metadata",
        no_marks_and_ids="no ids and no metadata",
        copied_cells="every cell twice",
        moved_cells="cells shuffled",
        deleted_cells="only the answers",
        by_colab="as colab",
        utf_16="in UTF-16",
    )


def _wrong(chapter: str) -> dict[str, Handed]:
    first, *others = wrongs(chapter)
    every = frozenset(each.number for each in _all(chapter))
    return {
        "partly right": _answered(chapter, [first]),
        "mostly wrong": _answered(chapter, others),
        "empty": Handed(lambda: _edited(chapter, _emptied), every),
    }


def wrongs(chapter: str) -> list[Wrong]:
    """A wrong answer for each exercise."""
    found = []
    for each in _all(chapter):
        told, (*before, last) = answers(each.number), each.grade_ids
        title, source = told.wrong[0]
        falls = frozenset({each.number, *told.also.get(title, ())})
        found.append((falls, dict.fromkeys(before, "") | {last: source}))
    return found


def _answered(chapter: str, wrong: Sequence[Wrong]) -> Handed:
    """With these wrong answers; of several in the same cells the last one counts."""
    whole = {cell: source for _, cells in wrong for cell, source in cells.items()}
    counted = (falls for falls, cells in wrong if cells.items() <= whole.items())
    return Handed(lambda: right(chapter, whole), frozenset().union(*counted))


HOSTILE = {
    "spin": "while True: pass",
    "awaits for ever": "import asyncio; await asyncio.Event().wait()",
    "exits": "import sys; sys.exit(0)",
    "exits hard": "import os; os._exit(0)",
    "waits in real time": "import select; select.select([], [], [], 600)",
    "too much memory": "x = bytearray(10**11)",
    "recursion": "return {0}(*{0}.__code__.co_varnames[:{0}.__code__.co_argcount])",
}
"""What stands first in one function of an otherwise right notebook."""


def _hostile(chapter: str) -> dict[str, Handed]:
    cell, function = _asynchronous(chapter)
    falls = frozenset(each.number for each in _all(chapter) if function in each.definitions)

    def with_first(line: str) -> bytes:
        source = next(text(each) for each in solved(chapter)["cells"] if name(each) == cell)
        return right(chapter, {cell: _begun_with(line, function, source)})

    made = {
        student: Handed(lambda line=line: with_first(line), falls)  # type: ignore[misc]
        for student, line in HOSTILE.items()
    }
    made["prints"] = Handed(lambda: with_first("for _ in range(60): print('x' * 1_000_000)"))
    made["syntax error"] = Handed(lambda: right(chapter, {cell: f"def {function}(:"}), falls)
    made["no answer"] = Handed(lambda: _edited(chapter, _without(cell)), falls)
    return made


def _asynchronous(chapter: str) -> tuple[str, str]:
    """The solution cell and the name of the last function that waits for something."""
    for exercise in reversed(_all(chapter)):
        for cell in solved(chapter)["cells"]:
            if name(cell) != exercise.grade_ids[-1]:
                continue
            for node in ast.parse(text(cell)).body:
                wanted = getattr(node, "name", "") in exercise.definitions
                if wanted and isinstance(node, ast.AsyncFunctionDef):
                    return name(cell), node.name
    raise LookupError(chapter)


def _begun_with(line: str, function: str, source: str) -> str:
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.AsyncFunctionDef) and node.name == function:
            node.body[:0] = ast.parse(line.format(function)).body
    return ast.unparse(tree)


def _unreadable(chapter: str) -> dict[str, Handed]:
    return {
        "cut": Handed(lambda: right(chapter)[:3000], code="notebook.not_json"),
        "no json": Handed(lambda: b"\x89PNG\r\n", code="notebook.not_json"),
        "100 MB": Handed(lambda: b" " * 100_000_000, code="notebook.too_large"),
        "nothing": Handed(None, code="submission.none"),
    }


def _edited(chapter: str, edit: Callable[[Json], None]) -> bytes:
    made = book(chapter)
    edit(made)
    return json.dumps(made).encode()


def mangled(chapter: str, way: str) -> bytes:
    made = book(chapter)
    said = MANGLED[way](made)
    told = json.dumps(made) if said is None else said
    return told if isinstance(told, bytes) else told.encode()


def _is_check(cell: Json) -> bool:
    return name(cell).endswith("_check")


def _without_checks(made: Json) -> None:
    made["cells"] = [cell for cell in made["cells"] if not _is_check(cell)]


def _without_doubt(made: Json) -> None:
    for cell in filter(_is_check, made["cells"]):
        cell["source"] = "assert True"


def _for_another_kernel(made: Json) -> None:
    made["metadata"]["kernelspec"] = {"name": "ir", "display_name": "R", "language": "R"}


def _emptied(made: Json) -> None:
    for cell in filter(is_answer, made["cells"]):
        cell["source"] = stub(cell)


def _without(grade_id: str) -> Callable[[Json], None]:
    def edit(made: Json) -> None:
        made["cells"] = [cell for cell in made["cells"] if name(cell) != grade_id]

    return edit
