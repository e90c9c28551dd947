"""Conversation: the messages of a request, read as instructions, a request in hand, results, and
what a person said to which question."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from course.models.policy.dates import REFERENCE, stated_today, written_on
from course.models.policy.literals import python_value
from course.models.policy.material import opened, state_in
from course.models.policy.wordlists import cue
from course.models.wire import ChatRequest, JsonObject

_ERROR, _THANKS, _MISFIT, _SUMMED, _OFFER, _RUNNING = (
    cue(f"conversation.{n}") for n in "error thanks misfit summed offer running".split()
)
_LINE = cue("conversation.line", 0)
_SPOKE = re.compile(r"(?im)(?:^|(?<=: ))\s*(?:user|person|customer):\s*(.+)$")
_CALLED = re.compile(r"(\w+)\((.*)\)", re.DOTALL)
_PERSON = frozenset("user person customer caller human guest patient client".split())


@dataclass(frozen=True)
class Made:
    """A tool call that was made and what came back. `data` is the result read as JSON, else its
    text; `error` is the message of a failed call; an unanswered call has `text` None."""

    name: str
    arguments: Mapping[str, Any]
    text: str | None = None
    data: Any = None
    error: str | None = None


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
    """The text of a message, whose content may be a string or a list of parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [p.get("text") for p in content if isinstance(p, Mapping)]
        return "\n".join(p for p in parts if isinstance(p, str))
    return ""


def _arguments(call: Any) -> tuple[str, str, Mapping[str, Any]]:
    function = call.get("function") if isinstance(call, Mapping) else None
    function = function if isinstance(function, Mapping) else {}
    try:
        parsed = json.loads(str(function.get("arguments") or "{}"))
    except (ValueError, RecursionError):
        parsed = {}
    identity = str(call.get("id", "")) if isinstance(call, Mapping) else ""
    return identity, str(function.get("name", "")), parsed if isinstance(parsed, dict) else {}


def error_in(text: str, data: Any) -> str | None:
    """What went wrong, if a tool's result says that something did."""
    if isinstance(data, Mapping):
        for key in ("error", "errors", "detail"):
            value = data.get(key)
            if value and (key == "error" or len(data) <= 2):
                inner = value.get("message") if isinstance(value, Mapping) else value
                return inner if isinstance(inner, str) else json.dumps(value)
        if str(data.get("status", "")).lower() in ("error", "failed", "failure") and data.get(
            "message"
        ):
            return str(data["message"])
        return None
    return text.strip() if isinstance(data, str) and _ERROR.match(text) else None


def read_result(name: str, arguments: Mapping[str, Any], text: str) -> Made:
    """A call with its result; JSON is read, and an error is told from an answer."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        shown = python_value(text)
        data = text if shown is None else shown
    return Made(name, arguments, text, data, error_in(text, data))


def calls_in(messages: tuple[JsonObject, ...]) -> tuple[Made, ...]:
    """The calls in a stretch of conversation with their results, in the order they were made.

    A call that still runs is none: nothing has come of it, and somebody is at it already.
    """
    results = {
        str(m.get("tool_call_id", "")): text_of(m) for m in messages if m.get("role") == "tool"
    }
    found: list[Made] = []
    for message in messages:
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            identity, name, arguments = _arguments(call)
            text = results.get(identity)
            if text is not None and _RUNNING.search(text):
                continue
            made = Made(name, arguments) if text is None else read_result(name, arguments, text)
            found.append(made)
    return tuple(found)


def tried_in(known: Mapping[str, Any]) -> tuple[Made, ...]:
    """The calls that a list of what was tried tells of, each with its outcome."""
    found: list[Made] = []
    listed = known.get("tried")
    for entry in listed if isinstance(listed, list) else ():
        told = entry if isinstance(entry, Mapping) else {}
        match = _CALLED.fullmatch(str(told.get("call", "")))
        if match:
            call = {"id": "", "function": {"name": match[1], "arguments": match[2]}}
            _, name, arguments = _arguments(call)
            found.append(read_result(name, arguments, str(told.get("outcome", ""))))
    return tuple(found)


def _is_question(messages: tuple[JsonObject, ...], place: int) -> bool:
    """Whether the assistant's last words before a user message asked the user something."""
    for message in reversed(messages[:place]):
        if message.get("role") == "assistant":
            text = text_of(message).rstrip()
            return not message.get("tool_calls") and text.endswith("?") and not _OFFER.search(text)
        if message.get("role") == "user":
            return False
    return False


def _opening(messages: tuple[JsonObject, ...], users: list[int]) -> int:
    """How many user messages belong to the request in hand: replies to questions join it."""
    count = 1
    while (
        count < len(users)
        and _is_question(messages, users[-count])
        and not _THANKS.match(text_of(messages[users[-count]]))
    ):
        count += 1
    return count


def _unsummed(message: JsonObject) -> JsonObject:
    """A message; of one that sums a conversation up, the last thing that the person said, with
    the summary as material."""
    text = text_of(message)
    said = _SPOKE.findall(text) if _SUMMED.match(text) else []
    if not said:
        return message
    return {**message, "content": f"Request: {said[-1].strip()}\nContext: {text}"}


def read(request: ChatRequest, *, joined: bool = True) -> Talk:
    """Read a request's messages; with `joined` a reply to a question stays with what it answers."""
    messages = request.messages
    told = [text_of(m) for m in messages if m.get("role") in ("system", "developer")]
    users = [n for n, m in enumerate(messages) if m.get("role") == "user"]
    if users:
        last = users[-1]
        messages = (*messages[:last], _unsummed(messages[last]), *messages[last + 1 :])
    while len(users) > 1 and _MISFIT.match(text_of(messages[users[-1]])):
        users.pop()  # put right is what was asked before, not the words that say what is wrong
    instructions, known = state_in("\n".join(t for t in told if t))
    everything = "\n".join([instructions, *(text_of(messages[n]) for n in users)])
    today = stated_today(everything) or written_on(instructions) or REFERENCE
    if not users:
        made = calls_in(messages)
        return Talk(instructions, made=made, today=today, known=known, tried=tried_in(known))
    count = _opening(messages, users) if joined else 1
    start = users[-count]
    task, material, given = opened(text_of(messages[start]))
    return Talk(
        instructions,
        task,
        material,
        text_of(messages[users[-1]]),
        tuple(text_of(messages[n]) for n in reversed(users[len(users) - count + 1 :])),
        calls_in(messages[start:]),
        tuple(reversed(calls_in(messages[:start]))),
        tuple(text_of(messages[n]) for n in reversed(users[: len(users) - count])),
        today,
        known,
        given,
        tried_in(known),
    )


def exchanges(messages: tuple[JsonObject, ...]) -> tuple[Exchange, ...]:
    """The exchanges of a conversation; a transcript inside a message counts as one itself."""
    turns: list[tuple[bool, str]] = []  # whether the person speaks, and the words
    for message in messages:
        text = text_of(message)
        if message.get("role") == "user":
            turns += _transcript(text) or [(True, text)]
        elif message.get("role") == "assistant" and text:
            turns.append((False, text))
    before = [(True, ""), *turns]
    return tuple(
        Exchange("" if mine else asked, said)
        for (mine, asked), (theirs, said) in zip(before, turns, strict=False)
        if theirs
    )


def _transcript(text: str) -> list[tuple[bool, str]]:
    """The turns in lines such as "user: ...", none when a text is no transcript."""
    marks = list(_LINE.finditer(text))
    people = [m.group(1).lower() in _PERSON for m in marks]
    if len(set(people)) < 2:
        return []
    ends = [*(m.start() for m in marks[1:]), len(text)]
    told = (text[m.end() : end].strip() for m, end in zip(marks, ends, strict=True))
    return list(zip(people, told, strict=True))
