"""Replies: what a person's words say of a field, asked for or by the way."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache
from typing import Any

from course.models.policy.arguments import Texts, stated
from course.models.policy.chat import ASSENT
from course.models.policy.choices import chosen, decided
from course.models.policy.clauses import is_greeting, split
from course.models.policy.conversation import Exchange
from course.models.policy.lists import array_of, pieces
from course.models.policy.mentions import Mention, mentions
from course.models.policy.params import Param
from course.models.policy.prose import polished
from course.models.policy.schemas import Schema, as_schema, fits, follow, type_of
from course.models.policy.values import shaped
from course.models.policy.wordlists import cue
from course.models.policy.words import ORDINALS, content, human, listed, name_words, stem, tokens

_TAIL = cue("replies.tail", re.IGNORECASE | re.DOTALL)
_CLAUSE = cue("replies.clause")
_YES = cue("replies.yes")
_NO = cue("replies.no")
_NOTHING = cue("replies.nothing")
_UNKNOWN = cue("replies.unknown")
CORRECTS = cue("replies.corrects")
_LEAD = cue("replies.lead")
_TRAIL = cue("replies.trail", re.I)
_ARTICLE = re.compile(r"^(?:an?|the|some|my|our)\s+", re.IGNORECASE)


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


def bare(text: str) -> str:
    """A reply without what opens and closes it for politeness: "It's a rash, please." """
    short = _TRAIL.sub("", _LEAD.sub("", text.strip())).strip()
    short = re.sub(r"^(?:an? )?(?:complaint|problem|name|reason|answer)s?: ", "", short)
    return short or text.strip(" .!")


def reply_value(param: Param, text: str, root: Schema, today: date) -> Any:
    """What a reply to a question about this very field gives it; None when it doesn't."""
    if _UNKNOWN.search(text) or is_greeting(text):
        return None
    maker = _ANSWERS.get(param.kind)
    value = maker(param, text, root, today) if maker else _noted(param, text, root, today)
    return value if value is not None and fits(value, param.raw, root) else None


def _switch(param: Param, text: str, root: Schema, today: date) -> bool | None:
    if _YES.match(text) or re.search(r"\b(?:yes|yeah)\b", text, re.IGNORECASE):
        return True
    if _NO.match(text) or re.search(r"(?:^|[,.!] ?)no\b", text, re.IGNORECASE):
        return False
    return decided(param, text)


def _enumerated(param: Param, text: str, root: Schema, today: date) -> Any:
    value = chosen(param, text)
    options = param.schema.get("enum", ())
    if value is not None:
        return value
    place = next((n for w, n in ORDINALS.items() if re.search(rf"\b{w}\b", text, re.I)), 0)
    return options[place - 1] if 0 < place <= len(options) else None


def _counted(param: Param, text: str, root: Schema, today: date) -> Any:
    found = [m for m in mentions(text, today) if m.kind in ("number", "amount")]
    if found:
        return shaped(param, found[-1 if CORRECTS.search(text) else 0], text)
    if re.search(r"\b(?:a couple|a pair|both)\b", text, re.IGNORECASE):
        return 2
    if re.search(r"\b(?:just me|myself|on my own|alone|an?|single)\b", text, re.IGNORECASE):
        return 1
    return 0 if _NOTHING.match(text) else None


def _listed(param: Param, text: str, root: Schema, today: date) -> Any:
    if _NOTHING.match(text):
        return []
    inner = follow(as_schema(param.schema.get("items")), root)
    if type_of(inner) == "object" or "enum" in inner or type_of(inner) != "string":
        found = array_of(param, Texts(text, today=today), root)
        return found or None
    return [_ARTICLE.sub("", bare(p)) for p in pieces(bare(text))] or None


def _object(param: Param, text: str, root: Schema, today: date) -> Any:
    from course.models.policy.arguments import fill

    inner = param.raw if "properties" in param.raw else param.schema
    filled = fill(inner, Texts(text, today=today), root=root)
    return None if filled.missing else dict(filled.values)


_PLAIN = ("words", "query", "prose")


def _noted(param: Param, text: str, root: Schema, today: date) -> Any:
    """A value of a plain kind: a mention of the right form, or else the words of the reply."""
    if param.kind in _PLAIN:
        return _in_words(param, text)
    short = bare(text)
    if param.kind == "name":
        return _name(param, text, short, today)
    found, _ = stated((param,), text, today, 0.1)
    if param.name in found:
        return found[param.name]
    if param.kind in ("id", "phone") and param.type == "string" and re.search(r"\d", short):
        return short if len(short.split()) <= 3 else None
    return None


def _name(param: Param, text: str, short: str, today: date) -> str | None:
    """The name in a reply, or a few words that can be nothing else."""
    named, _ = stated((param,), text, today, 2.0)
    words = short.replace(",", " ").split()
    few = 0 < len(words) <= 6 and not re.search(r"[\d?]", short) and not _dated(short, today)
    if param.name in named:
        name = str(named[param.name])
        rest = short.removeprefix(name)
        full = " " in name or not re.search(r"\bfull\b|\blast\b", param.description, re.I)
        more = few and rest != short and not (full and _BESIDE.search(rest))
        return _capital(words) if more else name
    return _capital(words) if few and len(words) <= 4 and not _SMALL_WORDS.search(short) else None


def _dated(text: str, today: date) -> bool:
    return any(m.kind in ("date", "time") for m in mentions(text, today))


def _capital(words: list[str]) -> str:
    return " ".join(w[:1].upper() + w[1:] for w in words)


_SMALL = r"\b(?:an?|the|for|to|on|i|is|and|but)\b"
_SMALL_WORDS = re.compile(_SMALL, re.IGNORECASE)
_BESIDE = re.compile(rf"^\W*,|{_SMALL}", re.IGNORECASE)


def _in_words(param: Param, text: str) -> str | None:
    if text.strip().endswith("?") or ASSENT.fullmatch(text):
        return None
    if _WHEN.search(f"{param.name.replace('_', ' ')} {param.description}"):
        span = _span(text)
        if span:
            return span
        if _STATES.match(text) and not _DATES.search(text):
            return None  # it tells of something else: "My dog is called Rex."
    quoted = [m for m in mentions(text) if m.kind == "quoted"]
    if quoted:
        return str(quoted[0].value)
    short = bare(text)
    return short if param.kind == "prose" else _ARTICLE.sub("", short)


_WHEN = cue("replies.when")
_UNITS = r"(?:minutes?|hours?|days?|nights?|weeks?|months?|years?)"
_SPAN = re.compile(
    rf"\bsince (?:[^,.;!?]+?)(?=\s*(?:[,.;!?]|\band\b|\bbut\b|$))"
    rf"|\b(?:for )?(?:the (?:last|past) )?(?:about |around |almost |over )?"
    rf"(?:an?|a few|several|some|\d+|[a-z]+teen|ten|eleven|twelve|twenty|one|two|three|four|five"
    rf"|six|seven|eight|nine|a couple of) {_UNITS}(?: ago)?\b"
    rf"|\b(?:yesterday|today|tonight|(?:this|last|yesterday) (?:morning|afternoon|evening|night"
    rf"|week|weekend|month|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day))\b",
    re.IGNORECASE,
)


def _span(text: str) -> str | None:
    """A time that something has lasted, or its beginning: "since Monday", "two days"."""
    match = _SPAN.search(text)
    return re.sub(r"^for ", "", match.group().strip(), flags=re.IGNORECASE) if match else None


_DATES = re.compile(r"\b(?:since|after|before|when|ago|as long as|always|ever|\d+)\b", re.I)
_ANSWERS: dict[str, Callable[[Param, str, Schema, date], Any]] = {
    "boolean": _switch,
    "enum": _enumerated,
    "number": _counted,
    "array": _listed,
    "object": _object,
}


def by_the_way(wanted: tuple[Param, ...], text: str, root: Schema, today: date) -> dict[str, Any]:
    """What a text says of fields without having been asked: only what is beyond doubt."""
    found, used = stated(wanted, text, today, 2.0)
    for param in wanted:
        if param.name in found:
            continue
        value = _told(param, text, root, today, used)
        if value is not None:
            found[param.name] = value
    return {
        p.name: found[p.name]
        for p in wanted
        if _sound(p, found, root) and not (p.kind == "name" and _no_person(found[p.name], text))
    }


_PERSON = r"\b(?:am|[iI]'m|is|called|named?|for|of|[Mm]rs?|[Mm]s|[Dd]r)\b\.?:? "


def _no_person(name: Any, text: str) -> bool:
    """Whether a single word is no person's name: "Red eye." or "a complaint, BCG" tell of none."""
    return " " not in str(name) and not re.search(f"{_PERSON}{re.escape(str(name))}", text)


def _sound(param: Param, found: dict[str, Any], root: Schema) -> bool:
    return param.name in found and fits(found[param.name], param.raw, root)


def _told(param: Param, text: str, root: Schema, today: date, used: list[Mention]) -> Any:
    if param.kind == "boolean":
        return _mentioned(param, text)
    if param.kind == "array":
        if not (param.stems | param.about) & {t.stem for t in tokens(text)}:
            return None  # nothing speaks of it
        return array_of(param, Texts(text, today=today), root) or None
    if param.kind in _PLAIN:
        about = f"{param.name.replace('_', ' ')} {param.description}"
        if _WHEN.search(about):
            return _span(text)
        return _complaint(text) if _TROUBLE.search(about) else None
    return None


def _mentioned(param: Param, text: str) -> bool | None:
    """A switch that a text names outright, by a word of the field's own name."""
    own = {stem(w) for w in name_words(param.name)} - _SMALL
    return decided(param, text) if own & {t.stem for t in tokens(text)} else None


_SMALL = frozenset(stem(w) for w in "is has have with wants want need needs confirmed ok".split())
_TROUBLE = cue("replies.trouble")
_STATES = cue("replies.states")
_NEWS = cue("replies.news", 0)


def _complaint(text: str) -> str | None:
    """The clause of a text that tells what is wrong, in the person's words."""
    told = [
        c.text
        for c in split(text)
        if _STATES.match(c.text) and not c.text.endswith("?") and not _NEWS.search(c.text)
    ]
    if not told:
        return None
    without = _SPAN.sub("", told[0]).strip(" .,!;")
    short = _ARTICLE.sub("", bare(without)).strip(" ,.")
    return short if len(short.split()) <= 4 else polished(told[0]).rstrip(".!")


_DECIDES = re.compile(r"^\W*(?:yes|no)\b[\s,.!]*", re.IGNORECASE)


def gathered(
    wanted: tuple[Param, ...], talk: tuple[Exchange, ...], root: Schema, today: date
) -> dict[str, Any]:
    """What a person has said of the fields so far; the newest words win."""
    known: dict[str, Any] = {}
    for exchange in talk:
        asked = asked_field(exchange.asked, wanted)
        aside = by_the_way(wanted, exchange.said, root, today)
        heard = exchange.said
        if asked is not None and asked.kind == "boolean":
            heard = _DECIDES.sub("", heard)
        corrects = bool(CORRECTS.search(heard))
        others = {k: v for k, v in aside.items() if not asked or k != asked.name}
        away = corrects and bool(others) and (asked is None or asked.name not in aside)
        if asked is not None and not away:
            value = reply_value(asked, exchange.said, root, today)
            if value is not None:
                known[asked.name] = value
        for name, value in others.items():
            if name not in known or corrects:
                known[name] = value
    return known
