"""The trace on disk: one JSON object, its schema, and a reader that says where a file is wrong.

The schema is pydantic's of the models below; `docs/trace.schema.json` is its published copy.
"""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from course.errors import FileFormatError
from course.trace.record import Trace
from course.trace.spans import Span, SpanEvent, Value

VERSION: Literal[2] = 2
OLDER = {1: "0.4.0"}
"""The last release of Switchboard that reads a file of an older version."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class EventRecord(_Strict):
    """Something that happened inside a span."""

    name: str
    time: float = Field(description="seconds from the start of the trace")
    attributes: dict[str, Value] = {}


class SpanRecord(_Strict):
    """One step of the run."""

    name: str = Field(description="what it was done with: a model, a tool, an agent")
    operation: str = Field(description="GenAI operation: invoke_agent, chat, execute_tool, ...")
    span_id: str = Field(pattern="^[0-9a-f]{16}$")
    parent_id: str | None = Field(default=None, pattern="^[0-9a-f]{16}$")
    start: float = Field(description="seconds from the start of the trace")
    end: float = Field(description="seconds from the start of the trace")
    attributes: dict[str, Value] = {}
    events: list[EventRecord] = []
    status: Literal["ok", "error"] = "ok"
    error: str | None = None


class TraceRecord(_Strict):
    """A Switchboard trace."""

    format: Literal["switchboard-trace"] = "switchboard-trace"
    version: Literal[2] = VERSION
    name: str
    seed: int = 0
    trace_id: str = Field(pattern="^[0-9a-f]{32}$")
    begin_ns: int = Field(default=0, description="nanoseconds since 1970 of the first span")
    spans: list[SpanRecord]


TRACE_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    **TraceRecord.model_json_schema(),
}


def dump(trace: Trace) -> str:
    """The trace as indented JSON text, one line feed at its end."""
    record = {
        "format": "switchboard-trace",
        "version": VERSION,
        "name": trace.name,
        "seed": trace.seed,
        "trace_id": trace.trace_id,
        "begin_ns": trace.begin_ns or 0,
        "spans": [_span_record(span) for span in trace.spans],
    }
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    return text.encode("utf-8", "replace").decode()  # half a surrogate pair could not be read back


def parse(text: str, *, source: str) -> Trace:
    """Build a trace from JSON text.

    Raises:
        FileFormatError: names `source` and where it is wrong: line and column for broken JSON,
            the path (such as `spans[3].end`) for a wrong field or a missing parent. A file of
            another version is refused with its version and the way out.
    """
    try:
        read = json.loads(text)
        _check_version(read, source)
        record = TraceRecord.model_validate(read)
    except json.JSONDecodeError as error:
        raise FileFormatError(
            f"{source}: not JSON at line {error.lineno}, column {error.colno} ({error.msg});"
            " save the trace again with trace.save(path)"
        ) from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise FileFormatError(
            f"{source}: {_path(first['loc'])}: {first['msg']}; it is no trace"
        ) from None
    except (ValueError, RecursionError) as error:  # a number of 5000 digits, 1000 open brackets
        raise FileFormatError(f"{source}: not a trace: {error}") from None
    _check_spans(record, source)
    trace = Trace(record.name, seed=record.seed)
    trace.begin_ns = record.begin_ns if record.spans else None
    trace._ids.resume(int(record.trace_id, 16), len(record.spans))
    for each in record.spans:
        trace.add(_span(each))
    return trace


def decode(data: bytes, *, source: str) -> str:
    """The text of a trace file. Raises FileFormatError naming `source` and the byte."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{source}: not text at byte {error.start}: no trace file") from None


def _check_version(read: Any, source: str) -> None:
    version = read.get("version", VERSION) if isinstance(read, dict) else VERSION
    if version == VERSION or not isinstance(version, int):
        return  # whatever else is wrong with it, the schema says
    reads = f"Switchboard {OLDER[version]}" if version in OLDER else "a newer Switchboard"
    raise FileFormatError(
        f"{source}: a trace of version {version}, and this release reads version {VERSION}:"
        f" make the run again, or read the file with {reads}"
    )


def _check_spans(record: TraceRecord, source: str) -> None:
    earlier: set[str] = set()
    for index, each in enumerate(record.spans):
        if each.end < each.start:
            raise FileFormatError(f"{source}: spans[{index}].end: ends before it starts")
        if each.parent_id is not None and each.parent_id not in earlier:
            raise FileFormatError(
                f"{source}: spans[{index}].parent_id: no earlier span has this id"
            )
        if each.span_id in earlier:
            raise FileFormatError(f"{source}: spans[{index}].span_id: an earlier span has this id")
        earlier.add(each.span_id)


def _span_record(span: Span) -> dict[str, Any]:
    record: dict[str, Any] = dict(vars(span), attributes=dict(span.attributes))
    record["events"] = [dict(vars(e), attributes=dict(e.attributes)) for e in span.events]
    return record


def _span(record: SpanRecord) -> Span:
    fields = record.model_dump()
    fields["events"] = tuple(SpanEvent(**event) for event in fields["events"])
    return Span(**fields)


def _path(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.lstrip(".") or "top level"
