"""A recording: every exchange of a run with its model, one JSON object a line.

The first line says what the file is; each further line is one `Exchange`. Requests are kept as
their bodies and draw keys, never with their headers, so no API key can get into a recording.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from course.errors import FileFormatError
from course.models.wire import Key

HEADER = {"switchboard": "recording", "version": 1}
KEPT_HEADERS = ("content-type", "retry-after", "retry-after-ms", "x-should-retry", "x-request-id")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what came of it.

    `seconds` passed until the answer came, or until a stream began; `events` are the pieces of a
    stream, each with the seconds since the one before. `failure` is "timeout" or "connection" when
    there was no answer at all. `line` is the exchange's place in its file, from 1.
    """

    method: str
    path: str
    request: Any
    key: Key
    seconds: float
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    answer: str | None = None
    events: tuple[tuple[float, str], ...] | None = None
    failure: str | None = None
    line: int = 0

    def to_json(self) -> str:
        """The exchange as one line of a recording."""
        parts = asdict(self)
        del parts["line"]
        present = {name: value for name, value in parts.items() if value is not None}
        return json.dumps(present, ensure_ascii=False)


def route(path: str) -> str:
    """What a URL path asks for, wherever the service has its root."""
    for known in ("/chat/completions", "/models"):
        if path.endswith(known):
            return known
    return path.rpartition("/v1")[2]


def is_recording(path: Path) -> bool:
    """True when the file begins like a recording (or is empty)."""
    with path.open(encoding="utf-8", errors="replace") as file:
        first = file.readline(200)
    return not first.strip() or '"switchboard": "recording"' in first


def read_recording(path: Path) -> list[Exchange]:
    """The exchanges of a recording, in the order in which they ended.

    Raises FileFormatError: when the file is missing or damaged; the message gives the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise FileFormatError(f"{path}: {error.strerror}: record a run to it first") from None
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{path}: byte {error.start} is not text") from None
    if not lines or _load(path, 1, lines[0]) != HEADER:
        raise FileFormatError(f"{path}, line 1: this is no recording of version 1")
    return [
        _exchange(path, number, line) for number, line in enumerate(lines[1:], 2) if line.strip()
    ]


def _load(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        where = f"{path}, line {number}, column {error.colno}"
        raise FileFormatError(f"{where}: {error.msg}") from None
    except RecursionError:
        raise FileFormatError(f"{path}, line {number}: nested too deeply") from None


def _exchange(path: Path, number: int, line: str) -> Exchange:
    parts = _load(path, number, line)
    try:
        parts["key"] = Key(**parts["key"])
        if parts.get("events") is not None:
            parts["events"] = tuple((float(wait), str(text)) for wait, text in parts["events"])
        _check(parts)
        return Exchange(**parts, line=number)
    except (TypeError, KeyError, ValueError) as error:
        raise FileFormatError(f"{path}, line {number}: not an exchange ({error})") from None


def _check(parts: Mapping[str, Any]) -> None:
    """Raise ValueError for parts of an exchange that could not be played back."""
    seconds = parts["seconds"]
    if not isinstance(seconds, int | float) or not 0 <= seconds < math.inf:
        raise ValueError("seconds must be a number of at least 0")
    outcomes = [parts.get(name) for name in ("answer", "events", "failure")]
    if sum(outcome is not None for outcome in outcomes) != 1:
        raise ValueError("there must be one of answer, events and failure")
    if parts.get("failure") is None and not 100 <= parts["status"] <= 599:
        raise ValueError(f"status {parts['status']} is no HTTP status")
