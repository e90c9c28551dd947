"""The server: the same engine over HTTP, for other clients, stopped cleanly by a signal."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI

from course.errors import ConfigurationError
from course.models import LARGE, SMALL, Call, ChatRequest, Reply, Scripted, connect, server
from course.models.names import stand_in
from course.models.server import MAX_BODY, background, serve
from tests.models.talk import FIND, body, post
from tests.needs import package


def script(request: ChatRequest) -> Reply:
    last = request.messages[-1]
    if last["role"] == "tool":
        return Reply(f"It is {last['content']}.")
    if request.tools:
        return Reply(calls=(Call(request.tools[0].name, '{"name": "Ann"}'),))
    return Reply(f"You said {last['content']}.")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with background(profile="instant", responder=script) as url:
        yield url


def remote(url: str) -> AsyncOpenAI:
    return AsyncOpenAI(base_url=url, api_key="any", max_retries=0)


def test_http_and_in_process_give_the_same_answers(url: str) -> None:
    async def talk(client: AsyncOpenAI) -> list[Any]:
        whole = await post(client, body(tools=[FIND]))
        options = {"include_usage": True}
        stream = await client.chat.completions.create(**body(stream=True, stream_options=options))
        data = [whole.model_dump(), *[chunk.model_dump() async for chunk in stream]]
        for part in data:
            part.pop("created")
        return data

    assert asyncio.run(talk(remote(url))) == asyncio.run(talk(connect(script)))


@pytest.mark.parametrize(
    ("name", "answers"),
    [
        ("openai/gpt-4.1-mini", SMALL),
        ("gpt-4o", LARGE),
        ("google/gemini-2.5-flash", SMALL),
        ("claude-sonnet-4-5", LARGE),
        ("meta-llama/Llama-3.1-8B-Instruct", SMALL),
        ("o3", LARGE),
        (SMALL, SMALL),
    ],
)
def test_another_maker_s_model_name_is_answered_by_one_of_the_course_s(
    url: str, name: str, answers: str
) -> None:
    async def ask() -> tuple[Any, Any]:
        client = remote(url)
        return await post(client, body(model=name)), await client.models.retrieve(name)

    said, card = asyncio.run(ask())
    assert said.model == card.id == answers


@pytest.mark.parametrize("name", ["switchboard-smal", "gpt4all?", "", "mine"])
def test_what_is_nobody_s_name_has_no_stand_in(name: str) -> None:
    assert not stand_in(name)


def test_it_is_said_once_who_answers_in_another_s_place() -> None:
    said: list[str] = []
    alias = server._saying_once(said.append)
    assert [alias(name) for name in ("gpt-4o", "gpt-4o-mini", "mine")] == [LARGE, SMALL, ""]
    assert said == [f"{LARGE} answers in place of gpt-4o; so it is with other makers' model names"]


def test_requests_are_answered_at_the_same_time() -> None:
    slow = Scripted(script, latency=0.2)

    async def many(client: AsyncOpenAI) -> None:
        await asyncio.gather(*(post(client, body()) for _ in range(20)))

    with background(profile="instant", responder=slow) as url:
        asyncio.run(many(remote(url)))
    assert slow.in_flight_peak > 10
    assert slow.gauge.now == 0


def test_a_caller_who_hangs_up_is_forgotten() -> None:
    endless = Scripted(lambda _: "word " * 4000)

    async def hang_up(url: str) -> None:
        stream = await remote(url).chat.completions.create(**body(stream=True))
        await anext(stream)
        await stream.close()

    with background(profile="calm", responder=endless) as url:
        asyncio.run(hang_up(url))
        give_up = time.monotonic() + 60
        while endless.gauge.now and time.monotonic() < give_up:
            time.sleep(0.02)
        assert endless.gauge.now == 0


def test_a_body_too_large_is_413(url: str) -> None:
    large = body({"role": "user", "content": "x" * (MAX_BODY + 1)})
    with pytest.raises(openai.APIStatusError) as caught:
        asyncio.run(post(remote(url), large))
    assert caught.value.status_code == 413


def test_a_taken_port_is_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ConfigurationError, match=f"cannot serve on 127.0.0.1:{port}"):
            serve(port)
    with pytest.raises(ConfigurationError, match=r"cannot serve on 127\.0\.0\.1:99999"):
        serve(99_999)


def test_an_answer_in_two_packets_does_not_wait_for_the_first_ones_receipt() -> None:
    """Nagle's delay would cost a client that asks one thing after the other 40 ms each time."""
    delayed: list[int] = []

    async def connected(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = writer.get_extra_info("socket")
        delayed.append(line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    async def main(listener: socket.socket) -> None:
        async with await asyncio.start_server(connected, sock=listener):
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            await reader.read()
            writer.close()

    with server.listen(0) as listener:
        asyncio.run(main(listener))
    assert delayed == [1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(number: signal.Signals) -> None:
    code = "from course.models.server import serve; serve(profile='calm'); print('over')"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        try:
            assert process.stdout is not None
            first = process.stdout.readline()
            url = first.split()[2]
            listed = asyncio.run(remote(url).models.retrieve(SMALL))
            process.send_signal(number)
            rest, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert url.startswith("http://127.0.0.1:")
    assert listed.id == SMALL
    assert (process.returncode, rest, errors) == (0, "over\n", "")


def test_livekits_openai_plugin_can_use_it() -> None:
    package("livekit")
    from livekit.agents import llm
    from livekit.plugins import openai as plugin

    @llm.function_tool
    async def find_patient(name: str, born: int | None = None) -> str:
        """Find a patient by family name."""
        return name

    async def ask(model: Any, context: Any) -> tuple[str, list[Any], Any]:
        text, calls, usage = "", [], None
        async with model.chat(chat_ctx=context, tools=[find_patient]) as stream:
            async for chunk in stream:
                text += (chunk.delta and chunk.delta.content) or ""
                calls += (chunk.delta and chunk.delta.tool_calls) or []
                usage = chunk.usage or usage
        return text, calls, usage

    async def call_and_answer(url: str) -> None:
        model = plugin.LLM(model=SMALL, base_url=url, api_key="any")
        await model._prewarm_impl()
        context = llm.ChatContext.empty()
        context.add_message(role="user", content="Find Ann.")
        _, calls, usage = await ask(model, context)
        (call,) = calls
        assert (call.name, call.arguments) == ("find_patient", '{"name": "Ann"}')
        assert usage.completion_tokens > 0
        made = {"call_id": call.call_id, "name": call.name}
        context.items.append(llm.FunctionCall(**made, arguments=call.arguments))
        context.items.append(llm.FunctionCallOutput(**made, output="patient 7", is_error=False))
        assert (await ask(model, context))[0] == "It is patient 7."
        await model.aclose()

    seen = Scripted(script)
    with background(profile="instant", responder=seen) as url:
        asyncio.run(call_and_answer(url))
    assert seen.requests[0].tools[0].strict
    assert seen.requests[0].stream
    assert seen.requests[0].include_usage
