"""From the bytes of a request to a `ChatRequest`, or to the complaint the real API would make.

The order of the checks is the real one: JSON, parameters, model, messages, tools, and what only
shows when all of them are seen together, the length of the context included.

Source: Chat Completions API reference, as typed by the openai package 3.54
(`openai.types.chat.completion_create_params`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias, cast

from pydantic_core import from_json

from course.models import refusals, tokens
from course.models.messages import Histories, History
from course.models.parameters import check_parameters
from course.models.profile import ModelProfile
from course.models.schemas import Form, OfferedTools, check_format, check_tools
from course.models.weight import MOST_LETTERS
from course.models.wire import (
    AGENT_HEADER,
    CALL_HEADER,
    MOST_DIGITS,
    RETRY_HEADER,
    ChatRequest,
    JsonObject,
    Key,
    whole_number,
)

Choice: TypeAlias = Literal["auto", "none", "required", "named"]
_CHOICES = ("none", "auto", "required")


class RequestParser:
    """Makes `ChatRequest`s of bodies, for the models of one profile.

    Args:
        models: the models served, by name; they give the context windows (tokens).
        alias: which of them answers to a name that is none of theirs; "" for none.
    """

    def __init__(
        self, models: Mapping[str, ModelProfile], alias: Callable[[str], str] = lambda _: ""
    ) -> None:
        self._models = models
        self._alias = alias
        self._histories = Histories()

    def parse(
        self, body: bytes, headers: Mapping[str, str] | None = None
    ) -> tuple[ChatRequest, int]:
        """The request in a body, and the tokens of its prompt.

        Args:
            body: JSON text as it came.
            headers: the request's headers of `wire.KEY_HEADERS`, names in lower case.

        Raises ApiError: 400 or 404, worded like the real API's and with the same code and param.
        """
        _check_numbers(headers or {})
        raw = _load(body)
        check_parameters(raw)
        raw["model"] = self.served(raw["model"])
        model = self._models[raw["model"]]
        history = self._histories.check(raw["messages"])
        offer, form = _offer_and_form(raw, history)
        limit = _answer_limit(raw, model)
        prompt = _prompt_tokens(history, offer, form, limit, model)
        _check_choices(_or(raw.get("n"), 1), prompt, model, max(offer.letters, form.letters))
        raw["messages"] = list(history.messages)
        key = request_key(headers or {}, history.messages)
        return _request(raw, history, offer, form, limit, key), prompt

    def served(self, name: str) -> str:
        """The model that answers to a name. Raises ApiError: 404, none does."""
        ours = name if name in self._models else self._alias(name)
        if ours not in self._models:
            raise refusals.no_model(name)
        return ours


def _offer_and_form(raw: Mapping[str, Any], history: History) -> tuple[OfferedTools, Form]:
    tools, wanted = raw.get("tools"), raw.get("response_format")
    offer = OfferedTools() if tools is None else check_tools(tools)
    form = Form() if wanted is None else check_format(wanted)
    if form.type == "json_object":
        _need_the_word_json(history.messages)
    return offer, form


def _request(
    raw: Mapping[str, Any],
    history: History,
    offer: OfferedTools,
    form: Form,
    limit: int | None,
    key: Key,
) -> ChatRequest:
    choice, named = _tool_choice(raw, offer)
    stop = raw.get("stop") or ()
    return ChatRequest(
        model=raw["model"],
        messages=history.messages,
        tools=offer.tools,
        tool_choice=choice,
        named_tool=named,
        parallel_tool_calls=_or(raw.get("parallel_tool_calls"), True),
        response_format=form.type,
        schema_name=form.name,
        schema=form.schema,
        stream=bool(raw.get("stream")),
        include_usage=bool((raw.get("stream_options") or {}).get("include_usage")),
        seed=raw.get("seed"),
        temperature=raw.get("temperature"),
        max_tokens=limit,
        stop=(stop,) if isinstance(stop, str) else tuple(stop),
        n=_or(raw.get("n"), 1),
        key=key,
        raw=raw,
    )


def request_key(headers: Mapping[str, str], messages: Iterable[JsonObject]) -> Key:
    """What this request's random draws hang on.

    The caller's headers say; what they leave out follows from the conversation: the agent is known
    by its instructions, the call by the number of answers so far.
    """
    key = Key.of(headers)
    if AGENT_HEADER not in headers:
        instructions = (str(m["content"]) for m in messages if m["role"] in ("system", "developer"))
        first = next(instructions, "")
        key = replace(key, agent=hashlib.blake2b(first.encode(), digest_size=4).hexdigest())
    if whole_number(headers.get(CALL_HEADER)) is None:
        key = replace(key, call=sum(m["role"] == "assistant" for m in messages))
    return key


def _check_numbers(headers: Mapping[str, str]) -> None:
    """Refuse a number in a header that is longer than any count."""
    for name in (CALL_HEADER, RETRY_HEADER):
        if len(headers.get(name, "")) > MOST_DIGITS:
            raise refusals.long_string(name, len(headers[name]), MOST_DIGITS)


def _check_choices(n: int, prompt: int, model: ModelProfile, letters: int) -> None:
    """Each choice reads the prompt anew, and all of them together no more than the longest one; and
    together they write no more than one of them may."""
    if n * letters > MOST_LETTERS:
        raise refusals.long_answer("n", n * letters, MOST_LETTERS)
    if n > 1 and n * prompt > model.context_window:
        raise refusals.many_choices(n, prompt, model.context_window)


def _load(body: bytes) -> dict[str, Any]:
    try:
        raw = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise refusals.bad_json(str(error)) from None
    if not isinstance(raw, dict):
        raise refusals.bad_json(f"expected an object, but got {refusals.kind(raw)}")
    return raw


def _tool_choice(raw: Mapping[str, Any], offer: OfferedTools) -> tuple[Choice, str | None]:
    """The mode of `tool_choice`, and the tool it names if it names one."""
    choice = raw.get("tool_choice")
    if not offer.tools:
        for name in ("tool_choice", "parallel_tool_calls"):
            if raw.get(name) not in (None, "none"):
                problem = f"'{name}' is only allowed when 'tools' are specified."
                raise refusals.bad_parameter(name, f"Invalid value for '{name}': {problem}")
        return "none", None
    if choice is None or isinstance(choice, str):
        if choice is not None and choice not in _CHOICES:
            raise refusals.unsupported_value("tool_choice", choice, _CHOICES)
        return cast(Choice, choice or "auto"), None
    name = _named_tool(choice)
    if all(tool.name != name for tool in offer.tools):
        problem = f"Invalid value: Tool choice '{name[:80]}' not found in 'tools' parameter."
        raise refusals.bad_parameter("tool_choice", problem)
    return "named", name


def _named_tool(choice: dict[str, Any]) -> str:
    if "type" not in choice:
        raise refusals.missing("tool_choice.type")
    if choice["type"] != "function":
        raise refusals.unsupported_value("tool_choice.type", choice["type"], ("function",))
    function = choice.get("function")
    if function is None:
        raise refusals.missing("tool_choice.function")
    if not isinstance(function, dict):
        raise refusals.wrong_type("tool_choice.function", "an object", function)
    if "name" not in function:
        raise refusals.missing("tool_choice.function.name")
    if not isinstance(function["name"], str):
        raise refusals.wrong_type("tool_choice.function.name", "a string", function["name"])
    return function["name"]


def _need_the_word_json(messages: Iterable[JsonObject]) -> None:
    """JSON mode without a word about JSON in the prompt is refused, as it never ends well."""
    if not any("json" in str(message.get("content")).lower() for message in messages):
        problem = (
            "'messages' must contain the word 'json' in some form, to use 'response_format' of "
            "type 'json_object'."
        )
        raise refusals.bad_parameter("messages", problem)


def _answer_limit(raw: Mapping[str, Any], model: ModelProfile) -> int | None:
    """The most tokens the answer may have, or None when the request sets no limit."""
    old, new = raw.get("max_tokens"), raw.get("max_completion_tokens")
    limit: int | None = _or(new, old)
    most = model.max_output_tokens
    if limit is not None and limit > most:
        name = "max_tokens" if new is None else "max_completion_tokens"
        problem = (
            f"{name} is too large: {limit}. This model supports at most {most} completion tokens, "
            f"whereas you provided {limit}."
        )
        raise refusals.bad_parameter(name, problem)
    return limit


def _prompt_tokens(
    history: History, offer: OfferedTools, form: Form, limit: int | None, model: ModelProfile
) -> int:
    """Tokens of the prompt, once it is sure to fit the model's context window."""
    in_messages = tokens.PRIMING + history.tokens
    in_tools = offer.tokens + form.tokens
    if in_messages + in_tools + (limit or 0) > model.context_window:
        raise refusals.long_context(model.context_window, in_messages, in_tools, limit or 0)
    return in_messages + in_tools


def _or(value: Any, default: Any) -> Any:
    return default if value is None else value
