"""Secrets that a service repeats, masked before anything is written: in texts and in streams."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import accumulate
from typing import Any
from urllib.parse import quote

MASK = "(the key)"
SHORTEST = 8
"""Letters of a secret from which on it is masked: shorter ones ("none") stand in many words."""

_DEEPEST = 50
"""Where texts of a stream are still looked for; no answer is nested that deep."""

_MARK = "\ufeff"  # some services begin with it
_LINE = re.compile(r"\r\n|\n|\r")
_EVENT = re.compile(r".*?(?:(?>\r\n|\n|\r){2}|\Z)", re.DOTALL)
"""A server-sent event, up to the empty line that ends it; a line may end in either sign or both."""

Leaf = tuple[Any, Any]
"""A container, and the key or place in it where a text stands."""


def masked(text: str, secrets: Collection[str]) -> str:
    """A text without any of these secrets, also where it is JSON, or JSON in JSON."""
    for secret in sorted(secrets, key=len, reverse=True):
        for form in _forms(secret):
            text = text.replace(form, MASK)
    return text


def masked_answer(text: str, secrets: Collection[str]) -> str:
    """The whole text of an answer without these secrets, JSON or a stream of events, whatever it
    is called."""
    with suppress(ValueError, RecursionError):
        if "\\" in text:  # JSON may write any letter as a number
            plain = json.dumps(json.loads(text), ensure_ascii=False)
            clean = masked(plain, secrets)
            return clean if clean != plain else masked(text, secrets)
    return masked_events([(0.0, text)], secrets)[0][1]


def masked_events(
    events: Sequence[tuple[float, str]], secrets: Collection[str]
) -> list[tuple[float, str]]:
    """The pieces of a stream without these secrets, wherever a secret was cut: between two pieces,
    or between the texts of two server-sent events. Each keeps its seconds."""
    whole = "".join(text for _, text in events)
    blocks = _EVENT.findall(whole)
    clean = [masked(block, secrets) for block in _without(blocks, secrets)]
    if clean == blocks:
        return list(events)
    ends = list(accumulate(len(text) for _, text in events))
    texts = ["" for _ in events]
    for block, end in zip(clean, accumulate(map(len, blocks)), strict=True):
        texts[min(bisect_left(ends, end), len(texts) - 1)] += block
    return [(wait, text) for (wait, _), text in zip(events, texts, strict=True)]


def _forms(secret: str) -> dict[str, None]:
    once = json.dumps(secret, ensure_ascii=False)[1:-1]
    in_address = quote(secret, safe="")
    return dict.fromkeys((json.dumps(once, ensure_ascii=False)[1:-1], once, secret, in_address))


def scrub(error: BaseException, secrets: Collection[str]) -> None:
    """Mask these secrets in what an error says, in place, and in what led to it; a cause that
    cannot be changed is left out of the traceback."""
    if not secrets:
        return
    error.args = tuple(masked(a, secrets) if isinstance(a, str) else a for a in error.args)
    for name in ("message", "body"):  # of openai's errors
        if said := getattr(error, name, None):
            with suppress(AttributeError, TypeError, ValueError, RecursionError):
                setattr(error, name, json.loads(masked(json.dumps(said), secrets)))
    for inner in (error.__cause__, error.__context__, *error.args, *_parts(error)):
        if isinstance(inner, BaseException):
            scrub(inner, secrets)
    for cause in (error.__cause__, error.__context__):
        if cause is not None and masked(str(cause), secrets) != str(cause):
            error.__cause__ = error.__context__ = None


def _parts(error: BaseException) -> Sequence[BaseException]:
    return error.exceptions if isinstance(error, BaseExceptionGroup) else ()


def _without(blocks: Sequence[str], secrets: Collection[str]) -> list[str]:
    """Server-sent events without the secrets that the texts of several make up together."""
    told = [_data(block) for block in blocks]
    leaves: dict[tuple[Any, ...], list[tuple[int, Leaf]]] = defaultdict(list)
    for number, data in enumerate(told):
        for path, leaf in _leaves(data, ()):
            leaves[path].append((number, leaf))
    changed: set[int] = set()
    for each in leaves.values():
        texts = [container[key] for _, (container, key) in each]
        for (number, (container, key)), text in zip(each, _apart(texts, secrets), strict=True):
            if text != container[key]:
                container[key] = text
                changed.add(number)
    return [
        _event(block, data) if number in changed else block
        for number, (block, data) in enumerate(zip(blocks, told, strict=True))
    ]


def _apart(texts: Sequence[str], secrets: Collection[str]) -> list[str]:
    """Texts that follow each other, without the secrets in them; the mask is where one begins."""
    whole = "".join(texts)
    starts: set[int] = set()
    gone: set[int] = set()
    for form in {form for secret in secrets for form in _forms(secret)}:
        for found in re.finditer(re.escape(form), whole):
            starts.add(found.start())
            gone.update(range(*found.span()))
    if not gone:
        return list(texts)
    signs = iter(
        (MASK if place in starts else "") if place in gone else sign
        for place, sign in enumerate(whole)
    )
    return ["".join(next(signs) for _ in text) for text in texts]


def _data(block: str) -> Any:
    """The JSON of a server-sent event, or of what is none; None where there is no JSON."""
    lines = _LINE.split(block.lstrip(_MARK))
    data = [line.removeprefix("data:") for line in lines if line.startswith("data:")]
    try:
        return json.loads("\n".join(data or lines))
    except (ValueError, RecursionError):
        return None


def _event(block: str, data: Any) -> str:
    """A block with other data; its other lines, such as its id, stay."""
    text, lines = json.dumps(data, ensure_ascii=False), _LINE.split(block.lstrip(_MARK))
    if not any(line.startswith("data:") for line in lines):
        return text
    others = "".join(f"{line}\n" for line in lines if line and not line.startswith("data:"))
    return f"{others}data: {text}\n\n"


def _leaves(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Leaf]]:
    """The texts in a JSON value, each with the way there; list items go by their `index`."""
    if len(path) > _DEEPEST:
        return
    if isinstance(value, dict):
        pairs = [(key, key, inner) for key, inner in value.items()]
    elif isinstance(value, list):
        pairs = [
            (place, inner.get("index", place) if isinstance(inner, dict) else place, inner)
            for place, inner in enumerate(value)
        ]
    else:
        return
    for key, name, inner in pairs:
        if isinstance(inner, str):
            yield (*path, name), (value, key)
        else:
            yield from _leaves(inner, (*path, str(name)))
