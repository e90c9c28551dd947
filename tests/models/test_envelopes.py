"""Requests in kept envelopes: to the byte what the SDK makes of the same options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from openai import NOT_GIVEN, AsyncOpenAI, Omit
from openai._models import FinalRequestOptions
from openai._types import RequestOptions

from course.models.client import CourseClient
from course.models.envelopes import options_of
from course.models.wire import KEY_HEADERS, RETRY_HEADER

URL = "http://in-process.invalid/v1"
BODY: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "réponds \u2028"}]}
LONGER: dict[str, Any] = {**BODY, "temperature": 0.5}
KEYS = {name: str(number) for number, name in enumerate(KEY_HEADERS)}


def client(**more: Any) -> CourseClient:
    http = httpx2.AsyncClient(transport=httpx2.MockTransport(lambda _: httpx2.Response(200)))
    return CourseClient(**{"api_key": "k", "base_url": URL, "http_client": http, **more})


def options(body: Any = BODY, url: str = "/chat/completions", **more: Any) -> FinalRequestOptions:
    return FinalRequestOptions.construct(method="post", url=url, json_data=body, **more)


def told(made: httpx2.Request) -> tuple[Any, ...]:
    return made.method, str(made.url), made.headers.raw, made.read(), made.extensions


def same(one: CourseClient, asked: FinalRequestOptions, **more: Any) -> None:
    theirs = AsyncOpenAI._build_request(one, asked, **more)
    assert told(one._build_request(asked, **more)) == told(theirs)


ASKED = {
    "as the course asks": options(headers=KEYS),
    "with another body": options(LONGER, headers=KEYS),
    "with other luck": options(headers=dict.fromkeys(KEYS, "7")),
    "with fewer keys": options(headers={RETRY_HEADER: "2"}),
    "with keys in another order": options(headers=dict(reversed(KEYS.items()))),
    "with a header of somebody's own": options(headers={**KEYS, "X-Own": "a"}),
    "with another value of it": options(headers={**KEYS, "X-Own": "b"}),
    "with a header twice": options(headers={**KEYS, "X-Own": "a", "x-own": "b"}),
    "with a key in capitals, too": options(headers={**KEYS, RETRY_HEADER.title(): "9"}),
    "with a header left out": options(headers={**KEYS, RETRY_HEADER: Omit()}),
    "with a key of its own": options(headers={**KEYS, "Authorization": "Bearer other"}),
    "with another kind of content": options(headers={"Content-Type": "application/x; a=b"}),
    "with a length of its own": options(headers={**KEYS, "Content-Length": "3"}),
    "in a form": options(headers={"Content-Type": "multipart/form-data; boundary=here"}),
    "without headers": options(),
    "with a time": options(headers=KEYS, timeout=3.0),
    "without a time": options(headers=KEYS, timeout=None),
    "with times": options(headers=KEYS, timeout=httpx2.Timeout(1, read=4)),
    "with more in the body": options(headers=KEYS, extra_json={"more": 1}),
    "with a query": options(headers=KEYS, params={"a": "b"}),
    "to another path": options(headers=KEYS, url="/embeddings"),
    "to another place": options(headers=KEYS, url="http://elsewhere.invalid/x"),
    "with bytes": options(None, headers=KEYS, content=b"abc"),
    "with nothing": options(None, headers=KEYS),
    "without a key": options(headers={**KEYS, "Authorization": Omit()}, security={}),
}


def test_what_goes_out_is_the_same_whatever_was_asked_before() -> None:
    one = client(organization="o", default_headers={"X-All": "1"})
    order = [*ASKED.values(), *reversed(ASKED.values())]
    for asked in order:
        same(one, asked)
        same(one, asked)


def setting(name: str, value: Any) -> Callable[[CourseClient], None]:
    return lambda one: setattr(one, name, value)


def cookie(one: CourseClient) -> None:
    one._client.cookies.set("seen", "1", domain="in-process.invalid")


def header(one: CourseClient) -> None:
    one._client.headers["X-Http"] = "1"


CHANGED = {
    "its key": setting("api_key", "other"),
    "its organisation": setting("organization", "o"),
    "its project": setting("project", "p"),
    "its address": setting("base_url", "http://elsewhere.invalid/v2"),
    "its time": setting("timeout", 4.0),
    "what a service left with it": cookie,
    "a header below it": header,
}


@pytest.mark.parametrize("what", CHANGED)
def test_a_client_that_was_changed_sends_what_it_says_now(what: str) -> None:
    one, asked = client(), ASKED["as the course asks"]
    same(one, asked)
    before = told(one._build_request(asked))
    CHANGED[what](one)
    same(one, asked)
    assert told(one._build_request(asked)) != before


def test_a_request_made_again_says_so() -> None:
    one, asked = client(max_retries=2), ASKED["without headers"]
    for made in (0, 1, 2, 0):
        same(one, asked, retries_taken=made)
    same(one, options(headers={"X-Own": "a"}), retries_taken=1)


def test_the_sdk_is_asked_once_for_many_that_differ_in_body_and_luck_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, build, one = [], AsyncOpenAI._build_request, client()

    def noted(*asked: Any, **more: Any) -> httpx2.Request:
        made.append(asked)
        return build(*asked, **more)

    monkeypatch.setattr(AsyncOpenAI, "_build_request", noted)
    for number in range(5):
        headers = dict.fromkeys(KEYS, str(number))
        one._build_request(options({**BODY, "seed": number}, headers=headers))
    assert len(made) == 1


GIVEN: dict[str, dict[str, Any]] = {
    "nothing": {},
    "each option": {
        "headers": KEYS, "max_retries": 3, "timeout": 2.0, "params": {"a": "b"},
        "extra_json": {"more": 1}, "idempotency_key": "i", "follow_redirects": False,
        "security": {"bearer_auth": True}, "synthesize_event_and_data": True,
        "stream_mode": "events",
    },
    "what is not given": {
        "headers": {**KEYS, "X-Own": NOT_GIVEN}, "timeout": NOT_GIVEN, "max_retries": NOT_GIVEN,
    },
}  # fmt: skip


@pytest.mark.parametrize("what", GIVEN)
@pytest.mark.parametrize("body", [BODY, {**BODY, "seed": NOT_GIVEN}, [1], b"abc", None])
def test_options_are_those_that_the_sdk_makes(what: str, body: Any) -> None:
    theirs, ours = options(body, **GIVEN[what]), options_of("/chat/completions", body, GIVEN[what])
    assert repr(ours) == repr(theirs)  # a thing that is not given equals no other
    assert ours.model_fields_set == theirs.model_fields_set


def test_there_is_an_option_for_all_that_may_be_given() -> None:
    assert GIVEN["each option"].keys() == RequestOptions.__annotations__.keys()


def test_options_are_nobody_else_s() -> None:
    first, second = (options_of("/x", BODY, {"headers": KEYS}) for _ in range(2))
    first.headers["X-Own"] = "a"  # type: ignore[index]
    first.timeout = 3.0
    assert repr(second) == repr(options(url="/x", headers=KEYS))


def test_a_request_is_nobody_else_s() -> None:
    one, asked = client(), ASKED["as the course asks"]
    first, second, third = (one._build_request(asked) for _ in range(3))
    second.headers["X-Own"] = "a"
    second.extensions["timeout"] = {}
    second.extensions["more"] = 1
    assert told(first) == told(third) != told(second)
