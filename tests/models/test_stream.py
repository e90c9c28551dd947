"""Streaming: pieces that join to the answer, at the answer's pace, ended by anyone at any time."""

import asyncio

import openai
import pytest
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionChunk

from course import clock
from course.models import SMALL, Call, Reply, Scripted, connect
from course.models.profile import load
from tests.models.talk import FIND, body

TEXT = "The desk opens at eight,\n  and closes at five. "
REPLY = Reply("Wait.", (Call("find", '{"name": "Ann Margaret Smith"}'), Call("find", "{}")))


async def collect(client: AsyncOpenAI, **parameters: object) -> list[ChatCompletionChunk]:
    stream = await client.post(
        "/chat/completions",
        body=body(stream=True, **parameters),
        cast_to=ChatCompletionChunk,
        stream=True,
        stream_cls=openai.AsyncStream[ChatCompletionChunk],
    )
    return [chunk async for chunk in stream]


def stream(reply: object, **parameters: object) -> list[ChatCompletionChunk]:
    return asyncio.run(collect(connect(lambda _: reply), **parameters))  # type: ignore[arg-type,return-value]


def test_text_comes_word_by_word_and_joins_to_itself() -> None:
    chunks = stream(TEXT)
    deltas = [chunk.choices[0].delta for chunk in chunks]
    words = [delta.content for delta in deltas[1:-1]]
    assert (deltas[0].role, deltas[0].content) == ("assistant", "")
    assert "".join(word or "" for word in words) == TEXT
    assert len(words) == len(TEXT.split())
    assert [c.choices[0].finish_reason for c in chunks] == [None] * (len(chunks) - 1) + ["stop"]
    assert len({chunk.id for chunk in chunks}) == 1


def test_calls_come_in_pieces_with_their_index() -> None:
    names: dict[int, str] = {}
    arguments: dict[int, str] = {}
    for chunk in stream(REPLY, tools=[FIND]):
        for piece in chunk.choices[0].delta.tool_calls or ():
            assert piece.function is not None
            if piece.id:
                names[piece.index] = piece.function.name or ""
            arguments[piece.index] = arguments.get(piece.index, "") + (
                piece.function.arguments or ""
            )
    assert names == {0: "find", 1: "find"}
    assert arguments == {0: REPLY.calls[0].arguments, 1: "{}"}


def test_usage_comes_last_when_it_is_asked_for() -> None:
    chunks = stream(TEXT, stream_options={"include_usage": True})
    assert [chunk.usage for chunk in chunks[:-1]] == [None] * (len(chunks) - 1)
    assert chunks[-1].choices == []
    assert chunks[-1].usage is not None
    whole = asyncio.run(
        connect(lambda _: TEXT).chat.completions.create(
            model=SMALL, messages=[{"role": "user", "content": "hello"}]
        )
    )
    assert chunks[-1].usage == whole.usage
    assert all(chunk.usage is None for chunk in stream(TEXT))


def test_every_choice_is_streamed_under_its_index() -> None:
    texts = {0: "", 1: ""}
    for chunk in stream([Reply("left hand"), Reply("right hand")], n=2):
        texts[chunk.choices[0].index] += chunk.choices[0].delta.content or ""
    assert texts == {0: "left hand", 1: "right hand"}


def test_an_empty_text_is_a_stream_of_its_frame() -> None:
    assert [c.choices[0].finish_reason for c in stream("")] == [None, "stop"]


def test_an_error_before_the_stream_is_an_error_and_no_stream() -> None:
    with pytest.raises(openai.BadRequestError):
        stream(TEXT, tools=[])


def test_the_clients_stream_helper_understands_it() -> None:
    async def follow() -> str | None:
        client = connect(lambda _: TEXT)
        async with client.chat.completions.stream(
            model=SMALL, messages=[{"role": "user", "content": "hello"}]
        ) as events:
            final = await events.get_final_completion()
        return final.choices[0].message.content

    assert asyncio.run(follow()) == TEXT


def test_a_stream_takes_as_long_as_the_whole_answer_and_starts_sooner() -> None:
    text = "word " * 50

    async def timed() -> tuple[float, float, float]:
        client = connect(lambda _: text, profile="calm", seed=4)
        start = clock.now()
        await client.post("/chat/completions", body=body(), cast_to=object)
        whole = clock.now() - start
        start = clock.now()
        chunks = await client.chat.completions.create(
            model=SMALL, messages=[{"role": "user", "content": "hello"}], stream=True
        )
        first = clock.now() - start
        async for _ in chunks:
            pass
        return whole, first, clock.now() - start

    whole, first, streamed = clock.simulate(timed())
    # The loop rounds each pause to whole microseconds.
    assert streamed == pytest.approx(whole, abs=1e-3)
    assert 0 < first < 0.8 * whole


def test_a_stream_left_early_is_no_longer_in_flight() -> None:
    script = Scripted(lambda _: TEXT)

    async def leave(after: int) -> None:
        client = connect(script)
        chunks = await client.chat.completions.create(
            model=SMALL, messages=[{"role": "user", "content": "hello"}], stream=True
        )
        assert script.gauge.now == 1
        for _ in range(after):
            await anext(chunks)
        await chunks.close()

    for after in (0, 3):
        asyncio.run(leave(after))
        assert script.gauge.now == 0


def test_a_pause_in_a_stream_longer_than_the_timeout_is_a_timeout() -> None:
    slow = load("instant").models[SMALL].model_copy(update={"tokens_per_second": 0.1})
    profile = load("instant").model_copy(update={"models": {SMALL: slow}})

    async def wait() -> tuple[type[Exception], float]:
        client = connect(lambda _: TEXT, profile=profile).with_options(timeout=2.0)
        start = clock.now()
        with pytest.raises(openai.APITimeoutError) as caught:
            await collect(client)
        return caught.type, clock.now() - start

    _, waited = clock.simulate(wait())
    assert waited == pytest.approx(2.0)
