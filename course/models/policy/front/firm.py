"""Firm: whether the values of a deed stand so firmly that one acts without asking back: said with
the word for what they are, brought by a look-up, or all that can be meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from course.models.policy.front.grounds import GENERIC, is_id, known_for
from course.models.policy.front.situation import DATED, Situation
from course.models.policy.front.tool import deeds_verbs, spoken, things
from course.models.policy.lexicon import known_words, synonyms
from course.models.policy.mentions import mentions
from course.models.policy.needs import Wanted
from course.models.policy.params import Param, params
from course.models.policy.values import is_measure, sign_of, signs_in
from course.models.policy.words import (
    content,
    cue,
    in_figures,
    name_stems,
    name_words,
    stem,
    tokens,
)
from course.models.wire import ToolSpec

_WORDS = ("words", "name", "query")
_MOMENTS = ("date", "time", "datetime")
_BACK, _UNIT = cue("settle.back"), cue("settle.unit")


def unsure(call: Wanted, tool: ToolSpec, sit: Situation) -> str:
    """The first parameter of a deed whose value is only likely, "" where all stand firm. A value
    that was said otherwise ("two weeks" for 14 days) was worked out, and is not doubted."""
    for param in params(tool.parameters):
        value = call.arguments.get(param.name)
        loose = isinstance(value, bool | list | dict) or bool(param.options)
        if value not in (None, "") and not loose and not _firm(param, value, call, tool, sit):
            return param.name
    return ""


def _firm(param: Param, value: Any, call: Wanted, tool: ToolSpec, sit: Situation) -> bool:
    said = str(value).removesuffix(".0")
    if said in known_for(param, sit) or _whole(said, sit.instructions):
        return True
    if DATED.fullmatch(said):
        return _moment_said(said, sit)
    number = isinstance(value, int | float) or bool(re.fullmatch(r"\d{1,2}", said))
    if number and not is_id(param):
        return _counts(said, param, call, tool, sit)
    if _CODE.fullmatch(said):
        return _numbered(said, param, tool, sit)
    if param.kind == "prose":
        return _tells(said, tool, sit)
    return param.kind not in _WORDS or _worded(said, param, tool, sit)


def _whole(said: str, text: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(said)}(?!\w)", text, re.IGNORECASE))


def _came(sit: Situation) -> str:
    """All that came back, and what we said last."""
    told = (m.text or "" for m in (*sit.before, *sit.turn) if m.error is None)
    return "\n".join((*told, sit.asked))


def _moment_said(said: str, sit: Situation) -> bool:
    """Whether a day or an hour was said in the thread, or came back; who says "that Wednesday"
    has named it before."""
    day = bool(_THAT_DAY.search(sit.thread)) and len(said) >= len("2026-03-04")
    texts = (*sit.rounds[:-1], _came(sit)) if day else (sit.thread, _came(sit))
    found = (str(m.value) for text in texts for m in mentions(text, sit.today))
    month = len(said) == len("2026-03")
    return month or any(f.startswith(said) or said.startswith(f) or f in said for f in found)


_THAT_DAY = re.compile(r"\bthat (?:mon|tues|wednes|thurs|fri|satur|sun)day\b", re.IGNORECASE)


def _own(param: Param, tool: ToolSpec) -> frozenset[str]:
    """The stems by which a value of a parameter may be called."""
    named = frozenset((*name_stems(param.name), *content(param.description))) - GENERIC
    return named or frozenset(name_stems(tool.name))


def _around(said: str, text: str) -> Iterator[tuple[str, str]]:
    """What stands before each place of a value in a text, and behind it."""
    form = rf"(?<![\w.-]){re.escape(said)}(?![\w-]|\.\d)"
    for place in re.finditer(form, text, re.IGNORECASE):
        yield text[: place.start()], text[place.end() :]


_LEAD = re.compile(
    r"([\w-]+)(?:[ :#-]+(?:no\.?|number|nr\.?|is|are|of|it['’]s|the|an?|my|our|your|this|that|some"
    r"|all|[A-Za-z]*-?\d[\w-]*,?(?: and)?))*[ :#-]*$",
    re.IGNORECASE,
)


def _led(before: str) -> str:
    """The stem of the word that leads to a value."""
    found = _LEAD.search(before)
    return stem(found[1].lower()) if found else ""


def _ordered(tool: ToolSpec, sit: Situation) -> list[str]:
    """The parts that order a deed by a word for it; else all that order something."""
    parts = [p.text for p in sit.parts if p.mood == "ordered"]
    own = [p for p in parts if spoken(tool, p) == "verb"] or parts
    return [in_figures(_undated(p, sit)) for p in own]


def _undated(text: str, sit: Situation) -> str:
    """A text without the days and hours in it."""
    for moment in sorted(mentions(text, sit.today), key=lambda m: -m.start):
        if moment.kind in _MOMENTS:
            text = f"{text[: moment.start]}|{text[moment.end :]}"
    return text


def _counts(said: str, param: Param, call: Wanted, tool: ToolSpec, sit: Situation) -> bool:
    """Whether a number was said with the word for what it counts or measures, or is the only one
    and counts nothing else."""
    thread = in_figures(sit.thread)
    own = _own(param, tool) | {*name_stems(tool.name), *content(tool.description)}
    own |= {*content(" ".join(v for v in call.arguments.values() if isinstance(v, str)))}
    told = [after for _, after in _around(said, in_figures("\n".join(sit.rounds)))]
    if told and all(map(_AGE.match, told)) and not own & _AGES:
        return False
    places, alone = list(_around(said, thread)), False
    for before, after in places:
        words = re.findall(
            r"[a-z€£$%]+", (re.findall(r"^(?: ?[a-z€£$%-]+){1,2}", after) or [""])[0]
        )
        if _led(before) in own or any(stem(w) in own for w in words):
            return True
        unit = words[0] if words else ""
        if _PERSONS.fullmatch(unit) and _FOR_PERSONS.search(param.name):
            return True
        if sign_of(unit) in signs_in(param) - {""} or after.startswith((" of them", " of those")):
            return True
        if param.kind == "amount" and (before.endswith(("€", "£", "$")) or _UNIT.fullmatch(unit)):
            return True
        measured = _UNIT.fullmatch(unit) and not _PERSONS.fullmatch(unit)
        alone = alone or bool(is_measure(unit) or measured or unit[-1:] != "s")
    hours = (str(m.value) for m in mentions(sit.thread, sit.today) if m.kind == "time")
    if any(h.lstrip("0").startswith(f"{said}:") for h in hours):
        return True
    free = set(_NUMBERS.findall(in_figures(_undated(sit.thread, sit))))
    return not places or (alone and free <= {said} and not _whole(said, _came(sit)))


_AGE = re.compile(r"[ -]?(?:years?|yrs?|months?|mths?)[ -]?olds?\b", re.IGNORECASE)
_AGES = frozenset(("age", "old", stem("years")))
"""By what a parameter asks for an age, which counts nothing: "two adults and a 4 yr old"."""
_PERSONS = re.compile(r"people|persons?|guests?|adults?|kids?|children", re.IGNORECASE)
_FOR_PERSONS = re.compile(
    r"people|person|guest|party|passenger|attend|participant|visitor|seat", re.I
)
_NUMBERS = re.compile(r"(?<![\w.:/-])\d+(?:[.,]\d+)?(?![\w:/-])")


def _numbered(said: str, param: Param, tool: ToolSpec, sit: Situation) -> bool:
    """Whether a code was said with its noun, in its place, instead of another one, or is the only
    one of its sort, there or in the order."""
    text = in_figures("\n".join(sit.rounds))
    places = list(_around(said, text))
    if not places or re.match(r"[a-z]{3,} \d", said, re.IGNORECASE):
        return True
    own = _own(param, tool) | {*name_stems(tool.name), *map(stem, name_words(param.name))}
    own |= _verbs(tool)
    if any(_led(before) in own or re.search(rf"{_BACK.pattern}$", before, re.I)
           for before, _ in places):  # fmt: skip
        return True
    if any(_whole(said, p) and all(c in said for c in _CODES.findall(p))
           for p in _ordered(tool, sit)):  # fmt: skip
        return True
    undated = in_figures(_undated("\n".join(sit.rounds), sit))
    others = (m for m in _CODES.findall(undated) if _DISTINCT.fullmatch(m))
    return bool(_DISTINCT.fullmatch(said)) and all(other in said for other in others)


_CODE = re.compile(r"#?[A-Za-z]{0,6}[ -]?\d[\w./-]*")
_CODES = re.compile(r"(?<![\w.:/-])[A-Za-z]{0,6}-?\d[\w-]*(?![.:]\d)")
_DISTINCT = re.compile(r"[A-Za-z]{1,6}-?\d[\w/-]*|0\d+|\d{3,}(?!x)[\w/-]*|\d+-\d+")
"""A code that is no count: with letters, a zero first, three digits or a dash."""


def _verbs(tool: ToolSpec) -> set[str]:
    """The stems of a tool's verbs and of those that stand for them."""
    own = deeds_verbs(tool)
    return {*own, *(s for v in own for s in synonyms(v))}


def _worded(said: str, param: Param, tool: ToolSpec, sit: Situation) -> bool:
    """Whether words came back, or were said as a name, in quotation marks, beside the word for what
    they are or the verb of the deed, or as where it goes."""
    if _whole(said, _came(sit)) or _PLACE.match(said):
        return True
    text, own = "\n".join(sit.rounds), _own(param, tool)
    named = bool(re.search(r"[\d@]|\w\.\w", said))
    ordered = [p.text for p in sit.parts if p.mood == "ordered"]
    verbs = _verbs(tool) | things(tool) | {t.stem for p in ordered for t in tokens(p)[:1]}
    places = list(_around(said, text))
    for before, after in places:
        shown = text[len(before) : len(text) - len(after)]
        opens = re.search(r"(?:^|[.!?\n]\s*)$", before) and {said.lower()} & known_words()
        if named or (shown[:1].isupper() and not opens) or before.endswith(tuple("\"'“‘")):
            return True
        near = (*re.findall(r"[\w-]+", before)[-3:], *re.findall(r"[\w-]+", after)[:2])
        behind = re.match(r" ([\w-]+)", after)
        if any(stem(w.lower()) in own for w in near) or _led(before) in verbs:
            return True
        if behind and stem(behind[1].lower()) in things(tool):
            return True
        if _SO_MANY.search(in_figures(before)) and not _UNIT.fullmatch(said):
            return True
        if _DEFINITE.search(before) and any(_POINTS.search(o) and shown not in o for o in ordered):
            return True
        if _TO_DO.search(before) or (_GOES.search(before) and _ENDS.match(after)):
            return True
    return not places


_PLACE = re.compile(r"(?:behind|beside|near|under|outside|opposite|next to|in front of) ", re.I)
_DEFINITE = re.compile(r"\b(?:the|my|our|this|that) $", re.IGNORECASE)
_POINTS = re.compile(r"\b(?:it|them|him|her)\b", re.IGNORECASE)
_SO_MANY = re.compile(rf"\b\d+ (?:[a-z]+ of (?:the |your )?|{_UNIT.pattern} )?$", re.IGNORECASE)
_TO_DO = re.compile(r"\bto \w+ (?:an?|the|my|our|some|this) $", re.IGNORECASE)
_GOES = re.compile(r"\b(?:to|into|at|in|on|from|with|for) (?:the |my |our )?$", re.IGNORECASE)
_ENDS = re.compile(
    r"\W*(?:please\W*)?$|[,.;!?]| (?:at|on|by|for|from|to|in|tomorrow|today|this|next|with)\b", re.I
)


def _tells(said: str, tool: ToolSpec, sit: Situation) -> bool:
    """Whether a story holds nothing that was denied, and more than the order."""
    low = said.lower()
    denied = (p.text.lower() for p in sit.parts if p.mood == "denied")
    own = {*name_stems(tool.name), *content(tool.description), *deeds_verbs(tool)}
    return not any(d in low or low in d for d in denied) and bool({*content(said)} - own)
