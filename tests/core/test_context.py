"""Contexts: whatever is left out, a call and its results stay together and nothing is changed."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course import clock
from course.context import Context, groups, transcript
from course.errors import ModelError
from course.models import ApiError, ChatRequest, Reply, Scripted, connect
from course.models.wire import Message
from course.trace import Trace

SYSTEM = {"role": "system", "content": "Be kind."}
USER = {"role": "user", "content": "Hello"}
SAID = {"role": "assistant", "content": "Hi"}


def called(*ids: str, saying: str | None = None) -> list[Message]:
    """An assistant's message with calls, and the results of all of them."""
    calls = [
        {"id": i, "type": "function", "function": {"name": "find", "arguments": "{}"}} for i in ids
    ]
    asked: Message = {"role": "assistant", "content": saying, "tool_calls": calls}
    return [asked, *({"role": "tool", "tool_call_id": i, "content": f"found {i}"} for i in ids)]


@st.composite
def conversations(draw: st.DrawFn) -> Context:
    """Any conversation the API takes: instructions anywhere, calls with all their results."""
    messages: list[Message] = []
    for number in range(draw(st.integers(0, 12))):
        kind = draw(st.sampled_from(["system", "developer", "user", "assistant", "calls"]))
        if kind == "calls":
            ids = [f"c{number}.{i}" for i in range(draw(st.integers(1, 4)))]
            messages += called(*ids, saying=draw(st.none() | st.just("one moment")))
        else:
            messages.append({"role": kind, "content": f"{kind} {number}"})
    return Context(tuple(messages))


def assert_whole(context: Context) -> None:
    """Each call is answered right after its message, each result has its call before it."""
    open_calls: list[str] = []
    for message in context.messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] == open_calls.pop(0)
        else:
            assert open_calls == []
            open_calls = [call["id"] for call in message.get("tool_calls", ())]
    assert open_calls == []


def instructions(context: Context) -> list[Message]:
    return [m for m in context.messages if m["role"] in ("system", "developer")]


def the_rest(context: Context) -> list[Message]:
    return [m for m in context.messages if m["role"] not in ("system", "developer")]


def test_a_conversation_begins_with_instructions_if_there_are_any() -> None:
    assert Context.of("Hello").messages == (USER,)
    assert Context.of("Hello", instructions="Be kind.").messages == (SYSTEM, USER)


def test_adding_makes_a_new_context_and_leaves_the_old_one() -> None:
    old = Context((USER,))
    assert old.add(SAID, USER).messages == (USER, SAID, USER)
    assert old.messages == (USER,)


@given(conversations(), st.integers(-1, 15))
def test_truncating_never_separates_a_call_from_its_results(context: Context, most: int) -> None:
    assert_whole(context.truncate(most))


@given(conversations(), st.integers(-1, 15))
def test_truncating_keeps_all_instructions_and_an_unbroken_end(context: Context, most: int) -> None:
    short = context.truncate(most)
    assert instructions(short) == instructions(context)
    rest, kept = the_rest(context), the_rest(short)
    assert kept == rest[len(rest) - len(kept) :]
    assert bool(kept) == bool(rest)


@given(conversations(), st.integers(1, 15))
def test_truncating_keeps_as_much_as_fits_and_no_more_than_the_last_group(
    context: Context, most: int
) -> None:
    kept = the_rest(context.truncate(most))
    whole = list(groups(Context(tuple(the_rest(context)))))
    if len(kept) > most:
        assert kept == whole[-1]
    elif len(kept) < len(the_rest(context)):
        next_group = whole[-1 - len(list(groups(Context(tuple(kept)))))]
        assert len(kept) + len(next_group) > most


@given(conversations(), st.booleans(), st.booleans())
def test_copying_never_separates_a_call_from_its_results(
    context: Context, no_instructions: bool, no_calls: bool
) -> None:
    copied = context.copy(exclude_instructions=no_instructions, exclude_tool_calls=no_calls)
    assert_whole(copied)
    assert instructions(copied) == ([] if no_instructions else instructions(context))
    if no_calls:
        assert not any(m["role"] == "tool" or m.get("tool_calls") for m in copied.messages)
    else:
        assert the_rest(copied) == the_rest(context)


@given(conversations(), st.integers(0, 9))
def test_nothing_changes_the_messages_themselves(context: Context, most: int) -> None:
    before = copy.deepcopy(context.messages)
    context.truncate(most)
    context.copy(exclude_instructions=True, exclude_tool_calls=True)
    context.add(USER)
    assert context.messages == before


def test_what_was_said_beside_a_call_outlives_the_call() -> None:
    context = Context((USER, *called("a", "b", saying="One moment."), SAID))
    assert context.copy(exclude_tool_calls=True).messages == (
        USER,
        {"role": "assistant", "content": "One moment."},
        SAID,
    )


@given(conversations())
def test_groups_are_the_conversation_in_pieces(context: Context) -> None:
    pieces = list(groups(context))
    assert [message for piece in pieces for message in piece] == list(context.messages)
    assert all(m["role"] == "tool" for piece in pieces for m in piece[1:])


def test_the_answer_is_what_the_assistant_said_last() -> None:
    assert Context((USER, SAID, *called("a")[:1])).answer == "Hi"
    assert Context((USER,)).answer == ""


def test_a_transcript_tells_words_calls_and_results() -> None:
    assert transcript((USER, *called("a", saying="One moment."))).splitlines() == [
        "user: Hello",
        "assistant: One moment.",
        "assistant called find({})",
        "tool: found a",
    ]


# summarise


LONG = Context((SYSTEM, USER, SAID, *called("a"), {"role": "user", "content": "And tomorrow?"}))


def summarised(context: Context, answer: Any = "Ada said hello.", **options: Any) -> Context:
    return clock.simulate(context.summarise(connect(Scripted(lambda _: answer)), **options))


def test_a_summary_stands_between_the_instructions_and_the_last_words() -> None:
    short = summarised(LONG, keep=1)
    assert short.messages == (
        SYSTEM,
        {"role": "user", "content": "Summary of the conversation so far: Ada said hello."},
        LONG.messages[-1],
    )


def test_the_model_reads_all_that_is_left_out_and_nothing_else() -> None:
    asked: list[ChatRequest] = []
    clock.simulate(LONG.summarise(connect(Scripted(lambda r: asked.append(r) or "short")), keep=1))
    assert asked[0].messages[-1]["content"] == transcript(LONG.messages[1:-1])
    assert asked[0].messages[0]["role"] == "system"


def test_what_is_short_enough_costs_no_model_call() -> None:
    never = Scripted(lambda request: None)
    assert clock.simulate(LONG.summarise(connect(never), keep=9)) is LONG
    assert never.requests == []


def test_another_agent_s_instructions_do_not_wipe_out_the_summary() -> None:
    short = summarised(LONG, keep=1).copy(exclude_instructions=True)
    assert "Ada said hello." in short.messages[0]["content"]


@given(conversations(), st.integers(0, 9))
def test_summarising_never_separates_a_call_from_its_results(context: Context, keep: int) -> None:
    short = summarised(context, keep=keep)
    assert_whole(short)
    assert instructions(short) == instructions(context)


def test_summarising_is_recorded_like_any_model_call() -> None:
    trace = Trace("summary")
    with trace.record():
        summarised(LONG, keep=1)
    assert [span.operation for span in trace.spans] == ["chat"]


def test_a_model_that_refuses_is_told_in_one_line() -> None:
    def refuse(request: ChatRequest) -> Reply:
        raise ApiError(400, "no summaries today")

    client = connect(Scripted(refuse))
    with pytest.raises(ModelError, match="no summaries today"):
        clock.simulate(LONG.summarise(client, keep=1))
