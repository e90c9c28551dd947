"""Answers: ids and usage, stop sequences, token limits, choices, structured output."""

import asyncio
from collections.abc import Callable

import openai
import pytest
from openai.types.chat import ChatCompletion
from pydantic import BaseModel

from course.models import SMALL, Call, Reply, connect, tokens
from tests.models.talk import FIND, HELLO, body, post

LONG = "one two three four five six seven eight nine ten"


def ask(answer: object, **parameters: object) -> ChatCompletion:
    return asyncio.run(post(connect(lambda _: answer), body(**parameters)))  # type: ignore[arg-type,return-value]


def test_usage_is_what_the_tokenizer_counts() -> None:
    usage = ask("Hello to you too.", tools=[FIND]).usage
    assert usage is not None
    assert usage.prompt_tokens == tokens.count_prompt([HELLO], [FIND])
    assert usage.completion_tokens == tokens.count_text("Hello to you too.")
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens


def test_ids_repeat_with_the_run_and_differ_within_it() -> None:
    reply = Reply(calls=(Call("find", "{}"), Call("find", "{}")))

    def ids(seed: int, call: int) -> list[str]:
        client = connect(lambda _: reply, seed=seed)
        answer = asyncio.run(post(client, body(tools=[FIND]), {"x-switchboard-call": str(call)}))
        return [answer.id, *(made.id for made in answer.choices[0].message.tool_calls or ())]

    assert ids(0, 1) == ids(0, 1)
    everything = ids(0, 1) + ids(0, 2) + ids(1, 1)
    assert len(set(everything)) == 9


def test_a_stop_sequence_ends_the_text_before_it() -> None:
    choice = ask(LONG, stop=["seven", " four"]).choices[0]
    assert (choice.message.content, choice.finish_reason) == ("one two three", "stop")
    assert ask(LONG, stop="eleven").choices[0].message.content == LONG


@pytest.mark.parametrize("parameter", ["max_tokens", "max_completion_tokens"])
def test_a_token_limit_cuts_the_text(parameter: str) -> None:
    answer = ask(LONG, **{parameter: 3})
    assert answer.choices[0].message.content == "one two three"
    assert answer.choices[0].finish_reason == "length"
    assert answer.usage is not None
    assert answer.usage.completion_tokens == 3


def test_a_token_limit_leaves_a_short_text_alone() -> None:
    choice = ask(LONG, max_tokens=10).choices[0]
    assert (choice.message.content, choice.finish_reason) == (LONG, "stop")


def test_a_token_limit_breaks_the_arguments_of_a_call_and_drops_the_next() -> None:
    call = Call("find", '{"name": "a rather long family name"}')
    choice = ask(Reply(calls=(call, call)), tools=[FIND], max_tokens=9).choices[0]
    assert choice.finish_reason == "length"
    (made,) = choice.message.tool_calls or ()
    assert made.type == "function"
    cut = made.function.arguments
    assert call.arguments.startswith(cut)
    assert 0 < len(cut) < len(call.arguments)


def test_n_gives_choices_that_differ_when_the_script_gives_several() -> None:
    same = ask("again", n=3)
    assert [c.message.content for c in same.choices] == ["again"] * 3
    assert [c.index for c in same.choices] == [0, 1, 2]
    each = ask([Reply("left"), Reply("right")], n=2)
    assert [c.message.content for c in each.choices] == ["left", "right"]


def test_a_refusal_is_sent_as_one() -> None:
    message = ask(Reply(refusal="I will not.")).choices[0].message
    assert (message.content, message.refusal) == (None, "I will not.")


class Visit(BaseModel):
    patient: str
    minutes: int


def parse(text: str, **options: int) -> Visit | None:
    async def ask_for_visit() -> Visit | None:
        answer = await connect(lambda _: text).chat.completions.parse(
            model=SMALL,
            messages=[{"role": "user", "content": "Plan the visit."}],
            response_format=Visit,
            **options,  # type: ignore[arg-type]
        )
        return answer.choices[0].message.parsed

    return asyncio.run(ask_for_visit())


def test_parse_with_a_pydantic_model() -> None:
    assert parse('{"patient": "Ann", "minutes": 30}') == Visit(patient="Ann", minutes=30)


def test_parse_of_a_cut_answer_is_the_clients_own_error() -> None:
    with pytest.raises(openai.LengthFinishReasonError):
        parse('{"patient": "Ann", "minutes": 30}', max_tokens=4)


def test_half_a_surrogate_pair_survives_as_a_question_mark() -> None:
    assert ask("so \ud83d so").choices[0].message.content == "so ? so"


def test_answers_carry_what_clients_look_for() -> None:
    answer = ask("fine")
    assert answer.object == "chat.completion"
    assert answer.model == SMALL
    assert answer.system_fingerprint is not None
    assert answer.system_fingerprint.startswith("fp_")
    assert answer._request_id is not None
    assert answer._request_id.startswith("req_")


def times(function: Callable[[], object], count: int) -> list[object]:
    return [function() for _ in range(count)]


def test_the_same_run_gives_the_same_bytes() -> None:
    first, second = times(lambda: ask(LONG, n=2, max_tokens=4).model_dump_json(), 2)
    assert first == second


def test_an_answer_that_litellm_wrote_down_is_taken_as_history() -> None:
    own = {
        "provider_specific_fields": {"refusal": None},
        "reasoning_content": "I should greet.",
        "thinking_blocks": [],
        "images": [],
        "function_call": None,
        "tool_calls": None,
    }
    replies = []
    for more in ({}, own):
        talk = (HELLO, {"role": "assistant", "content": "Hi.", **more}, HELLO)
        answer = asyncio.run(post(connect(lambda _: "fine"), body(*talk)))
        replies.append((answer.choices[0].message.content, answer.usage))
    assert replies[0] == replies[1]
    with pytest.raises(openai.BadRequestError, match="provider_specific_fields"):
        asyncio.run(post(connect(lambda _: "no"), body({**HELLO, "provider_specific_fields": {}})))
