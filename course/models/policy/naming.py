"""Naming: whom or what a text is about, by the names in it."""

from __future__ import annotations

import re

from course.models.policy.mentions import Mention, mentions, opens
from course.models.policy.patterns import regex
from course.models.policy.words import word_list

COUNTRIES = dict(pair.replace("_", " ").split(":") for pair in word_list("naming.countries"))
"""The codes that forms use (ISO 3166-1), by the names of countries in lower case."""


def subjects(text: str) -> tuple[str, ...]:
    """The names in a text: whom or what it is about, each once. A name may end in a plain noun
    ("the Orion telescope")."""
    return tuple(dict.fromkeys(named(text, m.start, m.text) for m in _subjects(text)))


def _subjects(text: str) -> list[Mention]:
    """The names in a text, without countries and without plain words that open a sentence."""
    found = [m for m in mentions(text) if m.kind == "name" and not _GENERAL.fullmatch(m.text)]
    inside = {m.text for m in found if not opens(text, m.start)}
    return [m for m in found if m.text.lower() not in COUNTRIES
            and (" " in m.text or m.text in inside or not opens(text, m.start))]  # fmt: skip


def countries(text: str) -> tuple[str, ...]:
    """The countries that a text names, which are whom it is about where nobody else is named."""
    found = (m.text for m in mentions(text) if m.kind == "name" and m.text.lower() in COUNTRIES)
    return tuple(dict.fromkeys(found))


def without_names(text: str) -> str:
    """A text without the names in it, which say what it is about rather than what is asked."""
    for mention in reversed(_subjects(text)):
        text = f"{text[: mention.start]} {text[mention.start + len(mention.text) :]}"
    return text


_GENERAL = regex(r"[A-Z]{2,4}|[A-Z]|[a-z].*|(?:Which|What|Who|How|When|Where|Why|Whether)")
_NOUN_AFTER = regex(r" (?P<noun>[a-z]{3,})\b(?!['’])")
_NO_NOUN = frozenset(word_list("naming.no_noun"))


def named(text: str, start: int, name: str) -> str:
    """A name with the plain noun that belongs to it after an article: "the Orion telescope"."""
    after = _NOUN_AFTER.match(text[start + len(name) :])
    if not after or " " in name or not re.search(r"\b[Tt]he $", text[:start]):
        return name
    noun = after["noun"]
    return name if noun in _NO_NOUN or noun.endswith(("ed", "ing")) else f"{name} {noun}"
