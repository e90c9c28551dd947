"""A finished step as plain data, with the attribute values that OpenTelemetry allows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field
from pydantic_core import to_json

Value = str | bool | int | float
_PLAIN = (str, int, bool)  # what most values are, told fastest
OPERATION = "gen_ai.operation.name"
STRICT = ConfigDict(extra="forbid", allow_inf_nan=False)
"""How pydantic reads a step from a file; the descriptions below stand in the published schema."""

_Seconds = Annotated[float, Field(description="seconds from the start of the trace")]
_SpanId = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]


@dataclass(frozen=True)
class SpanEvent:
    """Something that happened inside a span. Built in chapter 09."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    name: str
    time: _Seconds
    attributes: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Span:
    """One finished step of a run; `error` says why its `status` is "error". Built in chapter 09."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    name: Annotated[str, Field(description="what it was done with: a model, a tool, an agent")]
    operation: Annotated[
        str, Field(description="GenAI operation: invoke_agent, chat, execute_tool, ...")
    ]
    span_id: _SpanId
    parent_id: _SpanId | None = field(default=None, kw_only=True)
    start: _Seconds
    end: _Seconds
    attributes: Mapping[str, Value] = field(default_factory=dict)
    events: tuple[SpanEvent, ...] = ()
    status: Literal["ok", "error"] = "ok"
    error: str | None = None

    @property
    def seconds(self) -> float:
        """How long the step took."""
        return self.end - self.start


def plain(value: Any) -> Value:
    """A value OpenTelemetry and JSON both take; anything but a plain one becomes JSON text."""
    if type(value) in _PLAIN:
        return value  # type: ignore[no-any-return]
    if isinstance(value, float):  # JSON knows no infinity and no NaN
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (str, bool, int)):
        return value
    return to_json(value, fallback=str).decode()


def all_plain(attributes: Mapping[str, Value | None] | None) -> dict[str, Value]:
    """Attributes with plain values; those that are None are left out."""
    return {key: plain(v) for key, v in (attributes or {}).items() if v is not None}
