"""The rules hold for a good chapter, and each of them can fail."""

from collections.abc import Callable
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.notebooks import kit, lints

PIXEL = "iVBORw0KGgo="


def good() -> NotebookNode:
    return kit.chapter()


def put(source: str) -> Callable[[NotebookNode], None]:
    return lambda book: book.cells.insert(1, new_markdown_cell(source))


def add(source: str) -> Callable[[NotebookNode], None]:
    return lambda book: book.cells.append(new_code_cell(source))


def output(**content: object) -> Callable[[NotebookNode], None]:
    made = new_output(**content)
    return lambda book: kit.by_id(book, "trace").update(outputs=[made])


def change(name: str, old: str, new: str) -> Callable[[NotebookNode], None]:
    def apply(book: NotebookNode) -> None:
        cell = kit.by_id(book, name)
        assert old in cell.source
        cell.source = cell.source.replace(old, new)

    return apply


def drop(name: str) -> Callable[[NotebookNode], None]:
    return lambda book: book.cells.remove(kit.by_id(book, name))


def mark(name: str, **about: object) -> Callable[[NotebookNode], None]:
    return lambda book: kit.by_id(book, name).metadata.nbgrader.update(about)


def count(book: NotebookNode) -> None:
    kit.by_id(book, "trace").execution_count = 7


def picture(markup: str) -> Callable[[NotebookNode], None]:
    return output(output_type="display_data", data={"text/html": markup})


def fold(name: str, title: str, **jupyter: object) -> Callable[[NotebookNode], None]:
    """Put a title over a cell, and fold it unless told otherwise."""

    def apply(book: NotebookNode) -> None:
        cell = kit.by_id(book, name)
        cell.source = f"{title}\n{cell.source}"
        cell.metadata.jupyter = jupyter or {"source_hidden": True}

    return apply


PASSED_BEFORE = "2 of 2 · 4 of 16 in this chapter\n2 of 2 · 4 of 16 in this chapter\n"
BREAKS: list[tuple[lints.Lint, Callable[[NotebookNode], None]]] = [
    (lints.folds_titled, fold("saved", "# ▸ The sign of an outcome (7 lines)")),
    (lints.folds_titled, fold("saved", "# The sign of an outcome (6 lines)")),
    (
        lints.folds_titled,
        fold("saved", "# ▸ The sign of an outcome (6 lines)", source_hidden=False),
    ),
    (lints.stays_open, add("desk.close()")),
    (lints.stays_open, add("import shutil\nshutil.rmtree(folder, ignore_errors=True)")),
    (lints.folds_titled, fold("ex_90_1", "# ▸ Double (4 lines)")),
    (lints.one_title, put("# A second title")),
    (lints.one_title, change("intro", "# 90", "## 90")),
    (lints.headings_in_order, put("### Deep at once")),
    (lints.alt_texts, put("![](data:image/png;base64,xx)")),
    (lints.alt_texts, put('<img src="data:image/png;base64,xx">')),
    (lints.alt_texts, put('<img alt=" " src="data:image/png;base64,xx">')),
    (lints.alt_texts, picture("<div><img src='data:image/png;base64,xx'></div>")),
    (lints.alt_texts, output(output_type="display_data", data={"image/png": PIXEL})),
    (lints.alt_texts, change("intro", "accDescr", "%% accDescription")),
    (lints.diagrams_for_any_theme, change("intro", "#eee", "#ddf")),
    (
        lints.diagrams_for_any_theme,
        output(output_type="display_data", data={"text/vnd.mermaid": "flowchart LR"}),
    ),
    (lints.no_remote_images, put("![alt](https://example.org/x.png)")),
    (lints.no_remote_images, put('<img alt="x" src="//example.org/x.png">')),
    (lints.no_remote_images, picture('<img alt="x" src="http://example.org/x.png">')),
    (lints.unique_ids, mark("ex_90_2", grade_id="ex_90_1")),
    (lints.unique_ids, lambda book: book.cells.append(book.cells[0])),
    (lints.no_faults_stored, output(output_type="error", ename="E", evalue="", traceback=[])),
    (lints.no_faults_stored, output(output_type="stream", name="stderr", text="warning")),
    (lints.no_faults_stored, output(output_type="stream", name="stdout", text="t1: KeyError: 2")),
    (lints.no_faults_stored, output(output_type="stream", name="stdout", text="({'a', 'b'}, 1)")),
    (lints.small, put("word " * 70_000)),
    (lints.runs_on_python3, lambda book: book.metadata.kernelspec.update(name="conda")),
    (lints.ran_in_order, count),
    (lints.points_rise, output(output_type="stream", name="stdout", text=PASSED_BEFORE)),
    (lints.code_parses, change("start", "start()", "start(")),
    (lints.hints_closed, put("<details open><summary>Hint</summary></details>")),
    (lints.five_cells, drop("ex_90_1_text")),
    (lints.five_cells, drop("ex_90_1_check")),
    (lints.five_cells, drop("ex_90_1_help")),
    (lints.five_cells, drop("ex_90_1_try")),
    (lints.five_cells, change("ex_90_1_text", "Difficulty 1 of 5", "Easy")),
    (lints.five_cells, change("ex_90_1_text", "- raises: nothing", "")),
    (lints.five_cells, change("ex_90_1_text", "2 points", "4 points")),
    (lints.five_cells, change("ex_90_1_check", 'check("90.1 doubles', 'check("doubles')),
    (lints.five_cells, lambda book: kit.by_id(book, "ex_90_1_check").update(source="1 + 1")),
    (lints.five_cells, mark("ex_90_1_check", locked=False)),
    (lints.five_cells, change("ex_90_1_help", "What you should see", "Result")),
    (lints.answers_stay, add("from math import sqrt as double")),
    (lints.answers_stay, add("def double(x):\n    return x + x")),
    (lints.builtins_kept, add("for id in ():\n    print(id)")),
    (lints.builtins_kept, add("def sum(x):\n    return x")),
    (lints.solutions_marked, change("ex_90_1", "### BEGIN SOLUTION", "# answer")),
    (lints.solutions_marked, change("ex_90_1_check", "from graders.records", "from records")),
]


@pytest.mark.parametrize("lint", [*lints.EVERYWHERE, lints.solutions_marked])
def test_a_good_chapter_passes(lint: lints.Lint) -> None:
    assert lint(good()) == []


@pytest.mark.parametrize(
    ("lint", "spoil"), BREAKS, ids=[f"{i}-{lint.__name__}" for i, (lint, _) in enumerate(BREAKS)]
)
def test_each_rule_can_fail(lint: lints.Lint, spoil: Callable[[NotebookNode], None]) -> None:
    book = good()
    spoil(book)
    assert lint(book)


def test_every_rule_is_broken_by_some_test() -> None:
    assert {lint for lint, _ in BREAKS} == {*lints.EVERYWHERE, lints.solutions_marked}


def test_saved_definitions_equal_the_package() -> None:
    homes = lints.definitions(kit.SAVED)
    assert lints.saved(good(), homes, 90) == []


@pytest.mark.parametrize(
    ("package", "chapter", "told"),
    [
        ("", 90, "is not in the package"),
        (kit.SAVED.replace("○", "?"), 90, "differs"),
        (kit.SAVED, 91, "Built in chapter 91"),
    ],
)
def test_saved_definitions_that_differ_are_named(package: str, chapter: int, told: str) -> None:
    [fault] = lints.saved(good(), lints.definitions(package), chapter)
    assert "signed" in fault
    assert told in fault


def test_comments_and_layout_of_a_saved_definition_are_free() -> None:
    homes = lints.definitions(kit.SAVED.replace("    return", "    # a comment\n    return"))
    assert lints.saved(good(), homes, 90) == []


def test_a_function_of_the_chapters_own_that_a_saved_one_would_call_is_named() -> None:
    saved = new_code_cell(
        "async def attempt(worker: Agent) -> Result:\n    return await carry_out(worker)",
        metadata={"tags": ["save"]},
    )
    own = new_code_cell("def carry_out(policy: str) -> None:\n    ...")
    assert lints.shadowed(new_notebook(cells=[saved])) == []
    [fault] = lints.shadowed(new_notebook(cells=[own, saved]))
    assert "attempt" in fault
    assert own.id in fault


@pytest.mark.parametrize("lint", lints.EVERYWHERE)
def test_the_released_fixture_passes(lint: lints.Lint, course: Path) -> None:
    released = course / "notebooks" / kit.CHAPTER / f"{kit.CHAPTER}.ipynb"
    assert lint(kit.read(released)) == []


def test_code_in_an_unfinished_line_is_found() -> None:
    book = good()
    book.cells.append(new_code_cell("system_instruction ="))
    assert "invalid syntax" in lints.code_parses(book)[0]
