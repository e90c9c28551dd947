"""Exchanges: what a person said in a conversation, each time with the question before it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from course.models.policy.conversation import text_of
from course.models.policy.params import Param
from course.models.policy.wordlists import cue
from course.models.policy.words import content, human, listed
from course.models.wire import JsonObject


@dataclass(frozen=True)
class Exchange:
    """Something a person said, and the assistant's words before it ("" when there are none)."""

    asked: str
    said: str


_LINE = cue("exchanges.line", 0)
_PERSON = frozenset("user person customer caller human guest patient client".split())


def exchanges(messages: tuple[JsonObject, ...]) -> tuple[Exchange, ...]:
    """The exchanges of a conversation; a transcript inside a message counts as one itself."""
    found: list[Exchange] = []
    asked = ""
    for message in messages:
        text = text_of(message)
        if message.get("role") == "assistant" and text:
            asked = text
        elif message.get("role") == "user":
            lines = _transcript(text)
            found += lines or [Exchange(asked, text)]
            asked = ""
    return tuple(found)


def _transcript(text: str) -> list[Exchange]:
    """The exchanges in lines such as "user: ...", none when a text is no transcript."""
    marks = list(_LINE.finditer(text))
    speakers = {m.group(1).lower() for m in marks}
    if len(marks) < 2 or not speakers & _PERSON or not speakers - _PERSON:
        return []
    ends = [*(m.start() for m in marks[1:]), len(text)]
    found: list[Exchange] = []
    asked = ""
    for mark, end in zip(marks, ends, strict=True):
        said = text[mark.end() : end].strip()
        if mark.group(1).lower() in _PERSON:
            found.append(Exchange(asked, said))
            asked = ""
        else:
            asked = said
    return found


_TAIL = cue("exchanges.tail", re.IGNORECASE | re.DOTALL)
_CLAUSE = cue("exchanges.clause")
_OWNED = re.compile(r"^(?:an?|the|your|their|his|her|any|all|one|every|each)\b", re.IGNORECASE)


def asking(param: Param) -> str:
    """What a field is about, as one asks for it: "since when", "the size", "whether ..."."""
    return _asked_words(param.name, param.description)


@lru_cache(maxsize=2_000)
def _asked_words(name: str, description: str) -> str:
    told = _TAIL.sub("", description.strip()).strip(" .:;,").rstrip("?")
    words = told if 0 < len(told) <= 140 else human(name)
    lowered = words[:1].lower() + words[1:] if words[1:2].islower() or " " in words[:2] else words
    return lowered if _CLAUSE.match(words) or _OWNED.match(words) else f"the {lowered}"


def question_for(param: Param) -> str:
    """The question that asks for a field, with its choices if it has few."""
    options = [str(o) for o in param.schema.get("enum", ()) if o is not None]
    shown = f" ({listed([human(o) for o in options], 'or')})" if 1 < len(options) <= 8 else ""
    return f"Could you tell me {asking(param)}{shown}?"


def asked_field(question: str, wanted: tuple[Param, ...]) -> Param | None:
    """The field that a question asked about, by its own words or by most of them."""
    if not question:
        return None
    low = question.lower()
    exact = [p for p in wanted if question_for(p).lower() in low or asking(p).lower() in low]
    if exact:
        return max(exact, key=lambda p: (question_for(p).lower() in low, len(asking(p))))
    last = re.split(r"(?<=[.!])\s+", question.strip())[-1]
    if not last.endswith("?"):
        return None
    said = set(content(last))
    scored = [(_overlap(said, p), -n, p) for n, p in enumerate(wanted)]
    best = max(scored, default=(0.0, 0, None))
    return best[2] if best[0] >= 0.5 else None


def _overlap(said: set[str], param: Param) -> float:
    about = set(content(f"{human(param.name)} {asking(param)}"))
    return len(said & about) / max(1, min(len(said), len(about)))
