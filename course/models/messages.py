"""The messages of a request: each one well formed, and every tool call answered in its place."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

from course.models import refusals, tokens
from course.models.wire import ApiError, JsonObject

ROLES = ("system", "developer", "user", "assistant", "tool")

MAX_KNOWN = 512
MAX_KNOWN_TOKENS = 2_000_000
"""How many conversations are remembered, and how many tokens they may have together."""

_OPENING = 3
_COMMON = frozenset({"role", "content", "name"})
_FIELDS: Mapping[str, frozenset[str]] = {
    "system": _COMMON,
    "developer": _COMMON,
    "user": _COMMON,
    # What SDKs write when they dump an answer and send it back as history; the second row is
    # litellm's. None of it but the calls and the refusal is read.
    "assistant": _COMMON
    | {"tool_calls", "refusal", "annotations", "audio", "function_call"}
    | {"provider_specific_fields", "reasoning_content", "thinking_blocks", "images"},
    "tool": _COMMON | {"tool_call_id"},
}
_TEXT_PARTS: Mapping[str, tuple[str, ...]] = {
    "system": ("text",),
    "developer": ("text",),
    "user": ("text",),
    "assistant": ("text", "refusal"),
    "tool": ("text",),
}
_OTHER_PARTS = frozenset({"image_url", "input_audio", "file"})


@dataclass(frozen=True, slots=True)
class History:
    """Checked messages, and what they cost in tokens (the priming of the answer not included).

    `asked_at` is the place of the assistant message whose calls the last messages answer, or -1.
    """

    messages: tuple[JsonObject, ...] = ()
    tokens: int = 0
    asked_at: int = -1


class Histories:
    """Checks the messages of requests, and remembers the conversations it has seen.

    A conversation sends its whole history with every request. What was checked and counted once is
    only compared, and the remembered messages stand in for the new copies, so that a hundred kept
    requests of one conversation hold its messages once.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[object, ...], History] = OrderedDict()
        self._tokens = 0
        self._keeping = Lock()  # large requests are read in a thread of a server

    def check(self, messages: object) -> History:
        """The messages of a body, once nothing is wrong with them.

        Raises ApiError: 400, with the path of what is wrong in `param`.
        """
        if not isinstance(messages, list):
            raise refusals.wrong_type("messages", "an array of objects", messages)
        if not messages:
            raise refusals.empty_array("messages")
        opening = _opening(messages)
        known = self._known.get(opening, History())
        if tuple(messages[: len(known.messages)]) != known.messages:
            known = History()
        history = _extend(known, messages)
        self._keep(opening, history)
        return history

    def _keep(self, opening: tuple[object, ...], history: History) -> None:
        """Remember a conversation as the latest, and forget the oldest beyond the limits."""
        with self._keeping:
            self._tokens += history.tokens - self._known.pop(opening, History()).tokens
            self._known[opening] = history
            while len(self._known) > MAX_KNOWN or self._tokens > MAX_KNOWN_TOKENS:
                self._tokens -= self._known.popitem(last=False)[1].tokens


def _opening(messages: list[Any]) -> tuple[object, ...]:
    """How a conversation begins, which tells it from others: its texts up to the first request."""
    texts: list[object] = []
    for message in messages[:_OPENING]:
        content = message.get("content") if type(message) is dict else None
        texts.append(content if type(content) is str else None)
        if texts[-1] is not None and message.get("role") == "user":
            break
    return tuple(texts)


def _extend(known: History, messages: list[Any]) -> History:
    """Check the messages that `known`, their beginning, does not have yet."""
    asked_at = known.asked_at
    open_calls: set[str] = set()
    fresh = messages[len(known.messages) :]
    for index, message in enumerate(fresh, len(known.messages)):
        role = _check_one(message, index)
        if role == "tool":
            _settle(message["tool_call_id"], open_calls, index, asked_at)
            continue
        if open_calls:
            raise _unanswered(open_calls, asked_at)
        asked_at = -1
        if role == "assistant" and (calls := message.get("tool_calls")):
            open_calls = _call_ids(calls, index)
            asked_at = index
    if open_calls:
        raise _unanswered(open_calls, asked_at)
    count = known.tokens + sum(map(tokens.count_message, fresh))
    return History(known.messages + tuple(fresh), count, asked_at)


def _check_one(message: Any, index: int) -> str:
    """The role of a message that is well formed in itself."""
    if type(message) is not dict:
        raise refusals.wrong_type(f"messages[{index}]", "an object", message)
    role = _role(message, index)
    if not message.keys() <= _FIELDS[role]:
        extra = next(name for name in message if name not in _FIELDS[role])
        raise refusals.unknown(f"messages[{index}].{extra}")
    content = message.get("content")
    if type(content) is not str:
        _check_content(message, role, index)
    if "name" in message and not isinstance(message["name"], str):
        raise refusals.wrong_type(f"messages[{index}].name", "a string", message["name"])
    if role == "tool" and not isinstance(message.get("tool_call_id"), str):
        raise _lacks(message, f"messages[{index}]", "tool_call_id", "a string")
    return role


def _role(message: dict[str, Any], index: int) -> str:
    role = message.get("role")
    if type(role) is not str:
        raise _lacks(message, f"messages[{index}]", "role", "a string")
    if role not in _FIELDS:
        raise refusals.unsupported_value(f"messages[{index}].role", role, ROLES)
    return role


def _check_content(message: dict[str, Any], role: str, index: int) -> None:
    """Content that is no plain string: parts, or nothing where calls or a refusal stand for it."""
    path = f"messages[{index}].content"
    content = message.get("content")
    if content is None:
        if role == "assistant" and (message.get("tool_calls") or message.get("refusal")):
            return
        if "content" not in message and role != "assistant":
            raise refusals.missing(path)
        problem = "Invalid value for 'content': expected a string, got null."
        raise refusals.bad_parameter(f"messages.[{index}].content", problem)
    if not isinstance(content, list):
        raise refusals.wrong_type(path, "one of a string or array of objects", content)
    if not content:
        raise refusals.empty_array(path)
    for number, part in enumerate(content):
        _check_part(part, role, f"{path}[{number}]")


def _check_part(part: object, role: str, path: str) -> None:
    if not isinstance(part, dict):
        raise refusals.wrong_type(path, "an object", part)
    sort = part.get("type")
    if not isinstance(sort, str):
        raise _lacks(part, path, "type", "a string")
    if role == "user" and sort in _OTHER_PARTS:
        problem = f"Invalid content type. {sort} is only supported by certain models."
        raise refusals.bad_parameter(f"{path}.type", problem)
    if sort not in _TEXT_PARTS[role]:
        raise refusals.unsupported_value(f"{path}.type", sort, _TEXT_PARTS[role])
    if not isinstance(part.get(sort), str):
        raise _lacks(part, path, sort, "a string")


def _call_ids(calls: object, index: int) -> set[str]:
    """The ids of an assistant message's calls, each checked."""
    path = f"messages[{index}].tool_calls"
    if not isinstance(calls, list):
        raise refusals.wrong_type(path, "an array of objects", calls)
    ids: set[str] = set()
    for number, call in enumerate(calls):
        ident = _call_id(call, f"{path}[{number}]")
        if ident in ids:
            raise refusals.invalid(f"{path}[{number}].id", "two calls share one id.")
        ids.add(ident)
    return ids


def _call_id(call: object, path: str) -> str:
    if not isinstance(call, dict):
        raise refusals.wrong_type(path, "an object", call)
    ident, function = call.get("id"), call.get("function")
    if not isinstance(ident, str):
        raise _lacks(call, path, "id", "a string")
    if call.get("type", "function") != "function":
        raise refusals.unsupported_value(f"{path}.type", call["type"], ("function",))
    if not isinstance(function, dict):
        raise _lacks(call, path, "function", "an object")
    for name in ("name", "arguments"):
        if not isinstance(function.get(name), str):
            raise _lacks(function, f"{path}.function", name, "a string")
    return ident


def _settle(ident: str, open_calls: set[str], index: int, asked_at: int) -> None:
    """Strike a tool message's call off the open ones."""
    if asked_at < 0:
        problem = (
            "Invalid parameter: messages with role 'tool' must be a response to a preceding "
            "message with 'tool_calls'."
        )
        raise refusals.bad_parameter(f"messages.[{index}].role", problem)
    if ident not in open_calls:
        problem = (
            f"Invalid parameter: 'tool_call_id' of '{ident[:80]}' not found in 'tool_calls' of "
            "previous message."
        )
        raise refusals.bad_parameter(f"messages.[{index}].tool_call_id", problem)
    open_calls.remove(ident)


def _unanswered(open_calls: set[str], asked_at: int) -> ApiError:
    listed = ", ".join(sorted(open_calls))
    return refusals.bad_parameter(
        f"messages.[{asked_at}].role",
        "An assistant message with 'tool_calls' must be followed by tool messages responding to "
        "each 'tool_call_id'. The following tool_call_ids did not have response messages: "
        f"{listed[:400]}",
    )


def _lacks(holder: Mapping[str, Any], path: str, name: str, expected: str) -> ApiError:
    """The complaint about a field that is absent or has the wrong type."""
    where = f"{path}.{name}"
    if name not in holder:
        return refusals.missing(where)
    return refusals.wrong_type(where, expected, holder[name])
