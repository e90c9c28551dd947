"""Whatever a body holds, reading it ends in a request or in an ApiError, never in a crash."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from course.models import SMALL, ApiError, ChatRequest
from course.models.profile import load
from course.models.protocol import RequestParser
from tests.models.talk import ASKED, FIND, FOUND, HELLO

PARSER = RequestParser(load("instant").models)

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
anything = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)
# Values that look almost right get much further than random ones.
keywords = st.sampled_from(
    ["type", "properties", "required", "items", "enum", "$ref", "anyOf", "pattern", "$defs", "name"]
)
almost = st.recursive(
    scalars | st.sampled_from(["object", "string", "function", "#/$defs/a", "[", "find"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keywords, inner, max_size=4),
    max_leaves=10,
)
messages = st.lists(
    st.sampled_from([HELLO, ASKED, FOUND, {"role": "assistant", "content": "hi"}])
    | st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool", "system"]) | scalars},
        optional={"content": anything, "tool_calls": anything, "name": scalars},
    )
    | anything,
    max_size=5,
)
tool = st.fixed_dictionaries(
    {"type": st.just("function") | scalars},
    optional={
        "function": st.fixed_dictionaries(
            {"name": st.just("find") | scalars},
            optional={
                "parameters": st.fixed_dictionaries(
                    {"type": st.just("object"), "properties": almost}, optional={"$defs": almost}
                )
                | almost,
                "strict": scalars,
                "description": scalars,
            },
        )
        | almost
    },
)
form = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "json_object", "json_schema"]) | scalars},
    optional={
        "json_schema": st.fixed_dictionaries(
            {"name": st.just("a") | scalars}, optional={"schema": almost, "strict": scalars}
        )
        | almost
    },
)
bodies = st.fixed_dictionaries(
    {"model": st.just(SMALL) | scalars, "messages": messages},
    optional={
        "tools": st.lists(tool | anything, max_size=3) | st.just([FIND]),
        "tool_choice": st.sampled_from(["auto", "none", "required"]) | almost,
        "parallel_tool_calls": scalars,
        "response_format": form | almost,
        "stream": scalars,
        "stream_options": anything,
        "n": scalars,
        "seed": scalars,
        "stop": scalars | st.lists(scalars),
        "max_tokens": scalars,
        "max_completion_tokens": scalars,
        "temperature": scalars,
    },
)


def outcome(content: bytes, parser: RequestParser = PARSER) -> tuple[Any, ...]:
    """What a body comes to, in a form that can be compared."""
    try:
        request, prompt = parser.parse(content)
    except ApiError as caught:
        error = caught
    else:
        assert isinstance(request, ChatRequest)
        assert prompt > 0
        return ("taken", json.dumps(request.raw), prompt)
    assert error.status in (400, 404)
    assert len(error.message.splitlines()) == 1
    return ("refused", error.message, error.param, error.code)


@given(content=st.binary(max_size=80) | anything.map(json.dumps).map(str.encode))
def test_any_bytes_are_taken_or_refused(content: bytes) -> None:
    outcome(content)


@given(body=bodies)
def test_any_body_is_taken_or_refused_and_the_second_time_alike(body: dict[str, Any]) -> None:
    content = json.dumps(body).encode()
    assert outcome(content) == outcome(content)


@given(
    start=st.lists(st.sampled_from(["user", "answer", "call"]), min_size=1, max_size=6),
    more=st.lists(st.sampled_from(["user", "answer", "call", "stray"]), max_size=4),
)
def test_a_known_beginning_changes_no_verdict(start: list[str], more: list[str]) -> None:
    parts = {
        "user": [HELLO],
        "answer": [{"role": "assistant", "content": "hi"}],
        "call": [ASKED, FOUND],
        "stray": [FOUND],
    }

    def body(kinds: list[str]) -> bytes:
        said = [message for kind in kinds for message in parts[kind]]
        return json.dumps({"model": SMALL, "messages": said}).encode()

    outcome(body(start))
    known = outcome(body(start + more))
    assert known == outcome(body(start + more), RequestParser(load("instant").models))


def test_deep_nesting_is_refused() -> None:
    deep: Any = {"type": "string"}
    for _ in range(60):
        deep = {"type": "object", "properties": {"a": deep}}
    body = {"model": SMALL, "messages": [HELLO], "tools": [{**FIND}]}
    body["tools"] = [{"type": "function", "function": {"name": "f", "parameters": deep}}]
    assert outcome(json.dumps(body).encode())[0] in ("taken", "refused")
    assert outcome(b"[" * 5000)[0] == "refused"
