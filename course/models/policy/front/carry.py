"""Carry: the call that one's own tools suggest for what was said, where the reader sees none: with
values that the conversation has and the last words leave out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from course.models.policy.front.mood import Part, commanded
from course.models.policy.front.situation import Situation
from course.models.policy.front.tool import about, changes, deeds_verbs, spoken, things
from course.models.policy.lexicon import VERBS, action_of, synonyms
from course.models.policy.mentions import candidates, mentions
from course.models.policy.needs import Wanted, records, value_for
from course.models.policy.params import params
from course.models.policy.reader.decision import of_caller
from course.models.policy.reader.filling import Filling, fill_from_afar
from course.models.policy.reader.matters import Judged, judged
from course.models.policy.reader.slots import Slot, offer_of
from course.models.policy.schemas import fits
from course.models.policy.steps import is_control
from course.models.policy.words import content, name_stems, name_words, stem, tokens
from course.models.wire import ChatRequest, ToolSpec

_PERHAPS = 0.1
"""How likely a tool has to be for a part that nothing else serves."""
_MOMENTS = ("date", "time", "datetime")
"""What is not taken from before where another one was just said."""
_PLAIN = ("words", "query", "name", "prose")


def own_words(sit: Situation, own: tuple[ToolSpec, ...]) -> str:
    """Of what was said to several the parts that one's own tools may serve and nobody has yet, with
    what is only told; all of it where they serve none, or each."""
    offer = offer_of(own)
    serves = [
        sum(j.likely for j in judged(offer, p.text, sit.today)) >= _PERHAPS
        and not _served(p, own, sit)
        for p in sit.parts
    ]
    asks = [p.mood in ("asked", "ordered") for p in sit.parts]
    if not any(s and a for s, a in zip(serves, asks, strict=True)):
        return sit.latest
    kept = [p.text for p, s, a in zip(sit.parts, serves, asks, strict=True) if s or not a]
    return sit.latest if len(kept) == len(sit.parts) else " ".join(f"{t.rstrip('.')}." if
           t[-1:].isalnum() else t for t in kept)  # fmt: skip


def _served(part: Part, own: tuple[ToolSpec, ...], sit: Situation) -> bool:
    """Whether a part holds a value of a call made in this turn, and no verb for one's own tools."""
    made = [m for m in sit.turn if m.error is None and not is_control(m.name)]
    ids = {str(v).lower() for m in made for v in m.arguments.values() if re.search(r"\d", str(v))}
    said = {t.lower() for t in re.findall(r"[\w-]+", part.text)}
    return bool(ids & said) and all(spoken(t, part.text) != "verb" for t in own)


def sought(sit: Situation, own: tuple[ToolSpec, ...], *, alone: bool = True) -> Iterator[Wanted]:
    """For each part of the last words that asks for something the call that serves it best, if all
    its values are known. `alone` says that nobody else could serve it."""
    tools = tuple(t for t in own if not is_control(t.name))
    if not tools:
        return
    for part in sit.parts:
        fresh = part.mood == "told" and just_handed(sit)
        if part.mood not in ("asked", "ordered") and not fresh:
            continue
        for found in _likely(part, tools, sit, alone):
            tool = tools[found.place]
            values = dict(found.filling.values) | _carried(found.filling, part, tool, sit)
            needed = (s.name for s in found.filling.missing)
            if all(name in values for name in needed):
                yield Wanted(tool.name, values)
                break


def just_handed(sit: Situation) -> bool:
    """Whether the conversation was handed over in this turn, and nothing was called since."""
    return bool(sit.turn) and not sit.own and is_control(sit.turn[-1].name)


def _likely(part: Part, tools: tuple[ToolSpec, ...], sit: Situation, alone: bool) -> list[Judged]:
    """The tools that may serve a part, the likeliest first: those that its words suggest, and the
    only one that looks something up where it has a word in common or was just handed over."""
    order = judged(offer_of(tools), part.text, sit.today)
    fit = [j for j in order if _serves(part, tools[j.place], j.likely, sit)]
    looking = [j for j in order if not changes(tools[j.place])]
    if not fit and len(looking) == 1 and part.mood == "asked":
        tool = tools[looking[0].place]
        named = alone and any(
            m.kind in ("name", "id", "number") for m in mentions(part.text, sit.today)
        )
        fit = looking if just_handed(sit) or named or about(tool, part.text) else []
    return fit


def _serves(part: Part, tool: ToolSpec, likely: float, sit: Situation) -> bool:
    if not changes(tool):
        return likely >= _PERHAPS
    how = spoken(tool, part.text)
    orders = how == "verb" or (how and commanded(part.text, sit.verbs))
    named = likely >= _PERHAPS and orders
    return part.mood == "ordered" and bool(named or picks(part, tool, sit))


def picks(part: Part, tool: ToolSpec, sit: Situation) -> bool:
    """Whether an order chooses one of the values that were brought last, for a deed that takes what
    was asked about then."""
    made = [m for m in sit.before if not is_control(m.name) and m.error is None][-1:]
    chosen = {m.value for m in mentions(part.text, sit.today) if m.kind in ("time", "date", "id")}
    brought = {m.value for each in made for m in mentions(each.text or "", sit.today)}
    taken = {p.name for p in params(tool.parameters)}
    shared = any(taken & {*m.arguments} for m in made)
    return bool(chosen & brought) and shared


_POINTS = re.compile(r"\b(?:it|that|this|them|those|these)\b", re.IGNORECASE)


def unmeant(part: str, tools: Iterable[ToolSpec], sit: Situation) -> list[ToolSpec]:
    """The deeds that an order cannot mean although its verb speaks for them: those whose thing it
    doesn't name where it names another's; where it only points ("set it to 25") all but the one
    that was spoken of before."""
    said = {t.stem for t in tokens(part)}
    sharing = [t for t in tools if changes(t) and _verbs_said(t, said)]
    called = [t for t in sharing if about(t, part)]
    if called or len(sharing) < 2 or not _POINTS.search(part):
        return [t for t in sharing if called and t not in called]
    made = [(m.name, m.arguments, m.text) for m in (*sit.before, *sit.turn)[-2:]]
    before = {*content(" ".join((*sit.rounds[-3:-1], sit.asked, *map(str, made))))}
    before |= {s for name, *_ in made for s in name_stems(name)}
    slots = ({s for p in params(t.parameters) for s in name_stems(p.name)} for t in sharing)
    scores = [len(before & (things(t) | own)) for t, own in zip(sharing, slots, strict=True)]
    first = [t for t, n in zip(sharing, scores, strict=True) if n and n == max(scores)]
    return [t for t in sharing if [t] != first]


def of_meant(request: ChatRequest, sit: Situation) -> ChatRequest:
    """The request without the deeds that an order which only points at its thing cannot mean."""
    ordered = (p.text for p in sit.parts if p.mood == "ordered")
    others = [t for text in ordered for t in unmeant(text, request.tools, sit)]
    return replace(request, tools=tuple(t for t in request.tools if t not in others))


def _verbs_said(tool: ToolSpec, said: set[str]) -> bool:
    """Whether a verb of a deed is among some stems, or one that stands for it."""
    verbs = (v for v in deeds_verbs(tool) if v in VERBS or action_of(v))
    return any({v, *synonyms(v)} & said for v in verbs)


def _carried(filling: Filling, part: Part, tool: ToolSpec, sit: Situation) -> dict[str, Any]:
    """Values for the slots that a part leaves open: of earlier calls, of what came back, of what
    was said before; for plain words what is left of the part itself."""
    found: dict[str, Any] = {}
    told = dict(of_caller(filling.missing, sit.instructions, sit.today))
    for slot in filling.missing:
        value = told.get(slot.name)
        now = {m.kind for m in mentions(sit.latest, sit.today)}
        called = None if slot.param.kind in now & {*_MOMENTS} else _of_calls(slot, sit)
        value = called if value is None else value
        value = _of_results(slot, sit) if value is None else value
        value = _of_rounds(slot, sit) if value is None else value
        if value is None and slot.param.kind in _PLAIN and len(filling.missing) == 1:
            value = left_of(part.text, tool, sit)
        if value is not None and fits(value, slot.param.raw):
            found[slot.name] = value
    return found


def _of_calls(slot: Slot, sit: Situation) -> Any:
    made = [m for m in (*sit.before, *sit.turn) if m.error is None and not is_control(m.name)]
    values = (m.arguments.get(slot.name) for m in reversed(made))
    return next((v for v in values if v not in (None, "")), None)


def _of_results(slot: Slot, sit: Situation) -> Any:
    """The one value that what came back holds for a slot."""
    for made in reversed((*sit.before, *sit.turn)):
        if made.error is None:
            held = [value_for(slot.param, r) for r in records((made,))]
            values = {json.dumps(v): v for v in held if v is not None}
            if len(values) == 1:
                return next(iter(values.values()))
            if values:
                return None
    return None


def _of_rounds(slot: Slot, sit: Situation) -> Any:
    for said in reversed(sit.rounds):
        found = fill_from_afar((slot,), said, sit.today).values
        if slot.name in found:
            return found[slot.name]
    return None


_LEAD = re.compile(
    r"^(?:(?:an?|the|any|some|some of|my|our|your|of|for|with|in|about|to)\s+)+", re.IGNORECASE
)


def left_of(text: str, tool: ToolSpec, sit: Situation) -> str | None:
    """What a part is about besides what the tool is called and does: the last of its names, ids
    and plain things that the tool has no word for."""
    own = frozenset((*map(stem, name_words(tool.name)), *content(tool.description)))
    marks = [m for m in candidates(text, sit.today) if m.kind in ("name", "id", "phrase", "words")]
    free = [m.text for m in marks if set(content(m.text)) - own]
    return _LEAD.sub("", free[-1]) if free else None
