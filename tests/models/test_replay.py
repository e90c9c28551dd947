"""Recording and replay: the same answers, the same times, and no key in the file."""

import asyncio
import json
from pathlib import Path
from typing import Any

import openai
import pytest

from course import clock
from course.errors import ConfigurationError, FileFormatError, UnexpectedRequest
from course.models import ApiError, Call, ChatRequest, Replay, Reply, Scripted, connect
from course.models.line import guarded
from course.models.recording import read_recording
from course.models.server import background
from tests.models.talk import FIND, HELLO, body, post

KEY = "sk-open-sesame-1234"


def script(request: ChatRequest) -> Reply:
    if request.tools:
        return Reply(calls=(Call("find", '{"name": "Ann"}'),))
    return Reply(f"You said {request.messages[-1]['content']}.")


async def conversation(client: openai.AsyncOpenAI) -> list[Any]:
    """Three kinds of exchange, as data: a text, a call, a stream."""
    text = await post(client, body())
    call = await post(client, body(tools=[FIND]))
    stream = await client.chat.completions.create(**body(stream=True))
    return [text.model_dump(), call.model_dump(), [c.model_dump() async for c in stream]]


def test_a_replay_gives_the_same_answers_in_the_same_time(tmp_path: Path) -> None:
    async def timed(client: openai.AsyncOpenAI) -> tuple[list[Any], float]:
        said = await conversation(client)
        return said, clock.now()

    file = tmp_path / "new folder" / "run.jsonl"
    original, took = clock.simulate(timed(connect(script, profile="calm", record=file)))
    replayed, again = clock.simulate(timed(connect(Replay(file))))
    assert replayed == original
    assert again == pytest.approx(took, abs=1e-3)
    assert took > 1
    at_once, nothing = clock.simulate(timed(connect(Replay(file, timing=False))))
    assert (at_once, nothing) == (original, 0)


def test_a_replay_can_be_run_twice_and_recorded_itself(tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    asyncio.run(conversation(connect(script, record=first)))
    client = connect(Replay(first, timing=False), record=second)
    assert asyncio.run(conversation(client)) == asyncio.run(conversation(client))
    assert len(read_recording(second)) == 6


def test_equal_requests_get_their_answers_back_in_order(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    numbers = iter(range(100))

    def count(request: ChatRequest) -> str:
        if request.key.attempt == 0 and request.key.agent == "flaky":
            raise ApiError(500, "Not yet.")
        return str(next(numbers))

    async def talk(client: openai.AsyncOpenAI) -> list[str | None]:
        agents = ["ann", "bob", "flaky", "ann"]
        line = guarded(client)
        answers = [await post(line, body(), {"x-switchboard-agent": a}) for a in agents]
        return [answer.choices[0].message.content for answer in answers]

    assert clock.simulate(talk(connect(count, record=file))) == ["0", "1", "2", "3"]
    assert clock.simulate(talk(connect(Replay(file)))) == ["0", "1", "2", "3"]
    by_key = post(connect(Replay(file)), body(), {"x-switchboard-agent": "bob"})
    assert asyncio.run(by_key).choices[0].message.content == "1"


def test_timeouts_are_recorded_and_played(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"

    async def wait(client: openai.AsyncOpenAI) -> float:
        with pytest.raises(openai.APITimeoutError):
            await post(client.with_options(timeout=3.0, max_retries=0), body())
        return clock.now()

    slow = Scripted(script, latency=10)
    assert clock.simulate(wait(connect(slow, record=file))) == 3.0
    assert clock.simulate(wait(connect(Replay(file)))) == 3.0


def recorded(tmp_path: Path) -> Path:
    file = tmp_path / "run.jsonl"
    asyncio.run(conversation(connect(script, record=file)))
    return file


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            body({"role": "user", "content": "hello, you"}),
            r"line 2, where message 0 was 'user: hello' and is now 'user: hello, you'",
        ),
        (body(HELLO, HELLO), "there were 1 messages and are now 2"),
        (body(temperature=0.5), "'temperature' was 'None' and is now '0.5'"),
    ],
)
def test_an_unknown_request_names_the_nearest_and_the_difference(
    tmp_path: Path, asked: dict[str, Any], message: str
) -> None:
    client = connect(Replay(recorded(tmp_path)))
    with pytest.raises(UnexpectedRequest, match=message) as caught:
        asyncio.run(post(client, asked))
    assert "run.jsonl does not hold this request" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_nearest_request_is_the_one_that_goes_along_longest(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    long = [HELLO, {"role": "assistant", "content": "hi"}, {"role": "user", "content": "when?"}]

    async def talk() -> None:
        client = connect(script, record=file)
        for content in (body(), body(*long), body({"role": "user", "content": "when?"})):
            await post(client, content)

    asyncio.run(talk())
    asked = body(*long[:2], {"role": "user", "content": "where?"})
    with pytest.raises(UnexpectedRequest, match="line 3, where message 2 was 'user: when"):
        asyncio.run(post(connect(Replay(file)), asked))


def test_another_service_is_not_in_the_recording(tmp_path: Path) -> None:
    client = connect(Replay(recorded(tmp_path)))
    with pytest.raises(UnexpectedRequest, match="no request POST /embeddings"):
        asyncio.run(client.embeddings.create(model="m", input="a"))


def test_a_recording_holds_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "run.jsonl"

    def leak(request: ChatRequest) -> str:
        return f"Your key is {KEY}, isn't it?"

    with background(profile="instant", responder=leak, require_key=KEY) as url:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        asyncio.run(conversation(connect("endpoint", record=file)))
    text = file.read_text()
    assert "Your key is (the key)" in text
    assert KEY not in text
    assert "uthorization" not in text
    assert "Bearer" not in text


def test_a_recording_begins_anew_but_only_over_a_recording(tmp_path: Path) -> None:
    file = recorded(tmp_path)
    before = file.read_text()
    client = connect(script, record=file)
    assert file.read_text() == before
    asyncio.run(post(client, body()))
    assert len(read_recording(file)) == 1
    homework = tmp_path / "homework.py"
    homework.write_text("print('a week of work')\n")
    with pytest.raises(ConfigurationError, match=r"homework\.py exists and is no recording"):
        connect(script, record=homework)


def test_a_stream_left_early_is_recorded_as_far_as_it_was_read(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"

    async def leave() -> None:
        stream = await connect(script, record=file).chat.completions.create(**body(stream=True))
        await anext(stream)
        await anext(stream)
        await stream.close()

    asyncio.run(leave())
    (exchange,) = read_recording(file)
    assert exchange.events is not None
    assert len(exchange.events) == 2


GOOD = {
    "method": "POST",
    "path": "/chat/completions",
    "request": {},
    "key": {"run": "", "agent": "", "call": 0, "attempt": 0},
    "seconds": 0.5,
    "status": 200,
    "headers": {},
    "answer": "{}",
}


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in GOOD.items() if key != name}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"method": "POST", ', "line 3, column"),
        ("[1]", "line 3: not an exchange"),
        (json.dumps(without("seconds")), "line 3: not an exchange.*seconds"),
        (json.dumps(without("key")), "line 3: not an exchange.*key"),
        (json.dumps(without("answer")), "line 3.*one of answer, events and failure"),
        (json.dumps({**GOOD, "seconds": -1}), "line 3.*seconds: Input should be"),
        (json.dumps({**GOOD, "seconds": "1"}), "line 3.*seconds: Input should be"),
        (json.dumps({**GOOD, "status": 2}), "line 3.*status 2 is no HTTP status"),
        (json.dumps({**without("answer"), "events": [["x"]]}), "line 3: not an exchange"),
        (json.dumps({**GOOD, "mood": "good"}), "line 3.*mood"),
        ("[" * 100_000, "line 3: nested too deeply"),
    ],
)
def test_a_damaged_recording_is_refused_with_the_line(
    tmp_path: Path, line: str, message: str
) -> None:
    file = tmp_path / "run.jsonl"
    header = '{"switchboard": "recording", "version": 1}'
    file.write_text(f"{header}\n{json.dumps(GOOD)}\n{line}\n")
    with pytest.raises(FileFormatError, match=message) as caught:
        Replay(file)
    assert "run.jsonl" in str(caught.value)


@pytest.mark.parametrize("text", ["", "hello\n", '{"switchboard": "recording", "version": 2}\n'])
def test_another_file_is_no_recording(tmp_path: Path, text: str) -> None:
    file = tmp_path / "run.jsonl"
    file.write_text(text)
    with pytest.raises(FileFormatError, match="line 1"):
        Replay(file)


def test_a_missing_or_binary_recording_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"none\.jsonl: No such file.*record a run"):
        Replay(tmp_path / "none.jsonl")
    (tmp_path / "bytes").write_bytes(b'{"a": "\xff"}')
    with pytest.raises(FileFormatError, match="byte 7 is not text"):
        Replay(tmp_path / "bytes")
