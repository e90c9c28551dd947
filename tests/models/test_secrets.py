"""What lets one in is shown nowhere: no address, error, traceback or recording repeats it."""

import asyncio
import base64
import json
import os
import traceback
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import openai
import pytest

from course import Agent, connect, run
from course.addresses import shown
from course.errors import ConfigurationError, CourseError
from course.models import endpoint
from course.models.endpoint import settings
from course.models.masking import masked_events
from course.models.recording import read_recording
from tests.models.service import Service, answer, send
from tests.models.talk import body, post

KEY = "sk-barley-seventeen-0815"
PASSWORD = "hunter2secret"
AGENT = Agent(name="clerk", instructions="Answer.")


def chunk(text: str) -> str:
    made = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m",
            "choices": [{"index": 0, "delta": {"content": text}}]}  # fmt: skip
    return f"data: {json.dumps(made)}\n\n"


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    made = Service()
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://{made.place}/v1")
    yield made
    made.stop()


# "{}" is where the service is; the letters of the password that must not be seen are "hun", "ter2".
FORMS = (
    "http://ada:hunter2secret@{}/v1",
    "http://hunter2secret@{}/v1",
    "http://ada:hun:ter2@{}/v1",
    "http://ada:hun@ter2@{}/v1",
    "http://ada:hun%2Fter2@{}/v1",
    "http://ada:hun/ter2@{}/v1",
    "http://ada:12/hunter2@{}/v1",
    "http://ada:hun?ter2@{}/v1",
    "http://ada:hun#ter2@{}/v1",
    "http://{}/v1?password=hunter2",
    "http://{}/v1?password=hun@ter2",
    "http://{}/v1#hunter2",
    "ada:hunter2@{}/v1",
    "ada:hun/ter2@{}",
    "postgresql://ada:hun/ter2@{}/grades",
)


@pytest.mark.parametrize("form", FORMS)
def test_an_address_is_shown_by_host_and_port_alone(
    form: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: Any
) -> None:
    caplog.set_level("DEBUG")
    address = form.format("127.0.0.1:1")  # where nobody listens
    assert not {"hun", "ter2", "ada"} & set(_words(shown(address)))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    with pytest.raises(ConfigurationError) as caught:
        asyncio.run(run(AGENT, "Hello?", client=connect("endpoint", record=tmp_path / "made")))
    seen = "".join(traceback.format_exception(caught.value)) + caplog.text
    seen += "".join(path.read_text() for path in tmp_path.iterdir())
    assert not [part for part in ("hunter2", "hun/", "hun@", "hun:", "ter2", "ada") if part in seen]
    assert "\n" not in str(caught.value)
    assert "OPENAI_BASE_URL" in str(caught.value)


def _words(text: str) -> list[str]:
    return "".join(sign if sign.isalnum() else " " for sign in text).split()


def test_a_login_in_the_address_is_sent_and_seen_nowhere_else(
    service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://ada:hunter%2F2secret@{service.place}/v1")
    found = settings()
    assert found is not None
    basic = base64.b64encode(b"ada:hunter/2secret").decode()
    service.answer = lambda request: send(request, 400, {"error": {"message": f"no {basic}"}})
    client = connect("endpoint", record=tmp_path / "made")
    with pytest.raises(CourseError) as caught:
        asyncio.run(run(AGENT, "Hello?", client=client))
    assert service.heard[0][1]["authorization"] == f"Basic {basic}"
    seen = "".join(traceback.format_exception(caught.value))
    seen += f"{found!r} {client.base_url} {(tmp_path / 'made').read_text()}"
    assert basic not in seen and "hunter" not in seen and "ada" not in seen
    service.answer = lambda request: send(request, 200, answer("hello"))
    result = asyncio.run(run(AGENT, "Hello?", client=connect("endpoint")))
    result.trace.save(tmp_path / "trace")
    assert "hunter" not in (tmp_path / "trace").read_text() + repr(result)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 429, 500, 503])
@pytest.mark.parametrize("shape", ["object", "text", "odd"])
def test_a_key_that_a_service_repeats_is_in_no_traceback(
    service: Service, tmp_path: Path, status: int, shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("course.models.line.Backoff.wait", lambda *_, **__: 0.0)
    said: Any = {"error": {"message": f"Bad key {KEY}", "code": KEY}}
    if shape != "object":
        said = f"Bad key {KEY}" if shape == "text" else {"detail": [{"header": f"Bearer {KEY}"}]}
    headers = {"x-should-retry": "false", "x-key": KEY}
    service.answer = lambda request: send(request, status, said, **headers)
    client = connect("endpoint", record=tmp_path / "made")
    with pytest.raises(CourseError) as caught:
        asyncio.run(run(AGENT, "Hello?", client=client))
    assert KEY not in "".join(traceback.format_exception(caught.value))
    assert KEY not in "".join(path.read_text() for path in tmp_path.iterdir())


@pytest.mark.parametrize("status", [400, 403, 429, 500])
def test_a_client_of_ones_own_hides_its_key_as_well(
    service: Service, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("course.models.line.Backoff.wait", lambda *_, **__: 0.0)
    said = {"error": {"message": f"Bad key {KEY}"}}
    service.answer = lambda request: send(request, status, said, **{"x-should-retry": "false"})
    client = openai.AsyncOpenAI(api_key=KEY, base_url=f"http://{service.place}/v1", max_retries=0)
    with pytest.raises(CourseError, match=r"\(the key\)") as caught:
        asyncio.run(run(AGENT, "Hello?", client=client))
    assert KEY not in "".join(traceback.format_exception(caught.value))


def raw(service: Service, text: str) -> None:
    """Let the service answer with this, whether it is HTTP or not."""

    def reply(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(text.encode())
        request.close_connection = True

    service.answer = reply


ODD = {
    "status line": f"{KEY} is no status\r\n\r\n",
    "header": f"HTTP/1.1 200 OK\r\n{KEY} is no header\r\n\r\n",
    "length": f"HTTP/1.1 200 OK\r\ncontent-length: {KEY}\r\n\r\n",
    "list": f'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n["{KEY}"]',
    "choices": f'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{{"choices": "{KEY}"}}',
    "event": 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n'
             f'data: {{"error": {{"message": "Bad key {KEY}"}}}}\n\n',
}  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("own", [False, True])
def test_a_key_in_what_is_hardly_an_answer_is_in_no_traceback(
    service: Service, odd: str, own: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("course.models.line.Backoff.wait", lambda *_, **__: 0.0)
    raw(service, ODD[odd])
    client = openai.AsyncOpenAI(api_key=KEY, base_url=f"http://{service.place}/v1", max_retries=0)
    asked = client if own else connect("endpoint")
    with pytest.raises(CourseError) as caught:
        asyncio.run(run(AGENT, "Hello?", client=asked, on_text=print if odd == "event" else None))
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_a_key_is_in_no_trace_of_a_try_and_in_no_answer(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("course.models.line.Backoff.wait", lambda *_, **__: 0.0)
    said = iter((503, 429, 200))

    def reply(request: BaseHTTPRequestHandler) -> None:
        status = next(said)
        content = answer(f"It is {KEY}.") if status == 200 else {"error": {"message": KEY}}
        send(request, status, content)

    service.answer = reply
    client = openai.AsyncOpenAI(api_key=KEY, base_url=f"http://{service.place}/v1", max_retries=0)
    result = asyncio.run(run(AGENT, "Hello?", client=client))
    assert result.answer == "It is (the key)."
    assert KEY not in result.trace.to_json()


CUT = len(KEY) // 2
ESCAPED = "".join(f"\\u{ord(sign):04x}" for sign in KEY)
TWO = [chunk(f"It is {KEY[:CUT]}"), chunk(f"{KEY[CUT:]}, isn't it?")]


@pytest.mark.parametrize(
    "said",
    [
        "".join(f"id: 7\nevent: message\n{event}" for event in TWO),
        "".join(f": ping\n{event}" for event in TWO),
        "".join(TWO).replace("\n", "\r"),
        "".join(TWO).replace("\n", "\r\n"),
        "\ufeff" + "".join(TWO),
        "".join(event.replace(', "choices"', ',\ndata: "choices"') for event in TWO),
        TWO[0].replace(KEY[:CUT], ESCAPED[: 6 * CUT]) + TWO[1],
        json.dumps(answer("<>")).replace("<>", ESCAPED),
        json.dumps(answer("<>"), indent=1).replace("<>", KEY).replace("{", "{\n\n"),
    ],
    ids=["named", "comments", "cr", "crlf", "mark", "lines", "escaped", "whole", "indented"],
)
@pytest.mark.parametrize("kind", ["text/event-stream", "Text/Event-Stream", "application/json"])
def test_a_recording_holds_no_key_in_whatever_form_it_came(
    service: Service, tmp_path: Path, said: str, kind: str
) -> None:
    service.answer = lambda request: send(request, 200, said, kind)

    async def talk() -> None:
        client = connect("endpoint", record=tmp_path / "made")
        async with client.chat.completions.with_streaming_response.create(**body()) as came:
            await came.read()

    asyncio.run(talk())
    [kept] = read_recording(tmp_path / "made")
    text = kept.answer or "".join(text for _, text in kept.events or ())
    assert "(the key)" in text
    assert not [part for part in (KEY[:CUT], KEY[CUT:], ESCAPED[: 6 * CUT]) if part in text]


def test_a_recording_holds_no_login_that_an_answer_repeats(
    service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://ada:hunter%2F2secret@{service.place}/v1")
    basic = base64.b64encode(b"ada:hunter/2secret").decode()
    told = f"{basic} hunter%2F2secret hunter/2secret"
    service.answer = lambda request: send(request, 200, answer(told))
    file = tmp_path / "made"
    result = asyncio.run(run(AGENT, "Hello?", client=connect("endpoint", record=file)))
    for seen in (file.read_text(), result.answer, result.trace.to_json()):
        assert basic not in seen and "2secret" not in seen


@pytest.mark.parametrize("proxy", ["http://ada:hun/ter2@127.0.0.1:1", "nope://ada:hunter2@there"])
def test_a_proxys_address_that_cannot_be_used_is_not_shown(
    service: Service, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    with pytest.raises(CourseError, match="a proxy's address in the environment") as caught:
        asyncio.run(run(AGENT, "Hello?", client=connect("endpoint")))
    seen = "".join(traceback.format_exception(caught.value))
    assert not [part for part in ("hun", "ter2", "ada") if part in seen.replace("thunk", "")]


@pytest.mark.parametrize(
    "pieces",
    [
        [chunk(f"It is {KEY}.")],
        [chunk(f"It is {KEY[:CUT]}"), chunk(f"{KEY[CUT:]}, isn't it?")],
        [chunk(sign) for sign in f"It is {KEY}, {KEY}."],
        [f": {KEY[:CUT]}", f"{KEY[CUT:]}\n\n"],
    ],
    ids=["whole", "in two events", "letter by letter", "in two packets"],
)
def test_a_recording_of_a_stream_holds_neither_half_of_a_key(
    service: Service, tmp_path: Path, pieces: list[str]
) -> None:
    service.answer = lambda request: send(
        request, 200, "".join(pieces) + "data: [DONE]\n\n", "text/event-stream"
    )

    async def talk() -> None:
        client = connect("endpoint", record=tmp_path / "made")
        stream = await client.chat.completions.create(**body(stream=True))
        async for _ in stream:
            pass

    asyncio.run(talk())
    [kept] = read_recording(tmp_path / "made")
    cut = [(1.0, piece) for piece in pieces]
    for events in (kept.events, masked_events(cut, {KEY})):
        assert events is not None
        raw = "".join(text for _, text in events)
        assert "(the key)" in raw
        whole = raw + "".join(
            choice["delta"]["content"]
            for line in raw.splitlines()
            if line.startswith("data: {")
            for choice in json.loads(line.removeprefix("data: "))["choices"]
        )
        assert KEY[:CUT] not in whole and KEY[CUT:] not in whole
    assert [wait for wait, _ in masked_events(cut, {KEY})] == [1.0] * len(pieces)


def test_a_stream_without_a_secret_is_kept_as_it_came() -> None:
    pieces = [(0.1, chunk("one")[:20]), (0.2, chunk("one")[20:] + chunk("two")), (0.3, "data: x")]
    assert masked_events(pieces, {KEY}) == pieces
    assert masked_events([], {KEY}) == []


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_a_recording_is_its_owners_alone(service: Service, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    for _ in range(2):
        asyncio.run(post(connect("endpoint", record=file), body()))
        assert file.stat().st_mode & 0o777 == 0o600
        file.chmod(0o644)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_request_is_not_sent_on_to_another_host(
    service: Service, status: int, tmp_path: Path
) -> None:
    other = Service()
    there = f"http://localhost:{other.server.server_address[1]}/v1/chat/completions?x=secret"
    service.answer = lambda request: send(request, status, "", location=there)
    try:
        with pytest.raises(ConfigurationError, match="sends requests on to localhost:") as caught:
            asyncio.run(run(AGENT, "Hello?", client=connect("endpoint")))
    finally:
        other.stop()
    assert other.heard == []
    assert "secret" not in str(caught.value)


def test_a_request_may_be_sent_on_within_a_host(service: Service) -> None:
    def moved(request: BaseHTTPRequestHandler) -> None:
        if request.path.startswith("/v2"):
            send(request, 200, answer("hello"))
        else:
            send(request, 307, "", location="/v2/chat/completions")

    service.answer = moved
    assert asyncio.run(run(AGENT, "Hello?", client=connect("endpoint"))).answer == "hello"
    assert {headers["authorization"] for _, headers, _ in service.heard} == {f"Bearer {KEY}"}


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("http://models.example/v1", True),
        ("http://10.0.0.5:8000/v1", True),
        ("https://models.example/v1", False),
        ("http://127.0.0.1:8000/v1", False),
        ("http://LocalHost:8000/v1", False),
        ("http://[::1]:8000/v1", False),
    ],
)
def test_plain_http_to_another_machine_is_told_in_a_line(
    address: str, told: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    endpoint._tell_that_it_is_plain.cache_clear()
    for _ in range(3):
        connect("endpoint")
    said = capsys.readouterr()
    assert said.out.count("\n") == told
    assert ("plain http" in said.out) == told
    assert said.err == ""
