"""After a run of all cells one plays: what one tries and asks in boxes finds its world open."""

import re
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from tests.conftest import unheard
from tests.marking import first
from tests.notebooks import kit
from tests.notebooks.test_chapters import SOURCES, name

# Kernels have no page whose Enter would be heard: a box asks its example at once.
ASK_AT_ONCE = """import course.notebook

_asked = []
course.notebook.ask_box = lambda ask, *, example="": _asked.append(ask(example))"""
ANSWERS = """import inspect

for _each in _asked:
    _each = await _each if inspect.isawaitable(_each) else _each
    print(getattr(_each, "answer", _each))"""
BOXES = ("ask_box(", "pattern_chooser(", "studio(", "what_if(", "answer_as_the_model(")
CHAPTERS = sorted(SOURCES, key=lambda path: path.stem[:2] != "01")  # the first has the most of them


def is_played(cell: NotebookNode) -> bool:
    tried = "try" in cell.metadata.get("tags", [])
    return cell.cell_type == "code" and (tried or any(box in cell.source for box in BOXES))


@pytest.mark.parametrize("path", first(1, of=CHAPTERS), ids=name)
def test_what_one_tries_finds_its_world_open_after_run_all(
    path: Path, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    unheard(monkeypatch, request.config)
    book = kit.read(path)
    goes_on = {"tags": ["raises-exception"]}  # a name may be another's by the end of a chapter
    again = [new_code_cell(c.source, metadata=goes_on) for c in book.cells if is_played(c)]
    whole = len(book.cells)
    book.cells += [new_code_cell(ASK_AT_ONCE), *again, new_code_cell(ANSWERS)]
    ran = kit.execute(book, tmp_path)
    told = [str(output) for cell in ran.cells[whole:] for output in cell.outputs]
    assert told or not again
    assert [each for each in told if re.search(r"this \w+ is closed|ScenarioError", each)] == []
