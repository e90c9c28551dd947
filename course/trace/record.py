"""Recording: a trace, the spans in it, and the step that is being recorded just now.

Spans are OpenTelemetry's, started and ended at explicit times taken from `course.clock`, so that
virtual time is what a span shows. The current trace and the current span travel in context
variables: a task started inside a span becomes its child without being told.

Source: OpenTelemetry SDK; GenAI semantic conventions (operation names `invoke_agent`, `chat`,
`execute_tool`, attributes `gen_ai.*`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from opentelemetry.context import Context as OtelContext
from opentelemetry.context import attach, detach
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanLimits, TracerProvider
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer, set_span_in_context

from course import clock
from course.trace.ids import SeededIds
from course.trace.spans import OPERATION, Span, Value, all_plain, finished, plain


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
        self._spans.append(finished(span, self.begin_ns or 0))

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
    """A step in the current trace, from `with` to the end of its block; made by `span`.

    `set`, `event` and `fail` add to it. Outside a trace nothing is recorded.
    """

    __slots__ = ("_attributes", "_inner", "_name", "_operation", "_token", "_trace")

    def __init__(
        self, operation: str, name: str, attributes: Mapping[str, Value | None] | None
    ) -> None:
        self._operation = operation
        self._name = name
        self._attributes = attributes
        self._trace: Trace | None = None
        self._inner: Any = None
        self._token: Any = None

    def __enter__(self) -> Recording:
        trace = self._trace = _current.get()
        if trace is None:
            return self
        self._inner = _TRACER.start_span(
            f"{self._operation} {self._name}".strip(),
            kind=SpanKind.CLIENT if self._operation == "chat" else SpanKind.INTERNAL,
            attributes={**all_plain(self._attributes), OPERATION: self._operation},
            start_time=clock.time_ns(),
        )
        trace._begun(self._inner)
        self._token = attach(set_span_in_context(self._inner))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if self._trace is None:
            return
        if error is not None:
            self.fail(str(error) or type(error).__name__, kind=type(error).__name__)
        detach(self._token)
        self._inner.end(end_time=clock.time_ns())
        self._trace._ended(self._inner)

    def set(self, key: str, value: Value | None) -> None:
        """Attach an attribute; None is left out, what is no plain value becomes JSON text."""
        if self._inner is not None and value is not None:
            self._inner.set_attribute(key, plain(value))

    def event(self, name: str, attributes: Mapping[str, Value] | None = None) -> None:
        """Note that something happened now."""
        if self._inner is not None:
            self._inner.add_event(name, all_plain(attributes), timestamp=clock.time_ns())

    def fail(self, error: str, *, kind: str = "error") -> None:
        """Mark the step as failed without raising; `kind` becomes `error.type`."""
        if self._inner is not None:
            self._inner.set_attribute("error.type", kind)
            self._inner.set_status(Status(StatusCode.ERROR, error))


def span(
    operation: str, name: str = "", attributes: Mapping[str, Value | None] | None = None
) -> Recording:
    """Record a step in the current trace, for a `with` block; without a trace, just run it.

    Args:
        operation: the GenAI operation, such as "chat" or "execute_tool".
        name: what it is done with: a model, a tool, an agent.
        attributes: more to note, with OpenTelemetry's attribute names.

    An exception that leaves the block marks the span as failed and goes on its way.
    """
    return Recording(operation, name, attributes)
