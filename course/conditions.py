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
from functools import lru_cache, wraps
from typing import Any

from course.alternates import NOTHING_FOR
from course.errors import ToolError
from course.models.wire import Message, ToolSpec
from course.person import BEFORE
from course.results import NOT_HELD
from course.statements import in_digits
from course.stems import stem
from course.tools import Tool, by_name, outcome_of
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
_ALONE = re.compile(
    r"\A\W*(?:constraints:\s*)?(?P<not>unless|(?:but )?only if)\s+(?P<looks>[^,;]+?)\W*\Z",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.;:,!?\n]+|\b(?:and|then|but)\b")
_OPENING = re.compile(
    r"\A\W*(?:(?:please|now|just|kindly|also|so|ok|okay|(?:can|could|will|would) you"
    r"|(?:i|we)(?:'d like| want| need)(?: you)?(?: to)?)\W+)*"
)
_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
_LOOKS = (None, "find", "transfer")
"""Deeds that change nothing, as the lexicon sorts them."""
_STARTS = frozenset(("start", "begin"))

TASK, RESULTS = "Task: ", "Results of earlier tasks:\n"
"""What begins a task of a plan as its worker is told it, and in it the results it rests on."""

_RESULT = re.compile(r"^\[[^\]\n]*\] (?!Failed: )(.*?)(?=\n\[|\Z)", re.MULTILINE | re.DOTALL)
_ELSE = re.compile(r"\b(?:otherwise|or else|if not)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Condition:
    """What is to be looked at, what is done if it is so (`wanted`), or if it is not.

    `both` says that something is to be done either way.
    """

    looks: str
    act: str
    wanted: bool
    both: bool


@lru_cache(maxsize=1024)  # each turn of a loop asks it of the same words
def condition_of(request: str) -> Condition | None:
    """The condition of a request, the first one; None where it has none.

    One that stands alone is of the sentence before it ("Cancel the trip. But only if it rains.").
    "If possible", "tell me if ...", "even if ...", a question ("what if I cancel?") and a statement
    ("the buyer may cancel if ...") are no conditions.
    """
    before = ""
    for sentence in re.split(r"(?<=[.!?])\s+|\n+", request.strip()):
        found = _ALONE.match(sentence) or _FIRST.match(sentence) or _LAST.match(sentence)
        if not found or _POLITE.match(found["looks"]):
            before = sentence
            continue
        act = found.groupdict().get("act", before).strip(" .!?")
        if act and _ORDERED.match(act.rpartition(", ")[2]):
            unless, looks = found["not"].lower() == "unless", found["looks"].strip(" .!?")
            return Condition(looks, act, not unless, bool(_ELSE.search(request)))
    return None


def orders(words: str, condition: Condition) -> bool:
    """Whether words order what a condition is for, as the first thing of one of their clauses."""
    act = _deeds(_WORD.findall(condition.act), condition.act)
    clauses = (_OPENING.sub("", each) for each in _CLAUSE.split(words.lower()))
    openings = (_WORD.findall(each)[:2] for each in clauses)
    return any(_deeds(each[:1], " ".join(each)) & act for each in openings)


def _deeds(verbs: Iterable[str], words: str) -> set[str]:
    """The stems of those verbs that change something, and of what stands for them; the phrases in
    some words count as well: "call off" is to cancel.
    """
    from course.models.policy.lexicon import action_of, phrases, synonyms  # only where there is one

    said = (*verbs, *(w for each in phrases(words) for w in each.split()))
    deeds = {stem(each) for each in said if action_of(each.lower()) not in _LOOKS}
    return deeds | {other for each in deeds for other in synonyms(each)}


def conditioned(words: str, request: str) -> str:
    """Words that order what a request makes conditional, with the condition if they leave it out;
    other words as they are.
    """
    found = condition_of(request)
    if not found or found.both or condition_of(words) or not orders(words, found):
        return words
    return f"{words.rstrip('. ')}, {'only if' if found.wanted else 'unless'} {found.looks}."


def gate(tools: Sequence[Tool], messages: Sequence[Message]) -> tuple[Tool, ...]:
    """The tools, those behind the condition of what was asked last with a guard before them.

    `messages` is the conversation, with the results of this turn. What was asked may be a person's
    words, a supervisor's, or a task of a plan, whose earlier results are looked at like a tool's.
    """
    if not (standing := _standing(messages)):
        return tuple(tools)
    place, found = standing
    looked = (text for _, text in _results(messages[place:], by_name(tools)))
    seen = [*_asked(messages[place])[1], *looked]
    kept = (
        each if not (_hangs(each, found) or (seen and _begins(each, found)))
        else _guarded(each, found, seen) for each in tools
    )  # fmt: skip
    return tuple(kept)


def in_the_way(
    words: str, messages: Sequence[Message], found: Sequence[str], tools: Sequence[Tool]
) -> str:
    """What stands against giving somebody these words as a task, in the conversation of whoever
    gives it; empty if nothing does. `found` are the results of what was given before, `tools` the
    giver's own. Words with a condition of their own are the taker's affair.
    """
    standing = _standing(messages)
    if not standing or condition_of(words) or not orders(words, standing[1]):
        return ""
    place, condition = standing
    own = by_name(tools)
    looked = [text for name, text in _results(messages[place:], own) if name in own]
    return _looked_at(condition, (*_asked(messages[place])[1], *found, *looked))


def _standing(messages: Sequence[Message]) -> tuple[int, Condition] | None:
    """The condition of what was asked last, and the place where it was said.

    It stands while the person only answers questions, until something was looked up and they have
    spoken after that: then they know, and what they say counts.
    """
    said = [place for place, each in enumerate(messages) if each["role"] == "user"]
    for place in reversed(said):
        words, _ = _asked(messages[place])
        if found := condition_of(words):
            later = [_asked(messages[each])[0] for each in said if each > place]
            known = any(each["role"] == "tool" for each in messages[place : said[-1]])
            if known or any(orders(each, found) for each in later):
                return None
            return place, found
        before = messages[place - 1] if place else {}
        if not str(before.get("content") or "").rstrip().endswith("?"):
            return None
    return None


def _asked(message: Message) -> tuple[str, list[str]]:
    """What a message asks, as text, and the results that it brings along."""
    text = str(message.get("content") or "").partition(f"\n\n{BEFORE}")[0]
    if text.startswith(TASK):
        task, _, given = text.removeprefix(TASK).partition("\n\n")
        return task, _RESULT.findall(given.partition(RESULTS)[2])
    data = _data(text)
    if isinstance(data, dict):  # the fields that a stage is shown
        text = "\n".join(each for each in data.values() if isinstance(each, str))
    return text, []


def _hangs(tool: Tool, condition: Condition) -> bool:
    """Whether a tool does what a condition is for, by its name."""
    from course.models.policy.words import name_stems

    act = _deeds(_WORD.findall(condition.act), condition.act) | _content(condition.act)
    return _changes(tool) and bool(act.intersection(name_stems(tool.name)))


def _begins(tool: Tool, condition: Condition) -> bool:
    """Whether a tool begins a talk at whose end that is done, by what it says of itself. The talk
    may be what finds out whether the condition holds, so it waits for no look.
    """
    from course.models.policy.front.tool import starts

    act = _deeds(_WORD.findall(condition.act), condition.act) - _STARTS
    return starts(_spec(tool)) and bool(act & _content(tool.description))


def _changes(tool: Tool) -> bool:
    """Whether a tool changes something: `cancel_order`, but not `order_status`."""
    from course.models.policy.front.tool import changes

    return changes(_spec(tool))


def _spec(tool: Tool) -> ToolSpec:
    return ToolSpec(tool.name, tool.description, dict(tool.parameters))


def _looked_at(condition: Condition, seen: Sequence[str]) -> str:
    """What stands against what a condition is for, as a step of the trace; empty if nothing."""
    held, objection = holds(condition, seen), ""
    if not seen:
        objection = f"look first whether {condition.looks}: find it out, and do this after that"
    elif held is False:
        word = "" if condition.wanted else "unless: "
        found = f"({word}{condition.looks}): nothing is done; say what was found"
        objection = f"{NOT_HELD} {found}"
    with span("condition", condition.looks) as step:
        told = "untold" if held is None else "yes" if held else "no"
        step.set("switchboard.condition.holds", told)
        if objection:
            step.fail(objection, kind="ToolError")
    return objection


def _guarded(tool: Tool, condition: Condition, seen: Sequence[str]) -> Tool:
    """The tool as it is, where the condition holds or cannot be told; else one that refuses."""

    @wraps(tool.function)
    def guarded(*args: Any, **named: Any) -> Any:
        if objection := _looked_at(condition, seen):
            raise ToolError(objection)
        return tool.function(*args, **named)

    return replace(tool, function=guarded)


def _results(messages: Iterable[Message], named: Mapping[str, Tool]) -> Iterator[tuple[str, str]]:
    """What tools that change nothing have found, each with the tool's name."""
    names = dict[str, str]()
    for each in messages:
        for call in each.get("tool_calls") or ():
            names[call["id"]] = call["function"]["name"]
        if each["role"] != "tool" or outcome_of(each) != "ok":
            continue
        name = names.get(each["tool_call_id"], "")
        if name not in named or not _changes(named[name]):
            yield name, str(each["content"])


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
_UNSURE = re.compile(r"\b(?:if|unless|whether|perhaps|maybe|might|may|could|usually)\b|\?", re.I)
_NUMBER = re.compile(r"(?<![\w.:-])\d[\d,]*(?:\.\d+)?(?![\w:-])")
_LIGHT = frozenset(
    "a an and are as at be been by do does for from has have in is it its me my of on or our s t"
    " still than that the their there they this to today tomorrow was we were will with you"
    " your".split()
)
_THERE = re.compile(r"\b(?:there (?:is|are)|free|available|any|open|left|in stock)\b", re.I)

_NAMES = frozenset("id number no code year zip phone".split())
"""Keys of numbers that count nothing."""


def _told(looks: str, text: str) -> bool | None:
    """Whether what is looked at is so, by one result; None where it does not say."""
    data, looks = _data(text), in_digits(looks)
    if isinstance(data, Mapping) and NOTHING_FOR in data:
        data = []  # what is offered instead is not what is asked
    about = set(map(stem, re.findall(r"[a-z]+", looks.lower())))
    denied = bool(_NOT.search(looks))
    if isinstance(data, str) and (said := _in_prose(looks, data)) is not None:
        return said
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


def _in_prose(looks: str, text: str) -> bool | None:
    """Whether what is looked at is so, by a sentence that has all of its words."""
    bound, denied = _BOUND.search(looks), bool(_NOT.search(looks))
    about = _content(_BOUND.sub(" ", _NOT.sub(" ", looks)))
    for sentence in re.split(r"(?<=[.!?;])\s+|\n+", in_digits(text)):
        if not about or not about <= _content(sentence) or _UNSURE.search(sentence):
            continue
        if not bound:
            return bool(_NOT.search(sentence)) is denied
        numbers = _NUMBER.findall(sentence)
        if len(numbers) == 1:
            return _within(bound, float(numbers[0].replace(",", ""))) is not denied
    return None


def _content(words: str) -> set[str]:
    """The stems of the words that carry meaning, and figures."""
    found = re.findall(r"\d[\d:.,]*\b|[a-z]+", words.lower())
    return {stem(each) for each in found if each not in _LIGHT}


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
