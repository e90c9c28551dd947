"""A condition in a request is looked at before what hangs on it is done.

`gate` puts a guard before those tools that the condition is for ("cancel the trip if it rains" and
`cancel_trip`). Until a tool has found something out in this turn they refuse; where what was found
tells that the condition does not hold they refuse as well. Each look is a `condition` step of the
trace. What cannot be told from the results is left to the model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from course.errors import ToolError
from course.models.wire import Message
from course.statements import in_digits, stem
from course.tools import Tool, outcome_of
from course.trace import span

_ASKED = r"(?<!know )(?<!see )(?<!check )(?<!ask )(?<!me )(?<!wonder )(?<!out )(?<!sure )"
_ASKED += r"(?<!wondering )(?<!decide )(?<!even )(?<!as )(?<!what )(?<!matter )(?<!better )"
_FIRST = re.compile(
    r"\A\W*(?P<not>unless|(?:only )?if)\s+(?P<looks>[^,;]+?)(?:,\s*(?:then\s+)?|\s+then\s+)"
    r"(?P<act>.+)",
    re.IGNORECASE | re.DOTALL,
)
_LAST = re.compile(
    rf"\A(?P<act>.+?),?\s+{_ASKED}(?P<not>unless|(?:but )?(?:only )?if)\s+(?P<looks>[^;]+)",
    re.IGNORECASE | re.DOTALL,
)
_POLITE = re.compile(
    r"\A(?:possible|you (?:can|could|may|don't mind|would|please|like|want|ask me|look|check|agree)"
    r"|i may|i (?:remember|recall|understand)\b.*|i(?:'m| am) (?:not (?:mistaken|wrong)|right)"
    r"|necessary|needed|any|not|so|(?:that|it|this)(?:'s| is| isn't| is not) (?:ok|okay"
    r"|fine|all right|alright|possible|no trouble|too much|a problem)|(?:that|it|this) (?:works"
    r"|suits|helps|pleases))\b",
    re.IGNORECASE,
)
_ORDERED = re.compile(  # an order to do something, and no statement or question
    r"\A\W*(?:(?:please|then|so|and|but|just|kindly|also|okay|ok|let's|go ahead and)\W+)*"
    r"(?:(?:can|could|will|would) you\b|you (?:can|should|may|must)\b|(?:i|we)(?:'d| would)?"
    r" (?:want|need|like)\b|(?!(?:a|an|the|i|it|its|he|she|they|we|you|my|our|your|their|this|that"
    r"|these|those|there|what|who|when|where|which|why|how|is|are|was|were|do|does|did|has|have|had"
    r"|am|can|could|will|would|may|might|shall|should|must|with|without|even|only|preferably|no|not"
    r"|i'm|it's|i'd|i'll|i've)\b)[a-z])",
    re.IGNORECASE,
)
_ELSE = re.compile(r"\b(?:otherwise|or else|if not)\b", re.IGNORECASE)
_ACTS = frozenset(
    "accept add approve assign block book buy cancel change charge close confirm create delete"
    " deposit file hire issue lock mark move order pay place post put refund register reject remove"
    " renew reschedule reserve reset restart return sell send set ship start stop submit subscribe"
    " switch transfer turn unblock unlock unsubscribe update withdraw".split()
)

_TOLD_BY = frozenset(  # what ends the name of a tool that only tells something
    "availability balance count date dates detail details history hours info information items"
    " limit limits list lookup number options policy price prices report rules search state status"
    " summary times total".split()
)


@dataclass(frozen=True)
class Condition:
    """What is to be looked at, what is done if it is so (`wanted`), or if it is not.

    `both` says that something is to be done either way.
    """

    looks: str
    act: str
    wanted: bool
    both: bool


def condition_of(request: str) -> Condition | None:
    """The condition of a request, the first one; None where it has none.

    "If possible", "tell me if ...", "even if ...", a question ("what if I cancel?") and a statement
    ("the buyer may cancel if ...") are no conditions.
    """
    for sentence in re.split(r"(?<=[.!?])\s+", request.strip()):
        found = _FIRST.match(sentence) or _LAST.match(sentence)
        if not found or _POLITE.match(found["looks"]):
            continue
        looks, act = found["looks"].strip(" .!?"), found["act"].strip(" .!?")
        if _ORDERED.match(act.rpartition(", ")[2]):
            unless = found["not"].lower() == "unless"
            return Condition(looks, act, not unless, bool(_ELSE.search(request)))
    return None


def gate(tools: Sequence[Tool], messages: Sequence[Message]) -> tuple[Tool, ...]:
    """The tools, those behind the condition of what the person said last with a guard before them.

    `messages` is the conversation, with the results of this turn.
    """
    said = [place for place, each in enumerate(messages) if each["role"] == "user"]
    if not said or not (found := condition_of(str(messages[said[-1]].get("content") or ""))):
        return tuple(tools)
    seen = [*_results(messages[said[-1] :])]
    return tuple(_guarded(each, found, seen) if _hangs(each, found) else each for each in tools)


def _hangs(tool: Tool, condition: Condition) -> bool:
    """Whether a tool does what a condition is for."""
    act = set(map(stem, re.findall(r"[a-z]+", condition.act.lower())))
    return _changes(tool.name) and bool(act & {stem(each) for each in tool.name.lower().split("_")})


def _changes(name: str) -> bool:
    """Whether a tool of this name changes something: `cancel_order`, but not `order_status`."""
    words = name.lower().split("_")
    return words[0] in _ACTS and words[-1] not in _TOLD_BY


def _guarded(tool: Tool, condition: Condition, seen: Sequence[str]) -> Tool:
    """The tool as it is, where the condition holds or cannot be told; else one that refuses."""

    @wraps(tool.function)
    def guarded(*args: Any, **named: Any) -> Any:
        with span("condition", condition.looks) as step:
            held = holds(condition, seen)
            told = "untold" if held is None else "yes" if held else "no"
            step.set("switchboard.condition.holds", told)
            if not seen:
                raise ToolError(
                    f"look first whether {condition.looks}: call a tool that tells it, and this"
                    " one only after that"
                )
            if held is False:
                word = "" if condition.wanted else "unless: "
                raise ToolError(
                    f"the condition does not hold ({word}{condition.looks}): nothing is done;"
                    " say what was found"
                )
        return tool.function(*args, **named)

    return replace(tool, function=guarded)


def _results(messages: Iterable[Message]) -> Iterator[str]:
    """What tools that change nothing have found."""
    names = dict[str, str]()
    for each in messages:
        for call in each.get("tool_calls") or ():
            names[call["id"]] = call["function"]["name"]
        if each["role"] != "tool" or outcome_of(each) != "ok":
            continue
        if not _changes(names.get(each["tool_call_id"], "")):
            yield str(each["content"])


def holds(condition: Condition, seen: Sequence[str]) -> bool | None:
    """Whether something is to be done by what was found; None where that cannot be told."""
    if condition.both:
        return None
    told = [each for text in seen if (each := _told(condition.looks, text)) is not None]
    return told[-1] is condition.wanted if told else None


_BOUND = re.compile(
    r"\b(?P<how>(?:fewer|less|more) than|at (?:least|most)|over|above|under|below|exactly)\s+"
    r"[€$£]?(?P<number>\d[\d,]*(?:\.\d+)?)|(?P<floor>\d[\d,]*(?:\.\d+)?) or more\b",
    re.IGNORECASE,
)
_NONE = re.compile(r"\A\W*(?:none|nothing|no\b.*|not found.*)?\W*\Z", re.IGNORECASE | re.DOTALL)
_NOT = re.compile(r"\b(?:not|no|none|never)\b|n't\b", re.IGNORECASE)
_THERE = re.compile(r"\b(?:there (?:is|are)|free|available|any|open|left|in stock)\b", re.I)

_NAMES = frozenset(map(stem, "id number no code year zip phone".split()))
"""Keys of numbers that count nothing."""


def _told(looks: str, text: str) -> bool | None:
    """Whether what is looked at is so, by one result; None where it does not say."""
    data, looks = _data(text), in_digits(looks)
    about = set(map(stem, re.findall(r"[a-z]+", looks.lower())))
    denied = bool(_NOT.search(looks))
    leaves = [*_leaves(data)]
    if bound := _BOUND.search(looks):
        numbers = [
            (_stems(k), v)
            for k, v in leaves
            if isinstance(v, int | float) and not isinstance(v, bool) and not _stems(k) & _NAMES
        ]
        near = [v for stems, v in numbers if stems & about]
        found = near if len(near) == 1 else [v for _, v in numbers]
        return _within(bound, found[0]) is not denied if len(found) == 1 else None
    flags = [v for k, v in leaves if isinstance(v, bool) and _stems(k) & about]
    if len(flags) == 1:
        return flags[0] is not denied
    empty = data in ([], {}, None, "") or (isinstance(data, str) and bool(_NONE.match(data)))
    if isinstance(data, dict) and data and all(v in ([], {}, None) for v in data.values()):
        empty = True
    if empty and _THERE.search(looks):
        return denied
    times = re.findall(r"\b\d{1,2}:\d\d\b", looks)
    if times and isinstance(data, list) and all(isinstance(each, str) for each in data):
        return any(times[0] in each for each in data) is not denied
    return None


def _within(bound: re.Match[str], value: float) -> bool:
    if bound["floor"]:
        return value >= float(bound["floor"].replace(",", ""))
    limit, how = float(bound["number"].replace(",", "")), bound["how"].lower()
    if how in ("fewer than", "less than", "under", "below"):
        return value < limit
    if how in ("more than", "over", "above"):
        return value > limit
    if how == "exactly":
        return value == limit
    return value >= limit if how == "at least" else value <= limit


def _data(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _leaves(data: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """The values of a result, each with the key that it stands under."""
    if isinstance(data, Mapping):
        for name, value in data.items():
            yield from _leaves(value, str(name))
    elif isinstance(data, list):
        for each in data:
            yield from _leaves(each, key)
    else:
        yield key, data


def _stems(key: str) -> set[str]:
    return {stem(each) for each in re.findall(r"[a-z]+", key.lower())}
