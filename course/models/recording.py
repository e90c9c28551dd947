"""A recording: every exchange of a run with its model, one JSON object a line.

The first line says what the file is; each further line is one `Exchange`. Requests are kept as
their bodies and draw keys, never with their headers, so no API key can get into a recording.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from course.errors import FileFormatError
from course.files import misfit
from course.models.wire import Key

HEADER = {"switchboard": "recording", "version": 1}
KEPT_HEADERS = ("content-type", "retry-after", "retry-after-ms", "x-should-retry", "x-request-id")

_Seconds = Annotated[float, Field(ge=0)]
_Header = Annotated[str, Field(pattern=r"^[\t -~]*$")]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what came of it.

    `seconds` passed until the answer came, or until a stream began; `events` are the pieces of a
    stream, each with the seconds since the one before. `failure` is "timeout" or "connection" when
    there was no answer at all. `line` is the exchange's place in its file, from 1.
    """

    __pydantic_config__ = ConfigDict(extra="forbid", allow_inf_nan=False)

    method: str
    path: str
    request: Any
    key: Key
    seconds: _Seconds
    status: Annotated[int, Field(le=599)] = 0
    headers: Mapping[str, _Header] = field(default_factory=dict)
    answer: str | None = None
    events: tuple[tuple[_Seconds, str], ...] | None = None
    failure: Literal["timeout", "connection"] | None = None
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
        # Only at line feeds: a text may hold other signs that end a line, such as U+2028.
        lines = path.read_text(encoding="utf-8").split("\n")
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
    except ValueError:  # Python reads no number of thousands of digits
        raise FileFormatError(f"{path}, line {number}: a number has too many digits") from None


def _exchange(path: Path, number: int, line: str) -> Exchange:
    _load(path, number, line)
    try:
        exchange = _form().validate_json(line, strict=True)
        _check(exchange)
    except ValidationError as error:
        raise FileFormatError(f"{path}, line {number}: not an exchange ({misfit(error)})") from None
    except ValueError as error:
        raise FileFormatError(f"{path}, line {number}: not an exchange ({error})") from None
    return replace(exchange, line=number)


@cache
def _form() -> TypeAdapter[Exchange]:
    return TypeAdapter(Exchange)


def _check(exchange: Exchange) -> None:
    """Raise ValueError for parts of an exchange that do not go together."""
    outcomes = (exchange.answer, exchange.events, exchange.failure)
    if sum(outcome is not None for outcome in outcomes) != 1:
        raise ValueError("there must be one of answer, events and failure")
    if exchange.failure is None and exchange.status < 100:
        raise ValueError(f"status {exchange.status} is no HTTP status")
