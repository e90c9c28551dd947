"""Recording: a trace, the spans in it, and the step that is being recorded just now.

Spans are OpenTelemetry's, started and ended at explicit times taken from `course.clock`, so that
virtual time is what a span shows. The current trace and the current span travel in context
variables: a task started inside a span becomes its child without being told.

Source: OpenTelemetry SDK; GenAI semantic conventions (operation names `invoke_agent`, `chat`,
`execute_tool`, attributes `gen_ai.*`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from opentelemetry.context import Context as OtelContext
from opentelemetry.context import attach, detach
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanLimits, TracerProvider
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import Span as OpenSpan
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer, set_span_in_context
from pydantic_core import to_json

from course import clock
from course.trace.ids import SeededIds

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


class Trace:
    """The record of one run.

    Args:
        name: what the run was, such as the request or the experiment.
        seed: makes trace and span ids, so that the same run has the same ids.

    Attributes:
        begin_ns: calendar time of the first span, in nanoseconds since 1970.

    Chapter 01 reads one; built in chapter 09.
    """

    def __init__(self, name: str, *, seed: int = 0) -> None:
        self.name = name
        self.seed = seed
        self.begin_ns: int | None = None
        self._spans: list[Span] = []
        self._order: dict[str, int] = {}
        self._ids = SeededIds(f"{name}/{seed}")

    @property
    def trace_id(self) -> str:
        """32 hexadecimal digits, the same for the same name and seed."""
        return format(self._ids.trace, "032x")

    @property
    def spans(self) -> list[Span]:
        """The finished spans in the order in which they began, so parents before children.

        A span whose parent is not finished yet, or belongs to another trace, has none here.
        """
        finished = sorted(self._spans, key=lambda span: self._order[span.span_id])
        known = {None, *(span.span_id for span in finished)}
        return [s if s.parent_id in known else replace(s, parent_id=None) for s in finished]

    def _begun(self, span: ReadableSpan) -> None:
        if self.begin_ns is None:
            self.begin_ns = span.start_time
        self._order[format(span.context.span_id, "016x")] = len(self._order)

    def _ended(self, span: ReadableSpan) -> None:
        self._spans.append(_finished(span, self.begin_ns or 0))

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
        """Sum of a numeric attribute over all spans, such as `gen_ai.usage.input_tokens`."""
        return sum(float(span.attributes.get(attribute, 0)) for span in self._spans)

    def to_json(self) -> str:
        """The trace in the published format (`TRACE_SCHEMA`), as text."""
        from course.trace.file import dump

        return dump(self)

    def save(self, path: str | Path) -> Path:
        """Write the trace as JSON and return where. Raises OSError when it cannot be written."""
        target = Path(path)
        target.write_text(self.to_json(), encoding="utf-8", newline="\n")
        return target

    @classmethod
    def from_json(cls, text: str, *, source: str = "trace") -> Trace:
        """Read a trace back. Raises FileFormatError naming `source` and the position."""
        from course.trace.file import parse

        return parse(text, source=source)

    @classmethod
    def load(cls, path: str | Path) -> Trace:
        """Read a trace file. Raises FileFormatError (with the position) or OSError."""
        from course.trace.file import decode

        return cls.from_json(decode(Path(path).read_bytes(), source=str(path)), source=str(path))


class _CurrentIds(IdGenerator):
    """The ids of the trace that is being recorded where a span begins."""

    def generate_trace_id(self) -> int:
        """The recorded trace's own id."""
        return _recorded()._ids.trace

    def generate_span_id(self) -> int:
        """The next span id of the recorded trace."""
        return _recorded()._ids.next_span()


_current: ContextVar[Trace | None] = ContextVar("switchboard_trace", default=None)
_RESOURCE = Resource({"service.name": "switchboard"})
_NO_LIMITS = SpanLimits(
    max_attributes=SpanLimits.UNSET,
    max_events=SpanLimits.UNSET,
    max_span_attributes=SpanLimits.UNSET,
    max_event_attributes=SpanLimits.UNSET,
    max_attribute_length=SpanLimits.UNSET,
    max_span_attribute_length=SpanLimits.UNSET,
)


def _make_tracer() -> Tracer:
    """One tracer for all traces: a provider for each would cost more than the spans in it."""
    provider = TracerProvider(  # said outright, so that no OTEL_ variable loses spans
        sampler=ALWAYS_ON,
        id_generator=_CurrentIds(),
        resource=_RESOURCE,
        span_limits=_NO_LIMITS,
        shutdown_on_exit=False,
    )
    provider._disabled = False  # nor OTEL_SDK_DISABLED: a trace is what a run is for
    return provider.get_tracer("switchboard")


_TRACER = _make_tracer()


def _recorded() -> Trace:
    trace = _current.get()
    if trace is None:
        raise RuntimeError("no trace is being recorded: use course.trace.span, not the tracer")
    return trace


def current() -> Trace | None:
    """The trace that is being recorded here, if any."""
    return _current.get()


class Recording:
    """The span that is open: `set` and `event` add to it. Outside a trace they do nothing."""

    def __init__(self, inner: OpenSpan | None) -> None:
        self._inner = inner

    def set(self, key: str, value: Value | None) -> None:
        """Attach an attribute; None is left out, what is no plain value becomes JSON text."""
        if self._inner is not None and value is not None:
            self._inner.set_attribute(key, _plain(value))

    def event(self, name: str, attributes: Mapping[str, Value] | None = None) -> None:
        """Note that something happened now."""
        if self._inner is not None:
            self._inner.add_event(name, _all_plain(attributes), timestamp=clock.time_ns())

    def fail(self, error: str, *, kind: str = "error") -> None:
        """Mark the step as failed without raising; `kind` becomes `error.type`."""
        if self._inner is not None:
            self._inner.set_attribute("error.type", kind)
            self._inner.set_status(Status(StatusCode.ERROR, error))


@contextmanager
def span(
    operation: str, name: str = "", attributes: Mapping[str, Value] | None = None
) -> Iterator[Recording]:
    """Record a step in the current trace; without one, just run the block.

    Args:
        operation: the GenAI operation, such as "chat" or "execute_tool".
        name: what it is done with: a model, a tool, an agent.
        attributes: more to note, with OpenTelemetry's attribute names.

    An exception that leaves the block marks the span as failed and goes on its way.
    """
    trace = _current.get()
    if trace is None:
        yield Recording(None)
        return
    kind = SpanKind.CLIENT if operation == "chat" else SpanKind.INTERNAL
    inner: Any = _TRACER.start_span(
        f"{operation} {name}".strip(),
        kind=kind,
        attributes={**_all_plain(attributes), OPERATION: operation},
        start_time=clock.time_ns(),
    )
    trace._begun(inner)
    recording = Recording(inner)
    token = attach(set_span_in_context(inner))
    try:
        yield recording
    except BaseException as error:
        recording.fail(str(error) or type(error).__name__, kind=type(error).__name__)
        raise
    finally:
        detach(token)
        inner.end(end_time=clock.time_ns())
        trace._ended(inner)


def _plain(value: Any) -> Value:
    if isinstance(value, float):  # JSON knows no infinity and no NaN
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (str, bool, int)):
        return value
    return to_json(value, fallback=str).decode()


def _all_plain(attributes: Mapping[str, Value | None] | None) -> dict[str, Value]:
    return {key: _plain(v) for key, v in (attributes or {}).items() if v is not None}


def _finished(span: ReadableSpan, begin_ns: int) -> Span:
    attributes = dict(span.attributes or {})
    operation = str(attributes.pop(OPERATION, ""))
    failed = span.status.status_code is StatusCode.ERROR
    begin = span.start_time or 0
    events = tuple(
        SpanEvent(e.name, (e.timestamp - begin_ns) / 1e9, dict(e.attributes or {}))  # type: ignore[arg-type]
        for e in span.events
    )
    return Span(
        name=span.name.removeprefix(operation).strip(),
        operation=operation,
        span_id=format(span.context.span_id, "016x"),
        parent_id=format(span.parent.span_id, "016x") if span.parent else None,
        start=(begin - begin_ns) / 1e9,
        end=(max(begin, span.end_time or 0) - begin_ns) / 1e9,  # a machine's clock may be set back
        attributes=attributes,  # type: ignore[arg-type]
        events=events,
        status="error" if failed else "ok",
        error=span.status.description if failed else None,
    )
