"""What the API answers when it refuses a request: one function for each kind of complaint.

Statuses, codes, `param` paths and the shape of the sentences follow the real API, so that code
which handles its errors meets the same ones here.

Source: error bodies of api.openai.com as users quote them in public issue threads (read 2026-11),
and the guide "Error codes" of the OpenAI documentation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from course.models.wire import ApiError

_KINDS: dict[type, str] = {
    dict: "an object",
    list: "an array",
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a decimal",
    type(None): "null",
}


def kind(value: object) -> str:
    """The JSON name of a value's type with its article, such as "an array"."""
    return _KINDS.get(type(value), "a value of an unknown type")


def missing(param: str) -> ApiError:
    """A required parameter is not there."""
    return bad_parameter(
        param, f"Missing required parameter: '{param}'.", "missing_required_parameter"
    )


def wrong_type(param: str, expected: str, value: object) -> ApiError:
    """A parameter has another JSON type; `expected` carries its article: "a string"."""
    message = f"Invalid type for '{param}': expected {expected}, but got {kind(value)} instead."
    return bad_parameter(param, message, "invalid_type")


def unknown(param: str) -> ApiError:
    """A parameter that the API does not have, usually a slip of the pen."""
    return bad_parameter(param, f"Unknown parameter: '{param}'.", "unknown_parameter")


def unsupported(param: str) -> ApiError:
    """A real parameter that these models cannot serve."""
    message = f"Unsupported parameter: '{param}' is not supported with this model."
    return bad_parameter(param, message, "unsupported_parameter")


def unsupported_value(param: str, value: object, supported: Iterable[str]) -> ApiError:
    """A value outside a closed list."""
    listed = ", ".join(f"'{item}'" for item in supported)
    message = f"Invalid value: '{_shown(value)}'. Supported values are: {listed}."
    return bad_parameter(param, message, "invalid_value")


def invalid(param: str, problem: str, code: str | None = "invalid_value") -> ApiError:
    """A value that is wrong for the reason given, which begins in lower case."""
    return bad_parameter(param, f"Invalid '{param}': {problem}", code)


def bad_parameter(param: str, problem: str, code: str | None = None) -> ApiError:
    """Any complaint about a parameter, on one line whatever the caller's own names hold."""
    return ApiError(400, " ".join(problem.split()), param=param, code=code)


def too_small(param: str, value: float, bound: float) -> ApiError:
    """A number below its minimum."""
    what = "integer" if isinstance(value, int) else "decimal"
    return invalid(
        param,
        f"{what} below minimum value. Expected a value >= {bound:g}, but got {value} instead.",
        f"{what}_below_min_value",
    )


def too_large(param: str, value: float, bound: float) -> ApiError:
    """A number above its maximum."""
    what = "integer" if isinstance(value, int) else "decimal"
    return invalid(
        param,
        f"{what} above maximum value. Expected a value <= {bound:g}, but got {value} instead.",
        f"{what}_above_max_value",
    )


def empty_array(param: str) -> ApiError:
    """An array that needs at least one item."""
    return invalid(
        param,
        "empty array. Expected an array with minimum length 1, but got an empty array instead.",
        "empty_array",
    )


def long_array(param: str, length: int, limit: int) -> ApiError:
    """An array with too many items."""
    return invalid(
        param,
        f"array too long. Expected an array with maximum length {limit}, "
        f"but got an array with length {length} instead.",
        "array_above_max_length",
    )


def long_string(param: str, length: int, limit: int) -> ApiError:
    """A string with too many characters."""
    return invalid(
        param,
        f"string too long. Expected a string with maximum length {limit}, "
        f"but got a string with length {length} instead.",
        "string_above_max_length",
    )


def many_values(param: str, found: int, limit: int) -> ApiError:
    """Schemas that enumerate more values than a model reads."""
    message = (
        f"Invalid '{param}': its schemas enumerate {found} values, and this model reads at most "
        f"{limit}. Describe the values in words, or leave some out."
    )
    return bad_parameter(param, message, "array_above_max_length")


def many_copies(param: str, limit: int) -> ApiError:
    """Schemas whose references lead to references, so that they grow as they are written out."""
    message = (
        f"Invalid '{param}': its references add more than {limit} parts to its schemas as they are "
        "written out. Refer to a part less often."
    )
    return bad_parameter(param, message, "invalid_schema")


def long_answer(param: str, letters: int, limit: int) -> ApiError:
    """Schemas whose shortest answer is longer than a model answers."""
    message = (
        f"Invalid '{param}': the shortest answer would have {letters} characters, and this model "
        f"answers at most {limit}, all choices together. Lower 'minItems', 'minLength' or 'n'."
    )
    return bad_parameter(param, message, "invalid_schema")


def many_choices(n: int, prompt: int, limit: int) -> ApiError:
    """More choices than a model reads a prompt for, anew for each."""
    message = (
        f"Invalid 'n': {n} choices of a prompt of {prompt} tokens are {n * prompt} tokens to read, "
        f"and this model reads at most {limit} for a request. Ask for at most {limit // prompt}."
    )
    return bad_parameter("n", message, "integer_above_max_value")


def bad_json(reason: str) -> ApiError:
    """The body is not a JSON object."""
    return ApiError(400, f"We could not parse the JSON body of your request: {reason}.")


def no_model(model: str) -> ApiError:
    """A model name that is not served here (404)."""
    message = f"The model `{_shown(model)}` does not exist or you do not have access to it."
    return ApiError(404, message, code="model_not_found")


def no_route(method: str, path: str) -> ApiError:
    """A path that is not served here (404)."""
    return ApiError(404, f"Invalid URL ({method} {_shown(path)})")


def wrong_method(method: str, path: str) -> ApiError:
    """A path that is served, by another method (405)."""
    message = f"Not allowed to {method} on {_shown(path)}."
    return ApiError(405, message, code="method_not_supported")


def no_key() -> ApiError:
    """No key came, and this server demands one (401)."""
    return ApiError(
        401,
        "You didn't provide an API key. Send it in an Authorization header with Bearer auth, "
        "such as 'Authorization: Bearer YOUR_KEY'.",
    )


def wrong_key() -> ApiError:
    """Another key came than the one demanded; the message repeats neither (401)."""
    return ApiError(401, "Incorrect API key provided.", code="invalid_api_key")


def too_big(limit: int) -> ApiError:
    """A body of more bytes than the server takes (413)."""
    return ApiError(413, f"The request body is larger than {limit} bytes.")


def misdirected(header: str, said: str) -> ApiError:
    """A request that is meant for another host, or comes from another's page (421)."""
    message = (
        f"This server answers 127.0.0.1, localhost and [::1] alone, not '{_shown(said)}' in the "
        f"header '{header}'."
    )
    return ApiError(421, message, code="misdirected_request")


def no_json(kind: str) -> ApiError:
    """A body that is not called JSON (415)."""
    said = f"'{_shown(kind)}'" if kind else "none"
    message = f"Unsupported content type: send 'Content-Type: application/json', not {said}."
    return ApiError(415, message, code="unsupported_content_type")


def stopped() -> ApiError:
    """The server is stopped before it has answered (503)."""
    message = "The server was stopped before this answer was complete."
    return ApiError(503, message, type="server_error", code="server_stopped")


def long_context(window: int, messages: int, tools: int, answer: int) -> ApiError:
    """The prompt, or the prompt with the answer it asks room for, exceeds the context window."""
    parts = f"{messages} in the messages" + (f", {tools} in the functions" if tools else "")
    shorten = "messages or functions" if tools else "messages"
    if answer:
        asked = f"you requested {messages + tools + answer} tokens"
        parts, shorten = f"{parts}, {answer} in the completion", f"{shorten} or completion"
    else:
        asked = f"your messages resulted in {messages + tools} tokens"
    return ApiError(
        400,
        f"This model's maximum context length is {window} tokens. However, {asked} ({parts}). "
        f"Please reduce the length of the {shorten}.",
        param="messages",
        code="context_length_exceeded",
    )


def rate_limited(
    model: str, scope: str, limit: int, used: int, asked: int, wait: float
) -> ApiError:
    """A rate limit is reached; `scope` is "requests" or "tokens", `wait` in seconds (429)."""
    unit = "RPM" if scope == "requests" else "TPM"
    if not math.isfinite(wait):
        message = (
            f"Request too large for {model} on {scope} per min ({unit}): Limit {limit}, "
            f"Requested {asked}. The input or output tokens must be reduced."
        )
        headers = {"x-should-retry": "false"}
    else:
        message = (
            f"Rate limit reached for {model} on {scope} per min ({unit}): Limit {limit}, "
            f"Used {used}, Requested {asked}. Please try again in {wait:.3f}s."
        )
        headers = retry_after(wait)
    return ApiError(429, message, type=scope, code="rate_limit_exceeded", headers=headers)


def overloaded(wait: float) -> ApiError:
    """An injected 429: the server turns the caller away for `wait` seconds."""
    return ApiError(
        429,
        "The engine is currently overloaded, please try again later.",
        type="requests",
        code="rate_limit_exceeded",
        headers=retry_after(wait),
    )


def server_error(reason: str = "") -> ApiError:
    """The server failed on its own (500)."""
    message = "The server had an error while processing your request."
    return ApiError(500, f"{message} {_shown(reason)}".strip(), type="server_error")


def gateway_timeout(seconds: float) -> ApiError:
    """The request hung until the server itself gave up (504)."""
    return ApiError(504, f"The model did not answer within {seconds:g} s.", type="server_error")


def retry_after(wait: float) -> dict[str, str]:
    """The two headers that say when to come back, in whole seconds and in milliseconds."""
    return {
        "retry-after": str(max(1, math.ceil(wait))),
        "retry-after-ms": str(max(1, math.ceil(wait * 1000))),
    }


def _shown(value: object) -> str:
    """A caller's value as one short line, safe to repeat in a message."""
    text = " ".join(str(value).encode("ascii", "backslashreplace").decode().split())
    return text if len(text) <= 200 else text[:197] + "..."
