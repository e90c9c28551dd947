"""An exported trace as the judge reads it: field by field, because anybody may have written it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from course.clock import EPOCH_NS

LONGEST_RUN = 1e12  # seconds; a number beyond it is no time


@dataclass(frozen=True, slots=True)
class Step:
    """One span that can be read. `start` and `end` are seconds from the start of the stage."""

    index: int
    name: str
    operation: str
    span_id: str
    parent_id: str | None
    start: float
    end: float
    failed: bool
    arguments: Any

    def __str__(self) -> str:
        return f"{self.operation} {self.name}".strip()


class Unreadable(Exception):
    """The trace is none: where it is wrong, such as "spans[3].end is no number"."""


def steps_of(trace: Mapping[str, Any], ended: float) -> list[Step]:
    """The spans of a trace.

    Args:
        trace: plain JSON values in the published format (`course.trace.TRACE_SCHEMA`).
        ended: when the run was over. A trace that says when it began (`begin_ns`) within that
            time is placed there; another one begins with the stage.

    Raises:
        Unreadable: with the place.
    """
    spans = trace.get("spans")
    if not isinstance(spans, list | tuple):
        raise Unreadable("`spans` is no list")
    begin = _begin(trace.get("begin_ns"), ended)
    return [_step(index, span, begin) for index, span in enumerate(spans)]


def _begin(begin_ns: Any, ended: float) -> float:
    if not isinstance(begin_ns, int) or not EPOCH_NS <= begin_ns < 2 * EPOCH_NS:
        return 0.0
    seconds = (begin_ns - EPOCH_NS) / 1e9
    return seconds if seconds <= ended + 1e-6 else 0.0


def _step(index: int, span: Any, begin: float) -> Step:
    if not isinstance(span, Mapping):
        raise Unreadable(f"spans[{index}] is no object")
    attributes = span.get("attributes", {})
    if not isinstance(attributes, Mapping):
        raise Unreadable(f"spans[{index}].attributes is no object")
    parent = span.get("parent_id")
    return Step(
        index=index,
        name=_text(span, index, "name"),
        operation=_text(span, index, "operation"),
        span_id=_text(span, index, "span_id"),
        parent_id=None if parent is None else _text(span, index, "parent_id"),
        start=begin + _number(span, index, "start"),
        end=begin + _number(span, index, "end"),
        failed=span.get("status") == "error",
        arguments=_json(attributes.get("gen_ai.tool.call.arguments")),
    )


def _text(span: Mapping[str, Any], index: int, field: str) -> str:
    value = span.get(field)
    if not isinstance(value, str):
        raise Unreadable(f"spans[{index}].{field} is no text")
    return value


def _number(span: Mapping[str, Any], index: int, field: str) -> float:
    value = span.get(field)
    # what is no number is NaN here, and NaN is not below anything
    seconds = value if isinstance(value, int | float) and value is not True else math.nan
    if value is not False and abs(seconds) < LONGEST_RUN:
        return float(seconds)
    raise Unreadable(f"spans[{index}].{field} is no number of seconds")


def _json(text: Any) -> Any:
    try:
        return json.loads(text) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        return text


def cycle_of(steps: Sequence[Step]) -> Step | None:
    """A span that is its own ancestor, if there is one."""
    parents = {step.span_id: step.parent_id for step in steps}
    safe: set[str] = set()
    for step in steps:
        seen: dict[str, None] = {}
        at: str | None = step.span_id
        while at is not None and at not in safe and at not in seen:
            seen[at] = None
            at = parents.get(at)
        if at is not None and at in seen:
            return next(each for each in steps if each.span_id == at)
        safe.update(seen)
    return None
