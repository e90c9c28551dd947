"""JSON files: written so that they can be read back, and read with one line for what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from course.errors import FileFormatError


def as_json(record: Any) -> str:
    """A record as indented JSON text, one line feed at its end."""
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    return text.encode("utf-8", "replace").decode()  # half a surrogate pair could not be read back


def write(path: str | Path, text: str) -> Path:
    """Write text the same on every machine, and return where. Raises OSError when that fails."""
    target = Path(path)
    target.write_text(text, encoding="utf-8", newline="\n")
    return target


def read(path: str | Path, *, source: str, hint: str) -> str:
    """The text of a file. Raises OSError where there is none, FileFormatError (with `source`, the
    byte and `hint`, the way out) where it is no text.
    """
    try:
        return Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{source}: not text at byte {error.start}; {hint}") from None


def from_json(text: str, *, source: str, hint: str) -> Any:
    """What JSON text says; FileFormatError with `source`, line, column and `hint` for no JSON."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno} ({error.msg})"
        raise FileFormatError(f"{source}: not JSON at {where}; {hint}") from None
    except (ValueError, RecursionError) as error:  # a number of 5000 digits, 1000 open brackets
        raise FileFormatError(f"{source}: cannot be read: {error}; {hint}") from None


def misfit(error: ValidationError) -> str:
    """The first thing that does not fit a schema, with its place: "spans[3].end: ..."."""
    first = error.errors(include_url=False)[0]
    place = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in first["loc"])
    return f"{place.lstrip('.') or 'top level'}: {first['msg']}"
