"""Mending: a call that failed, made to fit the schema of its tool and what the request says.

What an error blames, or what does not fit its schema, is written anew in the form that the schema
has; where that gives nothing, the request is read again for it, without the value that was refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
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
    found: dict[str, Any] = {}
    for name in _blamed(slots, made):
        slot, old = slots[name], given.get(name)
        ways = _ways(slot, old, own.get(name), text, today, error)
        fitting = (w for w in ways if w not in (None, old) and fits(w, slot.param.raw, whole))
        if (new := next(fitting, None)) is not None:
            found[name] = new
    for name in (n for n, v in given.items() if n not in found and isinstance(v, str)):
        if offered := _offered(given[name], error, text):
            found[name] = offered
    return {**given, **found} if found else None


def _blamed(slots: Mapping[str, Slot], made: Made) -> list[str]:
    """The arguments that do not fit their schema, that are lacking, or else that an error names."""
    error, given = made.error or "", made.arguments
    named = [n for n in slots if re.search(rf"(?<![\w-]){re.escape(n)}(?![\w-])", error)]
    spoken = [n for n in slots if (w := " ".join(name_words(n))) and w in error.lower()]
    quoted = [n for n, v in given.items() if n in slots and str(v) and str(v) in error]
    unfit = [n for n, v in given.items() if n in slots and not fits(v, slots[n].param.raw)]
    lacking = [n for n, s in slots.items() if s.param.required and n not in given]
    if named or quoted:
        return named or [n for n in quoted if n in unfit]
    return spoken or (unfit + lacking if _OF_FORM.search(error) else [])


def _ways(slot: Slot, old: Any, own: Any, text: str, today: date, error: str) -> Iterator[Any]:
    """What a slot's value may be instead, the likeliest first; `own` is what the request says."""
    param = slot.param
    if param.kind == "enum":
        yield _chosen(param, old, f"{text} {old}")
    elif old is None:
        yield own
    else:
        said = str(old)
        yield _offered(said, error, text) or None
        yield [old]
        formed = param.type != "string" or "pattern" in param.schema or "format" in param.schema
        larger = own if formed and not allowed_by(error) else None
        yield from (larger,) if _OF_SIZE.search(error) else ()
        yield from _rewritten(param, said, today)
        yield larger
        if larger is not None or formed:
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
    padded = iter(r.zfill(len(s)) if s.isdigit() and r.isdigit() else r
                  for r, s in zip(runs, shown, strict=True))  # fmt: skip
    return re.sub(r"[A-Za-z]+|\d+", lambda _: next(padded), example)


def mended_calls(talk: Talk, tools: tuple[ToolSpec, ...]) -> list[Wanted]:
    """The calls of a conversation that failed and were not tried otherwise, as they should be."""
    by_name = {t.name: t for t in tools}
    text = ". ".join((talk.request, *talk.answers))
    out: list[Wanted] = []
    for call in talk.made:
        tries = [m for m in talk.made if m.name == call.name and m.arguments != call.arguments]
        if call.error is None or tries or call.name not in by_name:
            continue
        values = mended(by_name[call.name], call, text, talk.today)
        out += [Wanted(call.name, values)] if values else []
    return out
