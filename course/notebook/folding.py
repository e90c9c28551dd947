"""Folding what goes deeper, so that each chapter shows its hour."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from course.notebook.chapters import Chapter, chapters
from course.notebook.exercises import cells_of, folder_above, source_of

NOTHING = "There are no chapters here: this page belongs into notebooks/ of the course's folder."
COLLAPSED = "jp-MarkdownHeadingCollapsed"  # JupyterLab's own key for a section that is folded
RELOAD = "Of a chapter that is open: menu File, Reload Notebook from Disk."


def lean(on: bool = True) -> None:
    """Fold in every chapter what is the deepening, or open it again with ``lean(False)``.

    Only how a notebook is shown is changed: sections whose cells are tagged ``more`` are collapsed,
    and one click opens each again. Of a copy that lies elsewhere it is the notebooks beside it.
    """
    notebooks = folder_above("notebooks")
    found = [(chapter.number, chapter.path) for chapter in chapters(notebooks)] if notebooks else []
    found = found or [(path.stem, path) for path in sorted(Path.cwd().glob("*.ipynb"))]
    if not found:
        print(NOTHING)
        return
    changed = [name for name, path in found if _fold(path, on)]
    done = "Folded to the hour" if on else "Opened again"
    print(f"{done}: {', '.join(changed)}. {RELOAD}" if changed else "Nothing had to be changed.")


def is_lean(found: Iterable[Chapter]) -> bool:
    """Whether something is folded in one of these chapters."""
    cells = (cell for chapter in found for cell in cells_of(chapter.path))
    return any(cell.get("metadata", {}).get(COLLAPSED) for cell in cells)


def _fold(path: Path, on: bool) -> bool:
    """Fold or open the deepening of a notebook; whether that changed it."""
    try:
        book = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    heads = [
        cell["metadata"]
        for cell in book.get("cells", ())
        if "more" in cell["metadata"].get("tags", []) and source_of(cell).startswith("## ")
    ]
    due = [each for each in heads if bool(each.get(COLLAPSED)) != on]
    for each in due:
        each.pop(COLLAPSED, None)
        each.update({COLLAPSED: True} if on else {})
    if due:
        put_back(path, book)
    return bool(due)


def put_back(path: Path, book: Any) -> None:
    """Write a notebook as Jupyter does, in one step."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    fresh.replace(path)
