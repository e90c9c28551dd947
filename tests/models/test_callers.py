"""The server against strangers: foreign names, huge and half requests, and an end in the middle."""

import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from course.models import SMALL, callers, simulated, tokens
from course.models.server import background
from tests.models.talk import HELLO, body

JSON = {"content-type": "application/json"}
PATH = "/v1/chat/completions"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with background(profile="instant") as url:
        yield port_of(url)


def port_of(url: str) -> int:
    return int(url.rsplit(":", 1)[1].split("/")[0])


def ask(
    port: int, content: Any = None, headers: Mapping[str, str] = JSON, method: str = "POST"
) -> tuple[int, Any]:
    """One request, with these headers and Host alone."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        sent = json.dumps(body() if content is None else content).encode()
        line.putrequest(method, PATH, skip_host="host" in headers, skip_accept_encoding=True)
        for name, value in {**headers, "content-length": str(len(sent))}.items():
            line.putheader(name, value)
        line.endheaders(sent)
        answer = line.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        line.close()


@pytest.mark.parametrize(
    "foreign",
    [
        {"host": "evil.example"},
        {"host": "evil.example:{port}"},
        {"host": "127.0.0.1.evil.example:{port}"},
        {"host": "127.0.0.1@evil.example"},
        {"host": "0.0.0.0:{port}"},
        {"host": ""},
        {"host": "localhost\xa0"},
        {"host": "localhost."},
        {"host": "127.0.0.2"},
        {"origin": "http://evil.example"},
        {"origin": "https://localhost.evil.example:{port}"},
        {"origin": "null"},
        {"origin": "file://"},
    ],
    ids=str,
)
def test_a_foreign_host_or_page_is_turned_away(port: int, foreign: dict[str, str]) -> None:
    headers = {name: value.format(port=port) for name, value in foreign.items()}
    for kind in (JSON, {"content-type": "text/plain"}):
        status, said = ask(port, headers={**kind, **headers})
        assert (status, said["error"]["code"]) == (421, "misdirected_request")


@pytest.mark.parametrize(
    "there", ["http://evil.example", "http://evil.example:{port}", "evil://", "evil.example"]
)
def test_a_foreign_address_in_place_of_a_path_is_turned_away(port: int, there: str) -> None:
    """It goes before Host (RFC 9112, 3.2.2), which may be right beside it."""
    content = json.dumps(body()).encode()
    for host, status in ((there.format(port=port), b"421"), (f"http://127.0.0.1:{port}", b"404")):
        head = (
            f"POST {host}{PATH} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        with opened(port, head.encode() + content) as line:
            assert line.recv(4096).split()[1] == status


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:{port}", "[::1]:{port}"])
def test_this_machines_own_names_are_served(port: int, host: str) -> None:
    here = host.format(port=port)
    assert ask(port, headers={**JSON, "host": here})[0] == 200
    assert ask(port, headers={**JSON, "host": here, "origin": f"http://{here}"})[0] == 200
    assert ask(port, headers={**JSON, "origin": "http://localhost:8888"})[0] == 200  # a notebook's


def test_a_body_has_to_be_called_json(port: int) -> None:
    for kind in ({}, {"content-type": "text/plain"}, {"content-type": "application/jsonx"}):
        status, said = ask(port, headers=kind)
        assert (status, said["error"]["code"]) == (415, "unsupported_content_type")
        assert "Content-Type: application/json" in said["error"]["message"]
    assert ask(port, headers={"content-type": "Application/JSON; charset=utf-8"})[0] == 200
    twice = {"content-type": "text/plain", "Content-Type": "application/json"}
    assert ask(port, headers=twice)[0] == 415


@pytest.mark.parametrize("name", ["x-stainless-retry-count", "x-switchboard-call"])
def test_a_count_of_thousands_of_digits_is_400(port: int, name: str) -> None:
    status, said = ask(port, headers={**JSON, name: "9" * 4_500})
    assert (status, said["error"]["param"]) == (400, name)


def words(number: int) -> str:
    draws = random.Random(number)
    letters = "abcdefghijklmnopqrstuvwxyz"
    return " ".join("".join(draws.choices(letters, k=draws.randint(3, 9))) for _ in range(number))


def choosing(arguments: int, values: int, **more: Any) -> dict[str, Any]:
    """A request that offers a tool with so many arguments, each one of so many values."""
    listed = {"type": "string", "enum": [f"v{n}" for n in range(values)]}
    properties = {f"argument_{n}": listed for n in range(arguments)}
    tool = {
        "name": "book",
        "description": "Book a table.",
        "parameters": {"type": "object", "properties": properties, "required": list(properties)},
    }
    return body(
        {"role": "user", "content": "Book a table for Ann, with v7."},
        tools=[{"type": "function", "function": tool}],
        **more,
    )


HUGE = {
    "30,000 enumerated values": choosing(60, 500),
    "as many as are read": choosing(10, 500),
    "30,000 words": body({"role": "user", "content": words(30_000)}),
    "128 choices": choosing(3, 20, n=128),
    "3,000,000 words": body({"role": "user", "content": "word " * 3_000_000}),
}


@pytest.mark.parametrize("name", HUGE)
def test_nobody_waits_for_somebody_elses_huge_request(port: int, name: str) -> None:
    """Each waits 0.3 s at most beside them, where one second is promised: measured, not held."""
    ended: list[int] = []
    huge = threading.Thread(target=lambda: ended.append(ask(port, HUGE[name])[0]))
    ask(port)  # the first decision of a process reads the words it needs
    huge.start()
    others: list[int] = []
    while huge.is_alive():
        others.append(ask(port, choosing(8, 100) if len(others) % 2 else body())[0])
    huge.join()
    assert ended in ([200], [400])
    assert set(others) <= {200}


def test_a_huge_decision_is_no_business_of_the_event_loop(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stands still here until somebody else has been answered."""
    others, decide = threading.Event(), simulated.Simulated.__call__

    def held(self: simulated.Simulated, request: Any) -> Any:
        if len(str(request.messages)) > 10_000:
            assert others.wait(30), "the others wait as well"
        return decide(self, request)

    monkeypatch.setattr(simulated.Simulated, "__call__", held)
    ended: list[int] = []
    long = body({"role": "user", "content": words(2_000)})
    huge = threading.Thread(target=lambda: ended.append(ask(port, long)[0]))
    huge.start()
    try:
        assert [ask(port)[0] for _ in range(5)] == [200] * 5
    finally:
        others.set()
        huge.join()
    assert ended == [200]


def referring(keyword: str, depth: int = 24) -> dict[str, Any]:
    """A schema of some lines in which each part refers to the next one twice."""
    parts: dict[str, Any] = {}
    for n in range(depth):
        next_one = {"$ref": f"#/$defs/d{n + 1}"}
        both = {"x": next_one, "y": next_one}
        parts[f"d{n}"] = {keyword: [next_one, next_one]}
        if keyword == "properties":
            parts[f"d{n}"] = {"type": "object", keyword: both, "required": [*both]}
    return asking({"$ref": "#/$defs/d0"}, **{"$defs": {**parts, f"d{depth}": {"type": "string"}}})


def nested(depth: int, least: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema, "minItems": least}
    return asking(schema)


def asking(field: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": field}, "required": ["a"], **more}


LONG_TEXTS = {"type": "array", "minItems": 1000, "items": {"type": "string", "minLength": 20_000}}
GROWING = {
    **{f"references in {each}": referring(each)
       for each in ("allOf", "anyOf", "oneOf", "prefixItems", "properties")},
    "lists of lists": nested(6, 50),
    "long texts": asking(LONG_TEXTS),
    "long defaults": asking({**LONG_TEXTS, "items": {"default": "x" * 900}}),
}  # fmt: skip


@pytest.mark.parametrize("name", GROWING)
@pytest.mark.parametrize("place", ["tools", "response_format"])
def test_a_few_lines_that_ask_for_millions_are_refused(port: int, name: str, place: str) -> None:
    """Such a request is small, so it would be read and decided in the event loop; for ever."""
    named = {"name": "book", "parameters": GROWING[name]}
    form = {"type": "json_schema", "json_schema": {"name": "book", "schema": GROWING[name]}}
    asked = [{"type": "function", "function": named}] if place == "tools" else form
    said = refusal(port, body(**{place: asked}))
    assert said["param"] == place
    assert "Refer to a part less often" in said["message"] or "Lower 'min" in said["message"]


def test_choices_write_no_more_together_than_one_may(port: int) -> None:
    many = asking({"type": "array", "minItems": 300, "items": {"type": "integer"}})
    form = {"type": "json_schema", "json_schema": {"name": "many", "schema": many}}
    assert ask(port, body(response_format=form))[0] == 200
    assert refusal(port, body(response_format=form, n=128))["param"] == "n"


def test_a_schema_may_refer_to_itself_and_to_a_part_many_times(port: int) -> None:
    tree = {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#"}}},
            "required": ["children"]}  # fmt: skip
    code = {"$defs": {"code": {"type": "string"}}, "type": "object",
            "properties": {f"c{n}": {"$ref": "#/$defs/code"} for n in range(200)}}  # fmt: skip
    for schema in (tree, code):
        form = {"type": "json_schema", "json_schema": {"name": "f", "schema": schema}}
        assert ask(port, body(response_format=form))[0] == 200


@pytest.mark.parametrize(
    ("sign", "number"),
    [(" ", 200_000), ("\n", 200_000), ("\r\n", 100_000), ("-", 400_000), ("if you ", 30_000)],
)
def test_a_long_run_of_anything_is_read_in_a_time_that_grows_with_it(
    port: int, sign: str, number: int
) -> None:
    """Each was minutes of one regular expression, during which no thread goes on."""
    long = {"role": "user", "content": "Find " + sign * number}
    form = {
        "type": "json_schema",
        "json_schema": {"name": "f", "schema": asking({"type": "string"})},
    }
    began = time.monotonic()
    assert ask(port, body(long, **({"response_format": form} if sign == "-" else {})))[0] == 200
    assert time.monotonic() - began < 20  # on whatever machine


def refusal(port: int, content: Any) -> Any:
    status, said = ask(port, content)
    assert status == 400
    return said["error"]


def test_what_nobody_could_read_is_refused_with_the_way_out(port: int) -> None:
    many = refusal(port, choosing(60, 500))
    assert "30000 values" in many["message"] and "at most 5000" in many["message"]
    assert many["param"] == "tools"
    parameters: dict[str, Any] = {
        "type": "object",
        "$defs": {"code": {"enum": [f"v{n}" for n in range(500)]}},
        "properties": {f"argument_{n}": {"$ref": "#/$defs/code"} for n in range(60)},
    }
    named = {"name": "book", "parameters": parameters}
    assert refusal(port, body(tools=[{"type": "function", "function": named}]))["param"] == "tools"
    form = {"type": "json_schema", "json_schema": {"name": "codes", "schema": parameters}}
    assert refusal(port, body(response_format=form))["param"] == "response_format"
    long = {"role": "user", "content": words(2_000)}
    for n in (128, 1_000_000):
        assert refusal(port, body(long, n=n))["param"] == "n"
    assert "Ask for at most" in refusal(port, body(long, n=128))["message"]


def test_a_long_text_is_counted_as_it_is_in_one_piece() -> None:
    whole = tokens._tokenizer()
    assert whole is not None
    draws = random.Random(7)
    some = ("word ", "Hello, ", "it's ", "12345 ", "\n\n", "  ", "naïve ", "Über-", "名前 ", "a b")
    text = "".join(draws.choice(some) for _ in range(150_000))
    assert tokens.count_text(text) == whole.count(text)
    assert tokens.count_text("\ud800 " * 150_000) > 150_000


def opened(port: int, sent: bytes) -> socket.socket:
    line = socket.create_connection(("127.0.0.1", port), timeout=60)
    line.sendall(sent)
    return line


def test_half_a_request_is_hung_up_on(monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    monkeypatch.setattr(callers, "ARRIVAL_SECONDS", 0.3)
    head = b"POST %s HTTP/1.1\r\nHost: localhost\r\n" % PATH.encode()
    whole = json.dumps({"model": SMALL, "messages": [HELLO]}).encode()
    told = b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(whole)
    halves = [b"", b"PO", head, head + told, head + told + whole[:9], head + told + whole + b"PO"]
    with background(profile="instant") as url:
        lines = [opened(port_of(url), half) for half in halves]
        for line in lines:
            while line.recv(4096):  # it ends, or the test's own 60 s are over
                pass
            line.close()
        assert ask(port_of(url))[0] == 200
    assert capfd.readouterr().err == ""


def test_an_answer_takes_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a request has to be here soon; and a connection may be used again."""
    monkeypatch.setattr(callers, "ARRIVAL_SECONDS", 0.3)
    with background(profile="calm") as url:
        line = http.client.HTTPConnection("127.0.0.1", port_of(url), timeout=60)
        for _ in range(2):
            line.request("POST", PATH, json.dumps(body()), JSON)
            assert json.loads(line.getresponse().read())["choices"]
            time.sleep(0.4)
        line.close()


SERVING = """
from course.models import Scripted
from course.models.server import serve
serve(profile="calm", responder=Scripted(lambda request: "word " * 4000))
print("over")
"""


def test_an_end_in_the_middle_is_one_line_and_told_to_the_caller() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        [sys.executable, "-c", SERVING],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        try:
            assert process.stdout is not None
            port = port_of(process.stdout.readline().split()[2])
            streamed = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            streamed.request("POST", PATH, json.dumps(body(stream=True)), JSON)
            stream = streamed.getresponse()
            assert stream.readline().startswith(b"data: ")
            said: list[Any] = []
            whole = threading.Thread(target=lambda: said.append(ask(port)))
            whole.start()
            time.sleep(0.3)
            process.send_signal(signal.SIGTERM)
            last = stream.read().decode().strip().splitlines()[-1]
            whole.join()
            rest, errors = process.communicate(timeout=60)
            streamed.close()
        finally:
            process.kill()
    assert json.loads(last.removeprefix("data: "))["error"]["code"] == "server_stopped"
    assert said[0][0] == 503
    assert said[0][1]["error"]["code"] == "server_stopped"
    assert (process.returncode, rest) == (0, "over\n")
    assert len(errors.splitlines()) == 1
    assert "Traceback" not in errors
