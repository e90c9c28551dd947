"""connect(): which model answers, and that the real client in front of it stays cheap and real."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from openai import AsyncOpenAI

from course import Agent, clock, run
from course.errors import ConfigurationError, FileFormatError, UnexpectedRequest
from course.models import LARGE, SMALL, Call, ChatRequest, Reply, Scripted, connect
from tests.models.talk import ASKED, FIND, FOUND, HELLO, body, post


def echo(request: ChatRequest) -> str:
    return f"You said {request.messages[-1]['content']}."


def test_create_and_post_send_the_same_and_get_the_same() -> None:
    script = Scripted(echo)
    client = connect(script)

    async def both() -> tuple[str | None, str | None]:
        made = await client.chat.completions.create(
            model=SMALL, messages=[{"role": "user", "content": "hello"}]
        )
        posted = await post(client, body())
        return made.choices[0].message.content, posted.choices[0].message.content

    assert asyncio.run(both()) == ("You said hello.", "You said hello.")
    first, second = script.requests
    assert first.raw == second.raw
    assert isinstance(client, AsyncOpenAI)


def test_a_plain_function_or_a_coroutine_function_will_do() -> None:
    async def slowly(request: ChatRequest) -> Reply:
        await asyncio.sleep(0)
        return Reply("Done.")

    for responder, text in ((echo, "You said hello."), (slowly, "Done.")):
        answer = asyncio.run(post(connect(responder), body()))
        assert answer.choices[0].message.content == text


def test_a_script_sees_the_request_as_data() -> None:
    script = Scripted(lambda _: "fine")
    headers = {
        "x-switchboard-run": "r1",
        "x-switchboard-agent": "desk",
        "x-switchboard-matter": "t1",
        "x-switchboard-call": "3",
        "x-stainless-retry-count": "2",
    }
    content = body(
        {"role": "system", "content": "Be brief."},
        HELLO,
        ASKED,
        FOUND,
        tools=[FIND],
        tool_choice={"type": "function", "function": {"name": "find"}},
        parallel_tool_calls=False,
        stop="END",
        seed=5,
        max_completion_tokens=50,
    )
    asyncio.run(post(connect(script), content, headers))
    request = script.requests[0]
    key = request.key
    assert (key.run, key.agent, key.call, key.attempt) == ("r1", "desk", 3, 2)
    assert (request.tool_choice, request.named_tool) == ("named", "find")
    assert request.tools[0].parameters["required"] == ["name"]
    assert (request.parallel_tool_calls, request.stop, request.seed) == (False, ("END",), 5)
    assert (request.max_tokens, request.n, request.stream) == (50, 1, False)
    assert request.raw == content


@pytest.mark.parametrize("name", ["Übersetzer", "🙂", "50 % off", "two\nlines", "plain one"])
def test_agents_and_runs_have_names_in_every_language(name: str) -> None:
    script = Scripted(echo)
    agent, client = Agent(name=name), connect(script)
    for on_text in (None, lambda text: None):
        clock.simulate(run(agent, "Hi", client=client, run_id=f"{name}/1", on_text=on_text))
    assert {(each.key.run, each.key.agent) for each in script.requests} == {(f"{name}/1", name)}


def test_without_headers_the_key_follows_from_the_conversation() -> None:
    script = Scripted(lambda _: "fine")
    client = connect(script)
    for system in ("Be brief.", "Be kind."):
        asyncio.run(post(client, body({"role": "system", "content": system}, HELLO, ASKED, FOUND)))
    brief, kind = (request.key for request in script.requests)
    assert brief.call == kind.call == 1
    assert brief.agent != kind.agent
    assert brief.run == ""


def test_a_strict_script_names_what_it_did_not_expect() -> None:
    client = connect(Scripted(lambda _: None))
    with pytest.raises(UnexpectedRequest, match=r"user message 'hello'.*tools: find"):
        asyncio.run(post(client, body(tools=[FIND])))
    answer = asyncio.run(post(connect(Scripted(lambda _: None, strict=False)), body()))
    assert answer.choices[0].message.content == ""


@pytest.mark.parametrize("nonsense", [None, 7, [], ["text"], {"role": "assistant"}])
def test_a_script_that_answers_nonsense_is_told_what_to_answer(nonsense: object) -> None:
    with pytest.raises(TypeError, match="a Reply, a text or a list of Replies"):
        asyncio.run(post(connect(lambda _: nonsense), body()))  # type: ignore[arg-type,return-value]


def test_requests_in_flight_are_counted() -> None:
    script = Scripted(lambda _: "fine", latency=0.01)

    async def many() -> None:
        client = connect(script)
        await asyncio.gather(*(post(client, body()) for _ in range(7)))
        await post(client, body())

    asyncio.run(many())
    assert script.in_flight_peak == 7
    assert script.gauge.now == 0
    assert len(script.requests) == 8


def test_kept_requests_of_a_conversation_share_their_messages() -> None:
    script = Scripted(lambda _: "fine")
    client = connect(script)

    async def grow() -> None:
        history = [HELLO]
        for _ in range(3):
            await post(client, body(*history))
            history += [{"role": "assistant", "content": "fine"}, {"role": "user", "content": "?"}]

    asyncio.run(grow())
    first, second, third = script.requests
    assert first.messages[0] is third.messages[0]
    assert second.messages[2] is third.messages[2]
    assert [len(request.messages) for request in script.requests] == [1, 3, 5]


def test_the_environment_chooses_when_the_call_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_BACKEND", "telepathy")
    with pytest.raises(ConfigurationError, match=r"no backend 'telepathy'.*'simulated'"):
        connect()
    connect(echo)


def test_an_unknown_profile_names_the_known_ones() -> None:
    with pytest.raises(ConfigurationError, match=r"no profile 'sunny'.*busy, calm"):
        connect(echo, profile="sunny")


def test_a_damaged_profile_is_refused_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("name = = 1\n")
    with pytest.raises(FileFormatError, match=r"mine\.toml.*line 1"):
        connect(echo, profile=file)


def test_options_of_the_client_can_be_changed_as_usual() -> None:
    script = Scripted(lambda _: "fine")
    client = connect(script, seed=3).with_options(max_retries=5, timeout=9.0)
    answer = asyncio.run(post(client, body(model=LARGE)))
    assert answer.model == LARGE
    assert (client.max_retries, client.timeout) == (5, 9.0)


def test_importing_the_models_does_not_import_the_sdk() -> None:
    code = (
        "import course.models, sys; "
        "heavy = {'openai', 'httpx2', 'pydantic', 'jsonschema', 'uvicorn'} & sys.modules.keys(); "
        "sys.exit(f'{heavy} imported' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_calls_are_answered_as_calls() -> None:
    reply = Reply("One moment.", (Call("find", '{"name": "Ann"}', "mine"), Call("find", "{}")))
    answer = asyncio.run(post(connect(lambda _: reply), body(tools=[FIND])))
    message = answer.choices[0].message
    assert message.content == "One moment."
    assert answer.choices[0].finish_reason == "tool_calls"
    assert message.tool_calls is not None
    first, second = message.tool_calls
    assert first.id == "mine"
    assert second.id.startswith("call_")
    assert first.type == "function"
    assert first.function.arguments == '{"name": "Ann"}'
