"""The Chat Completions request and reply as data: what a model is asked and what it answers.

Nothing here thinks or waits. `protocol` turns a request body into a `ChatRequest` and a `Reply`
into a response body; the policy, a script and a recording only ever see these types.

Source: the Chat Completions API reference, as typed by the openai package 3.54
(`openai.types.chat`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from openai import AsyncOpenAI as AsyncOpenAI
else:
    AsyncOpenAI = Any  # for annotations alone: its package takes most of a second to import

JsonObject = Mapping[str, Any]

RUN_HEADER = "x-switchboard-run"
AGENT_HEADER = "x-switchboard-agent"
MATTER_HEADER = "x-switchboard-matter"
OWNER_HEADER = "x-switchboard-owner"
CALL_HEADER = "x-switchboard-call"
RETRY_HEADER = "x-stainless-retry-count"
MOST_DIGITS = 18
"""Of a number in a header: no call is made more often."""

KEY_HEADERS = (
    RUN_HEADER,
    AGENT_HEADER,
    MATTER_HEADER,
    OWNER_HEADER,
    CALL_HEADER,
    RETRY_HEADER,
)

Message = Mapping[str, Any]
"""A message of a conversation as a request carries it: `role`, `content`, and what goes with it."""


@dataclass(frozen=True, slots=True)
class Key:
    """What a random draw hangs on, so that no draw depends on the order of events.

    Attributes:
        run: the whole run, whatever smaller runs it consists of.
        agent: who asks.
        call: the agent's calls on this matter so far.
        attempt: how often this call was made before.
        matter: what the agent works on, such as a task; empty where it works on one thing only.
        owner: the system whose step the agent is, such as the supervisor of a plan's synthesis;
            then `call` counts the owner's calls, and the draws hang on it. Empty for the agent.
    """

    run: str = ""
    agent: str = ""
    call: int = 0
    attempt: int = 0
    matter: str = ""
    owner: str = ""

    @classmethod
    def of(cls, headers: Mapping[str, str]) -> Key:
        """The key that a request's headers (names in lower case) tell; what they lack is empty."""
        get = headers.get
        return cls(
            run=of_header(get(RUN_HEADER, "")),
            agent=of_header(get(AGENT_HEADER, "")),
            call=whole_number(get(CALL_HEADER)) or 0,
            attempt=whole_number(get(RETRY_HEADER)) or 0,
            matter=of_header(get(MATTER_HEADER, "")),
            owner=of_header(get(OWNER_HEADER, "")),
        )


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One function tool offered in a request; `parameters` is its JSON schema.

    `strict` says how its arguments are held to the schema; it is no part of which tool it is.
    """

    name: str
    description: str = ""
    parameters: JsonObject = field(default_factory=dict)
    strict: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call in an answer. `arguments` is JSON text; an empty `id` is filled in on sending."""

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """One choice of an answer: text, tool calls, or both. `finish_reason` follows from them."""

    text: str | None = None
    calls: tuple[Call, ...] = ()
    refusal: str | None = None
    finish_reason: Literal["stop", "length", "tool_calls", "content_filter"] | None = None


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A validated request. `messages` are wire dictionaries, `raw` is the whole body as it came.

    `tool_choice` is "auto", "none", "required" or "named" (then `named_tool` says which).
    `max_tokens` is in tokens and covers max_completion_tokens as well.
    """

    model: str
    messages: tuple[JsonObject, ...]
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: Literal["auto", "none", "required", "named"] = "auto"
    named_tool: str | None = None
    parallel_tool_calls: bool = True
    response_format: Literal["text", "json_object", "json_schema"] = "text"
    schema_name: str | None = None
    schema: JsonObject | None = None
    stream: bool = False
    include_usage: bool = False
    seed: int | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    n: int = 1
    key: Key = Key()
    raw: JsonObject = field(default_factory=dict)


class ApiError(Exception):
    """An error response of the API: an HTTP status and the `error` object of its body.

    `headers` are added to the response, such as `{"retry-after": "2"}` (seconds) with a 429.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        type: str = "invalid_request_error",
        code: str | None = None,
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.type = type
        self.code = code
        self.param = param
        self.headers = dict(headers or {})


def in_headers(values: Mapping[str, str]) -> dict[str, str]:
    """Headers as HTTP can carry them: what is no plain ASCII is percent-encoded, as in addresses.

    Agents and runs have names in every language, and their names travel in headers.
    """
    return {name: value if _plain(value) else quote(value) for name, value in values.items()}


def whole_number(text: str | None) -> int | None:
    """The number that a header gives, or None where it gives none, or one of too many digits."""
    if text is None or len(text) > MOST_DIGITS or not (text.isascii() and text.isdigit()):
        return None
    return int(text)


def of_header(value: str) -> str:
    """A value as it was before `in_headers`."""
    return unquote(value) if "%" in value else value


def _plain(value: str) -> bool:
    return value.isascii() and value.isprintable() and "%" not in value
