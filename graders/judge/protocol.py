"""What a boxed child may say, one JSON line each, and the strict reading of it.

The child is not trusted: every field is checked for its type and its size before anything looks
at it, and whatever does not fit is a lie, not an error of the judge.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic_core import from_json

LONGEST_LINE = 1_000_000  # bytes
LATEST = 1e9  # virtual seconds
MOST_NAMES = 50
MOST_NOTES = 500


class Lied(Exception):
    """What came is no message of the protocol; says which field is wrong."""


@dataclass(frozen=True, slots=True)
class ModelAsk:
    """A request to the model, as HTTP."""

    id: int
    method: str
    path: str
    headers: Mapping[str, str]
    body: str


@dataclass(frozen=True, slots=True)
class ToolAsk:
    """A call of a tool's function."""

    id: int
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Cancel:
    """The caller of a request no longer waits for it."""

    id: int


@dataclass(frozen=True, slots=True)
class Told:
    """The stage says that something is so now."""

    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class Idle:
    """Nothing can be done before `until`; None when there is no timer either.

    `held` says with what a loop is held up, if one is.
    """

    until: float | None
    held: str


@dataclass(frozen=True, slots=True)
class Note:
    """A cell that raised while the notebook was built up."""

    cell: str
    type: str
    message: str
    line: str


@dataclass(frozen=True, slots=True)
class Ready:
    """Everything of the judge's own is done; the student's code comes next."""


@dataclass(frozen=True, slots=True)
class Began:
    """The notebook is built up; the stage begins."""

    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class Returned:
    """The stage returned."""

    result: Any
    trace: Any
    running: tuple[str, ...]
    mistake: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Raised:
    """The stage ended in an exception."""

    type: str
    message: str
    line: str
    mistake: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stuck:
    """After the world ended: what was waiting."""

    waiting: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Spinning:
    """The child computed for too long without a word, in this line."""

    line: str


@dataclass(frozen=True, slots=True)
class Asleep:
    """The child slept in real time for too long without a word, in this line."""

    line: str


Message: TypeAlias = (
    ModelAsk
    | ToolAsk
    | Cancel
    | Told
    | Idle
    | Ready
    | Began
    | Returned
    | Raised
    | Stuck
    | Spinning
    | Asleep
)
Ending: TypeAlias = Returned | Raised | Stuck | Spinning | Asleep


def read(line: bytes) -> Message:
    """The message in one line.

    Raises:
        Lied: it is none.
    """
    if len(line) > LONGEST_LINE:
        raise Lied(f"a line of more than {LONGEST_LINE} bytes")
    try:
        raw = from_json(line, allow_inf_nan=False)
    except ValueError:
        raise Lied("a line that is not JSON") from None
    if not isinstance(raw, dict):
        raise Lied("a line that is no object")
    do = raw.pop("do", None)
    make = _MAKERS.get(do) if isinstance(do, str) else None
    if make is None:
        raise Lied("a message of an unknown kind")
    fields = _Fields(str(do), raw)
    message = make(fields)
    fields.end()
    return message


class _Fields:
    """Takes fields out of a message, each checked."""

    def __init__(self, kind: str, raw: dict[str, Any]) -> None:
        self._kind = kind
        self._raw = raw

    def any(self, name: str) -> Any:
        if name not in self._raw:
            raise Lied(f"{self._kind} without {name}")
        return self._raw.pop(name)

    def text(self, name: str, longest: int = 500) -> str:
        value = self.any(name)
        if not isinstance(value, str) or len(value) > longest:
            raise self.wrong(name)
        return value

    def number(self, name: str) -> int:
        value = self.any(name)
        if type(value) is not int or not 0 <= value < 2**31:
            raise self.wrong(name)
        return value

    def moment(self, name: str) -> float | None:
        value = self.any(name)
        if value is None:
            return None
        if type(value) not in (int, float) or not math.isfinite(value) or not 0 <= value <= LATEST:
            raise self.wrong(name)
        return float(value)

    def object(self, name: str) -> dict[str, Any]:
        value = self.any(name)
        if not isinstance(value, dict):
            raise self.wrong(name)
        return value

    def texts(self, name: str, longest: int = 200) -> tuple[str, ...]:
        value = self.any(name)
        if not isinstance(value, list) or len(value) > MOST_NAMES:
            raise self.wrong(name)
        if not all(isinstance(each, str) and len(each) <= longest for each in value):
            raise self.wrong(name)
        return tuple(value)

    def mistake(self) -> tuple[str, ...]:
        """A common mistake that was noticed; no message has to say so."""
        return self.texts("mistake") if "mistake" in self._raw else ()

    def headers(self, name: str) -> dict[str, str]:
        value = self.object(name)
        sizes = [*value, *value.values()]
        if len(value) > 20 or not all(isinstance(e, str) and len(e) <= 1000 for e in sizes):
            raise self.wrong(name)
        return value

    def notes(self, name: str) -> tuple[Note, ...]:
        value = self.any(name)
        if not isinstance(value, list) or len(value) > MOST_NOTES:
            raise self.wrong(name)
        return tuple(self._note(each) for each in value)

    def _note(self, value: Any) -> Note:
        if not isinstance(value, dict):
            raise self.wrong("notes")
        fields = _Fields("note", value)
        names = ("cell", "type", "message", "line")
        note = Note(*(fields.text(name) for name in names))
        fields.end()
        return note

    def wrong(self, name: str) -> Lied:
        return Lied(f"{self._kind} with a wrong {name}")

    def end(self) -> None:
        if self._raw:
            raise Lied(f"{self._kind} with a field too many")


def _model(get: _Fields) -> ModelAsk:
    number, method, path = get.number("id"), get.text("method", 20), get.text("path")
    return ModelAsk(number, method, path, get.headers("headers"), get.text("body", LONGEST_LINE))


def _tool(get: _Fields) -> ToolAsk:
    return ToolAsk(get.number("id"), get.text("name", 200), get.object("arguments"))


def _returned(get: _Fields) -> Returned:
    result, trace, running = get.any("result"), get.any("trace"), get.texts("running")
    return Returned(result, trace, running, get.mistake())


def _raised(get: _Fields) -> Raised:
    kind, message, line = (get.text(name) for name in ("type", "message", "line"))
    return Raised(kind, message, line, get.mistake())


_MAKERS: dict[str, Callable[[_Fields], Message]] = {
    "model": _model,
    "tool": _tool,
    "cancel": lambda get: Cancel(get.number("id")),
    "told": lambda get: Told(get.text("name", 80), get.any("value")),
    "idle": lambda get: Idle(get.moment("until"), get.text("held", 200)),
    "ready": lambda get: Ready(),
    "began": lambda get: Began(get.notes("notes")),
    "returned": _returned,
    "raised": _raised,
    "stuck": lambda get: Stuck(get.texts("waiting")),
    "spinning": lambda get: Spinning(get.text("line")),
    "asleep": lambda get: Asleep(get.text("line")),
}
