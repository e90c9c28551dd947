"""Matters: what a message asks for, one tool each, with its arguments; the words of a message are
held against those of a tool, exchanged letters put right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, lru_cache
from typing import Any

from course.models.policy.lexicon import known_words
from course.models.policy.parts import leans
from course.models.policy.ranking import rank
from course.models.policy.reader.choices import hits, words
from course.models.policy.reader.filling import Filling, about, fill_tool
from course.models.policy.reader.pairs import chance, pairs
from course.models.policy.reader.slots import Offer, Slot, offer_of
from course.models.policy.verbs import head_action, tool_action
from course.models.policy.words import STOP_WORDS, name_stems
from course.models.wire import ToolSpec

Tools = tuple[ToolSpec, ...]
ASKED = 0.5
"""From which probability on a text asks for a tool."""
TOLD, SURE = 0.65, 0.95
"""The same for a piece beside another that surely asks for something: much only tells of it."""
_LITTLE = 0.6
"""Words in common, as a score of `ranking`, below which a name alone asks for no tool."""
_SENTENCE = re.compile(r"(?<=[.!?])[\s\"”]+(?=\S)|\n+|;\s*")
_AND = re.compile(r",?\s+and (?:then |also |please )?(?=\w)")
_MOST, _FEWEST = 12, 3
"""Sentences that are read of a message, and words without a verb that may ask for something."""


@dataclass(frozen=True)
class Judged:
    """One tool beside one text."""

    place: int
    likely: float
    filling: Filling


@dataclass(frozen=True)
class Matter:
    """One thing that is asked for.

    Attributes:
        text: the piece of the message that asks it.
        tool: which tool does it.
        likely: how probable that is.
        filling: its arguments, and what is missing.
        slots: all slots of the tool.
        shared: the stems that speak of the tool as a whole.
        order: all tools, the likeliest first.
    """

    text: str
    tool: ToolSpec
    likely: float
    filling: Filling
    slots: tuple[Slot, ...] = ()
    shared: frozenset[str] = frozenset()
    order: Tools = ()


@lru_cache(maxsize=4_000)
def judged(offer: Offer, text: str, today: date) -> tuple[Judged, ...]:
    """Every tool beside a text, the likeliest first."""
    scores = scores_of(offer.tools, text)
    found = []
    fillings = [fill_tool(offer, place, text, today) for place in range(len(offer.tools))]
    for place, filling in enumerate(fillings):
        features = tool_features(offer, place, text, fillings, scores)
        likely = chance("tool", features)
        if scores[place] < _LITTLE and not _typed(offer.slots[place], filling):
            likely /= 2  # a name alone speaks for no tool
        found.append(Judged(place, likely, filling))
    return tuple(sorted(found, key=lambda j: (-j.likely, j.place)))


def _typed(slots: tuple[Slot, ...], filling: Filling) -> bool:
    """Whether something was found for a tool that is more than a name or a word."""
    loose = ("name", "words", "query", "prose")
    return any(s.name in filling.surely and s.param.kind not in loose for s in slots)


def unserved(tools: Tools, text: str, today: date) -> bool:
    """Whether one of several sentences is a question that none of the tools answers."""
    offer = offer_of(tools)
    found = list(_units(offer, text, today))
    questions = [u for u in found if u.endswith("?") and len(u.split()) > 3 and _WH.match(u)]
    return len(found) > 1 and any(judged(offer, q, today)[0].likely < ASKED for q in questions)


_WH = re.compile(
    r"(?:and |also |oh |by the way,? )*(?:who|what|where|when|why|how)\b", re.IGNORECASE
)


def matters_of(tools: Tools, text: str, today: date) -> list[Matter]:
    """What a message asks of the tools, in its order; empty if it asks nothing of them."""
    if not tools or not text.strip():
        return []
    offer = offer_of(tools)
    text = mended(text, offer.tools)
    found: list[tuple[str, int | None]] = []
    units = list(_units(offer, text, today))
    surest = max((judged(offer, said, today)[0].likely for said in units), default=0.0)
    floor = TOLD if surest >= SURE else ASKED
    for said in units:
        best = judged(offer, said, today)[0]
        full = len(said.split()) >= _FEWEST or head_action(said) is not None
        place = best.place if best.likely >= floor and full else None
        if found and _goes_on(found[-1], (said, place), offer, today):
            before, first = found.pop()
            said, place = f"{before} {said}", place if first is None else first
        found.append((said, place))
    return [m for said, _ in found for m in _matter(offer, said, today)]


def _goes_on(
    last: tuple[str, int | None], now: tuple[str, int | None], offer: Offer, today: date
) -> bool:
    """Whether a unit belongs to the one before it: one of them asks for nothing of its own, or
    both ask for the same and make one call together."""
    if last[1] is None or now[1] is None:
        return True
    if last[1] != now[1]:
        return False
    both = [fill_tool(offer, last[1], said, today) for said in (last[0], now[0])]
    return any(f.missing for f in both) or both[0].values == both[1].values


def _units(offer: Offer, text: str, today: date) -> Iterator[str]:
    """The sentences of a message, cut again where "and" joins two matters."""
    sentences = [s.strip() for s in _SENTENCE.split(text) if s and s.strip()]
    if len(sentences) > _MOST:
        head, tail = sentences[: _MOST // 2], sentences[-_MOST // 2 :]
        sentences = [*head, *tail]
    for sentence in sentences:
        yield from _cut(offer, sentence, today)


def _cut(offer: Offer, sentence: str, today: date) -> Iterator[str]:
    best: tuple[float, str, str] | None = None
    for joint in list(_AND.finditer(sentence))[:4]:
        left, right = sentence[: joint.start()], sentence[joint.end() :]
        if len(left.split()) < 2 or len(right.split()) < 2 or leans(right):
            continue  # "and with which doctor" asks for more about the same
        one, two = judged(offer, left, today)[0], judged(offer, right, today)[0]
        if min(one.likely, two.likely) >= ASKED and one.place != two.place:
            worth = one.likely + two.likely + 0.3 * joint.group().startswith(",")
            best = max(best or (0.0, "", ""), (worth, left, right))
    if best:
        yield from _cut(offer, best[1], today)
        yield from _cut(offer, best[2], today)
        return
    yield sentence


def _matter(offer: Offer, said: str, today: date) -> Iterator[Matter]:
    """What one piece asks for: one call, or one for each of several ids."""
    order = judged(offer, said, today)
    best = order[0]
    if best.likely < ASKED:
        return
    tool = offer.tools[best.place]
    ranked = tuple(offer.tools[j.place] for j in order)
    filling = best.filling
    shared = about(offer, best.place)
    made = Matter(said, tool, best.likely, filling, offer.slots[best.place], shared, ranked)
    twins = _twins(offer.slots[best.place], said, today)
    if twins:
        for slot, value in twins:
            values = {**filling.values, slot.name: value}
            lacks = [s for s in filling.missing if s.name != slot.name]
            yield replace(made, filling=replace(filling, values=values, missing=lacks))
    else:
        yield made


def _twins(slots: tuple[Slot, ...], said: str, today: date) -> list[tuple[Slot, Any]]:
    """The values of a call's id or choice where several stand side by side."""
    for slot in slots:
        if slot.param.kind == "enum":
            named = sorted((h for h in hits(slot.param, said) if not h.negated and h.worth >= 0.9),
                           key=lambda h: h.start)  # fmt: skip
            joined = [h for n, h in enumerate(named) if _side_by_side(named, n, said)]
            if len({str(h.value) for h in joined}) > 1:
                return [(slot, h.value) for h in joined]
        if not slot.param.required or slot.param.kind not in ("id", "intid", "words"):
            continue
        fitting = [
            p
            for p in pairs((slot,), said, today)
            if p.mark.kind in ("shape", "id") and not p.features.get("denied")
        ]
        places = [p.mark for p in fitting]
        chain = [p for n, p in enumerate(fitting) if _side_by_side(places, n, said)]
        values = list(dict.fromkeys(str(p.value) for p in chain))
        if len(values) > 1:
            return [(slot, p.value) for p in chain]
    return []


_BESIDE = re.compile(
    r"\s*(?:,|and|&|,\s*and|as well as|plus)\s*(?:also |for |of |one for |the |an? )*"
)


def _side_by_side(found: list[Any], place: int, said: str) -> bool:
    here = found[place]
    near = [found[n] for n in (place - 1, place + 1) if 0 <= n < len(found)]
    gaps = [said[min(here.end, m.end) : max(here.start, m.start)] for m in near]
    return any(_BESIDE.fullmatch(gap) for gap in gaps)


_SAYS_NOTHING = frozenset(
    """the a an of to on for in is it its i my me and that at this with please you we us our
    be""".split()
)
_LETTERS = re.compile(r"[A-Za-z]{5,}")


@cache
def _by_letters() -> Mapping[str, str]:
    """Everyday words by their letters in order: two letters exchanged leave these the same."""
    found: dict[str, str] = {}
    for word in sorted(known_words()):
        found.setdefault("".join(sorted(word)), word)
    return found


def mended(text: str, tools: Tools) -> str:
    """The text with exchanged letters put right, where what is meant is an everyday word or one
    of the tools' own."""
    own = {w.text for t in tools for w in words(f"{t.name.replace('_', ' ')} {t.description}")}
    letters = {"".join(sorted(w)): w for w in own if len(w) > 4}

    def right(found: re.Match[str]) -> str:
        said = found.group()
        low = said.lower()
        if low in own or low in known_words() or not (said.islower() or said.istitle()):
            return said
        key = "".join(sorted(low))
        meant = letters.get(key) or _by_letters().get(key)
        if meant is None or meant[0] != low[0]:
            return said
        return meant.capitalize() if said.istitle() else meant

    return _LETTERS.sub(right, text)


@lru_cache(maxsize=512)
def _deed_stems(offer: Offer) -> tuple[frozenset[str], ...]:
    """For each tool the stems by which it differs from most of the others."""
    each = [
        frozenset(s for s in name_stems(t.name) if s not in _SAYS_NOTHING)
        | frozenset(
            w.stem for w in words(t.description) if w.text not in STOP_WORDS | _SAYS_NOTHING
        )
        for t in offer.tools
    ]
    most = max(2, len(offer.tools) // 2)
    return tuple(
        frozenset(w for w in own if sum(w in other for other in each) <= most) for own in each
    )


def tool_features(
    offer: Offer, place: int, text: str, fillings: Sequence[Filling], scores: tuple[float, ...]
) -> dict[str, float]:
    """What speaks for one tool beside the others: its words, its deed, and what becomes of its
    slots."""
    tool, filling = offer.tools[place], fillings[place]
    rest = [s for n, s in enumerate(scores) if n != place]
    others = [f for n, f in enumerate(fillings) if n != place]
    covered = sum(end - start for start, end in set(filling.spans))
    most = max((sum(b - a for a, b in set(f.spans)) for f in others), default=0)
    found = {
        "score": scores[place],
        "ahead": scores[place] - max(rest, default=0.0),
        "none": float(scores[place] <= 0),
        "missing": float(len(filling.missing)),
        "any missing": float(bool(filling.missing)),
        "filled": float(len(filling.surely)),
        "fuller": len(filling.surely) - max((len(f.surely) for f in others), default=0.0),
        "covers more": min(20.0, max(-20.0, covered - most)) / 10,
        "lacks less": min((len(f.missing) for f in others), default=0) - len(filling.missing),
        "whole": float(bool(filling.surely) and not filling.missing),
        "sure": sum(filling.surely.values()) / len(filling.surely) if filling.surely else 0.0,
    }
    wanted = head_action(text)
    offered = tool_action(tool.name, tool.description)
    found[f"deed {wanted}>{offered}"] = 1.0
    stems = {
        w.stem
        for w in words(text)
        if w.text not in _SAYS_NOTHING and not _used(w.start, w.end, filling)
    }
    for said in stems:
        for own in _deed_stems(offer)[place] - {said}:
            found[f"{said}|{own}"] = 1.0
    return found


def _used(start: int, end: int, filling: Filling) -> bool:
    return any(a <= start and end <= b for a, b in filling.spans)


def scores_of(tools: Tools, text: str) -> tuple[float, ...]:
    """How well the words of a text suit each tool, in the tools' order."""
    by_name = {tool.name: score for score, tool in rank(tools, text, ())}
    return tuple(by_name.get(t.name, 0.0) for t in tools)
