"""Every complaint of the real API, in process and over HTTP, as the client's own exceptions."""

import asyncio
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI

from course.models import LARGE, SMALL, ApiError, ChatRequest, Scripted, connect
from course.models.server import background
from tests.models.talk import ASKED, FIND, FOUND, HELLO, body, post


def named(name: Any, **parameters: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, **parameters}}


def schema(parameters: Any, strict: bool = False) -> dict[str, Any]:
    return named("f", parameters=parameters, strict=strict)


def form(**schema: Any) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": schema}


OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}
CHOOSE_LOSE = {"type": "function", "function": {"name": "lose"}}

# (body, param, code) of what is answered with 400.
BAD: dict[str, tuple[Any, str | None, str | None]] = {
    "no model": ({"messages": [HELLO]}, "model", "missing_required_parameter"),
    "model is a number": ({"model": 1, "messages": [HELLO]}, "model", "invalid_type"),
    "no messages": ({"model": SMALL}, "messages", "missing_required_parameter"),
    "messages is text": ({"model": SMALL, "messages": "hi"}, "messages", "invalid_type"),
    "messages is null": ({"model": SMALL, "messages": None}, "messages", "invalid_type"),
    "messages is empty": ({"model": SMALL, "messages": []}, "messages", "empty_array"),
    "message is text": (body("hi"), "messages[0]", "invalid_type"),
    "no role": (body({"content": "hi"}), "messages[0].role", "missing_required_parameter"),
    "unknown role": (
        body({"role": "boss", "content": "hi"}),
        "messages[0].role",
        "invalid_value",
    ),
    "no content": (body({"role": "user"}), "messages[0].content", "missing_required_parameter"),
    "null content": (body({"role": "user", "content": None}), "messages.[0].content", None),
    "silent assistant": (body(HELLO, {"role": "assistant"}), "messages.[1].content", None),
    "content is a number": (
        body({"role": "user", "content": 7}),
        "messages[0].content",
        "invalid_type",
    ),
    "content without parts": (
        body({"role": "user", "content": []}),
        "messages[0].content",
        "empty_array",
    ),
    "part without type": (
        body({"role": "user", "content": [{"text": "hi"}]}),
        "messages[0].content[0].type",
        "missing_required_parameter",
    ),
    "an image": (
        body({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}),
        "messages[0].content[0].type",
        None,
    ),
    "unknown field of a message": (
        body({"role": "user", "content": "hi", "mood": "good"}),
        "messages[0].mood",
        "unknown_parameter",
    ),
    "unknown parameter": (body(tempreature=1), "tempreature", "unknown_parameter"),
    "parameter it cannot serve": (body(logprobs=True), "logprobs", "unsupported_parameter"),
    "tool message without a call": (body(HELLO, FOUND), "messages.[1].role", None),
    "tool message for another call": (
        body(HELLO, ASKED, {**FOUND, "tool_call_id": "c2"}),
        "messages.[2].tool_call_id",
        None,
    ),
    "tool message twice": (
        body(HELLO, ASKED, FOUND, FOUND),
        "messages.[3].tool_call_id",
        None,
    ),
    "call without an answer": (body(HELLO, ASKED), "messages.[1].role", None),
    "call answered too late": (body(HELLO, ASKED, HELLO, FOUND), "messages.[1].role", None),
    "two calls with one id": (
        body(HELLO, {**ASKED, "tool_calls": ASKED["tool_calls"] * 2}, FOUND),
        "messages[1].tool_calls[1].id",
        "invalid_value",
    ),
    "call without a name": (
        body(HELLO, {**ASKED, "tool_calls": [{"id": "c1", "function": {"arguments": "{}"}}]}),
        "messages[1].tool_calls[0].function.name",
        "missing_required_parameter",
    ),
    "arguments not as text": (
        body(
            HELLO,
            {**ASKED, "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": {}}}]},
        ),
        "messages[1].tool_calls[0].function.arguments",
        "invalid_type",
    ),
    "no tools in tools": (body(tools=[]), "tools", "empty_array"),
    "too many tools": (
        body(tools=[named(f"f{n}") for n in range(129)]),
        "tools",
        "array_above_max_length",
    ),
    "tool without type": (body(tools=[{}]), "tools[0].type", "missing_required_parameter"),
    "custom tool": (body(tools=[{"type": "custom"}]), "tools[0].type", "invalid_value"),
    "tool without a name": (
        body(tools=[{"type": "function", "function": {}}]),
        "tools[0].function.name",
        "missing_required_parameter",
    ),
    "tool with a space in its name": (
        body(tools=[named("find it")]),
        "tools[0].function.name",
        "invalid_value",
    ),
    "tool with a line end in its name": (
        body(tools=[named("find\n")]),
        "tools[0].function.name",
        "invalid_value",
    ),
    "tool with a long name": (
        body(tools=[named("f" * 65)]),
        "tools[0].function.name",
        "string_above_max_length",
    ),
    "two tools of one name": (
        body(tools=[FIND, FIND]),
        "tools[1].function.name",
        "invalid_value",
    ),
    "parameters of no object": (
        body(tools=[schema({"type": "string"})]),
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "object without properties": (
        body(tools=[schema({"type": "object"})]),
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "schema with an unknown type": (
        body(tools=[schema({"type": "object", "properties": {"a": {"type": "text"}}})]),
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "reference to nowhere": (
        body(tools=[schema({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}})]),
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "strict but open": (
        body(tools=[schema({**OBJECT, "required": ["a"]}, strict=True)]),
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "strict but optional": (
        body(tools=[schema({**OBJECT, "additionalProperties": False}, strict=True)]),
        "tools[0].function.parameters",
        "invalid_function_parameters",
    ),
    "choice without tools": (body(tool_choice="required"), "tool_choice", None),
    "parallel calls without tools": (
        body(parallel_tool_calls=False),
        "parallel_tool_calls",
        None,
    ),
    "unknown choice": (body(tools=[FIND], tool_choice="any"), "tool_choice", "invalid_value"),
    "choice of a tool not offered": (
        body(tools=[FIND], tool_choice=CHOOSE_LOSE),
        "tool_choice",
        None,
    ),
    "choice without a name": (
        body(tools=[FIND], tool_choice={"type": "function", "function": {}}),
        "tool_choice.function.name",
        "missing_required_parameter",
    ),
    "unknown form": (
        body(response_format={"type": "yaml"}),
        "response_format.type",
        "invalid_value",
    ),
    "schema without a name": (
        body(response_format=form(schema=OBJECT)),
        "response_format.json_schema.name",
        "missing_required_parameter",
    ),
    "form with a bad schema": (
        body(response_format=form(name="a", schema={"type": "text"})),
        "response_format",
        None,
    ),
    "strict form, open object": (
        body(response_format=form(name="a", schema=OBJECT, strict=True)),
        "response_format",
        None,
    ),
    "JSON mode without the word": (
        body(response_format={"type": "json_object"}),
        "messages",
        None,
    ),
    "hot": (body(temperature=2.5), "temperature", "decimal_above_max_value"),
    "no choices": (body(n=0), "n", "integer_below_min_value"),
    "half a choice": (body(n=1.5), "n", "invalid_type"),
    "true choices": (body(n=True), "n", "invalid_type"),
    "five stops": (body(stop=list("abcde")), "stop", "array_above_max_length"),
    "stop at a number": (body(stop=["a", 1]), "stop[1]", "invalid_type"),
    "no tokens": (body(max_tokens=0), "max_tokens", "integer_below_min_value"),
    "too many tokens": (body(max_completion_tokens=99_999), "max_completion_tokens", None),
    "two limits": (
        body(max_tokens=5, max_completion_tokens=5),
        "max_tokens",
        "invalid_parameter_combination",
    ),
    "options of no stream": (body(stream_options={"include_usage": True}), "stream_options", None),
    "long context": (
        body({"role": "user", "content": "word " * 130_000}),
        "messages",
        "context_length_exceeded",
    ),
    "no room for the answer": (
        body({"role": "user", "content": "word " * 127_000}, max_tokens=2000),
        "messages",
        "context_length_exceeded",
    ),
    "an array": ([1], None, None),
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with background(profile="instant", responder=Scripted(lambda _: "fine")) as url:
        yield url


def remote(url: str, key: str = "any", **options: Any) -> AsyncOpenAI:
    return AsyncOpenAI(base_url=url, api_key=key, max_retries=0, **options)


def refusal(client: AsyncOpenAI, content: Any) -> openai.APIStatusError:
    with pytest.raises(openai.APIStatusError) as caught:
        asyncio.run(post(client, content))
    return caught.value


@pytest.mark.parametrize("case", BAD)
def test_a_bad_request_names_what_is_wrong(case: str) -> None:
    content, param, code = BAD[case]
    error = refusal(connect(lambda _: "fine"), content)
    assert isinstance(error, openai.BadRequestError)
    assert (error.param, error.code, error.type) == (param, code, "invalid_request_error")
    assert "\n" not in error.message


@pytest.mark.parametrize("case", ["no messages", "tool message without a call", "long context"])
def test_over_http_the_same_request_gets_the_same_error(case: str, url: str) -> None:
    content, _, _ = BAD[case]
    there = refusal(remote(url), content)
    here = refusal(connect(lambda _: "fine"), content)
    assert (there.status_code, there.body) == (here.status_code, here.body)


@pytest.mark.parametrize("over_http", [False, True])
def test_an_unknown_model_is_404(over_http: bool, url: str) -> None:
    client = remote(url) if over_http else connect(lambda _: "fine")
    error = refusal(client, {"model": "switchboard-huge", "messages": [HELLO]})
    assert isinstance(error, openai.NotFoundError)
    assert error.code == "model_not_found"
    assert "switchboard-huge" in error.message


def test_other_services_are_404_and_other_methods_405() -> None:
    client = connect(lambda _: "fine")
    with pytest.raises(openai.NotFoundError, match="/v1/embeddings"):
        asyncio.run(client.embeddings.create(model=SMALL, input="a"))
    with pytest.raises(openai.NotFoundError, match="gpt-9"):
        asyncio.run(client.models.retrieve("gpt-9"))
    with pytest.raises(openai.APIStatusError) as caught:
        asyncio.run(client.get("/chat/completions", cast_to=object))
    assert caught.value.status_code == 405


def test_models_are_listed_and_shown() -> None:
    async def both() -> tuple[list[str], str]:
        client = connect(lambda _: "fine")
        listed = [model.id async for model in client.models.list()]
        return listed, (await client.models.retrieve(LARGE)).id

    assert asyncio.run(both()) == ([SMALL, LARGE], LARGE)


def test_text_that_is_no_json_is_400(url: str) -> None:
    async def send() -> int:
        client = remote(url)
        told = {"content-type": "application/json"}
        response = await client._client.post(
            f"{url}/chat/completions", content=b'{"model": ', headers=told
        )
        return response.status_code

    assert asyncio.run(send()) == 400


def test_a_demanded_key_is_401_when_missing_or_wrong_and_never_shown() -> None:
    with background(profile="instant", responder=lambda _: "in", require_key="sesame-42") as url:
        with pytest.raises(openai.AuthenticationError) as wrong:
            asyncio.run(post(remote(url, "barley-17"), body()))
        with pytest.raises(openai.AuthenticationError) as absent:
            asyncio.run(post(remote(url), body(), {"Authorization": openai.Omit()}))
        answer = asyncio.run(post(remote(url, "sesame-42"), body()))
    assert wrong.value.code == "invalid_api_key"
    assert "barley" not in str(wrong.value.body)
    assert "sesame" not in str(wrong.value.body)
    assert "didn't provide" in absent.value.message
    assert answer.choices[0].message.content == "in"


def test_a_script_can_answer_with_any_error() -> None:
    def teapot(request: ChatRequest) -> str:
        raise ApiError(418, "I am a teapot.", type="teapot", code="short", param="stout")

    error = refusal(connect(teapot), body())
    assert (error.status_code, error.code, error.param) == (418, "short", "stout")


def test_over_http_a_failing_script_is_500_and_says_so() -> None:
    def fail(request: ChatRequest) -> str:
        raise KeyError("a slip")

    with background(profile="instant", responder=fail) as url:
        error = refusal(remote(url), body())
    assert isinstance(error, openai.InternalServerError)
    assert "KeyError: 'a slip'" in error.message
