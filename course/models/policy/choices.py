"""Choices: enumerated values and switches that a text names."""

from __future__ import annotations

import re
from typing import Any

from course.models.policy.lexicon import phrases, synonyms
from course.models.policy.match import choose
from course.models.policy.params import Param
from course.models.policy.wordlists import cue, word_list
from course.models.policy.words import content, name_words, stem, tokens

_NO = cue("choices.no")
_YES = cue("choices.yes")
_REFUSAL = re.compile(r"^\W*(?:no|nope|not)\b", re.IGNORECASE)


def _named(value: str, stems: list[str], text: str) -> float:
    """How much of a value's words stand in the text, synonyms counting less; 0 unless all do."""
    words = [stem(w) for w in name_words(value)] or [stem(value)]
    if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE):
        return 3.0 + len(words)
    if not words or not all(words):
        return 0.0
    total = 0.0
    for word in words:
        if word in stems:
            total += 1.0
        elif synonyms(word) & set(stems):
            total += 0.6
    return total if total >= 0.55 * len(words) else 0.0


def _numbered(options: list[Any], text: str) -> Any:
    from course.models.policy.mentions import mentions

    numbers = [m.value for m in mentions(text) if m.kind == "number"]
    return next((o for o in options if not isinstance(o, bool | str) and o in numbers), None)


def chosen(param: Param, text: str, guides: tuple[str, ...] = ()) -> Any:
    """The enumerated value a text names, by its words, their synonyms or its description."""
    options = param.schema.get("enum", [param.schema["const"]] if "const" in param.schema else [])
    names = [o for o in options if isinstance(o, str)]
    number = _numbered(options, text)
    if number is not None or not names:
        return number
    stems = [*(t.stem for t in tokens(text)), *content(text), *(stem(p) for p in phrases(text))]
    scored = [(_named(name, stems, text), -place) for place, name in enumerate(names)]
    best, place = max(scored)
    if best >= 0.55:
        return names[-place]
    ranked = choose(tuple(names), text, (param.description, *guides))
    return ranked[0][1] if ranked[0][0] >= 0.9 else None


_SWITCHING = frozenset(stem(w) for w in word_list("choices.switching"))


def decided(param: Param, text: str, shared: frozenset[str] = frozenset()) -> bool | None:
    """What a text says of a switch: its words mean true, unless they are negated; else None.

    Words of its description count where they are not `shared` with other parameters."""
    stems = (param.stems or frozenset(param.about)) - _SWITCHING
    told = {a for a in param.about - shared - _SWITCHING if len(a) > 4}
    spoken = frozenset(stem(p) for p in phrases(text))
    hits = [t for t in tokens(text) if t.stem in stems | told or (synonyms(t.stem) & stems)]
    if not hits and not spoken & stems:
        if _YES.match(text):
            return True
        return False if _REFUSAL.match(text) else None
    before = text[max(0, hits[0].start - 22) : hits[0].start] if hits else ""
    return not _NO.search(before)
