"""Sending a trace to an OpenTelemetry collector: `python -m course send trace.json`."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from course import clock
from course.addresses import parts
from course.errors import ConfigurationError, VirtualTimeError
from course.trace import OPERATION, Span, Trace

ENDPOINT_VARIABLE = "OTEL_EXPORTER_OTLP_ENDPOINT"
SEND_SECONDS = 10


def send(trace: Trace, endpoint: str | None = None) -> int:
    """Send a finished trace over OTLP/HTTP and return how many spans went out.

    Args:
        trace: recorded or loaded.
        endpoint: base address such as "http://127.0.0.1:4318"; the environment's when None.

    Raises:
        ConfigurationError: no address is known, or the collector did not take the spans within
            `SEND_SECONDS`.
        VirtualTimeError: called under virtual time; send after the run.

    Source: OTLP/HTTP, the path /v1/traces under the base address.
    """
    if clock.is_virtual():
        raise VirtualTimeError(
            "a trace is sent in real time: call send(trace) after clock.simulate"
        )
    address = endpoint or os.environ.get(ENDPOINT_VARIABLE)
    if not address:
        raise ConfigurationError(
            f"no collector: set {ENDPOINT_VARIABLE}, such as http://127.0.0.1:4318"
        )
    known = parts(address)
    if known is None or set("?#") & set(known.rest):
        raise ConfigurationError(
            "the collector's address cannot be read: it is one such as http://127.0.0.1:4318"
        )
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    url = address.rstrip("/") + "/v1/traces"
    exporter = OTLPSpanExporter(endpoint=url, timeout=SEND_SECONDS, session=_staying())
    spans = [_readable(span, trace) for span in trace.spans]
    with _quiet() as complaints:
        try:
            result = exporter.export(spans)
        finally:
            exporter.shutdown()  # type: ignore[no-untyped-call]
    if result is not SpanExportResult.SUCCESS:
        said = complaints[-1] if complaints else ""
        reason = f" ({said})" if said else ""
        raise ConfigurationError(
            f"the collector at {known.place} did not take the trace{reason}; is it up?"
        )
    return len(spans)


def _staying() -> Any:
    """A session to which an answer that leads elsewhere is a failure: to the exporter it is none,
    though nothing is sent there."""
    from requests import Response, Session, TooManyRedirects

    def refuse(response: Response, **_: Any) -> None:
        if response.is_redirect:
            raise TooManyRedirects(response=response)

    session = Session()
    session.hooks["response"].append(refuse)
    return session


@contextmanager
def _quiet() -> Iterator[list[str]]:
    """What the exporter would log, for the error to tell: the last word is the reason.

    Of what went wrong only its number or its kind: a collector's own words, and the address in
    those of a connection, may repeat what lets one in.
    """
    complaints: list[str] = []

    def keep(record: logging.LogRecord) -> bool:
        given = record.args if isinstance(record.args, tuple) else ()
        told = [f"status {each}" for each in given if isinstance(each, int)]
        told += [type(each).__name__ for each in given if isinstance(each, Exception)]
        complaints.append(told[0] if told else record.getMessage())
        return False

    logger = logging.getLogger("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    logger.addFilter(keep)
    try:
        yield complaints
    finally:
        logger.removeFilter(keep)


def _readable(span: Span, trace: Trace) -> ReadableSpan:
    begin = trace.begin_ns or 0
    failed = span.status == "error"
    return ReadableSpan(
        name=f"{span.operation} {span.name}".strip(),
        context=_context(trace, span.span_id),
        parent=_context(trace, span.parent_id) if span.parent_id else None,
        resource=Resource({"service.name": "switchboard"}),
        attributes={OPERATION: span.operation, **span.attributes},
        events=[
            Event(e.name, dict(e.attributes), timestamp=begin + round(e.time * 1e9))
            for e in span.events
        ],
        kind=SpanKind.CLIENT if span.operation == "chat" else SpanKind.INTERNAL,
        status=Status(StatusCode.ERROR, span.error) if failed else Status(StatusCode.UNSET),
        start_time=begin + round(span.start * 1e9),
        end_time=begin + round(span.end * 1e9),
    )


def _context(trace: Trace, span_id: str) -> SpanContext:
    sampled = TraceFlags(TraceFlags.SAMPLED)
    return SpanContext(int(trace.trace_id, 16), int(span_id, 16), False, sampled)
