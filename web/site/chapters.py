"""A chapter as a page: what a student gets, with what its author's run showed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from course.markup import fill, joined
from graders.diagrams import KIND
from web.site.texts import image

_PAGE = re.compile(r'(href="[^":]+)\.ipynb')
_LIVE = "application/vnd.jupyter.widget-view+json"
"""A widget without its kernel; its text is kept."""


def with_outputs(released: NotebookNode, source: NotebookNode) -> NotebookNode:
    """The released notebook with the outputs of each cell that its source has word for word."""
    shown = {cell.id: cell for cell in source.cells if cell.cell_type == "code"}
    for cell in released.cells:
        twin = shown.get(cell.id)
        if cell.cell_type == "code" and twin is not None and twin.source == cell.source:
            cell.outputs = twin.outputs or cell.outputs
    return released


def folded(cell: NotebookNode) -> None:
    """Let MyST-NB fold the code that is folded in JupyterLab, below its own title; in place."""
    if cell.metadata.get("jupyter", {}).get("source_hidden"):
        title, _, code = cell.source.partition("\n")
        cell.source = code
        tags = cell.metadata.setdefault("tags", [])
        cell.metadata["tags"] = [*tags, "hide-input"]
        cell.metadata["mystnb"] = {"code_prompt_show": title.lstrip("# ▸"),
                                   "code_prompt_hide": title.lstrip("# ▸")}  # fmt: skip


def shown(output: NotebookNode, up: str) -> None:
    """Keep of an output what a page without a kernel shows; in place."""
    data = output.get("data", {})
    data.pop(_LIVE, None)
    if diagram := data.pop(KIND, None):
        data["text/markdown"] = image(diagram, up)
    if "text/html" in data:
        data["text/html"] = _PAGE.sub(r"\1.html", data["text/html"])


def doors(links: Sequence[tuple[str, str]]) -> NotebookNode:
    """The cell below a chapter's title: where else it can be opened, and its notebook."""
    template = '<a href="{}">{}</a>'
    anchors = joined((fill(template, address, words) for words, address in links), " · ")
    return _text(fill('<p class="doors">{}</p>', anchors))


def below_title(cells: list[NotebookNode], cell: NotebookNode) -> list[NotebookNode]:
    """The cells with one more, right below the title that the first of them begins with."""
    first, *rest = cells
    title, _, text = first.source.partition("\n\n")
    return [_text(title), cell, _text(text), *rest]


def page_of(book: NotebookNode, change: Callable[[str], str], up: str) -> NotebookNode:
    """A notebook as a page, its prose changed by ``change``; ``up`` leads to the first page."""
    for cell in book.cells:
        if cell.cell_type == "markdown":
            cell.source = change(cell.source)
        else:
            folded(cell)
            for output in cell.outputs:
                shown(output, up)
    return book


def _text(source: str) -> NotebookNode:
    cell: NotebookNode = new_markdown_cell(source)  # type: ignore[no-untyped-call]
    return cell
