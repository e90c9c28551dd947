"""What a stage returns, as plain JSON values."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
import math
import numbers
import operator
import pathlib
import uuid
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

DEEPEST = 60  # levels; JSON readers refuse more than some hundreds
MOST = 200_000  # values


class NotPlain(Exception):
    """A value that is no data; the message names its type and where it was met."""

    def __init__(self, message: str, value: Any = None) -> None:
        super().__init__(message)
        self.value = value


def plain(value: Any) -> Any:
    """A value as text, numbers, booleans, None, lists and dictionaries with text as keys.

    Dataclasses and pydantic models become dictionaries, sets become sorted lists, dates become
    ISO text, exceptions become `{"error": type, "message": text}`, and so on.

    Raises:
        NotPlain: there is something else in it, such as a function or a coroutine, or it is too
            deep or too much.
    """
    return _Plain().of(value, 0, "the result")


class _Plain:
    def __init__(self) -> None:
        self._left = MOST

    def of(self, value: Any, depth: int, where: str) -> Any:
        self._left -= 1
        if depth > DEEPEST or self._left < 0:
            raise NotPlain(f"{where} is nested too deeply or too large")
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, enum.Enum):
            return self.of(value.value, depth + 1, where)
        if isinstance(value, str):
            return str.__str__(value).encode("utf-8", "replace").decode()
        if isinstance(value, (int, float)):
            return _number(value)
        return self._composed(value, depth + 1, where)

    def _composed(self, value: Any, depth: int, where: str) -> Any:
        if isinstance(value, Mapping):
            items = [(_key(key), each) for key, each in value.items()]
            return {key: self.of(each, depth, f"{where}[{key!r:.40}]") for key, each in items}
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            names = (field.name for field in dataclasses.fields(value))
            return {name: self.of(getattr(value, name), depth, f"{where}.{name}") for name in names}
        if isinstance(value, Set):
            members = [self.of(each, depth, where) for each in value]
            return sorted(members, key=repr)
        if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
            return [self.of(each, depth, f"{where}[{n}]") for n, each in enumerate(value)]
        return self._special(value, depth, where)

    def _special(self, value: Any, depth: int, where: str) -> Any:
        if isinstance(value, numbers.Real):
            return _number(int(value) if isinstance(value, numbers.Integral) else float(value))
        if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
            return self.of(value.item(), depth, where)  # its truth values
        if isinstance(value, BaseException):
            return {"error": type(value).__name__, "message": self.of(str(value), depth, where)}
        if isinstance(value, (datetime.date, datetime.time)):
            return value.isoformat()
        if isinstance(value, datetime.timedelta):
            return value.total_seconds()
        if isinstance(value, (uuid.UUID, pathlib.PurePath)):
            return str(value)
        if isinstance(value, (bytes, bytearray)):
            return bytes(value).decode("utf-8", "replace")
        if hasattr(type(value), "model_dump"):
            return self.of(value.model_dump(mode="json"), depth, where)
        if isinstance(value, Iterable) and hasattr(type(value), "__len__"):
            return [self.of(each, depth, where) for each in value]
        return _counted(value, where)


def _counted(value: Any, where: str) -> int | float | str:
    """What is no number by its kind, but says of itself which one it is."""
    if hasattr(type(value), "__index__"):
        return _number(operator.index(value))
    if hasattr(type(value), "__float__"):
        return _number(float(value))
    raise NotPlain(f"{where} is a {type(value).__name__}, which is no plain data", value)


def _key(key: Any) -> str:
    if isinstance(key, enum.Enum):
        key = key.value
    return str(key).encode("utf-8", "replace").decode()


def _number(value: int | float) -> int | float | str:
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    return int(value) if abs(value) < 2**63 else f"{value:#x}"


def to_line(message: Mapping[str, Any]) -> bytes:
    """A message as one line of JSON."""
    text = json.dumps(message, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return text.encode("utf-8", "replace") + b"\n"
