"""The trace on disk: one JSON object, its schema, and a reader that says where a file is wrong.

The schema is pydantic's of `TraceRecord`; `docs/trace.schema.json` is its published copy.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from course import files
from course.errors import FileFormatError
from course.trace.record import STRICT, Span, Trace

VERSION: Literal[2] = 2
OLDER = {1: "0.4.0"}
"""The last release of Switchboard that reads a file of an older version."""

AGAIN = "save the trace again with trace.save(path)"


class TraceRecord(BaseModel):
    """A Switchboard trace."""

    model_config = STRICT

    format: Literal["switchboard-trace"] = "switchboard-trace"
    version: Literal[2] = VERSION
    name: str
    seed: int = 0
    trace_id: str = Field(pattern="^[0-9a-f]{32}$")
    begin_ns: int = Field(default=0, description="nanoseconds since 1970 of the first span")
    spans: list[Span]


TRACE_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    **TraceRecord.model_json_schema(),
}


def dump(trace: Trace) -> str:
    """The trace as indented JSON text, one line feed at its end."""
    record = TraceRecord.model_construct(
        name=trace.name,
        seed=trace.seed,
        trace_id=trace.trace_id,
        begin_ns=trace.begin_ns or 0,
        spans=trace.spans,
    )
    return files.as_json(record.model_dump())


def parse(text: str, *, source: str) -> Trace:
    """Build a trace from JSON text.

    FileFormatError names `source` and where it is wrong: line and column of broken JSON, the path
    (such as `spans[3].end`) of a wrong field or a missing parent, or the version, with the way out.
    """
    read = files.from_json(text, source=source, hint=AGAIN)
    _check_version(read, source)
    try:
        record = TraceRecord.model_validate(read)
    except ValidationError as error:
        raise FileFormatError(f"{source}: {files.misfit(error)}; it is no trace") from None
    _check_spans(record.spans, source)
    trace = Trace(record.name, seed=record.seed)
    trace.begin_ns = record.begin_ns if record.spans else None
    trace._ids.resume(int(record.trace_id, 16), len(record.spans))
    for each in record.spans:
        trace.add(each)
    return trace


def _check_version(read: Any, source: str) -> None:
    version = read.get("version", VERSION) if isinstance(read, dict) else VERSION
    if version == VERSION or not isinstance(version, int):
        return  # whatever else is wrong with it, the schema says
    reads = f"Switchboard {OLDER[version]}" if version in OLDER else "a newer Switchboard"
    raise FileFormatError(
        f"{source}: a trace of version {version}, and this release reads version {VERSION}:"
        f" make the run again, or read the file with {reads}"
    )


def _check_spans(spans: list[Span], source: str) -> None:
    """Refuse what no schema can: a step that ends too early, has no parent or another one's id."""
    earlier: set[str | None] = {None}
    for index, each in enumerate(spans):
        wrong = {
            "end: ends before it starts": each.end < each.start,
            "parent_id: no earlier span has this id": each.parent_id not in earlier,
            "span_id: an earlier span has this id": each.span_id in earlier,
        }
        if said := next((what for what, holds in wrong.items() if holds), None):
            raise FileFormatError(f"{source}: spans[{index}].{said}")
        earlier.add(each.span_id)
