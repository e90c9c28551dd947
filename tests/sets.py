"""How the sets of test requests are written: `python -m tests.sets` writes all of them anew.

Each is JSON with one request a line, so that a difference shows which request it is in and `grep`
prints whole ones. What a set means hangs on its content alone: that is what `digest` freezes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FOLDERS = ("policy", "reading/duties", "rulers/sets")
REQUESTS = ("cases", "requests", "tasks", "domains", "visitors", "deeds", "plans")
"""Under one of these a set, or a block of it, has its requests, or blocks of them."""


def paths() -> list[Path]:
    """The files of all sets."""
    return sorted(p for folder in FOLDERS for p in HERE.glob(f"{folder}/*.json"))


def laid_out(found: Any) -> str:
    """A set as its file has it.

    Args:
        found: the set as JSON's values: a list of requests, or of blocks with requests and what
            they share, such as tools; or a mapping.

    Returns:
        The text, to be read by `json.loads`: each request on a line of its own, and so each tool,
        worker or result that the requests of a block share; a block's other members a line each.
    """
    return "\n".join(_lines(found)) + "\n"


def digest(found: Any) -> str:
    """A hash of JSON's values: 16 hexadecimal digits, whatever the file's layout was."""
    text = json.dumps(found, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _lines(value: Any, indent: str = "") -> Iterator[str]:
    """A list or a mapping over several lines: what holds requests goes on so, the rest does not."""
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    yield opening
    block = isinstance(value, dict) and _holds_requests(value)
    inner = f"{indent} "
    members = (
        [(f"{_text(key)}: ", each) for key, each in value.items()]
        if isinstance(value, dict)
        else [("", each) for each in value]
    )
    for place, (name, each) in enumerate(members, 1):
        over = each and (isinstance(each, list | dict) if block else _holds_requests(each))
        *first, last = _lines(each, inner) if over else [_text(each)]
        head = f"{inner}{name}"
        for line in first:
            yield f"{head}{line}"
            head = ""
        yield f"{head}{last}{',' if place < len(members) else ''}"
    yield f"{indent}{closing}"


def _holds_requests(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(value.get(name), list) for name in REQUESTS)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def main() -> None:
    """Write every set as `laid_out` has it, where it is not so yet."""
    for path in paths():
        text = path.read_text(encoding="utf-8")
        if (new := laid_out(json.loads(text))) != text:
            path.write_text(new, encoding="utf-8")
            print(f"wrote {path.relative_to(HERE.parent)}")


if __name__ == "__main__":
    main()
