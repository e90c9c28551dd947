"""A file that was handed in, as a notebook: nothing of it is trusted but the text of its cells."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

LARGEST = 16_000_000  # bytes; a chapter with its figures has less than one million
MOST_VALUES = 1_000_000  # in its JSON
MOST_CELLS = 2_000
MOST_CODE = 400_000  # characters; a chapter has less than 60,000
MOST_LINES = 6_000  # of code; a chapter has less than 1,500
LONGEST_CELL = 200_000  # characters
_LINE_ENDS = re.compile("\r\n?")


class Unreadable(Exception):
    """A submission that cannot be judged: a stable code, and a sentence."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


CODES = {
    "notebook.missing": "there is no such file",
    "notebook.too_large": "the file is far too large",
    "notebook.too_many_cells": "the notebook has far too many cells",
    "notebook.too_much_code": "the notebook has far too much code",
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
        raw = _json(path.read_bytes())
    except OSError as trouble:
        raise Unreadable(
            "notebook.missing", f"the file cannot be read: {trouble.strerror}"
        ) from None
    except (ValueError, RecursionError):
        raise Unreadable("notebook.not_json", "the file is no notebook: it is not JSON") from None
    cells = _cells(raw)
    if cells is None:
        raise Unreadable("notebook.not_json", "the file is no notebook: it has no list of cells")
    if len(cells) > MOST_CELLS:
        raise Unreadable(
            "notebook.too_many_cells",
            f"the notebook has {len(cells):,} cells and may have {MOST_CELLS:,}: "
            "delete those that are not yours and hand it in again",
        )
    found = [_cell(each) for each in cells if isinstance(each, dict)]
    _measure([each.source for each in found if each.cell_type == "code"])
    return _node(cells=found)


def _measure(code: list[str]) -> None:
    """Refuse more code than anybody writes: reading it would take minutes."""
    for many, most, what in (
        (sum(map(len, code)), MOST_CODE, "characters"),
        (sum(text.count("\n") + 1 for text in code), MOST_LINES, "lines"),
    ):
        if many > most:
            raise Unreadable(
                "notebook.too_much_code",
                f"the notebook has {many:,} {what} of code and may have {most:,}: "
                "delete what is not yours and hand it in again",
            )


def _json(data: bytes) -> Any:
    """JSON in any encoding of Unicode, or in that of an old Windows editor; zeros may follow.

    Commas and opening brackets are counted first: many small values would fill the memory.
    """
    if sum(map(data.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise Unreadable(
            "notebook.too_large",
            f"the notebook holds more than {MOST_VALUES:,} values: "
            "clear its outputs and hand it in again",
        )
    try:
        text = data.decode(json.detect_encoding(data), "surrogatepass")
    except UnicodeDecodeError:
        text = data.decode("cp1252")
    return json.loads(text.removeprefix("\ufeff").rstrip("\0"))


def _cells(raw: Any) -> list[Any] | None:
    """The cells of a notebook, or of one as it was before format 4: in sheets."""
    if not isinstance(raw, dict):
        return None
    sheets = raw.get("worksheets")
    if isinstance(sheets, list) and "cells" not in raw:
        found = [each.get("cells") for each in sheets if isinstance(each, dict)]
        return [cell for cells in found if isinstance(cells, list) for cell in cells]
    cells = raw.get("cells")
    return cells if isinstance(cells, list) else None


def _node(**fields: Any) -> NotebookNode:
    made: NotebookNode = NotebookNode(fields)  # type: ignore[no-untyped-call]
    return made


def _cell(raw: dict[str, Any]) -> NotebookNode:
    source = raw.get("source", raw.get("input", ""))  # the latter before format 4
    if isinstance(source, list):
        source = "".join(each for each in source if isinstance(each, str))
    text = source[:LONGEST_CELL] if isinstance(source, str) else ""
    kind = raw.get("cell_type")
    about = raw.get("metadata")
    metadata = about if isinstance(about, dict) else {}
    ident = raw.get("id") or metadata.get("id")  # the latter where some editors keep it
    return _node(
        cell_type="code" if kind == "code" else "markdown",
        id=ident if isinstance(ident, str) else "",
        source=_LINE_ENDS.sub("\n", text).encode("utf-8", "replace").decode(),
        metadata=_node(**_marks(metadata)),
    )


def _marks(metadata: dict[str, Any]) -> dict[str, Any]:
    """The grade id, the one thing of a cell's metadata that helps to find its place."""
    about = metadata.get("nbgrader")
    name = about.get("grade_id") if isinstance(about, dict) else None
    return {"nbgrader": _node(grade_id=name)} if isinstance(name, str) else {}
