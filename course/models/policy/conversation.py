"""Conversation: the messages of a request, read as instructions, a request in hand, results, and
what a person said to which question; and the day on which it takes place, as it is stated."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any

from course.models.policy.dates import DAYS, MONTH, MONTHS, REFERENCE, WEEKDAY, Found, find_dates
from course.models.policy.lines import inline
from course.models.policy.material import opened, read_json, state_in
from course.models.policy.patterns import regex
from course.models.policy.words import cue
from course.models.wire import ChatRequest, JsonObject

_ERROR, _REFUSES, _THANKS, _MISFIT, _OFFER, _RUNNING = (
    cue(f"conversation.{n}") for n in "error refuses thanks misfit offer running".split()
)
_LINE = cue("conversation.line", 0)
_CALLED = re.compile(r"(\w+)\((.*)\)", re.DOTALL)


_ONE_AT_A_TIME = regex(  # whom the conversation went to instead has it now: nobody comes next
    r"^(?!.*\b(?:transferred|handed)\b).*\bone (?:\w+ )?(?:per|at a|a) (?:message|time|turn)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Made:
    """A tool call that was made and what came back. `data` is the result read as JSON, else its
    text; `error` is the message of a failed call; an unanswered call has `text` None."""

    name: str
    arguments: Mapping[str, Any]
    text: str | None = None
    data: Any = None
    error: str | None = None

    @property
    def put_off(self) -> bool:
        """Whether it failed only since another was made in the same message: it may come next."""
        return bool(_ONE_AT_A_TIME.search(self.error or ""))


@dataclass(frozen=True)
class Exchange:
    """Something a person said, and the assistant's words before it ("" when there are none)."""

    asked: str
    said: str


@dataclass(frozen=True)
class Talk:
    """A conversation. `request` is what is being asked now; `answers` are the user's replies to
    questions about it; `made` are the calls since; `past` those before, newest first; `earlier`
    are older user messages, newest first; `material` is what a message brings along besides its
    task; `latest` is the last user message as it came; `known` are facts that the
    instructions state as JSON, `given` those of the message itself, and `tried` calls of others
    that they tell of."""

    instructions: str = ""
    request: str = ""
    material: str = ""
    latest: str = ""
    answers: tuple[str, ...] = ()
    made: tuple[Made, ...] = ()
    past: tuple[Made, ...] = ()
    earlier: tuple[str, ...] = ()
    today: date = REFERENCE
    known: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    tried: tuple[Made, ...] = ()


def text_of(message: JsonObject) -> str:
    """The text of a message, whose content may be a string or a list of parts; a run of digits that
    no number is long enough for counts as far as one is, and so does a run of spaces or of one sign
    that is longer than any line."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [p.get("text") for p in content if isinstance(p, Mapping)]
        content = "\n".join(p for p in parts if isinstance(p, str))
    return _RUNS.sub(r"\1\2", _DIGITS.sub("", content)) if isinstance(content, str) else ""


_DIGITS = re.compile(r"(?<=\d{300})\d+")
_RUNS = re.compile(r"(\s{100})\s+|((\S)\3{299})\3+")
"""A hundred rules would try such a run from each place in it."""


def _made(function: Any, text: str | None) -> Made:
    """A call, as a message holds it, with the text of its result."""
    function = function if isinstance(function, Mapping) else {}
    try:
        parsed = read_json(str(function.get("arguments") or "{}"))
    except ValueError:
        parsed = {}
    name, arguments = str(function.get("name", "")), parsed if isinstance(parsed, dict) else {}
    return Made(name, arguments) if text is None else read_result(name, arguments, text)


def _error_in(arguments: Mapping[str, Any], text: str, data: Any) -> str | None:
    """What went wrong, if a tool's result says that something did."""
    if isinstance(data, str):
        opening = _FIRST.match(text)
        refused = arguments and len(text) <= _BRIEF and opening and _REFUSES.search(opening[0])
        return text.strip() if _ERROR.match(text) or refused else None
    if not isinstance(data, Mapping):
        return None
    for key in ("error", "errors", "detail"):
        value = data.get(key)
        if value and (key == "error" or len(data) <= 2):
            inner = value.get("message") if isinstance(value, Mapping) else value
            told = inner if isinstance(inner, str) else inline(value)
            return _with_reason(told, {k: v for k, v in data.items() if k != key})
    status = str(data.get("status", "")).lower()
    failed = status in ("error", "failed", "failure", "rejected") or bool(_STATUS.fullmatch(status))
    failed = failed or data.get("ok") is False or data.get("success") is False
    reasons = (data[k] for k in _REASONS if isinstance(data.get(k), str) and data[k])
    return next(reasons, None) if failed else None


_FIRST = re.compile(r"\s*(?:[^.!?\n]{0,20}[.!?]\s+)?(?:[^.!?\n]|\.(?=\w))*")
"""The first sentence of a text, and the one after a mere call; what is refused is told first."""
_BRIEF = 300
"""Characters of a refusal in words; a longer text is an answer."""
_STATUS = re.compile(r"[45]\d\d")
_REASONS = ("message", "detail", "reason", "msg", "hint", "description")
_MARKS = frozenset("status code ok success type".split())


def _with_reason(told: str, rest: Mapping[str, Any]) -> str:
    """An error with what stands beside it: a code in words, its reason, and what is offered."""
    told = told.replace("_", " ").lower() if re.fullmatch(r"[A-Z][A-Z0-9_]{3,}", told) else told
    reasons = [v for k in _REASONS if isinstance(v := rest.get(k), str) and v]
    others = {
        k: v for k, v in rest.items() if k not in (*_REASONS, *_MARKS) and v not in (None, "")
    }
    facts = f" ({inline(others)})" if others else ""
    return f"{': '.join([told.rstrip('.'), *reasons])}{facts}" if reasons or facts else told


def read_result(name: str, arguments: Mapping[str, Any], text: str) -> Made:
    """A call with its result; JSON is read, and an error is told from an answer."""
    shown = shown_data(text)
    data = shown if shown is not None or text.strip() == "null" else text
    return Made(name, arguments, text, data, _error_in(arguments, text, data))


def shown_data(text: str) -> Any:
    """The data that a text shows, as JSON or in Python's way; None where it shows none."""
    try:
        return read_json(text)
    except ValueError:
        return python_value(text)


def calls_in(messages: tuple[JsonObject, ...]) -> tuple[Made, ...]:
    """The calls in a stretch of conversation with their results, in the order they were made.

    A call that still runs is none: nothing has come of it, and somebody is at it already.
    """
    return tuple(_made(f, text) for f, text in _called(messages) if not _runs(text))


def running_in(messages: tuple[JsonObject, ...]) -> frozenset[str]:
    """The names of the tools whose calls still run: pieces of talk that were begun."""
    return frozenset(_made(f, None).name for f, text in _called(messages) if _runs(text))


def _runs(text: str | None) -> bool:
    return text is not None and bool(_RUNNING.search(text))


def _called(messages: tuple[JsonObject, ...]) -> Iterator[tuple[Any, str | None]]:
    """What was called, each with its result if there is one."""
    results = {
        str(m.get("tool_call_id", "")): text_of(m) for m in messages if m.get("role") == "tool"
    }
    for message in messages:
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            call = call if isinstance(call, Mapping) else {}
            yield call.get("function"), results.get(str(call.get("id", "")))


def tried_in(known: Mapping[str, Any]) -> tuple[Made, ...]:
    """The calls that a list of what was tried tells of, each with its outcome."""
    listed = known.get("tried")
    told = [t for t in listed if isinstance(t, Mapping)] if isinstance(listed, list) else []
    called = ((_CALLED.fullmatch(str(t.get("call", ""))), t) for t in told)
    return tuple(
        _made({"name": m[1], "arguments": m[2]}, str(t.get("outcome", ""))) for m, t in called if m
    )


def _joins(messages: tuple[JsonObject, ...], place: int) -> bool:
    """Whether a user message answers what the assistant's last words before it asked."""
    before = next((m for m in messages[:place][::-1] if m.get("role") in ("user", "assistant")), {})
    text = text_of(before).rstrip()
    spoke = before.get("role") == "assistant" and not before.get("tool_calls")
    asks = spoke and text.endswith("?") and not _OFFER.search(text)
    return asks and not _THANKS.match(text_of(messages[place]))


def read(request: ChatRequest, *, joined: bool = True) -> Talk:
    """Read a request's messages; with `joined` a reply to a question stays with what it answers."""
    users = [n for n, m in enumerate(request.messages) if m.get("role") == "user"]
    messages = request.messages
    while len(users) > 1 and _MISFIT.match(text_of(messages[users[-1]])):
        users.pop()  # put right is what was asked before, not the words that say what is wrong
    said = [text_of(messages[n]) for n in users]
    told = (text_of(m) for m in messages if m.get("role") in ("system", "developer"))
    instructions, known = state_in("\n".join(t for t in told if t))
    today = stated_today("\n".join([instructions, *said])) or written_on(instructions)
    if today is None and request.response_format != "text" and said:
        today = first_dated(said[-1])
    first = len(users) - 1
    while joined and first > 0 and _joins(messages, users[first]):
        first -= 1
    start = users[first] if users else 0
    task, material, given = opened(said[first]) if users else ("", "", {})
    return Talk(
        instructions,
        task,
        material,
        said[-1] if said else "",
        answers=tuple(said[:first:-1]),
        made=calls_in(messages[start:]),
        past=calls_in(messages[:start])[::-1],
        earlier=tuple(said[: max(first, 0)][::-1]),
        today=today or REFERENCE,
        known=known,
        given=given,
        tried=tried_in(known),
    )


def exchanges(messages: tuple[JsonObject, ...]) -> tuple[Exchange, ...]:
    """The exchanges of a conversation.

    An answer in JSON asks nothing: what comes after it is no reply to a question.
    """
    turns: list[tuple[bool, str]] = []  # whether the person speaks, and the words
    for message in messages:
        text = text_of(message)
        if message.get("role") == "user":
            turns.append((True, text))
        elif message.get("role") == "assistant" and text:
            turns.append((False, "" if text.lstrip().startswith("{") else text))
    before = [(True, ""), *turns]
    return tuple(
        Exchange("" if mine else asked, said)
        for (mine, asked), (theirs, said) in zip(before, turns, strict=False)
        if theirs
    )


_TAGGED = re.compile(r"<(user|assistant)>(.*?)</\1>", re.DOTALL)
"""A turn as LiveKit writes it down for a summary."""


def turns_in(text: str) -> list[tuple[str, str]]:
    """The turns (speaker, words) that a text writes down, as "user: ..." or in tags."""
    if tagged := _TAGGED.findall(text):
        return [(who, told.strip()) for who, told in tagged]
    marks = list(_LINE.finditer(text))
    ends = [*(m.start() for m in marks[1:]), len(text)][: len(marks)]
    return [(m[1], text[m.end() : end].strip()) for m, end in zip(marks, ends, strict=True)]


_ELEMENT = re.compile(r"<[A-Za-z][\w:-]*(?:\s+[\w:-]+=\"[^\"<>]*\")*\s*/>")
_ATTRIBUTE = re.compile(r"([\w:-]+)=\"([^\"]*)\"")
_FIELDS = re.compile(r"\w+=\S")
_BETWEEN = re.compile(r"(?<=['\"\w)\]}]) (?=\w+=['\"\w([{-])")
_DATED = ("date", "datetime")
LONGEST = 20_000
"""Characters beyond which a text is left alone."""


def python_value(text: str) -> Any:
    """What a text shows, if it is Python's way of showing data, or an XML element's; else None.

    Dictionaries and lists, an object with its fields (`Name(field=...)`, or the fields alone, as
    pydantic prints them), dates. Nothing is run: the text is only read.
    """
    shown = text.strip()
    if len(shown) > LONGEST:
        return None
    if _ELEMENT.fullmatch(shown):
        return dict(_ATTRIBUTE.findall(shown)) or None
    if _FIELDS.match(shown):
        shown = f"fields({_BETWEEN.sub(', ', shown)})"
    elif not re.match(r"[\[{(]|[A-Z]\w*\(\w+=", shown):
        return None
    try:
        return _value(ast.parse(shown, mode="eval").body)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return {str(_value(key)): _value(value) for key, value in pairs if key is not None}
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [_value(each) for each in node.elts]
    if isinstance(node, ast.Call):
        return _object(node)
    return _plain(ast.literal_eval(node))


def _plain(value: Any) -> Any:
    """A value as JSON has it; a number that is none (1e999) raises ValueError."""
    return read_json(repr(value)) if isinstance(value, float) else value


def _object(node: ast.Call) -> Any:
    """An object as its fields, a date as text."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    parts = [_value(each) for each in node.args]
    if name in _DATED and len(parts) >= 3:
        day = "-".join(f"{part:02}" for part in parts[:3])
        return f"{day} {parts[3]:02}:{parts[4]:02}" if len(parts) >= 5 else day
    if parts or not node.keywords:
        raise ValueError(f"{name} is no data")
    return {str(each.arg): _value(each.value) for each in node.keywords}


_TODAY = re.compile(
    r"\b(?:today(?:['’]s date)?|(?:the )?current[ _]date(?: and time)?|(?:the )?date|now"
    r"|it(?:['’]s| is))"
    r"(?:[\s\"'|*:=,]|\b(?:is|today|now)\b)*(?:\w+day,?\s*)?(?:the )?",
    re.IGNORECASE,
)
_WRITTEN = re.compile(
    r"\b(?:(?:was|were|is|are) (?:sent|received|written|recorded|dated|from|in)(?: on)?"
    r"|(?:received|dated|written|sent|recorded|taken)(?: on)?:?|(?:date|day)\b[^.:\n]{0,30}:)\s+"
    r"(?:\w+day,?\s*)?(?:the )?",
    re.IGNORECASE,
)
_IN_YEAR = re.compile(rf"(?:{MONTH} )?((?:19|20)\d\d)\b(?![-./]?\d)", re.IGNORECASE)


@lru_cache(maxsize=1_000)
def written_on(instructions: str) -> date | None:
    """The day on which a text to be read was written, as the instructions state it; of what is only
    said to be from a year the first of January, so that days without a year are of that one."""
    for match in _WRITTEN.finditer(instructions):
        told = instructions[match.end() : match.end() + 40]
        found = find_dates(told, REFERENCE)
        if found and found[0].start <= 2 and re.search(r"\d{4}", told[: found[0].end]):
            return found[0].value
        if year := _IN_YEAR.match(told):
            return date(int(year[2]), MONTHS[(year[1] or "January").lower()], 1)
    return _on_the_calendar(instructions)


_BOUND = re.compile(r"\b(?:until|till|from|since|before|by|to|founded|opened|of) (?:the )?$", re.I)


def _on_the_calendar(instructions: str) -> date | None:
    """The only day with its year that instructions name beside its day of the week, or at all."""
    found = [f for f in find_dates(instructions, REFERENCE)
             if f"{f.value.year}" in instructions[f.start : f.end]]  # fmt: skip
    named = {f.value for f in found if _named_rightly(instructions, f)}
    if len(named) == 1:
        return named.pop()
    alone = len(found) == 1 and not _BOUND.search(instructions, 0, found[0].start)
    return found[0].value if alone else None


def _named_rightly(text: str, day: Found) -> bool:
    """Whether the name of a day stands beside it or in it."""
    start, said = max(0, day.start - 15), text[day.start : day.end]
    near = text[start : day.start], text[day.end : day.end + 15]
    inside = re.match(WEEKDAY, said, re.IGNORECASE)
    before = re.search(rf"({WEEKDAY})[\s,]*(?:the )?$", near[0], re.IGNORECASE)
    after = re.match(rf"[\s,(]*(?:an? )?({WEEKDAY})", near[1], re.IGNORECASE)
    names = [m.group(m.lastindex or 0) for m in (inside, before, after) if m]
    return any(DAYS[n.lower().rstrip(".")] == day.value.weekday() for n in names)


def first_dated(text: str) -> date | None:
    """The first day that a text names with its year, from which it may be read if nothing else
    says when it was written."""
    whole = (f for f in find_dates(text[:2_000]) if f"{f.value.year}" in text[f.start : f.end])
    return next((f.value for f in whole), None)


@lru_cache(maxsize=1_000)
def stated_today(text: str) -> date | None:
    """The day that a text declares to be today ("Today is Monday, 2 March 2026"), if it does."""
    for match in _TODAY.finditer(text):
        told = text[match.end() : match.end() + 40]
        for found in find_dates(told, REFERENCE):
            year = r"\d{4}" if match.group().lower().startswith("it") else r"\d"
            if found.start <= 2 and re.search(year, told[: found.end]):
                return found.value
    return None
