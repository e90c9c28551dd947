"""How many tokens a text, a message or a whole prompt costs.

Text is counted by the o200k_base tokenizer (package bpe-openai, whose tables come with it, so no
network is needed). Around the text, the chat format adds the overhead that OpenAI documents for
its chat models: 3 tokens for each message, 1 more for a `name`, and 3 that prime the answer.

What no document gives is assumed here: a tool call costs its name, its arguments and 3 tokens; an
offered tool costs its definition as compact JSON; a non-text part of a message costs nothing.

Source of the overhead: OpenAI Cookbook, "How to count tokens with tiktoken" (read 2026-11).
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Protocol, cast

PER_MESSAGE = 3
PER_NAME = 1
PER_CALL = 3
PRIMING = 3
BYTES_PER_TOKEN = 4
"""The approximation when the tokenizer is missing: one token for every four bytes of UTF-8."""
LONGEST_REMEMBERED = 2000
"""The longest text, in characters, whose count is kept, so that the memory for them is bounded."""

_PIECE = 200_000
_SEAM_WIDTH = 1_000
_SEAM = re.compile(r"(?<=[a-z]) (?=[a-z])")
"""Where a text of more characters than a piece has is cut: at a space between two words, of which
there is one in the last letters of a piece, or else (in no prose) in the middle."""

_ROLES = {"system": 1, "developer": 1, "user": 1, "assistant": 1, "tool": 1}


class _Tokenizer(Protocol):
    def encode(self, text: str) -> list[int]: ...
    def decode(self, tokens: list[int]) -> str: ...
    def count(self, text: str) -> int: ...


@cache
def _tokenizer() -> _Tokenizer | None:
    """The compiled o200k_base tokenizer, or None when it is not installed."""
    package = importlib.util.find_spec("bpe_openai")
    if package is None or not package.submodule_search_locations:
        return None
    # Importing the package itself builds Python tables for five vocabularies: half a second and
    # 70 MB more than the compiled module needs, which is all that counting takes.
    folder = Path(package.submodule_search_locations[0])
    for suffix in importlib.machinery.EXTENSION_SUFFIXES:
        file = folder / f"_bindings{suffix}"
        spec = importlib.util.spec_from_file_location("_bindings", file)
        if file.is_file() and spec and spec.loader:
            bindings = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(bindings)
            return cast(_Tokenizer, bindings.tokenizer_for_encoding("o200k_base"))
    return None


def tokenizer_name() -> str:
    """Which way of counting is in use: "o200k_base", or the approximation in words."""
    if _tokenizer() is None:
        return f"approximation: one token per {BYTES_PER_TOKEN} bytes (bpe-openai is not installed)"
    return "o200k_base"


def count_text(text: str) -> int:
    """Tokens in a text."""
    return _remembered(text) if len(text) <= LONGEST_REMEMBERED else _count(text)


def _count(text: str) -> int:
    tokenizer = _tokenizer()
    if tokenizer is None:
        return math.ceil(len(encodable(text).encode()) / BYTES_PER_TOKEN)
    if len(text) > _PIECE:
        return sum(map(_count, _in_pieces(text)))
    try:
        return tokenizer.count(text)
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON text may carry
        return tokenizer.count(encodable(text))


def _in_pieces(text: str) -> Iterator[str]:
    """A text cut where no token crosses: the tokenizer holds all threads up while it counts."""
    start = 0
    while start < len(text):
        seam = _SEAM.search(text, start + _PIECE - _SEAM_WIDTH)
        end = seam.start() if seam and seam.start() <= start + _PIECE else start + _PIECE
        yield text[start:end]
        start = end


# A conversation sends its history again and again, so what was counted is counted often.
_remembered = lru_cache(maxsize=32_768)(_count)


def count_message(message: Mapping[str, Any]) -> int:
    """Tokens of one message in wire form, its share of the chat format included."""
    role = message["role"]
    total = PER_MESSAGE + (_ROLES.get(role) or count_text(role))
    content = message.get("content")
    if type(content) is str:
        total += count_text(content)
    elif content:
        total += sum(count_text(part.get("text") or "") for part in content)
    if "name" in message:
        total += PER_NAME + count_text(message["name"] or "")
    for call in message.get("tool_calls") or ():
        function = call["function"]
        total += count_call(function["name"], function["arguments"])
    return total


def count_call(name: str, arguments: str) -> int:
    """Tokens of one tool call, as part of a prompt or of an answer."""
    return PER_CALL + count_text(name) + count_text(arguments)


def count_json(value: object) -> int:
    """Tokens of a JSON value in its compact form, such as the definition of a tool."""
    return count_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def count_prompt(messages: Iterable[Mapping[str, Any]], tools: Iterable[object] = ()) -> int:
    """Tokens of a whole request: its messages, the tools it offers, and the priming."""
    return PRIMING + sum(map(count_message, messages)) + sum(map(count_json, tools))


def prompt_tokens(body: Mapping[str, Any]) -> int:
    """Tokens of a request as it is sent: its messages, tools and answer schema."""
    form = (body.get("response_format") or {}).get("json_schema") or {}
    schema = count_json(form["schema"]) if form.get("schema") else 0
    return count_prompt(body["messages"], body.get("tools") or ()) + schema


def cut(text: str, limit: int) -> str:
    """The longest beginning of `text` that costs at most `limit` tokens."""
    tokenizer = _tokenizer()
    if tokenizer is None:
        return encodable(text).encode()[: limit * BYTES_PER_TOKEN].decode(errors="ignore")
    tokens = tokenizer.encode(encodable(text))[: max(limit, 0)]
    while tokens:
        try:
            return tokenizer.decode(tokens)
        except ValueError:  # the cut went through one character of several tokens
            tokens.pop()
    return ""


def encodable(text: str) -> str:
    """The text without lone surrogates, which no encoding can carry."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
