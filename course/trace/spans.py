"""A finished step as plain data, with the attribute values that OpenTelemetry allows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic_core import to_json

Value = str | bool | int | float
OPERATION = "gen_ai.operation.name"


@dataclass(frozen=True)
class SpanEvent:
    """Something that happened inside a span, at `time` seconds from the trace's start."""

    name: str
    time: float
    attributes: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Span:
    """One finished step. `start` and `end` are seconds from the beginning of the trace.

    `operation` is the GenAI operation (chat, execute_tool, ...), `name` what it was done with (a
    model, a tool, an agent). `error` says why `status` is "error".
    """

    name: str
    operation: str
    span_id: str
    parent_id: str | None
    start: float
    end: float
    attributes: Mapping[str, Value]
    events: tuple[SpanEvent, ...] = ()
    status: Literal["ok", "error"] = "ok"
    error: str | None = None

    @property
    def seconds(self) -> float:
        """How long the step took."""
        return self.end - self.start


def plain(value: Any) -> Value:
    """A value OpenTelemetry and JSON both take; anything but a plain one becomes JSON text."""
    if isinstance(value, float):  # JSON knows no infinity and no NaN
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (str, bool, int)):
        return value
    return to_json(value, fallback=str).decode()


def all_plain(attributes: Mapping[str, Value | None] | None) -> dict[str, Value]:
    """Attributes with plain values; those that are None are left out."""
    return {key: plain(v) for key, v in (attributes or {}).items() if v is not None}
