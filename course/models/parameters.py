"""The parameters of a request body: which exist, what type each has, and between which bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from course.models import refusals

Check = Callable[[str, Any], None]

MAX_CHOICES = 128
MAX_STOPS = 4


def check_parameters(raw: Mapping[str, Any]) -> None:
    """Check each parameter of a body by itself, and those that exclude or need each other.

    Raises ApiError: 400, naming the parameter.
    """
    for name, value in raw.items():
        check = _CHECKS.get(name)
        if check is None:
            raise refusals.unknown(name)
        if value is not None or name in _REQUIRED:
            check(name, value)
    for name in _REQUIRED:
        if name not in raw:
            raise refusals.missing(name)
    if raw.get("max_tokens") is not None and raw.get("max_completion_tokens") is not None:
        problem = (
            "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
        )
        raise refusals.invalid("max_tokens", problem, "invalid_parameter_combination")
    if raw.get("stream_options") is not None and not raw.get("stream"):
        problem = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
        raise refusals.bad_parameter("stream_options", problem)


def _of_type(wanted: type, expected: str) -> Check:
    def check(name: str, value: Any) -> None:
        # bool is an int to Python, but not to JSON.
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
            raise refusals.wrong_type(name, expected, value)

    return check


_string = _of_type(str, "a string")
_boolean = _of_type(bool, "a boolean")
_integer = _of_type(int, "an integer")
_object = _of_type(dict, "an object")
_objects = _of_type(list, "an array of objects")


def _whole(least: int, most: int | None = None) -> Check:
    def check(name: str, value: Any) -> None:
        _integer(name, value)
        _within(name, value, least, most)

    return check


def _number(least: float, most: float) -> Check:
    def check(name: str, value: Any) -> None:
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise refusals.wrong_type(name, "a decimal", value)
        _within(name, value, least, most)

    return check


def _within(name: str, value: float, least: float, most: float | None) -> None:
    if value < least:
        raise refusals.too_small(name, value, least)
    if most is not None and value > most:
        raise refusals.too_large(name, value, most)


def _seed(name: str, value: Any) -> None:
    _integer(name, value)
    _within(name, value, -(2**63), 2**63 - 1)


def _stop(name: str, value: Any) -> None:
    if isinstance(value, str):
        return
    if not isinstance(value, list):
        raise refusals.wrong_type(name, "one of a string or array of strings", value)
    if len(value) > MAX_STOPS:
        raise refusals.long_array(name, len(value), MAX_STOPS)
    for index, item in enumerate(value):
        _string(f"{name}[{index}]", item)


def _tool_choice(name: str, value: Any) -> None:
    if not isinstance(value, str | dict):
        raise refusals.wrong_type(name, "one of a string or object", value)


def _stream_options(name: str, value: Any) -> None:
    _object(name, value)
    for option, wanted in value.items():
        if option not in ("include_usage", "include_obfuscation"):
            raise refusals.unknown(f"{name}.{option}")
        if wanted is not None:
            _boolean(f"{name}.{option}", wanted)


def _modalities(name: str, value: Any) -> None:
    if value != ["text"]:
        raise refusals.unsupported(name)


def _logprobs(name: str, value: Any) -> None:
    if value is not False:
        raise refusals.unsupported(name)


def _refused(name: str, value: Any) -> None:
    raise refusals.unsupported(name)


_REQUIRED = ("model", "messages")
_CHECKS: Mapping[str, Check] = {
    "model": _string,
    "messages": _objects,
    "tools": _objects,
    "tool_choice": _tool_choice,
    "parallel_tool_calls": _boolean,
    "response_format": _object,
    "stream": _boolean,
    "stream_options": _stream_options,
    "seed": _seed,
    "temperature": _number(0, 2),
    "top_p": _number(0, 1),
    "frequency_penalty": _number(-2, 2),
    "presence_penalty": _number(-2, 2),
    "max_tokens": _whole(1),
    "max_completion_tokens": _whole(1),
    "n": _whole(1, MAX_CHOICES),
    "stop": _stop,
    # Accepted, but they change nothing in what a text model answers here.
    "user": _string,
    "safety_identifier": _string,
    "prompt_cache_key": _string,
    "prompt_cache_options": _object,
    "prompt_cache_retention": _string,
    "logit_bias": _object,
    "metadata": _object,
    "reasoning_effort": _string,
    "service_tier": _string,
    "store": _boolean,
    "verbosity": _string,
    "modalities": _modalities,
    "logprobs": _logprobs,
    "top_logprobs": _refused,
    "audio": _refused,
    "prediction": _refused,
    "moderation": _refused,
    "web_search_options": _refused,
    # Deprecated in favour of tools, which do the same.
    "functions": _refused,
    "function_call": _refused,
}
