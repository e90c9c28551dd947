"""Words for the values that an exercise expects: tests with the text that a message shows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from course.models.completion import count_reply
from course.models.wire import Call, Reply
from graders.checks import fits, viewed
from graders.checks.natures import of_json, of_words
from graders.judge.answers import parse
from graders.judge.protocol import ModelAsk
from graders.records.log import Exchange, Log
from graders.records.scenario import Scenario
from graders.records.verdict import Check

Checks = Callable[[Scenario], list[Check]]
MANY = 12
"""How many things run at the same time where that is asked: a limit of ten would show."""


def such_that(
    what: str, test: Callable[[Any], bool], how: Callable[[Any], str] | None = None
) -> Callable[[Any], bool]:
    """A test to stand among expected values.

    Args:
        what: what a message says was expected.
        test: whether a value will do.
        how: how one that won't do differs, as a hint begins; "" where that is not plain.
    """

    def wanted(value: Any) -> bool:
        return test(value)

    wanted.__doc__ = what
    vars(wanted)["how"] = how
    return wanted


def json_of(expected: Any) -> Callable[[Any], bool]:
    """Text that is JSON of this value, however it is spaced."""
    return such_that(
        f"the JSON text of {json.dumps(expected)}",
        lambda text: bool(json.loads(text) == expected),
        lambda came: of_json(came, expected),
    )


def error_with(*words: str, apart: bool = False) -> Callable[[Any], bool]:
    """The text of `{"error": "..."}`, a text with each of the words; `apart`: not glued."""

    def told(text: Any) -> bool:
        said = json.loads(text)
        if list(said) != ["error"] or not isinstance(said["error"], str):
            return False
        spoken = said["error"]
        known = re.split(r"\W+", spoken) if apart else spoken
        return all(word in known for word in words)

    what = f'the JSON text of {{"error": "... {" ... ".join(words)} ..."}}'
    return such_that(what, told, lambda came: of_words(came, words))


def text_with(*words: str) -> Callable[[Any], bool]:
    """Text in which all of these stand."""
    return such_that(
        f"a text with {' and '.join(words)}",
        lambda text: all(word in text for word in words),
        lambda came: of_words(came, words),
    )


def schema_of(expected: Mapping[str, Any]) -> Callable[[Any], bool]:
    """A field's JSON schema with all of this, and without the title that pydantic gives it."""
    return such_that(
        f"{dict(expected)}, without a title",
        lambda came: "title" not in came and {key: came.get(key) for key in expected} == expected,
    )


def asks(model: str) -> Check:
    """The first request goes to this model."""

    def asked(log: Log) -> dict[str, Any]:
        return {"model": log.requests()[0].request["model"]}

    return viewed(asked, fits({"model": model}, look="look at the model that you ask"))


def usage_of(exchange: Exchange) -> tuple[int, int]:
    """The tokens that a model read and wrote in one request; none when it refused it."""
    if exchange.outcome != "answered":
        return 0, 0
    sent = json.dumps(dict(exchange.request))
    _, read = parse(ModelAsk(0, "POST", "/chat/completions", {}, sent))
    reply = exchange.reply
    calls = tuple(Call(each["name"], each["arguments"]) for each in reply["calls"])
    return read, count_reply(Reply(reply["text"], calls, reply["refusal"]))
