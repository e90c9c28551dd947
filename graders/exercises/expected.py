"""Words for the values that an exercise expects: tests with the text that a message shows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from course.models.completion import count_reply
from course.models.wire import Call, Reply
from graders.judge.answers import parse
from graders.judge.protocol import ModelAsk
from graders.records.log import Exchange
from graders.records.scenario import Scenario
from graders.records.verdict import Check

Checks = Callable[[Scenario], list[Check]]


def such_that(what: str, test: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """A test to stand among expected values; `what` is what a message says was expected."""

    def wanted(value: Any) -> bool:
        return test(value)

    wanted.__doc__ = what
    return wanted


def json_of(expected: Any) -> Callable[[Any], bool]:
    """Text that is JSON of this value, however it is spaced."""
    return such_that(
        f"the JSON text of {json.dumps(expected)}", lambda text: bool(json.loads(text) == expected)
    )


def error_with(*words: str, apart: bool = False) -> Callable[[Any], bool]:
    """The text of `{"error": ...}`, in which each of the words stands; `apart`: not glued."""

    def told(text: Any) -> bool:
        said = json.loads(text)
        if list(said) != ["error"]:
            return False
        spoken = str(said["error"])
        known = re.split(r"\W+", spoken) if apart else spoken
        return all(word in known for word in words)

    return such_that(f'the JSON text of {{"error": "... {" ... ".join(words)} ..."}}', told)


def text_with(word: str) -> Callable[[Any], bool]:
    """Text in which this stands."""
    return such_that(f"a text with {word}", lambda text: word in text)


def usage_of(exchange: Exchange) -> tuple[int, int]:
    """The tokens that a model read and wrote in one request; none when it refused it."""
    if exchange.outcome != "answered":
        return 0, 0
    sent = json.dumps(dict(exchange.request))
    _, read = parse(ModelAsk(0, "POST", "/chat/completions", {}, sent))
    reply = exchange.reply
    calls = tuple(Call(each["name"], each["arguments"]) for each in reply["calls"])
    return read, count_reply(Reply(reply["text"], calls, reply["refusal"]))
