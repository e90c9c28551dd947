"""Settle: what every proposed call keeps to: what is called "order 5521" is the order, a number
stays with its noun, one name has one role, a quotation has one place, and what was only told beside
an order gives it no day."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from course.models.policy.front.grounds import GENERIC, grounded, says_which
from course.models.policy.front.mood import parts_of
from course.models.policy.front.situation import DATED, YES, Situation
from course.models.policy.front.tool import changes, deeds_verbs
from course.models.policy.lexicon import VERBS, action_of, known_words
from course.models.policy.mentions import mentions
from course.models.policy.needs import Wanted
from course.models.policy.params import Param, params
from course.models.policy.steps import is_control
from course.models.policy.words import (
    STOP_WORDS,
    content,
    cue,
    in_figures,
    name_stems,
    name_words,
    stem,
    table,
    tokens,
    word_list,
)
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
    values |= _counted(by_name.values(), sit)
    values = {k: v for k, v in values.items() if not _echo(by_name.get(k), v, tool, sit)}
    if changes(tool):
        values = _exchanged({k: v for k, v in values.items() if not _aside(by_name.get(k), v)}, sit)
        return grounded(replace(call, arguments=values), tool, sit)[0]
    return replace(call, arguments=values) if values != call.arguments else call


def _exchanged(values: dict[str, Any], sit: Situation) -> dict[str, Any]:
    """Values with what goes and what comes in its place as they were said ("swap A for B")."""
    old, new = (next((k for k in values if {*name_words(k)} & names), "") for names in _SIDES)
    said = _EXCHANGE.search(sit.latest) if old and new else None
    sides = [str(values.get(k, "")).lower() for k in (old, new)]
    if said and sides[0] in said["new"].lower() and sides[1] in said["old"].lower():
        return {**values, old: values[new], new: values[old]}
    return values


_SIDES = tuple(
    frozenset(names.split())
    for names in ("out old from remove removed original current", "into in new to with replacement")
)
_EXCHANGE = re.compile(
    r"\b(?:swap|exchange|replace|trade|switch|substitute|change)s? (?P<old>[^.;!?]+?)"
    r" (?:for|with|by|into|to|against) (?P<new>[^.;!?]+)",
    re.IGNORECASE,
)


def _counted(wanted: Iterable[Param], sit: Situation) -> dict[str, int]:
    """The numbers that were said with the noun that a parameter is called by ("2 adults and 3
    kids"), in the latest words that say any."""
    found: dict[str, int] = {}
    for param in wanted:
        noun = stem(name_words(param.name)[-1])
        if param.schema.get("type") != "integer" or name_words(param.name)[-1] in GENERIC:
            continue
        for text in reversed(sit.thread.split("\n")):
            said = [int(m[1]) for m in _COUNT.finditer(in_figures(text))
                    if noun in (stem(m[2]), stem(_PEOPLE.get(m[2].lower(), "")))]  # fmt: skip
            if said:
                found |= {param.name: said[-1]} if len(set(said)) == 1 else {}
                break
    return found


_PEOPLE = {said: name for name, words in table("settle.people").items() for said in words.split()}
_COUNT = re.compile(r"(?<![\w.,:/-])(\d{1,3}) ([a-z]+)\b", re.IGNORECASE)


def _aside(param: Param | None, value: Any) -> bool:
    """Whether an optional text is only something said in passing ("erm hang")."""
    if param is None or param.required or not isinstance(value, str) or param.options:
        return False
    return all(w in _PASSING or w in STOP_WORDS for w in re.findall(r"\w+", value.lower()))


_PASSING = frozenset(word_list("gate.empty"))


def _echo(param: Param | None, value: Any, tool: ToolSpec, sit: Situation) -> bool:
    """Whether a look-up's optional value is only the verb of what was ordered ("pay": "paid")."""
    if param is None or param.required or not param.options or changes(tool):
        return False
    text = str(value).lower()
    if not (action_of(text) or stem(text) in VERBS):
        return False
    return text not in sit.latest.lower() and stem(text) in {t.stem for t in tokens(sit.latest)}


def _as_said(param: Param, value: Any, tool: ToolSpec, sit: Situation) -> Any:
    if isinstance(value, bool):
        off = param.name in _SWITCHES and _OFF.search(sit.latest) and not _ON.search(sit.latest)
        return False if off else value
    if isinstance(value, int | float):
        return _replaced(_numbered(param, value, sit), sit)
    if several := _several(param, tool, sit):
        return several
    if not isinstance(value, str):
        return value
    if param.options:
        return _corrected(param, value, sit)
    return _value(param, value, tool, sit)


_COUNTED = r"(?:\d+|(?i:two|three|four|five|six|seven|eight|nine|ten))"
_THING = r" (?:[a-z-]+ ){0,2}?[a-z-]{3,}"
_ITEM = rf"(?:{_COUNTED}|[Aa]n?){_THING}"
_ITEMS = re.compile(
    rf"(?<![\w-])(?:{_ITEM}(?:, {_ITEM})*,? and {_ITEM}|{_COUNTED}{_THING}s)"
    r"(?=\W*$|[.,;!?]| (?:to|for|in|on|at|from|by|please|pls)\b)"
)


def _several(param: Param, tool: ToolSpec, sit: Situation) -> str | list[str] | None:
    """All the things that were counted up ("two teas and a scone"), for the parameter that takes
    several; None where none were, or where how many is asked for beside."""
    wants = param.kind == "array" or param.kind in ("words", "query", "prose")
    last = name_words(param.name)[-1]
    wants = wants and bool(re.search("[^s]s$", last) or last in _SEVERAL) and not param.options
    fields = params(tool.parameters)
    counts = any(p.kind == "number" and not says_which(p, tool) for p in fields)
    found = _ITEMS.findall(sit.latest) if wants and changes(tool) and not counts else []
    if len(found) != 1:
        return None
    if param.kind == "array":
        simple = param.schema.get("items", {}) == {"type": "string"}
        each = re.split(r", (?:and )?| and ", found[0]) if simple else []
        return [re.sub(r"^[Aa]n? ", "", e) for e in each] or None
    return str(found[0])


_SEVERAL = frozenset("order what food list".split())


_LIKE = (r"\d+(?:\.\d+){3}", r"[A-Za-z]{1,4}-?\d+", r"\d+(?:\.\d+)?")
"""Figures that are corrected by ones of their sort: addresses, ids, numbers."""


def _numbered(param: Param, value: Any, sit: Situation) -> Any:
    """A number, or the one that stands behind what it numbers ("cave 2")."""
    noun = [w for w in name_words(param.name) if w not in GENERIC]
    if not noun or noun[-1] not in sit.thread.lower():
        return value
    found = re.findall(rf"\b{re.escape(noun[-1])}s? (?:no\.? ?|number )?(\d+)\b", sit.thread, re.I)
    return int(found[0]) if len(set(found)) == 1 and isinstance(value, int) else value


def _replaced(value: Any, sit: Situation) -> Any:
    """A figure, or the one of its sort that was said in its place ("C9, sorry, I mean A1")."""
    text, told = in_figures(sit.latest), str(value).removesuffix(".0")
    form = next((f for f in _LIKE if re.fullmatch(f, told)), None)
    if form is None or not _BACK.search(text):
        return value
    new = rf"(?P<new>{form})(?P<new_unit> ?[a-z]+)?(?![\w.]*\d)"
    unit = rf"(?P<unit> ?[a-z]+)?[^.;!?\d]*?{_BACK.pattern}{new}"
    first = "(?:1|one|an?)" if told == "1" else re.escape(told)
    found = re.search(rf"(?<![\w.-]){first}\b{unit}", text, re.IGNORECASE)
    if not found or (found["unit"] and found["new_unit"] and isinstance(value, int | float)
                     and stem(found["unit"].strip()) != stem(found["new_unit"].strip())
                     ):  # fmt: skip
        return value
    return found["new"] if isinstance(value, str) else type(value)(float(found["new"]))


_SWITCHES = ("on", "is_on", "enabled", "active")
_OFF = re.compile(r"\b(?:off|put out|out|kill|dark)\b", re.IGNORECASE)
_ON = re.compile(r"\bon\b", re.IGNORECASE)


def _corrected(param: Param, value: str, sit: Situation) -> str:
    """An enumerated value, or the one that was said in its place."""
    after = _BACK.search(sit.latest) and re.search(
        rf"(?<!\w){re.escape(value)}(?!\w){_BACK.pattern}(?P<rest>.+)", sit.latest, re.I
    )
    meant = [
        str(o) for o in param.options if after and after["rest"].lower().startswith(str(o).lower())
    ]
    return meant[0] if meant else value


def _value(param: Param, value: str, tool: ToolSpec, sit: Situation) -> Any:
    if DATED.fullmatch(value) or not value.strip():
        return _weekday(param, _begun(value, tool, sit), sit)
    its = {*name_stems(tool.name), *content(tool.description)}
    if changes(tool) and param.kind == "prose" and {*content(value)} <= its:
        return _story(sit)
    if listed := _listed(param, value, sit):
        return listed
    if param.kind in ("prose", "query") and not is_control(tool.name):
        quotes = [next(filter(None, m.groups())) for m in _QUOTE.finditer(sit.latest)]
        whole = len(quotes) == 1 and " " in quotes[0] and quotes[0] in value
        return quotes[0] if whole else value
    value = _STATE.sub("", _without_deed(param, value, tool))
    return _replaced(value, sit) if re.search(r"\d", value) else _with_number(param, value, sit)


_STATE = re.compile(
    r"['’]s (?:back|gone|here|in|out|off|broken|torn|stuck|dirty|empty|full|late|missing|ready)$",
    re.I,
)
"""What is said of a thing behind its name: "the toga's back"."""


def _without_deed(param: Param, value: str, tool: ToolSpec) -> str:
    """A value without the words of its tool that it begins with: its deed's and, for what changes
    something, its name's."""
    words = value.split()
    if len(words) > 1 and stem(words[0].lower()) in deeds_verbs(tool):
        words = words[1:]
    called = {*name_words(tool.name)} - {param.name}
    while len(words) > 1 and changes(tool) and words[0] in called:
        words = words[1:]
    return " ".join(words) if len(words) < len(value.split()) else value


def _with_number(param: Param, value: str, sit: Situation) -> str:
    """A value with the number that was said behind it, or the number alone where one is wanted."""
    own = re.escape(value.strip())
    if param.kind != "name" and (
        followed := re.search(
            rf"(?<!\w){own} (\d[\w-]*)(?! ?(?:{_UNIT.pattern}|of them\b))", sit.thread, re.I
        )
    ):
        return followed[0]
    noun = [w for w in name_words(param.name) if w not in GENERIC]
    numbered = param.kind in ("id", "intid") or _A_NUMBER.search(param.description)
    if noun and numbered:
        number = r"s?\s*(?:no\.?|number|nr\.?|id|#)?\s*[:#]?\s*([A-Z]{0,4}-?\d[\w-]*)"
        marked = rf"\b{re.escape(noun[-1])}{number}"
        if named := re.search(marked, sit.thread, re.IGNORECASE):
            return named[1]
    return value


def _story(sit: Situation) -> str:
    """What somebody told last, besides a yes."""
    told = [r for r in sit.rounds if not YES.match(r)]
    return told[-1] if told else sit.thread


def _weekday(param: Param, value: str, sit: Situation) -> str:
    """A date, or the weekday that was said for it where no form of a date is shown."""
    shown = param.kind != "date" or "format" in param.schema or _FORMED.search(param.description)
    if shown or name_words(param.name)[-1] != "day" or not DATED.fullmatch(value):
        return value
    said = (m for m in mentions(sit.thread, sit.today) if str(m.value) == value)
    named = [m for m in said if m.text.lower().split()[-1] in _WEEKDAYS]
    return named[-1].text.split()[-1].capitalize() if named else value


_FORMED = re.compile(r"YYYY|\d|\b(?:date|iso)\b", re.IGNORECASE)
_WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())


_SPAN = re.compile(
    r"\b(\d{1,2})(?:st|nd|rd|th)?\s*(?:to|-|–|until|till)\s*(?:the )?"
    r"(\d{1,2})(?:st|nd|rd|th)? (?:of )?"
    r"((?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)",
    re.IGNORECASE,
)
_TENS = re.compile(
    r"\b(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety) (one|two|three|four|five|six|seven"
    r"|eight|nine)\b",
    re.IGNORECASE,
)
_HOUR = re.compile(r"\bthe (\d{1,2}) hour\b", re.IGNORECASE)
_SHORT = {
    re.compile(rf"\b{said}\b", re.IGNORECASE): meant
    for said, meant in table("settle.short").items()
}
_LOWER_NAME = re.compile(
    r"(?:^(?=[a-z]+ [a-z]+, )|\b(?:my name is|name is|name['’]s|i am called) )"
    r"(?P<name>[a-z]+(?: [a-z]+)?)"
)


def spelled_out(text: str) -> str:
    """What people write in short, as it is spoken: "tmrw", "id like", "12 to 15 march", a name
    without capitals where one says who one is."""
    for said, meant in _SHORT.items():
        text = said.sub(meant, text)
    text = _TENS.sub(r"\1-\2", text)
    text = _HOUR.sub(r"\1:00", text)
    text = _SPAN.sub(r"\1 \3 to \2 \3", text)
    return _LOWER_NAME.sub(
        lambda m: m[0][: m.start("name") - m.start()] + _capital(m["name"]), text
    )


def _capital(name: str) -> str:
    return name if set(name.split()) & known_words() else name.title()


_A_NUMBER = re.compile(r"\b(?:number|no\.|id)\b", re.IGNORECASE)
_LISTS = re.compile(r"^\W*(?:\w+ in )?((?:\w+, )+\w+,? or \w+)\W*$", re.IGNORECASE)
_TO = re.compile(r"\s*(?:(?:up )?to|until|till|through|-|–)\s*")


def _listed(param: Param, value: str, sit: Situation) -> str:
    """The only one of the values that a description lists ("starter, main or dessert") of which the
    last words speak, where the value is none of them; else ""."""
    lists = _LISTS.match(param.description)
    options = re.findall(r"\w+", re.sub(r",? or ", " ", lists[1])) if lists else []
    said = {t.stem for t in tokens(sit.latest)}
    spoken = [o for o in options if stem(o) in said]
    return spoken[0] if len(spoken) == 1 and value.lower() not in options else ""


def _begun(value: str, tool: ToolSpec, sit: Situation) -> str:
    """A day, or the first of those that were said as one ("12 to 15 March") where a call has room
    for one alone."""
    days = [p for p in params(tool.parameters) if p.kind in ("date", "datetime")]
    found = [m for m in mentions(sit.latest, sit.today) if m.kind == "date"]
    for first, last in pairwise(found):
        between = sit.latest[first.end : last.start]
        if len(days) == 1 and last.value == value and _TO.fullmatch(between):
            return str(first.value)
    return value


def plain_words(sit: Situation) -> str:
    """The last words without what gives an order no values: days that are only told beside one, and
    whom one has do it."""
    parts = parts_of(sit.latest, sit.verbs)
    ordered = any(p.mood == "ordered" and _dated(p.text, sit) for p in parts)
    kept = [p for p in parts if not (ordered and p.mood == "told" and _dated(p.text, sit))]
    text = sit.latest if len(kept) == len(parts) else " ".join(p.text for p in kept)
    return _HAVE_DONE.sub(lambda m: m[0] if m["deed"].lower() in STOP_WORDS else "", text)


_HAVE_DONE = re.compile(
    r"\b(?:have|get) (?:the |an? )?[a-z]+ (?=(?P<deed>[a-z]+) (?:the|an?|my|our|his|her)\b)",
    re.IGNORECASE,
)


def _dated(text: str, sit: Situation) -> bool:
    return any(m.kind in ("date", "datetime") for m in mentions(text, sit.today))


def in_other_role(call: Wanted, about: str, sit: Situation) -> Wanted | None:
    """A call whose one value was looked up in another role, with what was said or looked up for
    its own; None where nothing is."""
    looked = [m.arguments[about] for m in sit.turn if about in m.arguments and m.error is None]
    taken = {str(v).lower() for m in sit.turn for v in m.arguments.values()}
    taken |= {str(v).lower() for v in call.arguments.values()}
    named = [m.text for m in mentions(sit.latest, sit.today)
             if m.kind == "name" and m.text.lower() not in taken]  # fmt: skip
    found = looked[-1:] or (named if len(named) == 1 else [])
    return replace(call, arguments={**call.arguments, about: found[0]}) if found else None


def misnamed(value: Any, sit: Situation) -> bool:
    """Whether a look-up in vain took one name where another was said as well."""
    if not isinstance(value, str) or re.search(r"\d", value):
        return False
    named = (m.text for m in mentions(sit.latest, sit.today) if m.kind == "name")
    return any(n.lower() not in value.lower() and value.lower() not in n.lower() for n in named)


def without(text: str, value: str) -> str:
    """A text without a value."""
    return re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", " ", text, flags=re.IGNORECASE)
