"""Orders: the things a text asks for, each with its number, size and extras, as they stand at the
end: what is changed or taken back later counts. A schema says how they are written down, line by
line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from course.models.policy.params import Param, params
from course.models.policy.patterns import regex
from course.models.policy.schemas import Schema, as_schema, follow, repaired, type_of
from course.models.policy.words import NUMBER_WORDS, content, cue, name_words, singular

_THINGS = frozenset("item dish product article name thing what food drink part good title".split())
_COUNTS = frozenset("quantity count qty number amount pieces copies how".split())
_ADDED = frozenset("extras extra additions toppings added with options".split())
_LEFT_OUT = frozenset("without removed exclude excluded omit omitted except no".split())


@dataclass
class Line:
    """One thing in an order: its name, how many, the choices named, what is added and left out."""

    thing: str
    count: int = 0  # nothing was said
    choices: dict[str, str] = field(default_factory=dict)
    extras: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Form:
    """The fields of an order's lines, by what they are for."""

    thing: Param
    count: Param | None
    choices: tuple[Param, ...]
    extras: Param | None
    without: Param | None


def form_of(items: Schema, root: Schema) -> Form | None:
    """How a list of things is written down, None when its elements are no such lines: they need a
    thing in words, and a number or a choice."""
    fields = params(follow(items, root), root)
    texts = [p for p in fields if p.type == "string" and p.kind not in ("enum", "date", "time")]
    things = [p for p in texts if set(name_words(p.name)) & _THINGS]
    counts = [p for p in fields if p.type == "integer" and set(name_words(p.name)) & _COUNTS]
    lists = [p for p in fields if p.kind == "array" and _of_text(p, root)]
    choices = tuple(p for p in fields if p.kind == "enum" and p.type == "string")
    if not things or not (counts or choices or lists):
        return None
    return Form(
        things[0],
        next(iter(counts), None),
        choices,
        next((p for p in lists if set(name_words(p.name)) & _ADDED), None),
        next((p for p in lists if set(name_words(p.name)) & _LEFT_OUT), None),
    )


def _of_text(param: Param, root: Schema) -> bool:
    return type_of(follow(as_schema(param.schema.get("items")), root)) == "string"


def written(lines: list[Line], form: Form, items: Schema, root: Schema) -> list[dict[str, Any]]:
    """The lines in the fields of a schema; a line that does not fit is left out."""
    empty = [p.name for p in params(follow(items, root), root) if p.nullable]
    rows = [_row(line, form) for line in lines]
    rows = [repaired(row | {k: None for k in empty if k not in row}, items, root) for row in rows]
    return [row for row in rows if row.get(form.thing.name)]


def _row(line: Line, form: Form) -> dict[str, Any]:
    told = ((form.count, line.count or 1), (form.extras, line.extras), (form.without, line.without))
    values = {param.name: value for param, value in told if param}
    return {form.thing.name: line.thing, **line.choices, **values}


# --- what is heard ------------------------------------------------------------------------------

_SENTENCE = regex(r"(?<=[.!?;])\s+|\n+")
_OPENING = cue("orders.opening")
_WISH = cue("orders.wish")
_AMEND = cue("orders.amend")
_TAKE_BACK = cue("orders.take_back")
_INSTEAD = cue("orders.instead")
_PORTION = cue("orders.portion")
_NOISE = cue("orders.noise")
_TAIL = cue("orders.tail")
_ASKS = regex(r"^(?:what|which|how|where|when|who|is|are|do|does)\b", re.IGNORECASE)
_JOINT = regex(r"\s*(?:,(?: and| plus)?|\band\b|\bplus\b|\bas well as\b|&|;)\s+", re.IGNORECASE)
_NUMBER = "|".join([*sorted(NUMBER_WORDS, key=len, reverse=True), r"\d+"])
_COUNT = regex(
    rf"^(?:an? (?=couple|pair|dozen))?(?P<n>{_NUMBER}|an?|another|some|the|one more)"
    rf"(?P<dozen> dozen)?(?=\s|$)(?:\s*x)?\s*(?:of\s+)?",
    re.IGNORECASE,
)
_NOT = regex(
    r"\s*\b(?:without(?: any)?|with no|but no|no|hold the|minus)\s+(?P<what>.+)$", re.IGNORECASE
)
_WITH = regex(
    r"\s*\b(?:with(?: an?| some)?(?: extra| additional)?|(?:plus |and )?extra)\s+"
    r"(?P<what>.+)$",
    re.IGNORECASE,
)


def ordered(text: str, form: Form) -> list[Line]:
    """The things that a text asks for in the end."""
    lines: list[Line] = []
    for sentence in _SENTENCE.split(text):
        _hear(sentence.strip(), form, lines)
    return lines


def _hear(sentence: str, form: Form, lines: list[Line]) -> None:
    """Note what a sentence orders, changes or takes back; a question or a word about paying does
    none of it."""
    told = _OPENING.sub("", sentence).strip(" .!?")
    alone = len(_JOINT.split(told)) == 1 and _NOISE.search(_TAIL.sub("", told).lower())
    if alone or (_ASKS.match(told) and sentence.endswith("?")):
        return
    back = _TAKE_BACK.match(told)
    if back and lines:
        _drop(back["what"] or back["it"], lines)
        return
    if swap := _INSTEAD.search(told):
        _drop(swap["old"], lines)
        told = (told[: swap.start()] + told[swap.end() :]).strip(" ,.")
    amend = _AMEND.match(told)
    for line in _lines(_TAIL.sub("", _wish(told[amend.end() :] if amend else told)), form):
        if lines and (amend or not line.thing):
            _amend(line, lines)
        elif line.thing:
            lines.append(line)


def _wish(text: str) -> str:
    """A sentence from where its things begin."""
    while (match := _WISH.match(text)) or (match := _OPENING.match(text)):
        text = text[match.end() :]
    return text


def _lines(text: str, form: Form) -> Iterator[Line]:
    """The lines in a piece of text without changes; what follows "with" is added to its line."""
    current: Line | None = None
    adding: list[str] | None = None
    for piece in _JOINT.split(text):
        counted = _COUNT.match(piece)
        if current is not None and adding is not None and not counted and _short(piece):
            adding.append(_extra(piece))
            continue
        if _NOISE.search(_TAIL.sub("", piece).strip(" .!?").lower()):
            continue
        if current is not None:
            if left_out := _NOT.match(piece):
                adding = current.without
                adding.append(_extra(left_out["what"]))
                continue
            yield current
        current, adding = _line(piece, form)
    if current is not None:
        yield current


def _short(piece: str) -> bool:
    """Whether a piece may be one more extra: a word or two, no wish and no way of paying."""
    return len(piece.split()) <= 3 and not _NOISE.search(piece) and not _NOT.match(piece)


def _extra(text: str) -> str:
    bare = re.sub(r"^(?:an?|some|the|extra|any)\s+", "", text.strip(" .!?"), flags=re.IGNORECASE)
    return _TAIL.sub("", bare)


def _line(piece: str, form: Form) -> tuple[Line, list[str] | None]:
    line = Line("")
    adding: list[str] | None = None
    text = _TAIL.sub("", piece).strip(" .!?")
    for pattern, target in ((_NOT, line.without), (_WITH, line.extras)):
        match = pattern.search(text)
        if match and match.start() > 0:
            target.append(_extra(match["what"]))
            text, adding = text[: match.start()], target
    counted = _COUNT.match(text)
    if counted:
        line.count = _number(counted)
        text = text[counted.end() :]
    text = re.sub(r"^of (?:them|those|these|it)\b\s*", "", text)
    text = _PORTION.sub("", re.sub(r"^of\s+", "", text))
    for param in form.choices:
        for option in param.schema.get("enum", ()):
            named = isinstance(option, str) and re.search(
                rf"\b{re.escape(option.replace('_', ' '))}\b", text, re.IGNORECASE
            )
            if named and len(text) >= len(named.group()):
                line.choices[param.name] = option
                text = (text[: named.start()] + text[named.end() :]).strip()
                break
    text = re.sub(r"^(?:ones?|of (?:them|those|it))$|\s+ones?$", "", " ".join(text.split()))
    text = _PORTION.sub("", re.sub(r"^(?:an?|the|some|of)\s+", "", text))
    line.thing = singular(text) if line.count > 1 and not text.endswith("ies") else text
    return line, adding


def _number(match: re.Match[str]) -> int:
    word = match["n"].lower()
    if word in ("the", "some"):
        return 0
    count = int(word) if word.isdigit() else int(NUMBER_WORDS.get(word, 1))
    return count * 12 if match["dozen"] else count


def _like(thing: str, line: Line) -> bool:
    """Whether words name the thing of a line."""
    said, own = set(content(thing)), set(content(line.thing))
    return bool(said and own) and (said <= own or own <= said)


def _drop(what: str, lines: list[Line]) -> bool:
    """Take the lines back that some words name; whether there were any."""
    named = [x for piece in _JOINT.split(what) for x in lines if _like(_extra(piece), x)]
    lines[:] = [x for x in lines if x not in named]
    return bool(named)


def _amend(change: Line, lines: list[Line]) -> None:
    """Change the line that is meant: the one of the same thing, or else the last."""
    same = [n for n, x in enumerate(lines) if change.thing and _like(change.thing, x)]
    place = same[-1] if same else len(lines) - 1
    old = lines[place]
    lines[place] = replace(
        old,
        thing=old.thing if same or not change.thing else change.thing,
        count=change.count or old.count,
        choices={**old.choices, **change.choices},
        extras=[*old.extras, *change.extras],
        without=[*old.without, *change.without],
    )
