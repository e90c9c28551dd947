"""A file that was handed in, as a notebook: nothing of it is trusted but the text of its cells."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

LARGEST = 50_000_000  # bytes; a chapter with its figures has less than one million
MOST_CELLS = 2_000
LONGEST_CELL = 200_000  # characters


class Unreadable(Exception):
    """A submission that cannot be judged: a stable code, and a sentence."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


CODES = {
    "notebook.missing": "there is no such file",
    "notebook.too_large": "the file is far too large",
    "notebook.not_json": "the file is no notebook",
    "notebook.other_release": "the notebook is of no chapter that was released",
}


def read(path: Path) -> NotebookNode:
    """The cells of a submission: kind, text, id and grade id, each checked.

    Raises:
        Unreadable: the file is missing, too large, or no notebook.
    """
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):  # a pipe or a device might never come to its end
            raise Unreadable("notebook.missing", "it is no file, but a folder, pipe or device")
        size = about.st_size
        if size > LARGEST:
            raise Unreadable(
                "notebook.too_large",
                f"the notebook has {size // 1_000_000} MB and may have {LARGEST // 1_000_000}: "
                "clear its outputs and hand it in again",
            )
        raw = json.loads(path.read_bytes())
    except OSError as trouble:
        raise Unreadable(
            "notebook.missing", f"the file cannot be read: {trouble.strerror}"
        ) from None
    except (ValueError, RecursionError):
        raise Unreadable("notebook.not_json", "the file is no notebook: it is not JSON") from None
    cells = raw.get("cells") if isinstance(raw, dict) else None
    if not isinstance(cells, list) or len(cells) > MOST_CELLS:
        raise Unreadable("notebook.not_json", "the file is no notebook: it has no list of cells")
    return _node(cells=[_cell(each) for each in cells if isinstance(each, dict)])


def _node(**fields: Any) -> NotebookNode:
    made: NotebookNode = NotebookNode(fields)  # type: ignore[no-untyped-call]
    return made


def _cell(raw: dict[str, Any]) -> NotebookNode:
    source = raw.get("source", "")
    if isinstance(source, list):
        source = "".join(each for each in source if isinstance(each, str))
    text = source[:LONGEST_CELL] if isinstance(source, str) else ""
    kind = raw.get("cell_type")
    ident = raw.get("id")
    return _node(
        cell_type="code" if kind == "code" else "markdown",
        id=ident if isinstance(ident, str) else "",
        source=text.encode("utf-8", "replace").decode(),
        metadata=_node(**_marks(raw.get("metadata"))),
    )


def _marks(metadata: Any) -> dict[str, Any]:
    """The grade id, the one thing of a cell's metadata that helps to find its place."""
    about = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    name = about.get("grade_id") if isinstance(about, dict) else None
    return {"nbgrader": _node(grade_id=name)} if isinstance(name, str) else {}
