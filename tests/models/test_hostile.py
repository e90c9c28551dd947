"""Damaged recordings and hostile answers: each ends in one line that names what is wrong."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from course import Agent, connect, run
from course.errors import FileFormatError, ModelError, UnexpectedRequest
from course.models import Replay
from course.models.masking import masked_events
from tests.models.service import Service, answer, send

AGENT = Agent(name="clerk", instructions="Answer.")
HEAD = json.dumps({"switchboard": "recording", "version": 1})
DIGITS = "9" * 5_000
DEEP = "[" * 100_000
REQUEST = {
    "model": "switchboard-small",
    "messages": [{"role": "system", "content": "Answer."}, {"role": "user", "content": "Hello?"}],
}
WHOLE = {"choices": [{"index": 0, "finish_reason": "stop",
                      "message": {"role": "assistant", "content": "hi"}}]}  # fmt: skip
GOOD = {
    "method": "POST",
    "path": "/chat/completions",
    "request": REQUEST,
    "key": {"run": "run", "agent": "clerk", "call": 0, "attempt": 0, "matter": "", "owner": ""},
    "seconds": 0.5,
    "status": 200,
    "headers": {"content-type": "application/json"},
    "answer": json.dumps(WHOLE),
}


def answering(text: str) -> str:
    """An answer whose content stands in the place of "hi", as JSON text."""
    return json.dumps(WHOLE).replace('"hi"', text)


# What stands in the place of a part of an exchange, as JSON text.
DAMAGED = [
    *(("status", said) for said in (DIGITS, '"200"', "null", "200.5", "true", "NaN", "[200]", "99",
                                    "600", "-1")),
    *(("seconds", said) for said in (DIGITS, "1e999", "NaN", '"1"', "true", "-1", "null")),
    *(("request", said) for said in (DIGITS, '"hello"', "5", "[1]", "null", DEEP, "{}")),
    *(("answer", said) for said in ("5", "[1]", "{}", "true", "null", DIGITS, DEEP)),
    *(("headers", said) for said in ("5", "[1]", '"a"', "null", '{"a": 5}', '{"a": "b\\nc: d"}',
                                     '{"a": "名"}')),
    *(("key", said) for said in ("5", "null", '{"x": 1}', '{"call": "x"}', '{"run": [1]}')),
    *((name, said) for name in ("method", "path") for said in ("5", "null", "[]")),
]  # fmt: skip
EVENTS = ["5", "[5]", "[[1]]", '"ab"', '[["nan", "x"]]', "[[-5, 1]]", '[[NaN, "x"]]',
          f'[[{DIGITS}, "x"]]', '[[1, 2, 3]]']  # fmt: skip
LINES = ["5", "[]", "null", '"a"', "{}", "{", DEEP, DIGITS, "\0", "\ufeff{}", '{"line": 1}']


def told(path: Path, line: str) -> str:
    """The one line in which a run with a recording of this line ends."""
    path.write_text(f"{HEAD}\n{line}\n", encoding="utf-8")
    with pytest.raises((FileFormatError, UnexpectedRequest)) as caught:
        asyncio.run(run(AGENT, "Hello?", client=connect(Replay(path, timing=False))))
    return str(caught.value)


@pytest.mark.parametrize(("part", "said"), DAMAGED, ids=lambda each: each[:20])
def test_a_damaged_part_of_a_recording_is_one_line_that_names_it(
    part: str, said: str, tmp_path: Path
) -> None:
    line = json.dumps({**GOOD, part: "<>"}, ensure_ascii=False).replace('"<>"', said)
    _one_line(told(tmp_path / "run", line))


@pytest.mark.parametrize("said", EVENTS, ids=lambda each: each[:20])
def test_damaged_events_are_one_line(said: str, tmp_path: Path) -> None:
    without = {name: value for name, value in GOOD.items() if name != "answer"}
    _one_line(told(tmp_path / "run", json.dumps({**without, "events": "<>"}).replace('"<>"', said)))


@pytest.mark.parametrize("line", LINES, ids=lambda each: repr(each[:9]))
def test_a_damaged_line_is_one_line(line: str, tmp_path: Path) -> None:
    _one_line(told(tmp_path / "run", line))


def _one_line(said: str) -> None:
    assert "run" in said
    assert "\n" not in said and len(said) < 500


HOSTILE = [
    "", "5", "null", "[]", "true", "NaN", '"text"', DIGITS, DEEP, '{"a":' * 100_000,
    *('{"choices":' + said + "}" for said in ("5", "[5]", "[]", "null", DIGITS, DEEP)),
    '{"choices": [{"message": 5}]}', '{"choices": [{"message": {"tool_calls": 5}}]}',
    '{"choices": [{"message": {"tool_calls": [5]}}]}',
    answering("5"), answering("[1]"), answering(DIGITS), answering(DEEP),
    json.dumps({**WHOLE, "usage": "many"}), json.dumps({**WHOLE, "usage": {"prompt_tokens": "x"}}),
    '"\\ud800',
]  # fmt: skip


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    made = Service()
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://{made.place}/v1")
    yield made
    made.stop()


@pytest.mark.parametrize("said", HOSTILE, ids=map(str, range(len(HOSTILE))))
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_hostile_answer_is_one_line(
    said: str, streamed: bool, service: Service, tmp_path: Path
) -> None:
    """The same from a service, and from the recording of what it said."""

    def reply(request: Any) -> None:
        if streamed:
            told = said.replace('"message"', '"delta"')
            send(request, 200, f"data: {told}\n\ndata: [DONE]\n\n", "text/event-stream")
        else:
            send(request, 200, said)

    service.answer = reply
    file = tmp_path / "run"
    heard = print if streamed else None
    for recorded in (False, True):
        client = connect(Replay(file)) if recorded else connect("endpoint", record=file)
        asked = run(AGENT, "Hello?", client=client, on_text=heard)
        with pytest.raises(ModelError) as caught:
            asyncio.run(asked)
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("status", "headers", "said"),
    [
        *((400, {"content-type": f"text/plain; charset={name}"}, "no\xe9") for name in (
            "base64", "rot13", "zip", "idna", "punycode", "undefined", "utf-16", "none")),
        *((503, {"retry-after": date}, "{}") for date in (
            "Mon, 99999999999 Jan 2026 00:00:00 GMT", "1 Jan 26 0:0:0 +9999999999999")),
        (400, {"content-encoding": "gzip"}, "junk"),
        (400, {}, json.dumps({"error": {"message": "\n\nred: \x1b[31m"}})),
        (400, {}, json.dumps({"error": {"message": "x" * 100_000}})),
    ],
    ids=lambda each: str(each)[:40],
)  # fmt: skip
def test_a_hostile_refusal_is_one_line(
    status: int, headers: dict[str, str], said: str, service: Service, tmp_path: Path
) -> None:
    kind = headers.get("content-type", "application/json")
    more = {name: value for name, value in headers.items() if name != "content-type"}
    service.answer = lambda request: send(
        request, status, said, kind, **{"x-should-retry": "false", **more}
    )
    if "retry-after" in more:
        service.answer = lambda request: send(request, status, said, kind, **more)
    file = tmp_path / "run"
    for client in (
        connect("endpoint", record=file),
        connect(Replay(file)) if file.exists() else None,
    ):
        if client is None:
            continue
        with pytest.raises(ModelError) as caught:
            asyncio.run(run(AGENT, "Hello?", client=client))
        assert str(caught.value).isprintable() and len(str(caught.value)) < 500


def test_a_recording_bears_every_sign_that_ends_a_line(service: Service, tmp_path: Path) -> None:
    said = "one\u2028two\u2029three\x85four\x0b\x0c\x1c"
    service.answer = lambda request: send(request, 200, answer(said))
    file = tmp_path / "run"
    for client in (lambda: connect("endpoint", record=file), lambda: connect(Replay(file))):
        assert asyncio.run(run(AGENT, f"Hello{said}?", client=client())).answer == said


def test_masking_bears_whatever_a_stream_holds() -> None:
    deep = '{"a":' * 400 + '"sesame-open"' + "}" * 400
    for text in (*HOSTILE, deep):
        events = masked_events([(0.0, f"data: {text}\n\n")], {"sesame-open"})
        assert "sesame-open" not in events[0][1]
