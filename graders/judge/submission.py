"""A file that was handed in, as a notebook: nothing of it is trusted but the text of its cells."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from pydantic_core import from_json

LARGEST = 40_000_000  # bytes; a chapter with its figures has less than one million
LARGE = 16_000_000  # bytes from which on it is read so as to spare the memory
MOST_VALUES = 500_000  # in its JSON
MOST_CELLS = 3_000
MOST_CODE = 400_000  # characters; a chapter has less than 60,000
MOST_LINES = 6_000  # of code; a chapter has less than 1,500
LONGEST_CELL = 200_000  # characters
LONGEST_PROSE = 5_000
_LINE_ENDS = re.compile("\r\n?")
_WIDE = re.compile(rb"[\xf0-\xf4]|\\u[dD][89abAB]")


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
    "notebook.not_json": "the file is no notebook",
    "notebook.other_release": "the notebook is of no chapter that was released",
}


def read(path: Path) -> NotebookNode:
    """The cells of a submission: kind, text, id and grade id, and the number of its release.

    Each is checked. Its `emptied` says how many cells were left out, since the code was too much
    to read in time.

    Raises:
        Unreadable: the file is missing, too large, or no notebook.
    """
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):  # a pipe or a device might never come to its end
            raise Unreadable("notebook.missing", "it is no file, but a folder, pipe or device")
        size = about.st_size
        if size > LARGEST:
            raise _too_large(f"{size // 1_000_000} MB", f" and may have {LARGEST // 1_000_000}")
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
    whole = [each for each in cells if isinstance(each, dict)]
    emptied = _lighten(whole)
    told = _metadata(raw).get("switchboard") if isinstance(raw, dict) else None
    marks = {"switchboard": told} if isinstance(told, dict) else {}
    return _node(cells=[_cell(each) for each in whole], emptied=emptied, metadata=_node(**marks))


def _lighten(cells: list[dict[str, Any]]) -> int:
    """Empty code cells, the largest first and marked ones last, until all can be read in time.

    Returns:
        How many there were.
    """
    left = MOST_CODE, MOST_LINES
    emptied = 0
    sizes = []
    for place, cell in enumerate(cells):
        if cell.get("cell_type") == "code":
            text = _source(cell)
            sizes.append((not _marks(_metadata(cell)), len(text), text.count("\n") + 1, place))
    for _, length, lines, place in sorted(sizes):
        left = left[0] - length, left[1] - lines
        if min(left) < 0:
            cells[place]["source"] = ""
            emptied += 1
    return emptied


def _json(data: bytes) -> Any:
    """JSON in any encoding of Unicode, or in that of an old Windows editor; zeros may follow.

    Commas and opening brackets are counted first: many small values would fill the memory, as
    would a long text with one of the signs for which each sign of it takes four bytes.
    """
    if sum(map(data.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise _too_large(f"more than {MOST_VALUES:,} values", "")
    if len(data) > LARGE:
        if _WIDE.search(data):
            raise _too_large(f"{len(data) // 1_000_000} MB", f" and may have {LARGE // 1_000_000}")
        return from_json(data)  # which needs no second copy of it
    try:
        text = data.decode(json.detect_encoding(data), "surrogatepass")
    except UnicodeDecodeError:
        text = data.decode("cp1252")
    return json.loads(text.removeprefix("\ufeff").rstrip("\0"))


def _too_large(has: str, may: str) -> Unreadable:
    told = f"the notebook has {has}{may}: clear its outputs and hand it in again"
    return Unreadable("notebook.too_large", told)


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


def _source(raw: dict[str, Any]) -> str:
    source = raw.get("source", raw.get("input", ""))  # the latter before format 4
    if isinstance(source, list):
        source = "".join(each for each in source if isinstance(each, str))
    return source[:LONGEST_CELL] if isinstance(source, str) else ""


def _metadata(raw: dict[str, Any]) -> dict[str, Any]:
    about = raw.get("metadata")
    return about if isinstance(about, dict) else {}


def _cell(raw: dict[str, Any]) -> NotebookNode:
    kind, metadata = raw.get("cell_type"), _metadata(raw)
    text = _source(raw)[: None if kind == "code" else LONGEST_PROSE]
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
