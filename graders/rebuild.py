"""A submission becomes the release again, with only the student's own text in it."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell


def rebuild(released: NotebookNode, submitted: NotebookNode) -> NotebookNode:
    """Put the source text of ``submitted`` into a copy of ``released``.

    - Order, metadata, check cells and all other marked cells are the release's. A cell that was
      deleted is there again.
    - Solution cells, and cells that nbgrader does not mark, carry the student's text.
    - Cells that the student added, second copies of a marked cell included, follow the cell they
      followed, as plain cells: what a copy of a solution cell redefines stays redefined, a copy of
      a check cell counts for nothing.

    Args:
        released: the notebook of the chapter as students got it.
        submitted: what one student handed in; left as it is.

    Returns:
        A new notebook.
    """
    book = deepcopy(released)
    texts, added = _sort_out(book.cells, submitted.cells)
    cells = [_plain(cell) for cell in added.get(None, [])]
    for index, cell in enumerate(book.cells):
        if index in texts and _takes_text(cell):
            cell.source = texts[index]
        cells.append(cell)
        cells += [_plain(extra) for extra in added.get(index, [])]
    book.cells = cells
    return book


def _sort_out(
    released: list[NotebookNode], submitted: Iterable[NotebookNode]
) -> tuple[dict[int, str], dict[int | None, list[NotebookNode]]]:
    """Find for each submitted cell the released one it was; the rest hangs on the cell before."""
    texts: dict[int, str] = {}
    added: dict[int | None, list[NotebookNode]] = {}
    last: int | None = None
    for cell in submitted:
        found = _place_of(cell, released, taken=texts)
        if found is None:
            added.setdefault(last, []).append(cell)
        else:
            texts[found] = cell.source
            last = found
    return texts, added


def _place_of(
    cell: NotebookNode, released: list[NotebookNode], taken: dict[int, str]
) -> int | None:
    """Match by grade id, then by cell id, then by text (some editors give cells new ids)."""
    name, identity = _grade_id(cell), cell.get("id")
    free = [(i, other) for i, other in enumerate(released) if i not in taken]
    by_name = (i for i, other in free if name and _grade_id(other) == name)
    by_id = (i for i, other in free if identity and other.get("id") == identity)
    by_text = (i for i, other in free if other.source.strip() == cell.source.strip())
    return next((i for way in (by_name, by_id, by_text) for i in way), None)


def _takes_text(cell: NotebookNode) -> bool:
    about = cell.metadata.get("nbgrader")
    return not about or bool(about.get("solution"))


def _grade_id(cell: NotebookNode) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def _plain(cell: NotebookNode) -> NotebookNode:
    """Make a fresh cell of the same text; raw cells were never run, so they become prose."""
    new = new_code_cell if cell.cell_type == "code" else new_markdown_cell
    fresh: NotebookNode = new(cell.source)  # type: ignore[no-untyped-call]
    return fresh
