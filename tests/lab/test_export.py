"""Export: what a collector on loopback gets over OTLP/HTTP, and what is said when it does not."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

from course import cli, clock
from course.errors import ConfigurationError, VirtualTimeError
from course.observability import export
from course.trace import Trace, span


class Collector:
    """An OTLP/HTTP collector on loopback: what was posted where, and the status it answers."""

    def __init__(self) -> None:
        self.status = 200
        self.reason: str | None = None
        self.paths: list[str] = []
        self.requests: list[ExportTraceServiceRequest] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                collector.paths.append(self.path)
                collector.requests.append(ExportTraceServiceRequest.FromString(body))
                self.send_response(collector.status, collector.reason)
                self.send_header("content-length", "0")
                self.send_header("location", "http://127.0.0.1:1/elsewhere")
                self.end_headers()

            def log_message(self, *args: object) -> None:
                pass  # nothing on stderr

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.place = f"127.0.0.1:{self._server.server_port}"
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    @property
    def spans(self) -> list[WireSpan]:
        return [
            each
            for request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for each in scope.spans
        ]


@pytest.fixture
def collector() -> Iterator[Collector]:
    it = Collector()
    try:
        yield it
    finally:
        it.close()


@pytest.fixture
def trace() -> Trace:
    """An agent's step of 2 s with a failed call in it, in virtual time."""
    import asyncio

    made = Trace("desk")

    async def main() -> None:
        with span("invoke_agent", "desk"):
            await asyncio.sleep(0.5)
            with span("chat", "small", {"gen_ai.usage.input_tokens": 12, "share": 0.5}) as step:
                await asyncio.sleep(1.5)
                step.event("retry", {"cause": "busy"})
                step.fail("no answer")

    with made.record():
        clock.simulate(main())
    return made


def test_every_span_arrives_with_its_ids_times_and_names(
    collector: Collector, trace: Trace
) -> None:
    assert export.send(trace, collector.address) == 2
    assert collector.paths == ["/v1/traces"]
    outer, chat = collector.spans
    assert {s.trace_id.hex() for s in collector.spans} == {trace.trace_id}
    assert [s.span_id.hex() for s in collector.spans] == [s.span_id for s in trace.spans]
    assert (outer.parent_span_id.hex(), chat.parent_span_id) == ("", outer.span_id)
    assert (outer.name, chat.name) == ("invoke_agent desk", "chat small")
    assert outer.start_time_unix_nano == clock.EPOCH_NS
    assert chat.start_time_unix_nano == clock.EPOCH_NS + 500_000_000
    assert chat.end_time_unix_nano == clock.EPOCH_NS + 2_000_000_000


def test_attributes_events_and_errors_arrive(collector: Collector, trace: Trace) -> None:
    export.send(trace, collector.address)
    outer, chat = collector.spans
    attributes = {a.key: a.value for a in chat.attributes}
    assert attributes["gen_ai.operation.name"].string_value == "chat"
    assert attributes["gen_ai.usage.input_tokens"].int_value == 12
    assert attributes["share"].double_value == 0.5
    [event] = chat.events
    assert (event.name, event.time_unix_nano) == ("retry", clock.EPOCH_NS + 2_000_000_000)
    assert (chat.status.code, chat.status.message) == (chat.status.STATUS_CODE_ERROR, "no answer")
    assert outer.status.code == outer.status.STATUS_CODE_UNSET
    assert (chat.kind, outer.kind) == (WireSpan.SPAN_KIND_CLIENT, WireSpan.SPAN_KIND_INTERNAL)
    [resource] = collector.requests[0].resource_spans
    assert resource.resource.attributes[0].value.string_value == "switchboard"


def test_a_loaded_trace_is_sent_like_the_recorded_one(collector: Collector, trace: Trace) -> None:
    export.send(trace, collector.address)
    export.send(Trace.from_json(trace.to_json()), collector.address)
    first, second = collector.requests
    assert first == second


def test_the_address_comes_from_the_environment(
    collector: Collector, trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address + "/")
    assert export.send(trace) == 2
    assert collector.paths == ["/v1/traces"]


def test_the_command_sends_a_saved_trace(
    collector: Collector, trace: Trace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = str(trace.save(tmp_path / "trace.json"))
    assert cli.main(["send", saved, "--to", collector.address]) == 0
    assert capsys.readouterr().out == "2 spans sent\n"
    assert len(collector.spans) == 2
    assert cli.main(["send", saved]) == cli.BAD_INPUT
    assert "no collector: set OTEL_EXPORTER_OTLP_ENDPOINT" in capsys.readouterr().err


def test_without_an_address_the_error_says_what_to_set(trace: Trace) -> None:
    with pytest.raises(ConfigurationError, match="set OTEL_EXPORTER_OTLP_ENDPOINT, such as http:"):
        export.send(trace)


def test_a_collector_that_refuses_is_named_with_its_reason(
    collector: Collector, trace: Trace, capfd: pytest.CaptureFixture[str]
) -> None:
    collector.status = 400
    with pytest.raises(ConfigurationError, match=f"{collector.place} did not take .*400"):
        export.send(trace, collector.address)
    assert capfd.readouterr() == ("", "")


def test_a_collector_that_is_not_there_is_named(
    trace: Trace, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(export, "SEND_SECONDS", 0.1)
    gone = Collector()
    gone.close()
    with pytest.raises(ConfigurationError, match=f"the collector at {gone.place} did not take"):
        export.send(trace, gone.address)
    with pytest.raises(ConfigurationError, match="the collector's address cannot be read"):
        export.send(trace, "nowhere")
    assert capfd.readouterr() == ("", "")


def test_a_collector_that_leads_elsewhere_did_not_take_the_trace(
    collector: Collector, trace: Trace
) -> None:
    collector.status = 307
    with pytest.raises(ConfigurationError, match="did not take the trace"):
        export.send(trace, collector.address)


@pytest.mark.parametrize("form", ["http://ada:hun%2Fter2@{}", "nope://ada:hun%2Fter2@{}",
                                  "http://{}/hunter2", "http://{}?key=hunter2"])  # fmt: skip
def test_nothing_of_an_address_but_the_place_is_told(
    trace: Trace, form: str, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor what a collector repeats of it or of a header."""
    monkeypatch.setattr(export, "SEND_SECONDS", 0.1)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=hunter2")
    collector.status, collector.reason = 400, "hunter2"
    for place in (collector.place, "127.0.0.1:1"):
        with pytest.raises(ConfigurationError, match="collector") as caught:
            export.send(trace, form.format(place))
        assert not [part for part in ("hun", "ter2", "ada") if part in str(caught.value)]


def test_sending_under_virtual_time_is_refused(collector: Collector, trace: Trace) -> None:
    async def main() -> None:
        export.send(trace, collector.address)

    with pytest.raises(VirtualTimeError, match=r"call send\(trace\) after clock\.simulate"):
        clock.simulate(main())
    assert collector.requests == []


def test_an_empty_trace_sends_nothing_of_note(collector: Collector) -> None:
    assert export.send(Trace("nothing yet"), collector.address) == 0
    assert collector.spans == []
