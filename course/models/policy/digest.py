"""Digest: a conversation or a text in few lines, keeping names, ids, dates and amounts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from course.models.policy.mentions import mentions
from course.models.policy.words import content

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_NUMBERED = re.compile(r"\b[a-z]{3,} \d{2,}\b(?![-:.])")  # "order 55"
_KEPT = ("name", "id", "date", "time", "amount", "email", "phone", "number", "quoted")


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text that say something."""
    return [s.strip(" -*•\t") for s in _SENTENCE.split(text) if content(s)]


def weight(sentence: str) -> float:
    """How much a summary would lose without a sentence: the facts in it."""
    return sum(
        2.0 if m.kind in ("id", "amount", "date") else 1.0
        for m in mentions(sentence)
        if m.kind in _KEPT
    )


def shortened(text: str, most: int) -> str:
    """The sentences of a text that carry most facts, at most `most`, in their order."""
    all_of_them = list(dict.fromkeys(sentences(text)))
    if len(all_of_them) <= most:
        return " ".join(all_of_them)
    best = sorted(range(len(all_of_them)), key=lambda n: (-weight(all_of_them[n]), n))[:most]
    return " ".join(all_of_them[n] for n in sorted(best))


def conversation(turns: Iterable[tuple[str, str]], most: int = 12) -> str:
    """Turns (speaker, text) in short, one line each, followed by the facts that were named."""
    lines: list[str] = []
    facts: dict[str, None] = {}
    for speaker, text in turns:
        bare = shortened(text, 2)
        if bare:
            lines.append(f"{speaker}: {bare}")
        facts |= dict.fromkeys(_NUMBERED.findall(text))
        facts |= {
            m.text: None
            for m in mentions(text)
            if m.kind in ("name", "id", "date", "time", "amount", "email", "phone")
        }
    kept = lines if len(lines) <= most else [*lines[:2], *lines[2 - most :]]
    named = [f"Named: {', '.join(list(facts)[:24])}."] if facts else []
    return "\n".join([*kept, *named])


def texts_of(value: Any) -> list[str]:
    """The strings in a JSON value, in order."""
    if isinstance(value, str):
        return [value]
    inner = (
        value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    )
    return [t for v in inner for t in texts_of(v)]
