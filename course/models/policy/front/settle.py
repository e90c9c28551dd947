"""Settle: what every proposed call keeps to: what is called "order 5521" is the order, a number
stays with its noun, one name has one role, a quotation has one place, and what was only told beside
an order gives it no day."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from course.models.policy.front.mood import Part
from course.models.policy.front.situation import DATED, Situation
from course.models.policy.front.tool import deeds_verbs
from course.models.policy.mentions import mentions
from course.models.policy.needs import Wanted
from course.models.policy.params import Param, params
from course.models.policy.words import cue, name_words, stem
from course.models.wire import ToolSpec

_QUOTE = re.compile(r"(?<!\w)(?:\"([^\"\n]{3,})\"|“([^”\n]{3,})”|'([^'\n]{3,})'(?!\w))")
_UNIT, _BACK = cue("settle.unit"), cue("settle.back")


def settled(calls: Iterable[Wanted], sit: Situation, tools: Sequence[ToolSpec]) -> list[Wanted]:
    """The calls with values as they were said."""
    by_name = {t.name: t for t in tools}
    return [_settled(c, by_name[c.name], sit) if c.name in by_name else c for c in calls]


def _settled(call: Wanted, tool: ToolSpec, sit: Situation) -> Wanted:
    by_name = {p.name: p for p in params(tool.parameters)}
    values = {
        name: _as_said(by_name[name], value, tool, sit) if name in by_name else value
        for name, value in call.arguments.items()
    }
    return replace(call, arguments=values) if values != call.arguments else call


def _as_said(param: Param, value: Any, tool: ToolSpec, sit: Situation) -> Any:
    if isinstance(value, bool):
        off = param.name in _SWITCHES and _OFF.search(sit.latest) and not _ON.search(sit.latest)
        return False if off else value
    if not isinstance(value, str):
        return value
    if param.options:
        return _corrected(param, value, sit)
    return _value(param, value, tool, sit)


_SWITCHES = ("on", "is_on", "enabled", "active")
_OFF = re.compile(r"\b(?:off|put out|out|kill|dark)\b", re.IGNORECASE)
_ON = re.compile(r"\bon\b", re.IGNORECASE)


def _corrected(param: Param, value: str, sit: Situation) -> str:
    """An enumerated value, or the one that was said in its place."""
    after = re.search(rf"(?<!\w){re.escape(value)}(?!\w){_BACK.pattern}(?P<rest>.+)", sit.latest, re.I)
    meant = [str(o) for o in param.options if after and after["rest"].lower().startswith(str(o).lower())]
    return meant[0] if meant else value


def _value(param: Param, value: str, tool: ToolSpec, sit: Situation) -> Any:
    if DATED.fullmatch(value) or not value.strip():
        return value
    if param.kind in ("prose", "query"):
        quotes = [next(filter(None, m.groups())) for m in _QUOTE.finditer(sit.latest)]
        return quotes[0] if len(quotes) == 1 and quotes[0] in value else value
    words = value.split()
    if len(words) > 1 and stem(words[0].lower()) in deeds_verbs(tool):
        value = " ".join(words[1:])
    if re.search(r"\d", value):
        return value
    own = re.escape(value.strip())
    if followed := re.search(
        rf"(?<!\w){own} (\d[\w-]*)(?! ?(?:{_UNIT.pattern}))", sit.thread, re.I
    ):
        return followed[0]
    noun = [w for w in name_words(param.name) if w not in _GENERIC]
    if noun and param.kind in ("id", "intid"):
        marked = rf"\b{re.escape(noun[-1])}s?\s*(?:no\.?|number|nr\.?|id|#)?\s*[:#]?\s*([A-Z]{{0,4}}-?\d[\w-]*)"
        if named := re.search(marked, sit.thread, re.IGNORECASE):
            return named[1]
    return value


_GENERIC = frozenset("id number no nr code ref reference the".split())


def plain_words(sit: Situation) -> str:
    """The thread without what gives an order no values: days that are only told beside one, and
    whom one has do it."""
    kept = [p for p in sit.parts if not _misleads(p, sit)]
    if len(kept) == len(sit.parts):
        return _HAVE_DONE.sub("", sit.thread)
    return _HAVE_DONE.sub("", " ".join(p.text for p in kept))


_HAVE_DONE = re.compile(
    r"\b(?:have|get) (?:the |an? )?[a-z]+ (?=[a-z]+ (?:the|an?|my|our|his|her)\b)", re.IGNORECASE
)


def _misleads(part: Part, sit: Situation) -> bool:
    if part.mood != "told":
        return False
    return _dated(part.text, sit) and any(
        p.mood == "ordered" and _dated(p.text, sit) for p in sit.parts
    )


def _dated(text: str, sit: Situation) -> bool:
    return any(m.kind in ("date", "datetime") for m in mentions(text, sit.today))


def without(text: str, value: str) -> str:
    """A text without a value."""
    return re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", " ", text, flags=re.IGNORECASE)
