"""Replies: the question that asks for a field, and what a person's words say of it, asked for or by
the way."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache
from typing import Any

from course.models.policy.arguments import Texts, fill, pieces, stated
from course.models.policy.clauses import is_greeting, polished, split
from course.models.policy.conversation import Exchange
from course.models.policy.mentions import mentions
from course.models.policy.params import Param
from course.models.policy.patterns import regex
from course.models.policy.reader.choices import chosen
from course.models.policy.reader.options import switch
from course.models.policy.schemas import Schema, as_schema, fits, follow, type_of
from course.models.policy.values import shaped
from course.models.policy.words import ORDINALS, content, cue, human, listed, table, tokens

ASSENT = cue("replies.assent")
"""Words that agree to what was said before, and say nothing themselves."""
YES, NO = cue("replies.yes"), cue("replies.no")
"""How a reply to a question opens that agrees, and one that does not."""
CORRECTS, _NOTHING, _UNKNOWN, _LEAD, _TRAIL = (
    cue(f"replies.{n}") for n in "corrects nothing unknown lead trail".split()
)
_CLAUSE, _WHEN, _DATES, _TROUBLE, _STATES, _SPAN, _OPENS = (
    cue(f"replies.{n}") for n in "clause when dates trouble states span opens".split()
)
_TAIL = cue("replies.tail", re.IGNORECASE | re.DOTALL)
_NEWS = cue("replies.news", 0)
_OWNED = regex(r"^(?:an?|the|your|their|his|her|any|all|one|every|each)\b", re.IGNORECASE)
_ARTICLE = regex(r"^(?:an?|the|some|my|our)\s+", re.IGNORECASE)
_BESIDE = regex(r"^\W*,|\b(?:an?|the|for|to|on|i|is|and|but)\b", re.IGNORECASE)
_PERSON = r"\b(?:am|[iI]'m|is|called|named?|for|of|[Mm]rs?|[Mm]s|[Dd]r)\b\.?:? "
_COUNTS = [(regex(rf"\b(?:{w})\b", re.I), n) for n, w in table("replies.counts").items()]
_PLAIN = ("words", "query", "prose")


def asking(param: Param) -> str:
    """What a field is about, as one asks for it: "since when", "the size", "whether ..."."""
    return _asked_words(param.name, param.description)


_HAS = regex(r"^ha(?:s|ve) ")


@lru_cache(maxsize=2_000)
def _asked_words(name: str, description: str) -> str:
    told = _TAIL.sub("", description.strip()).strip(" .:;,").rstrip("?")
    words = told if 0 < len(told) <= 140 else _HAS.sub("whether there is ", human(name))
    lowered = words[:1].lower() + words[1:] if words[1:2].islower() or " " in words[:2] else words
    return lowered if _CLAUSE.match(words) or _OWNED.match(words) else f"the {lowered}"


def question_for(param: Param) -> str:
    """The question that asks for a field, with its choices if it has few."""
    options = [str(o) for o in param.schema.get("enum", ()) if o is not None]
    shown = f" ({listed([human(o) for o in options], 'or')})" if 1 < len(options) <= 8 else ""
    return f"Could you tell me {asking(param)}{shown}?"


def asked_field(question: str, wanted: tuple[Param, ...]) -> Param | None:
    """The field that a question asked about, by its own words or by most of them."""
    last = re.split(r"(?<=[.!])\s+", question.strip())[-1]
    said = set(content(last)) if last.endswith("?") else set()
    best: tuple[bool, float] = (False, 0.5)
    found = None
    for param in wanted if question else ():
        about = set(content(f"{human(param.name)} {asking(param)}"))
        share = len(said & about) / max(1, min(len(said), len(about)))
        worth = (question_for(param).lower() in question.lower(), share)
        if worth >= best and (found is None or worth > best):
            best, found = worth, param
    return found


def bare(text: str) -> str:
    """A reply without what opens and closes it for politeness: "It's a rash, please." """
    short = _TRAIL.sub("", _LEAD.sub("", text.strip())).strip()
    short = re.sub(r"^(?:an? )?(?:complaint|problem|name|reason|answer)s?: ", "", short)
    return short or text.strip(" .!")


def reply_value(param: Param, text: str, root: Schema, today: date) -> Any:
    """What a reply to a question about this very field gives it; None when it doesn't."""
    if _UNKNOWN.search(text) or is_greeting(text):
        return None
    value = _ANSWERS.get(param.kind, _mentioned)(param, text, root, today)
    return value if value is not None and fits(value, param.raw, root) else None


def _switch(param: Param, text: str, root: Schema, today: date) -> bool | None:
    if YES.match(text) or re.search(r"\b(?:yes|yeah)\b", text, re.IGNORECASE):
        return True
    if NO.match(text) or re.search(r"(?:^|[,.!] ?)no\b", text, re.IGNORECASE):
        return False
    said = switch(param, text, frozenset())
    return said.value if said else None


def _enumerated(param: Param, text: str, root: Schema, today: date) -> Any:
    again = CORRECTS.search(text)
    value = (chosen(param, text[again.end() :]) if again else None) or chosen(param, text)
    options = param.schema.get("enum", ())
    place = next((n for w, n in ORDINALS.items() if re.search(rf"\b{w}\b", text, re.I)), 0)
    return options[place - 1] if value is None and 0 < place <= len(options) else value


def _counted(param: Param, text: str, root: Schema, today: date) -> Any:
    found = [m for m in mentions(text, today) if m.kind in ("number", "amount")]
    if found:
        return shaped(param, found[-1 if CORRECTS.search(text) else 0], text)
    told = next((int(n) for spoken, n in _COUNTS if spoken.search(text)), None)
    return 0 if told is None and _NOTHING.match(text) else told


def _several(param: Param, text: str, root: Schema, today: date) -> Any:
    if _NOTHING.match(text):
        return []
    inner = follow(as_schema(param.schema.get("items")), root)
    if "enum" in inner or type_of(inner) != "string":
        return _elements(param, text, root, today)
    return [_ARTICLE.sub("", bare(p)) for p in pieces(bare(text))] or None


def _elements(param: Param, text: str, root: Schema, today: date) -> Any:
    schema = {"properties": {param.name: param.raw}}
    return fill(schema, Texts(text, today=today), root=root).values.get(param.name)


def _mentioned(param: Param, text: str, root: Schema, today: date) -> Any:
    """A mention of the right form, or a short reply for an id."""
    found = stated((param,), text, today, asked=True)
    short = bare(text)
    id_like = param.kind in ("id", "phone") and param.type == "string" and len(short.split()) <= 3
    return found.get(param.name, short if id_like and re.search(r"\d", short) else None)


def _named(param: Param, text: str, root: Schema, today: date) -> str | None:
    """The name in a reply, or a few words that can be nothing else."""
    named = stated((param,), text, today, asked=False)
    short = bare(text)
    words = short.replace(",", " ").split()
    dated = any(m.kind in ("date", "time") for m in mentions(short, today))
    few = 0 < len(words) <= 6 and not re.search(r"[\d?]", short) and not dated
    whole = " ".join(w[:1].upper() + w[1:] for w in words) if few else None
    if whole and len(words) > 1 and all(w[:1].isupper() for w in words):
        return whole
    if param.name not in named:
        return whole if len(words) <= 4 and not _BESIDE.search(short) else None
    name = str(named[param.name])
    rest = short.removeprefix(name)
    enough = " " in name or not re.search(r"\bfull\b|\blast\b", param.description, re.I)
    return whole if whole and rest != short and not (enough and _BESIDE.search(rest)) else name


def _in_words(param: Param, text: str, root: Schema, today: date) -> str | None:
    """The words of a reply themselves; a question, or mere assent, says nothing."""
    if text.strip().endswith("?") or ASSENT.fullmatch(text):
        return None
    if _WHEN.search(f"{param.name.replace('_', ' ')} {param.description}"):
        if span := _span(text):
            return span
        if _STATES.match(text) and not _DATES.search(text):
            return None  # it tells of something else: "My dog is called Rex."
    quoted = [str(m.value) for m in mentions(text) if m.kind == "quoted"]
    short = bare(text)
    return quoted[0] if quoted else short if param.kind == "prose" else _ARTICLE.sub("", short)


def _span(text: str) -> str | None:
    """A time that something has lasted, or its beginning: "since Monday", "two days"."""
    match = _SPAN.search(text)
    return re.sub(r"^for ", "", match.group().strip(), flags=re.IGNORECASE) if match else None


_ANSWERS: dict[str, Callable[[Param, str, Schema, date], Any]] = {
    "boolean": _switch,
    "enum": _enumerated,
    "number": _counted,
    "array": _several,
    "name": _named,
    **dict.fromkeys(_PLAIN, _in_words),
}


def by_the_way(wanted: tuple[Param, ...], text: str, root: Schema, today: date) -> dict[str, Any]:
    """What a text says of fields without having been asked: only what is beyond doubt."""
    found = stated(wanted, text, today, asked=False)
    for param in wanted:
        value = found.pop(param.name, None)
        value = _told(param, text, root, today) if value is None else value
        person = param.kind != "name" or _is_person(str(value), text)
        if value is not None and person and fits(value, param.raw, root):
            found[param.name] = value
    return found


def _is_person(name: str, text: str) -> bool:
    """Whether a name is a person's: "Red eye." or "a complaint, BCG" tell of none."""
    return " " in name or bool(re.search(f"{_PERSON}{re.escape(name)}", text))


def _told(param: Param, text: str, root: Schema, today: date) -> Any:
    about = f"{param.name.replace('_', ' ')} {param.description}"
    spoken = (param.stems | param.about) & {t.stem for t in tokens(text)}
    if param.kind == "array" and spoken:
        return _elements(param, text, root, today)
    if param.kind not in _PLAIN:
        return None
    if _WHEN.search(about):
        return _span(text)
    return _complaint(text) if _TROUBLE.search(about) else None


def _complaint(text: str) -> str | None:
    """The clause of a text that tells what is wrong, in the person's words."""
    for clause in (c.text for c in split(text)):
        if _STATES.match(clause) and not clause.endswith("?") and not _NEWS.search(clause):
            short = _ARTICLE.sub("", bare(_SPAN.sub("", clause).strip(" .,!;"))).strip(" ,.")
            return short if len(short.split()) <= 4 else polished(clause).rstrip(".!")
    return None


def gathered(
    wanted: tuple[Param, ...], talk: tuple[Exchange, ...], root: Schema, today: date
) -> dict[str, Any]:
    """What a person has said of the fields so far; the newest words win."""
    known: dict[str, Any] = {}
    for exchange in talk:
        asked = asked_field(exchange.asked, wanted)
        aside = by_the_way(wanted, exchange.said, root, today)
        corrects = bool(CORRECTS.search(_OPENS.sub("", exchange.said)))
        others = {k: v for k, v in aside.items() if not asked or k != asked.name}
        away = corrects and others and asked is not None and asked.name not in aside
        if asked is not None and not away:
            value = reply_value(asked, exchange.said, root, today)
            known |= {} if value is None else {asked.name: value}
        known |= {k: v for k, v in others.items() if k not in known or corrects}
    return known
