"""Arguments: filling the parameters of a schema from texts.

A clause is searched for mentions and runs of plain words; each is scored against each parameter,
and the best pairs are taken first, no piece of text twice. What is still missing and required is
then looked for in wider texts: answers to a question, other parts of the request, earlier
messages. Nothing is made up; what can't be found is named as missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from course.models.policy.candidates import apart, candidates
from course.models.policy.choices import chosen, decided
from course.models.policy.cues import score
from course.models.policy.dates import REFERENCE
from course.models.policy.lexicon import synonyms
from course.models.policy.mentions import Mention
from course.models.policy.params import Param, params
from course.models.policy.prose import free_text
from course.models.policy.schemas import Schema, fits
from course.models.policy.shapes import shapes
from course.models.policy.units import is_measure, spanned
from course.models.policy.values import shaped
from course.models.policy.words import name_words, stem
from course.models.policy.years import with_year

_DEEPEST = 4
"""Objects within objects that are filled."""
_NEEDED, _OPTIONAL, _WIDER = 1.0, 2.0, 2.0


@dataclass(frozen=True)
class Texts:
    """Where arguments may come from. `clause` is the part itself; `answers` reply to a question
    that was asked about it; `others` are parts and messages that may supply what is missing;
    `guides` (instructions) describe choices."""

    clause: str
    answers: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    guides: tuple[str, ...] = ()
    today: date = REFERENCE


@dataclass(frozen=True)
class Filled:
    """Arguments found, parameters still missing, and the pieces of the clause that were used."""

    values: Mapping[str, Any]
    missing: tuple[Param, ...] = ()
    used: tuple[Mention, ...] = field(default=())


def _pairs(
    text: str, wanted: list[Param], found: list[Mention], tool: frozenset[str]
) -> list[tuple[float, int, int]]:
    pairs = []
    for p, param in enumerate(wanted):
        for m, mention in enumerate(found):
            worth = score(text, param, mention, tool)
            if worth is not None:
                worth += 0.25 if param.required else 0.0
                pairs.append((-worth, p, m))
    return sorted(pairs)


def _assign(
    text: str,
    wanted: list[Param],
    found: list[Mention],
    tool: frozenset[str],
    floors: tuple[float, float],
) -> tuple[dict[str, Any], list[Mention]]:
    """Take the best pairs of parameter and mention, each parameter and each place once."""
    values: dict[str, Any] = {}
    used: list[Mention] = []
    for negative, p, m in _pairs(text, wanted, found, tool):
        param, mention = wanted[p], found[m]
        floor = floors[0] if param.required else floors[1]
        if param.name in values or -negative < floor or any(mention.overlaps(u) for u in used):
            continue
        value = shaped(param, mention, text)
        if value is not None:
            values[param.name] = value
            used.append(mention)
    return values, used


def _choices(wanted: tuple[Param, ...], texts: Texts) -> dict[str, Any]:
    """Enumerated values and switches that the clause (or an answer to us) names."""
    found: dict[str, Any] = {}
    for param in wanted:
        for text in (texts.clause, *texts.answers):
            if param.name in found:
                break
            value = _choice(param, text, texts, wanted)
            if value is not None:
                found[param.name] = value
    return found


def _choice(param: Param, text: str, texts: Texts, wanted: tuple[Param, ...]) -> Any:
    if param.kind == "enum":
        return chosen(param, text, texts.guides)
    if param.kind == "boolean":
        shared = (p.stems | p.about for p in wanted if p is not param)
        return decided(param, text, frozenset().union(*shared))
    return None


def fill(
    schema: Schema,
    texts: Texts,
    tool_name: str = "",
    root: Schema | None = None,
    beside: frozenset[str] = frozenset(),
    depth: int = 0,
) -> Filled:
    """Fill an object schema from texts; see the module's text for the order.

    `tool_name` tells which words are about the tool rather than about a value, and `beside` adds
    stems of the same sort, such as those of the tool that a lookup is made for. `depth` is how
    many objects this one stands in: schemas may hold themselves.
    """
    root = schema if root is None else root
    wanted = params(schema, root)
    tool = frozenset(stem(w) for w in name_words(tool_name))
    values = _choices(wanted, texts)
    open_now = [p for p in wanted if p.name not in values and p.kind not in _SPECIAL]
    vocabulary = frozenset().union(
        tool, beside, *(p.stems for p in open_now), *(synonyms(t) for t in tool), _spoken(values)
    )
    plain = apart(candidates(texts.clause, texts.today, vocabulary), open_now)
    found = [*plain, *shapes(texts.clause, open_now)]
    taken, used = _assign(texts.clause, open_now, found, tool, (_NEEDED, _OPTIONAL))
    values |= taken
    values |= _lone(texts.clause, open_now, values, found, used)
    values |= with_year(wanted, values, texts.clause)
    values |= _wider(wanted, values, texts, tool, vocabulary)
    values |= _spans(wanted, values, texts)
    values |= _nested(wanted, values, texts, root, depth) if depth < _DEEPEST else {}
    values |= _prose(wanted, values, texts)
    values = {
        p.name: values[p.name]
        for p in wanted
        if p.name in values and fits(values[p.name], p.raw, root)
    }
    values |= {
        p.name: False
        for p in wanted
        if p.required and p.kind == "boolean" and not p.nullable and p.name not in values
    }
    missing = tuple(p for p in wanted if p.required and p.name not in values)
    constants = {p.name: _only(p) for p in missing if _only(p) is not None}
    nothing = {p.name: None for p in missing if p.nullable and p.name not in constants}
    values |= constants | nothing
    return Filled(values, tuple(p for p in missing if p.name not in values), tuple(used))


def stated(
    wanted: tuple[Param, ...], text: str, today: date, least: float
) -> tuple[dict[str, Any], list[Mention]]:
    """The values that a text holds for parameters by form and cue, with the pieces used.

    `least` is what a pair must score; nothing is taken for want of something better.
    """
    texts = Texts(text, today=today)
    values = {k: v for k, v in _choices(wanted, texts).items() if not isinstance(v, bool)}
    still = [p for p in wanted if p.name not in values and p.kind not in _SPECIAL]
    vocabulary = frozenset().union(*(p.stems for p in still), _spoken(values))
    found = apart(candidates(text, today, vocabulary), still)
    found += shapes(text, still)
    taken, used = _assign(text, still, found, frozenset(), (least, least))
    return values | taken, used


def _spoken(values: Mapping[str, Any]) -> frozenset[str]:
    """The stems that made choices: the value of an enumeration, the name of a switch set on."""
    named = [k if v is True else v for k, v in values.items() if v is True or isinstance(v, str)]
    return frozenset(stem(w) for n in named for w in name_words(n))


def _lone(
    text: str,
    wanted: list[Param],
    values: Mapping[str, Any],
    found: list[Mention],
    used: list[Mention],
) -> dict[str, Any]:
    """The one thing that nothing has claimed, for the one optional noun that is still open."""
    still = [p for p in wanted if p.kind == "words" and p.name not in values and p.type == "string"]
    taken = [*used, *(m for m in found if m.kind == "name")]
    plain = [
        m
        for m in found
        if m.kind == "run" and not is_measure(m.text) and not any(m.overlaps(u) for u in taken)
    ]
    if (
        len(still) != 1
        or len(plain) != 1
        or still[0].required
        or plain[0].lead not in ("", "subject", "of")
    ):
        return {}
    return {still[0].name: shaped(still[0], plain[0], text)}


_SPECIAL = ("enum", "boolean", "array", "object", "prose", "null")


def _only(param: Param) -> Any:
    """The value of a parameter that allows just one."""
    options = param.schema.get("enum")
    if isinstance(options, list) and len(options) == 1:
        return options[0]
    return param.schema.get("const", param.schema.get("default"))


def _wider(
    wanted: tuple[Param, ...],
    values: Mapping[str, Any],
    texts: Texts,
    tool: frozenset[str],
    vocabulary: frozenset[str],
) -> dict[str, Any]:
    """What is still open, from answers (any parameter) and from other texts (required ones)."""
    found: dict[str, Any] = {}
    for text in texts.answers:
        still = [
            p
            for p in wanted
            if p.name not in values and p.name not in found and p.kind not in _SPECIAL
        ]
        mine = [*candidates(text, texts.today, vocabulary), *shapes(text, still)]
        found |= _assign(text, still, mine, tool, (0.1, _OPTIONAL))[0]
    for text in texts.others:
        still = [
            p
            for p in wanted
            if p.required and p.name not in {*values, *found} and p.kind not in _SPECIAL
        ]
        if still:
            mine = [*candidates(text, texts.today, vocabulary), *shapes(text, still)]
            usable = [
                m
                for m in mine
                if m.kind not in ("run", "number", "amount") or _cued(text, still, m, tool)
            ]
            found |= _assign(text, still, usable, tool, (_WIDER, 99.0))[0]
    return found


def _cued(text: str, still: list[Param], mention: Mention, tool: frozenset[str]) -> bool:
    """Whether words around a plain mention speak for one of the parameters, as they must when the
    mention stands in another part of the conversation."""
    return any((score(text, p, mention, tool) or 0) >= 3.0 for p in still)


def _nested(
    wanted: tuple[Param, ...], values: Mapping[str, Any], texts: Texts, root: Schema, depth: int
) -> dict[str, Any]:
    from course.models.policy.lists import array_of

    found: dict[str, Any] = {}
    for param in wanted:
        if param.name in values or param.kind not in ("array", "object"):
            continue
        if param.kind == "array":
            items = array_of(param, texts, root, depth + 1)
            if items or (param.required and not param.schema.get("minItems") and not texts.clause):
                found[param.name] = items
        else:
            own = param.raw if "properties" in param.raw else param.schema
            inner = fill(own, texts, root=root, depth=depth + 1)
            if not inner.missing and (inner.values or param.required):
                found[param.name] = dict(inner.values)
    return found


def _spans(wanted: tuple[Param, ...], values: Mapping[str, Any], texts: Texts) -> dict[str, Any]:
    """Lengths of stays and meetings of which only the beginning and the end were said."""
    still = [p for p in wanted if p.required and p.kind == "number" and p.name not in values]
    spans = {p.name: spanned(p, texts.clause, texts.today) for p in still}
    return {name: length for name, length in spans.items() if length is not None}


def _prose(wanted: tuple[Param, ...], values: Mapping[str, Any], texts: Texts) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for param in wanted:
        if param.kind != "prose" or param.name in values:
            continue
        text = free_text(param, texts.clause)
        if text is not None and (text or param.required):
            found[param.name] = text
    return found
