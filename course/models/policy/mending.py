"""Mending: what an error says, and a call that failed as it should be.

An error names an argument, says which values it may have or in what form, and a request may say
what to take where its first wish cannot be had. What an error blames, or what does not fit its
schema, is written anew in the form that the schema has; where that gives nothing, the request is
read again for it, without the value that was refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from datetime import date, timedelta
from difflib import SequenceMatcher
from typing import Any

from course.models.policy.conversation import Made, Talk
from course.models.policy.dates import find_dates
from course.models.policy.mentions import YEAR, candidates
from course.models.policy.needs import Wanted
from course.models.policy.params import Param
from course.models.policy.patterns import regex
from course.models.policy.reader.choices import hits
from course.models.policy.reader.filling import ASKED_FOR, fill_slots, fill_tool
from course.models.policy.reader.options import option_features
from course.models.policy.reader.pairs import FITTING
from course.models.policy.reader.shapes import as_shown
from course.models.policy.reader.slots import Slot, offer_of
from course.models.policy.reader.weights import likeliest
from course.models.policy.schemas import fits, matches
from course.models.policy.times import find_times
from course.models.policy.values import shaped
from course.models.policy.words import content, cue, name_words, stem
from course.models.wire import ToolSpec

# --- which values an error allows, and which of them is meant -----------------------------------

_ALLOWED = cue("mending.allowed", re.I | re.S)
_FORM = regex(r"YYYY|HH:MM|\bISO\b|format", re.IGNORECASE)  # says how, not which
_MEANT = regex(r"did you mean:? ['\"“]?([^'\"”?]+)['\"”]?\??", re.IGNORECASE)
QUOTED = regex(r"['\"“]([^'\"”]+)['\"”]")
_BRACKETS = regex(r"\s*\(([^()]*)\)")
_LONGEST = 40  # characters of a value; what is longer is a sentence


def allowed_by(error: str) -> dict[str, str]:
    """The values that an error says would have been right, each with what it says of it in
    brackets."""
    if meant := _MEANT.search(error):
        return {meant.group(1).strip(): ""}
    match = _ALLOWED.search(error)
    while match and not (values := listed_values(match.group(1))):
        match = _ALLOWED.search(error, match.start() + 1)
    return values if match else {}


def listed_values(tail: str) -> dict[str, str]:
    """The values that a list begins with."""
    tail = re.sub(r"^(?:either|one of|any of)\b:?\s*", "", tail)
    told = _BRACKETS.findall(tail)
    tail = _BRACKETS.sub("\0", tail)
    first = re.split(r"\.(?:\s|$)|\n|\)", tail)[0]
    found: dict[str, str] = {}
    for piece in re.split(r",\s*(?:and |or )?|\s+or\s+|\s+and\s+|;|\|", first):
        gloss = told.pop(0) if "\0" in piece and told else ""
        value = piece.replace("\0", "").removesuffix(" instead").strip(" []().'\"")
        found |= {value: gloss} if _is_value(value) else {}
    quoted = [q for q in QUOTED.findall(tail) if _is_value(q)]
    return dict.fromkeys(quoted, "") if quoted else found


def _is_value(text: str) -> bool:
    return 0 < len(text) <= _LONGEST and not _FORM.search(text)


def meant_by(values: Iterable[str], task: str) -> list[str]:
    """The values that a task names: whole, or by their telling words."""
    values, low = tuple(values), task.lower()
    whole = [v for v in values if re.search(rf"(?<!\w){re.escape(v.lower())}(?!\w)", low)]
    if whole:
        return [v for v in whole if not any(v != w and v in w for w in whole)]
    said = set(content(task))
    worth = {v: len(set(content(v)) & said) / max(1, len(set(content(v)))) for v in values}
    best = max(worth.values(), default=0.0)
    return [v for v in values if worth[v] == best] if best >= 0.5 else []


def respelled(wrong: str, values: tuple[str, ...]) -> list[str]:
    """The value that is spelled nearly like the wrong one, if any is."""
    scored = [(SequenceMatcher(None, v.lower(), wrong.lower()).ratio(), v) for v in values]
    best = max(scored, default=(0.0, ""))
    return [best[1]] if best[0] >= 0.75 else []


def nearest_allowed(allowed: Mapping[str, str], *texts: str) -> str:
    """The allowed value that the first of the texts means that means any, by itself or by what is
    said of it; else the one that begins like a word of the first, or is spelled most alike."""
    shown = {f"{v} {gloss}".strip(): v for v, gloss in allowed.items()}
    for text in texts:
        if named := meant_by(allowed, text) or [shown[s] for s in meant_by(shown, text)]:
            return named[0]
    low = texts[0].lower()
    said = re.findall(r"[a-z]{3,}", low)
    return max(allowed, key=lambda a: (
        any(w[:3] == part[:3] for w in said for part in name_words(a)),
        SequenceMatcher(None, a.lower(), low).ratio(),
    ))  # fmt: skip


# --- what an error asks for by name -------------------------------------------------------------


@dataclass(frozen=True)
class Hint:
    """What an error asks for: an argument by its name ("" for the one that was wrong), the values
    that it may have ("" in `wrong` when no value was called wrong)."""

    name: str
    values: tuple[str, ...] = ()
    wrong: str = ""


_SET = regex(r"\b(?P<name>[a-z]\w*)\s?=\s?(?P<q>['\"])(?P<value>[^'\"]+)(?P=q)")
_GIVE = cue("mending.give")
_FILLER = frozenset("again it them more less words word both another other first and".split())


def hints(error: str) -> tuple[Hint, ...]:
    """What an error asks for, in the order in which it says so."""
    by_name: dict[str, list[str]] = {}
    for match in _SET.finditer(error):
        by_name.setdefault(match["name"], []).append(match["value"])
    found = [Hint(name, tuple(values)) for name, values in by_name.items()]
    for match in _GIVE.finditer(error):
        values = tuple(_values(match["values"] or ""))
        for name in re.findall(r"[a-z]\w*", re.sub(r"\b(?:and|or|the)\b", " ", match["names"])):
            if name not in _FILLER and not any(h.name == name for h in found):
                years = YEAR.findall(error) if "year" in name_words(name) else ()
                found.append(Hint(name, values or tuple(years)))
    quoted = QUOTED.search(error)
    allowed = allowed_by(error[quoted.end() :]) if quoted else {}
    if quoted and allowed:
        found.append(Hint("", tuple(allowed), quoted[1]))
    return tuple(found)


def _values(text: str) -> list[str]:
    """The values in a list, without the numbers that count them ("Arden: 6, Belmont: 8")."""
    pieces = QUOTED.findall(text) or re.split(r",\s*(?:and |or )?|\s+(?:or|and)\s+|\|", text)
    bare = (re.sub(r":\s*\d+$", "", p).strip(" ()") for p in pieces)
    return [b for b in bare if b and len(b) <= 60]


def addressed(hint: Hint, arguments: Mapping[str, object], names: tuple[str, ...]) -> str:
    """The argument that a hint is about, by its name or by the value called wrong."""
    if hint.name in names:
        return hint.name
    if hint.name:
        asked = stem(hint.name)
        near = [n for n in names if asked in {stem(w) for w in name_words(n)}]
        return near[0] if near else ""
    return next((k for k, v in arguments.items() if str(v).lower() == hint.wrong.lower()), "")


# --- a call that failed, tried once more --------------------------------------------------------

_EXAMPLE = regex(r"\b(?:as|like|example:?) ['\"“]?(?P<example>[A-Za-z]+[ /-]?\d+)\b")
_TEMPLATE = regex(
    r"\b(?:match|format|form|pattern|be|expected|like)\W{1,3}(?P<example>[A-Z]{1,4}[-/ ]?[N#0]{2,})"
)
_UNKNOWN = regex(r"not found|no such|no \w+ (?:found|named|called)|unknown", re.IGNORECASE)


def repaired_call(made: Made, request: str, whole: str = "") -> dict[str, Any] | None:
    """Changed arguments for a failed call, None when neither its error nor the request gives a
    hint; `whole` is all that was said, which may tell what to do then."""
    error = made.error or ""
    if instead := _otherwise(made, whole or request):
        return {**made.arguments, **instead}
    allowed = allowed_by(error)
    name = _argument_meant(made.arguments, error, allowed)
    if name is None:
        return None
    old = made.arguments[name]
    new: Any = old
    if allowed:
        several = isinstance(old, list)
        found = [_allowed_for(o, request, allowed) for o in (old if several else [old])]
        new = found if several else found[0]
    elif isinstance(old, str) and (shown := _EXAMPLE.search(error) or _TEMPLATE.search(error)):
        new = _reshaped(old, re.sub(r"(?<=[-/ N])N|N(?=N)|#", "0", shown["example"]))
    elif isinstance(old, str) and _UNKNOWN.search(error):
        new = old.split()[-1] if old.split() else old
    return {**made.arguments, name: new} if new != old else None


def _argument_meant(
    arguments: Mapping[str, Any], error: str, allowed: Mapping[str, str]
) -> str | None:
    """The argument that an error is about: named in it, quoted by its value, or spoken of; or the
    only text, where the error says what is allowed and that may be such a text."""
    said, low = set(content(error)), error.lower()
    named = [k for k in arguments if re.search(rf"\b{re.escape(k)}\b", error)]
    quoted = [k for k, v in arguments.items() if v not in ("", None) and str(v).lower() in low]
    spoken = [k for k in arguments if {stem(w) for w in k.split("_")} & said]
    texts = [k for k, v in arguments.items() if isinstance(v, str)]
    coded = any(c.isdigit() for t in texts for c in arguments[t])  # no word stands for an id
    alone = (
        texts if len(texts) == 1 and any(not coded or re.search(r"\d", v) for v in allowed) else ()
    )
    return next(iter((*named, *quoted, *spoken, *alone)), None)


def _allowed_for(old: Any, request: str, allowed: Mapping[str, str]) -> Any:
    """The allowed value in place of one that was refused; a figure stays one, and what is allowed
    already stays as it is."""
    if str(old) in allowed:
        return old
    new = nearest_allowed(allowed, str(old), request)
    if not isinstance(old, int | float) or isinstance(old, bool):
        return new
    if not re.fullmatch(r"-?\d+(?:\.\d+)?", new):
        return old
    return float(new) if "." in new else int(new)


def _reshaped(said: str, example: str) -> str:
    """What was said in the form of an example, whose letters stand before bare digits too."""
    runs = re.findall(r"\d+", example)
    bare = re.sub(r"[\s.-]", "", said)
    if len(runs) == 1 and bare.isdigit() and len(bare) == len(runs[0]):
        return example.replace(runs[0], bare)
    return as_shown(said, example)


_OTHERWISE = cue("mending.otherwise")
_NEIGHBOUR = cue("mending.neighbour")


def _otherwise(made: Made, request: str) -> dict[str, Any]:
    """What a request says to take where its first wish cannot be had: "if that's taken, the day
    after", "failing that, Thursday"; a day or a time in place of the one that was refused."""
    what = next((m["what"] for m in _OTHERWISE.finditer(request)), "")
    for name, old in made.arguments.items() if what else ():
        if not isinstance(old, str):
            continue
        if re.fullmatch(r"\d{4}-\d\d-\d\d", old):
            day = date.fromisoformat(old)
            if near := _NEIGHBOUR.search(what):
                moved = day + timedelta(days=1 if near["on"] else -1)
                return {name: moved.isoformat()}
            if days := find_dates(what, day):
                return {name: days[0].value.isoformat()}
        elif re.fullmatch(r"\d\d:\d\d", old) and (times := find_times(what)):
            return {name: times[0].value}
    return {}


# --- a call made to fit the schema of its tool ---------------------------------------------------

_OF_SIZE = cue("mending.of_size")
"""An error that says how much is allowed: another form of the same value is no remedy."""
_OF_FORM = cue("mending.of_form")
"""An error that says how values have to look, or which are lacking."""


def mended(tool: ToolSpec, made: Made, text: str, today: date) -> dict[str, Any] | None:
    """The arguments of a failed call as they should be, None where nothing better is known.

    `text` is all that was said of it.
    """
    offer, given, error = offer_of((tool,)), made.arguments, made.error or ""
    slots = {s.name: s for s in offer.slots[0]}
    own, whole = fill_tool(offer, 0, text, today).values, tool.parameters
    unfit = {n for n, v in given.items() if n in slots and not fits(v, slots[n].param.raw, whole)}
    found: dict[str, Any] = {}
    for name in _blamed(slots, made, unfit):
        slot, old = slots[name], given.get(name)
        said = own.get(name) if old is None or name in unfit else None
        ways = _ways(slot, old, said, text, today, error)
        fitting = (w for w in ways if w not in (None, old) and fits(w, slot.param.raw, whole))
        if (new := next(fitting, None)) is not None:
            found[name] = new
    for name in (n for n, v in given.items() if n not in found and isinstance(v, str)):
        if offered := _offered(given[name], error, text):
            found[name] = offered
    return {**given, **found} if found else None


def _blamed(slots: Mapping[str, Slot], made: Made, unfit: Set[str]) -> list[str]:
    """The arguments that are to be written anew: `unfit` for their schema, lacking, or named by an
    error that is about the form of values; of what an error quotes or names nothing else."""
    error, given = made.error or "", made.arguments
    wrong = [*unfit, *(n for n, s in slots.items() if s.param.required and n not in given)]
    named = [n for n in slots if re.search(rf"(?<![\w-]){re.escape(n)}(?![\w-])", error)]
    quoted = [n for n, v in given.items() if n in slots and str(v) and str(v) in error]
    of_form = bool(_OF_FORM.search(error))
    if named or quoted:
        return [n for n in (named or quoted) if n in wrong or (n in named and of_form)]
    spoken = [n for n in slots if (w := " ".join(name_words(n))) and w in error.lower()]
    return [n for n in spoken if n in wrong or of_form] or (wrong if of_form else [])


def _ways(slot: Slot, old: Any, own: Any, text: str, today: date, error: str) -> Iterator[Any]:
    """What a slot's value may be instead, the likeliest first; `own` is what the request says of
    it, None where the old value is one that the schema allows: then only its form may change."""
    param = slot.param
    if old is None:
        yield own
    elif param.kind == "enum":
        yield _chosen(param, old, f"{text} {old}") if not fits(old, param.raw) else None
    else:
        said = str(old)
        yield _offered(said, error, text) or None
        yield [old] if param.type == "array" else None
        formed = param.type != "string" or "pattern" in param.schema or "format" in param.schema
        again = own if formed and not allowed_by(error) else None
        yield again if _OF_SIZE.search(error) else None
        yield from _rewritten(param, said, today)
        yield again
        if again is not None:
            without = text.replace(said, " ")
            yield fill_slots((slot,), without, today, likely=ASKED_FOR).values.get(slot.name)


def _offered(old: str, error: str, text: str) -> str:
    """What an error offers that a text says, and that holds what was refused; "" for nothing."""
    if len(old) < _TELLING or old not in error:
        return ""
    pieces = (p.strip() for p in re.split(r"[,;:.()\[\]'\"]|\b(?:or|and|matches)\b", error))
    said = (p for p in pieces if p and p != old and p.lower() in text.lower())
    return next((p for p in said if old.lower() in p.lower()), "")


_TELLING = 2
"""Characters from which on what was refused tells what is meant."""


def _chosen(param: Param, old: Any, text: str) -> Any:
    """The enumerated value that a text means, other than one that was refused."""
    named = [h.value for h in hits(param, text) if not h.negated and h.value != old]
    return named[0] if named else likeliest("value", option_features(param, text))[0]


def _rewritten(param: Param, said: str, today: date) -> Iterator[Any]:
    """What was said in the form of a parameter: a day, a time, a figure, an id."""
    kinds = FITTING.get(param.kind, frozenset())
    for mark in candidates(said, today):
        if mark.kind == "time" and param.type == "integer":
            yield int(mark.value[:2])
        elif mark.kind in kinds:
            yield shaped(param, mark, said)
    if param.type == "string":
        pattern = param.schema.get("pattern")
        form = pattern if isinstance(pattern, str) else ""
        yield from (v for v in _joined(said, param, form) if not form or matches(form, v))


def _joined(said: str, param: Param, form: str) -> Iterator[str]:
    """The letters and digits of what was said with other signs between them, or with zeros."""
    runs = re.findall(r"[A-Za-z]+|\d+", said)
    signs = ("", "-", ".", "/", " ", "_") if form else ()
    for sign in signs:
        for width in (0, *range(2, 9)):
            made = [r.zfill(width) if n == len(runs) - 1 and r.isdigit() else r
                    for n, r in enumerate(runs)]  # fmt: skip
            for gaps in ({sign}, {sign, ""}):
                yield from _with_gaps(made, gaps)
    shown = re.search(r"\d[\w./-]*\d|[A-Z]+[./ -]?\d[\w./-]*", param.description)
    if not form and shown:
        yield _as(runs, shown.group())


def _with_gaps(runs: list[str], gaps: set[str]) -> Iterator[str]:
    sign = max(gaps)
    joined = sign.join(runs)
    yield from (joined.upper(), joined, joined.lower())
    if len(gaps) > 1:  # letters stand close to the digits behind them
        close = re.sub(rf"(?<=[A-Za-z]){re.escape(sign)}(?=\d)", "", joined) if sign else joined
        yield from (close.upper(), close)


def _as(runs: list[str], example: str) -> str:
    """Letters and digits as an example joins them, digits with as many figures."""
    shown = re.findall(r"[A-Za-z]+|\d+", example)
    if len(shown) != len(runs):
        return ""
    padded = (r.zfill(len(s)) if s.isdigit() and r.isdigit() else r
              for r, s in zip(runs, shown, strict=True))  # fmt: skip
    return as_shown("-".join(padded), example)


def with_mended(calls: list[Wanted], talk: Talk, tools: tuple[ToolSpec, ...]) -> list[Wanted]:
    """Some calls, behind those of a conversation that failed and were not tried otherwise, as they
    should be; each tool's once."""
    by_name = {t.name: t for t in tools}
    text = ". ".join((talk.request, *talk.answers))
    failed = [m for m in talk.made if m.error is not None and m.name in by_name]
    anew = [(m, mended(by_name[m.name], m, text, talk.today)) for m in failed]
    made = {Wanted(m.name, m.arguments).key for m in talk.made}
    tries = {Wanted(m.name, values).key for m, values in anew if values}
    again = {(w := Wanted(m.name, values)).key: w for m, values in anew
             if values and Wanted(m.name, m.arguments).key not in tries}  # fmt: skip
    fresh = [w for key, w in again.items() if key not in made]
    return [*fresh, *(c for c in calls if c.name not in {w.name for w in fresh})]
