"""One trace for everything a run does: a step is an OpenTelemetry span with GenAI attributes, kept.

`Trace` records, `span` marks a step; what reads traces is in `course.observability`. Times are
`course.clock`'s, and spans travel in OpenTelemetry's context: a task started inside a span becomes
its child without being told.

Source: OpenTelemetry SDK; GenAI semantic conventions (operations, attributes, messages in parts).
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from opentelemetry.context import Context as OtelContext
from opentelemetry.context import attach, detach
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    TraceFlags,
    get_current_span,
    set_span_in_context,
)
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import to_json

from course import clock, files
from course.errors import FileFormatError
from course.trace_ids import SeededIds
from course.trace_messages import as_json

Value = str | bool | int | float
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


def _plain(value: Any) -> Value:
    """A value OpenTelemetry and JSON both take; anything but a plain one becomes JSON text."""
    if type(value) is str:  # as most are
        return value
    if isinstance(value, float):  # JSON knows no infinity and no NaN
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (str, bool, int)):
        return value
    return to_json(value, fallback=str).decode()


def all_plain(attributes: Mapping[str, Value | None] | None) -> dict[str, Value]:
    """Attributes with plain values; those that are None are left out."""
    return {key: _plain(v) for key, v in (attributes or {}).items() if v is not None}


CAPTURE_VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
VERSION: Literal[2] = 2
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


ATTRIBUTES: dict[str, Any] = json.loads(
    Path(__file__).with_name("trace_attributes.json").read_text(encoding="utf-8")
)
"""What the attributes of a step mean, by name, as JSON Schema; docs/trace.md tells them in words.
A reader may rely on these, and has to leave alone those that it does not know."""

TRACE_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    **TraceRecord.model_json_schema(),
}
TRACE_SCHEMA["$defs"]["Span"]["properties"]["attributes"]["properties"] = ATTRIBUTES


class Trace:
    """The record of one run. Chapter 01 shows one; chapter 09 reads them.

    Args:
        name: what the run was, such as the request or the experiment.
        seed: of the run's draws. With name and `run_id`, the run's name in a series, it makes the
            ids of trace and spans, so that the same run has the same ids, and another one has
            others.
        messages: whether the spans of model calls carry what was asked and answered, long texts
            cut; None asks the environment: `CAPTURE_VARIABLE` is "true", "span_only" or
            "span_and_event". In a chapter it says yes.

    `begin_ns` is the calendar time of the first span, in nanoseconds since 1970.
    """

    def __init__(
        self, name: str, *, seed: int = 0, run_id: str = "run", messages: bool | None = None
    ) -> None:
        self.name = name
        self.seed = seed
        said = os.environ.get(CAPTURE_VARIABLE, "").lower()
        captured = said in ("true", "span_only", "span_and_event")
        self.messages = captured if messages is None else messages
        self.begin_ns: int | None = None
        self._spans: list[Span] = []
        self._order: dict[str, int] = {}
        self._ids = SeededIds(f"{name}/{seed}/{run_id}")

    @property
    def trace_id(self) -> str:
        """32 hexadecimal digits, the same for the same name, seed and run."""
        return format(self._ids.trace, "032x")

    @property
    def spans(self) -> list[Span]:
        """The finished spans in the order in which they began, so parents before children.

        A span whose parent is not finished yet, or belongs to another trace, has none here.
        """
        finished = sorted(self._spans, key=lambda span: self._order[span.span_id])
        known = {None, *(span.span_id for span in finished)}
        return [s if s.parent_id in known else replace(s, parent_id=None) for s in finished]

    @property
    def place(self) -> int:
        """How many steps are finished."""
        return len(self._spans)

    def since(self, place: int) -> list[Span]:
        """What was finished after `place` steps had been, but for other parts of the same run."""
        here = get_current_span().get_span_context()
        around = format(here.span_id, "016x") if here.trace_id == self._ids.trace else None
        new = self._spans[place:]
        parents = {span.span_id: span.parent_id for span in new}
        return [s for s in new if around is None or around in _around(s.span_id, parents)]

    def now(self) -> float:
        """Seconds since the first step began, on the clock that rules here; 0 before it."""
        return 0.0 if self.begin_ns is None else (clock.time_ns() - self.begin_ns) / 1e9

    def begin(self, span_id: int) -> float:
        """Give a step that begins now its place in the order, and its start in seconds.

        With `add`, this is how steps that somebody else records, such as a voice session, join.
        """
        self._order[format(span_id, "016x")] = len(self._order)
        if self.begin_ns is None:
            self.begin_ns = clock.time_ns()
            return 0.0
        return self.now()

    def reserve(self) -> tuple[str, float]:
        """An id for a step that begins now and that `add` ends, and its start in seconds."""
        id = self._ids.next_span()
        return format(id, "016x"), self.begin(id)

    def add(self, span: Span) -> None:
        """Add a finished span; where `begin` was not called for it, it takes the last place."""
        self._order.setdefault(span.span_id, len(self._order))
        self._spans.append(span)

    def within(self, span_id: str) -> list[Span]:
        """The finished spans right within one, which may be open still."""
        return [span for span in self._spans if span.parent_id == span_id]

    def skip(self, span_id: str, parent_id: str | None) -> None:
        """Leave out a span that has ended; what was in it belongs to its parent."""
        for each in self.within(span_id):
            self._spans[self._spans.index(each)] = replace(each, parent_id=parent_id)

    @contextmanager
    def told(self, request: str) -> Iterator[Callable[[str], None]]:
        """Note what is asked and answered at the outermost steps of what is done in the block: the
        first says what was asked, the last what was answered. Only if the trace keeps messages.

        Gives what takes the answer.
        """
        place, answers = self.place, list[str]()
        try:
            yield answers.append
        finally:
            new = self.since(place) if self.messages else []
            inside = {span.span_id for span in new}
            outer = [each for each in new if each.parent_id not in inside]
            outer.sort(key=lambda span: self._order[span.span_id])
            if outer:
                self._attach(outer[0].span_id, "switchboard.request", request)
                self._attach(outer[-1].span_id, "switchboard.answer", "".join(answers))

    def _attach(self, span_id: str, key: str, value: str) -> None:
        """Give a finished step an attribute."""
        for index, each in enumerate(self._spans):
            if value and each.span_id == span_id:
                self._spans[index] = replace(each, attributes={**each.attributes, key: value})

    @contextmanager
    def record(self) -> Iterator[Trace]:
        """Make this the trace that `span` writes to, within the `with` block and its tasks."""
        token = _current.set(self)
        outer = None if token.old_value is self else attach(OtelContext())  # its spans are not ours
        try:
            yield self
        finally:
            _current.reset(token)
            if outer is not None:
                detach(outer)

    def total(self, attribute: str) -> float:
        """Sum of a numeric attribute, such as `gen_ai.usage.input_tokens`, each amount once: a step
        that sums up those inside it, as an agent does its calls, is not counted beside them.
        """
        told = [span for span in self._spans if attribute in span.attributes]
        parents = {span.span_id: span.parent_id for span in self._spans}
        outer = {id for span in told for id in _around(span.span_id, parents)}
        return sum(float(s.attributes[attribute]) for s in told if s.span_id not in outer)

    def to_json(self) -> str:
        """The trace in the published format (`TRACE_SCHEMA`), as text."""
        about: dict[str, Any] = {"name": self.name, "seed": self.seed, "trace_id": self.trace_id}
        about |= {"begin_ns": self.begin_ns or 0, "spans": self.spans}
        return files.as_json(TraceRecord.model_construct(**about).model_dump())

    def save(self, path: str | Path) -> Path:
        """Write the trace as JSON and return where. Raises OSError when it cannot be written."""
        return files.write(path, self.to_json())

    @classmethod
    def from_json(cls, text: str, *, source: str = "trace") -> Trace:
        """Read a trace back.

        FileFormatError names `source` and where it is wrong: line and column of broken JSON, the
        path (`spans[3].end`) of a wrong field or a missing parent, or the version and the way out.
        """
        read = files.from_json(text, source=source, hint=AGAIN)
        _check_version(read, source)
        try:
            record = TraceRecord.model_validate(read)
        except ValidationError as error:
            raise FileFormatError(f"{source}: {files.misfit(error)}; it is no trace") from None
        _check_spans(record.spans, source)
        trace = cls(record.name, seed=record.seed)
        trace.begin_ns = record.begin_ns if record.spans else None
        trace._ids.resume(int(record.trace_id, 16), len(record.spans))
        for each in record.spans:
            trace.add(each)
        return trace

    @classmethod
    def load(cls, path: str | Path) -> Trace:
        """Read a trace file. Raises FileFormatError (with the position) or OSError."""
        source = str(path)
        return cls.from_json(files.read(path, source=source, hint="no trace file"), source=source)


def _around(id: str, parents: Mapping[str, str | None]) -> Iterator[str]:
    """The ids of the steps around a step, from the inside out."""
    while above := parents.get(id):
        yield above
        id = above


def _check_version(read: Any, source: str) -> None:
    version = read.get("version", VERSION) if isinstance(read, dict) else VERSION
    if version == VERSION or not isinstance(version, int):
        return  # whatever else is wrong with it, the schema says
    reads = "Switchboard 0.4.0" if version == 1 else "a newer Switchboard"
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


_current: ContextVar[Trace | None] = ContextVar("switchboard_trace", default=None)
_SAMPLED = TraceFlags(TraceFlags.SAMPLED)


def current() -> Trace | None:
    """The trace that is being recorded here, if any."""
    return _current.get()


class _Open(NonRecordingSpan):
    """OpenTelemetry's current span while a step is open: its ids, and what the step is."""

    def __init__(self, ids: SpanContext, operation: str) -> None:
        super().__init__(ids)
        self.operation = operation


def within_step(operation: str) -> bool:
    """Whether the innermost open step is one of this operation."""
    return getattr(get_current_span(), "operation", None) == operation


class Recording:
    """A step in the current trace, from `with` to the end of its block; made by `span`.

    `set`, `event` and `fail` add to it. Outside a trace nothing is recorded. While it is open it is
    OpenTelemetry's current span in name alone (ids, no recording): enough for what is instrumented
    to find its parent, and a tenth of the memory where thousands are open at once.
    """

    __slots__ = (
        "_attributes", "_error", "_events", "_ids", "_name", "_open", "_operation", "_parent",
        "_start", "_token", "_trace",
    )  # fmt: skip

    def __init__(
        self, operation: str, name: str, attributes: Mapping[str, Value | None] | None
    ) -> None:
        self._operation = operation
        self._name = name
        self._attributes = all_plain(attributes)
        self._events: tuple[SpanEvent, ...] = ()
        self._error: str | None = None
        self._trace: Trace | None = None
        self._open: Literal["", "in its block", "longer"] = "in its block"

    @property
    def parent_id(self) -> str | None:
        """The id of the step around this one in its trace, if any."""
        above = None if self._trace is None else self._parent
        return format(above, "016x") if above else None

    def __enter__(self) -> Recording:
        trace = self._trace = _current.get()
        if trace is None:
            return self
        parent = get_current_span().get_span_context()
        self._parent = parent.span_id if parent.trace_id == trace._ids.trace else None
        self._ids = SpanContext(trace._ids.trace, trace._ids.next_span(), False, _SAMPLED)
        self._start = trace.begin(self._ids.span_id)
        self._token = attach(set_span_in_context(_Open(self._ids, self._operation)))
        return self

    def __exit__(self, _: Any, error: BaseException | None, __: Any) -> None:
        if self._trace is None:
            return
        if error is not None and self._error is None:
            self.fail(str(error) or type(error).__name__, kind=type(error).__name__)
        detach(self._token)
        if self._open != "longer":
            self.close()

    def stay_open(self) -> None:
        """Let the step go on after its block, until `close`: no more steps become its children."""
        self._open = "longer"

    def close(self) -> None:
        """End a step that stayed open after its block; the second time does nothing."""
        if self._trace is None or self._open == "":
            return
        self._open = ""
        finished = Span(
            name=self._name,
            operation=self._operation,
            span_id=format(self._ids.span_id, "016x"),
            parent_id=self.parent_id,
            start=self._start,
            end=max(self._start, self._trace.now()),  # a machine's clock may be set back
            attributes=self._attributes,
            events=self._events,
            status="ok" if self._error is None else "error",
            error=self._error,
        )
        self._trace.add(finished)

    def set(self, key: str, value: Value | None) -> None:
        """Attach an attribute; None is left out, what is no plain value becomes JSON text."""
        if value is not None:
            self._attributes[key] = _plain(value)

    def used(self, read: int, written: int, stop: object = None) -> None:
        """Attach the tokens that models read and wrote for it, and the limit that ended it."""
        self.set("gen_ai.usage.input_tokens", read)
        self.set("gen_ai.usage.output_tokens", written)
        self.set("switchboard.stop", str(stop) if stop else None)

    def messages(self, key: str, messages: Iterable[Mapping[str, Any]], **more: str) -> None:
        """Attach messages of a model call, shortened, if the trace keeps them."""
        if self._trace is not None and self._trace.messages:
            self.set(key, as_json(messages, whole=False, **more))

    def tools(self, definitions: Iterable[Mapping[str, Any]]) -> None:
        """Attach what the tools of a model call are, if the trace keeps messages."""
        if self._trace is not None and self._trace.messages and (given := list(definitions)):
            self.set("gen_ai.tool.definitions", _plain(given))

    def seconds(self) -> float:
        """How long the step has taken so far; 0 outside a trace."""
        return 0.0 if self._trace is None else self._trace.now() - self._start

    def rename(self, operation: str) -> None:
        """Give the step another operation, where only its outcome says what it was."""
        self._operation = operation

    def event(self, name: str, attributes: Mapping[str, Value] | None = None) -> None:
        """Note that something happened now."""
        if self._trace is not None:
            happened = SpanEvent(name, self._trace.now(), all_plain(attributes))
            self._events = (*self._events, happened)

    def fail(self, error: str, *, kind: str = "error") -> None:
        """Mark the step as failed without raising; `kind` becomes `error.type`."""
        self._attributes["error.type"] = kind
        self._error = error


def span(
    operation: str, name: str = "", attributes: Mapping[str, Value | None] | None = None
) -> Recording:
    """Record a step in the current trace, for a `with` block; without a trace, just run it.

    `operation` is GenAI's, such as "chat" or "execute_tool", `name` what it is done with (a model,
    a tool, an agent), `attributes` have OpenTelemetry's names. An exception that leaves the block
    marks the span as failed and goes on its way.
    """
    return Recording(operation, name, attributes)
