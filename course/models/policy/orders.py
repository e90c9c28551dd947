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
from course.models.policy.schemas import Schema, as_schema, fits, follow, type_of
from course.models.policy.wordlists import cue
from course.models.policy.words import NUMBER_WORDS, content, name_words, singular

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
    rows = [_row(line, form, items, root) for line in lines]
    return [row for row in rows if fits(row, items, root)]


def _row(line: Line, form: Form, items: Schema, root: Schema) -> dict[str, Any]:
    values: dict[str, Any] = {form.thing.name: line.thing, **line.choices}
    if form.count:
        values[form.count.name] = line.count or 1
    if form.extras:
        values[form.extras.name] = line.extras
    if form.without:
        values[form.without.name] = line.without
    for param in params(follow(items, root), root):
        if param.name not in values and param.nullable:
            values[param.name] = None
        elif param.name not in values and param.required:
            values[param.name] = [] if param.kind == "array" else ""
    return values


# --- what is heard ------------------------------------------------------------------------------

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_OPENING = cue("orders.opening")
_WISH = cue("orders.wish")
_AMEND = cue("orders.amend")
_TAKE_BACK = cue("orders.take_back")
_NOT_BUT = cue("orders.not_but")
_INSTEAD = cue("orders.instead")
_PORTION = cue("orders.portion")
_NOISE = cue("orders.noise")
_TAIL = cue("orders.tail")
_ASKS = re.compile(r"^(?:what|which|how|where|when|who|is|are|do|does)\b", re.IGNORECASE)
_JOINT = re.compile(
    r"\s*(?:,(?: and| plus)?|\band\b|\bplus\b|\bas well as\b|&|;)\s+", re.IGNORECASE
)
_NUMBER = "|".join([*sorted(NUMBER_WORDS, key=len, reverse=True), r"\d+"])
_COUNT = re.compile(
    rf"^(?:(?P<couple>a couple(?: of)?|a pair of)|(?P<n>{_NUMBER}|an?|another|some|the|one more)"
    rf"(?P<dozen> dozen)?)(?=\s|$)(?:\s*x)?\s*",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\s*\b(?:without(?: any)?|with no|but no|no|hold the|minus)\s+(?P<what>.+)$", re.IGNORECASE
)
_WITH = re.compile(
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
    """Note what a sentence orders, changes or takes back."""
    told = _OPENING.sub("", sentence).strip(" .!?")
    if _idle(told, sentence):
        return
    swapped = _NOT_BUT.match(told)
    if swapped and _drop(swapped["old"], lines):
        told = swapped["new"]
    back = _TAKE_BACK.match(told)
    if back and lines:
        what = back["what"] or back["it"]
        if not _drop(what, lines):
            lines[-1].without.append(_extra(what))
        return
    swap = _INSTEAD.search(told)
    if swap:
        _drop(swap["old"], lines)
        told = (told[: swap.start()] + told[swap.end() :]).strip(" ,.")
    _note(told, form, lines)


def _idle(told: str, sentence: str) -> bool:
    """Whether a sentence orders nothing: a question, a word about paying."""
    if _ASKS.match(told) and sentence.endswith("?"):
        return True
    alone = len(_JOINT.split(told)) == 1
    return alone and bool(_NOISE.search(_TAIL.sub("", told).lower()))


def _note(told: str, form: Form, lines: list[Line]) -> None:
    amend = _AMEND.match(told)
    rest = _TAIL.sub("", _wish(told[amend.end() :] if amend else told))
    for line in _lines(rest, form):
        if not amend and lines and not line.thing and 0 < line.count < lines[-1].count:
            _part_off(line, lines)
        elif (amend and lines) or not line.thing:
            _amend(line, lines)
        else:
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
            more = _NOT.match(piece) or _WITH.match(piece)
            if more:
                adding = current.without if _NOT.match(piece) else current.extras
                adding.append(_extra(more["what"]))
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
    if match["couple"]:
        return 2
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


def _part_off(some: Line, lines: list[Line]) -> None:
    """Some of the last line's things differ: "two burgers, one with bacon"."""
    last = lines[-1]
    lines[-1] = replace(last, count=last.count - some.count)
    choices = {**last.choices, **some.choices}
    lines.append(replace(some, thing=last.thing, choices=choices))


def _amend(change: Line, lines: list[Line]) -> None:
    """Change the line that is meant: the one of the same thing, or else the last."""
    if not lines:
        lines += [change] if change.thing else []
        return
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
