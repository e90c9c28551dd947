"""Mending: a call that failed, made to fit the schema of its tool and what the request says.

What an error blames, or what does not fit its schema, is written anew in the form that the schema
has; where that gives nothing, the request is read again for it, without the value that was refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from datetime import date
from typing import Any

from course.models.policy.conversation import Made, Talk
from course.models.policy.mentions import candidates
from course.models.policy.needs import Wanted
from course.models.policy.params import Param
from course.models.policy.reader.choices import hits
from course.models.policy.reader.filling import ASKED_FOR, fill_slots, fill_tool
from course.models.policy.reader.options import option_features
from course.models.policy.reader.pairs import FITTING
from course.models.policy.reader.shapes import as_shown
from course.models.policy.reader.slots import Slot, offer_of
from course.models.policy.reader.weights import likeliest
from course.models.policy.remedy import allowed_by
from course.models.policy.schemas import fits, matches
from course.models.policy.values import shaped
from course.models.policy.wordlists import cue
from course.models.policy.words import name_words
from course.models.wire import ToolSpec

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
