"""Secrets that a service repeats, masked before anything is written: in texts and in streams."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate
from typing import Any

MASK = "(the key)"
SHORTEST = 8
"""Letters of a secret from which on it is masked: shorter ones ("none") stand in many words."""

_DEEPEST = 50
"""Where texts of a stream are still looked for; no answer is nested that deep."""

Leaf = tuple[Any, Any]
"""A container, and the key or place in it where a text stands."""


def masked(text: str, secrets: Collection[str]) -> str:
    """A text without any of these secrets, also where it is JSON, or JSON in JSON."""
    for secret in sorted(secrets, key=len, reverse=True):
        for form in _forms(secret):
            text = text.replace(form, MASK)
    return text


def masked_events(
    events: Sequence[tuple[float, str]], secrets: Collection[str]
) -> list[tuple[float, str]]:
    """The pieces of a stream without these secrets, wherever a secret was cut: between two pieces,
    or between the texts of two server-sent events. Each keeps its seconds."""
    whole = "".join(text for _, text in events)
    blocks = re.findall(r".*?(?:\r?\n\r?\n|\Z)", whole, re.DOTALL)
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
    return dict.fromkeys((json.dumps(once, ensure_ascii=False)[1:-1], once, secret))


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
        f"data: {json.dumps(data, ensure_ascii=False)}\n\n" if number in changed else block
        for number, (block, data) in enumerate(zip(blocks, told, strict=True))
    ]


def _apart(texts: Sequence[str], secrets: Collection[str]) -> list[str]:
    """Texts that follow each other, without the secrets in them; the mask is where one begins."""
    whole = "".join(texts)
    starts: set[int] = set()
    gone: set[int] = set()
    for secret in secrets:
        for found in re.finditer(re.escape(secret), whole):
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
    """The JSON of a server-sent event; None for what has none."""
    try:
        return json.loads(block.strip().removeprefix("data:"))
    except (ValueError, RecursionError):
        return None


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
