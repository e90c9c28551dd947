"""Matters: what a message asks for, one tool each, with its arguments; the words of a message are
held against those of a tool."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache, partial
from typing import Any

from course.models.policy.corrected import mended
from course.models.policy.lexicon import EITHER, head_action, tool_action
from course.models.policy.match import ENOUGH, Index, hinted, tool_index
from course.models.policy.needs import providers, reads_only
from course.models.policy.patterns import regex
from course.models.policy.ranking import scores_of
from course.models.policy.reader.choices import hits, words
from course.models.policy.reader.cutting import SENTENCE, ends_of, sentence_ends, wonders
from course.models.policy.reader.filling import Filling, about, fill_tool
from course.models.policy.reader.pairs import pairs
from course.models.policy.reader.slots import Offer, Slot, offer_of
from course.models.policy.reader.weights import paired_weights, weight
from course.models.policy.words import STAND_IN, STOP_WORDS, content, cue, name_stems, name_words
from course.models.wire import ToolSpec

Tools = tuple[ToolSpec, ...]
ASKED = 0.5
"""From which probability on a text asks for a tool."""
_PERHAPS = 0.1
"""How likely a piece without values of its own has to be about what was asked before it."""
_FURTHER = 1.0
"""Log odds that each matter has to bring: much of what is said only tells of another."""
_LITTLE = 0.6
"""Words in common, as a score of `ranking`, below which a name alone asks for no tool."""
_LONGEST_RUN, _WIDEST, _FEWEST = 5, 500, 3
"""Pieces of one matter, characters of a piece among others, words without a verb that may ask."""


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

    @property
    def after(self) -> bool:
        """Whether its words ask for it to wait for what comes before it; "and then" only adds, and
        so does a sentence that opens with it."""
        opens = self.text.startswith("Then ")
        adds = (opens or _AND_FIRST.match(self.text)) and not self.conditional
        return not adds and bool(_THEN.search(_opening(self.text)))

    @property
    def conditional(self) -> bool:
        """Whether it is only to happen if what comes before it came out well."""
        return bool(_IF.match(_AND_FIRST.sub("", self.text)))

    @property
    def lists(self) -> bool:
        """Whether a slot is for plain words: a list of them may ask for several calls."""
        return any(s.param.kind in ("words", "query") and not s.shapes for s in self.slots)


def _opening(text: str) -> str:
    return " ".join(text.split()[:4])


_THEN, _IF = cue("clauses.after"), cue("clauses.if")
RESULT = cue("arithmetic.spoken_of")
"""How a piece speaks of what comes of the one before it."""
_AND_FIRST = regex(r"^(?:and|but)\s+(?:then\s+)?", re.IGNORECASE)


@lru_cache(maxsize=4_000)
def judged(offer: Offer, text: str, today: date, whole: str = "") -> tuple[Judged, ...]:
    """Every tool beside a text, the likeliest first; what is left to 1 is that it asks nothing. Of
    a piece of a message the `whole` may tell what the piece lacks."""
    fillings = [fill_tool(offer, place, text, today) for place in range(len(offer.tools))]
    of = "staff" if among_colleagues(offer) else "tool"
    told = partial(_told, offer, text=whole, today=today) if whole else _nothing
    scores, hints = scores_of(index_of(offer), text), hinted(index_of(offer), text)
    odds = [0.0] * len(fillings)
    for place, filling in enumerate(fillings):
        spoken_of = scores[place] >= _LITTLE or hints[place] or _typed(offer.slots[place], filling)
        if spoken_of or offer.tools[place].name.startswith(STAND_IN):
            pairs_said = paired_weights(*word_pairs(offer, place, text, filling))
            features = tool_features(offer, place, text, fillings, told)
            odds[place] = math.exp(weight(of, features, pairs_said))
    if any(o and reads_only(t) for o, t in zip(odds, offer.tools, strict=True)) and wonders(text):
        odds = [o * (not _deed(t)) for o, t in zip(odds, offer.tools, strict=True)]
    total = sum(odds) + math.exp(weight(f"no {of}", nothing_features(offer, text, fillings)))
    found = [Judged(n, o / total, f) for n, (o, f) in enumerate(zip(odds, fillings, strict=True))]
    return tuple(sorted(found, key=lambda j: (-j.likely, j.place)))


def _deed(tool: ToolSpec) -> bool:
    """Whether a tool is called by a verb for something that is done, which is no noun as well."""
    does = tool_action(tool.name, tool.description)
    known = does not in (None, "find") and name_words(tool.name)[0] not in EITHER
    return known and not tool.name.startswith(STAND_IN)  # a colleague may know


Told = Callable[[int], frozenset[str]]
"""The slots of a tool, by its place, for which something else is told."""


def _nothing(place: int) -> frozenset[str]:
    return frozenset()


@lru_cache(maxsize=2_000)
def _told(offer: Offer, place: int, text: str, today: date) -> frozenset[str]:
    """The slots of a tool for which a whole message tells whom or what it is about."""
    filling = fill_tool(offer, place, text, today)
    return frozenset(s.name for s in offer.slots[place]
                     if s.name in filling.surely and s.param.kind in _NAMING)  # fmt: skip


_NAMING = ("id", "intid", "name", "words", "query", "email", "phone")
"""Kinds of slots that say whom or what all of a message is about."""


def _typed(slots: tuple[Slot, ...], filling: Filling) -> bool:
    """Whether something was found for a tool that is more than a name or a word."""
    loose = ("name", "words", "query", "prose")
    return any(s.name in filling.surely and s.param.kind not in loose for s in slots)


def matters_of(tools: Tools, text: str, today: date) -> list[Matter]:
    """What a message asks of the tools, in its order; empty if it asks nothing of them."""
    if not tools or not text.strip():
        return []
    offer = offer_of(tools)
    text = mended(text, offer.tools)
    found: list[tuple[str, int | None]] = []
    for said, place in _asked(offer, _division(offer, text, today)):
        if found and _goes_on(found[-1], (said, place), offer, today):
            before, first = found.pop()
            joint, place = f"{before} {said}", place if first is None else first
            hidden = place is not None and not asks(judged(offer, joint, today))
            said = joint if not hidden else said if first is None else before
        found.append((said, place))
    whole = text if len(found) > 1 else ""
    return [m for said, _ in found for m in _matter(offer, said, today, whole)]


def _asked(
    offer: Offer, division: list[tuple[str, int | None]]
) -> Iterator[tuple[str, int | None]]:
    """The pieces, those that only tell of what another one orders, or bring up what could be looked
    up beside an order, as asking for nothing."""
    ordered = {n for said, n in division if head_action(said) is not None and n is not None}
    reading = {n for n, tool in enumerate(offer.tools) if ordered and reads_only(tool)}
    for said, place in division:
        wonders = said.endswith("?") or _WH.match(said)
        tells = head_action(said) is None and not wonders
        yield said, None if tells and place in ordered | reading else place


def _goes_on(
    last: tuple[str, int | None], now: tuple[str, int | None], offer: Offer, today: date
) -> bool:
    """Whether a piece belongs to the one before it: one of them asks for nothing of its own, or
    both ask for the same and make one call together."""
    if last[1] is None or now[1] is None:
        return True
    if last[1] != now[1]:
        if _IF.match(_AND_FIRST.sub("", now[0])) or RESULT.search(now[0]):
            return False
        order = {j.place: j for j in judged(offer, now[0], today)}
        told, asked = order[now[1]].filling, order[last[1]].likely
        return bool(told.missing) and not told.surely and asked >= _PERHAPS
    both = [fill_tool(offer, last[1], said, today) for said in (last[0], now[0])]
    return any(f.missing for f in both) or both[0].values == both[1].values


def _division(offer: Offer, text: str, today: date) -> list[tuple[str, int | None]]:
    """A message cut into runs of pieces that ask for one thing each, with the tool, or for
    nothing: of all ways to cut it the one that speaks most for the tools."""
    ends = ends_of(text)
    whole = {0, *sentence_ends(text)}
    best: list[tuple[float, tuple[tuple[str, int | None], ...]]] = [(0.0, ())]
    for n, end in enumerate(ends, 1):
        ways = []
        for first in range(max(0, n - _LONGEST_RUN), n):
            bounds = {ends[first - 1] if first else 0, end}
            if not bounds <= whole and whole & {*ends[first : n - 1]}:
                continue  # no part of a sentence goes with another sentence
            said = text[ends[first - 1] if first else 0 : end].strip(" ,;\n")
            wide = len(ends) > 1 and len(said) > _WIDEST
            worth, place = (0.0, None) if wide else _worth(offer, said, today, text)
            last = text[ends[n - 2] : end].strip(" ,;\n") if first < n - 1 else ""
            if RESULT.search(last) and _worth(offer, last, today, text)[1] not in (None, place):
                continue
            ways.append((best[first][0] + worth, (*best[first][1], (said, place))))
        best.append(max(ways, key=lambda way: (way[0], -len(way[1]))))
    return list(best[-1][1])


def _worth(offer: Offer, said: str, today: date, whole: str) -> tuple[float, int | None]:
    """How much a piece speaks for its likeliest tool (log odds against asking for nothing, less
    what each further matter has to bring with it), and which that is."""
    full = len(said.split()) >= _FEWEST or head_action(said) is not None
    found = judged(offer, said, today, whole if said != whole else "") if full else ()
    if not asks(found):
        return 0.0, None
    odds = math.log(found[0].likely / max(1e-9, 1 - sum(j.likely for j in found)))
    return (odds - _FURTHER, found[0].place) if odds > _FURTHER else (0.0, None)


def asks(found: Sequence[Judged]) -> bool:
    """Whether a text asks for a tool at all."""
    return sum(j.likely for j in found) >= ASKED


def unserved(tools: Tools, text: str, today: date) -> list[str]:
    """Of several sentences the questions that none of the tools answers."""
    offer = offer_of(tools)
    found = [s.strip() for s in SENTENCE.split(_AND_ASKS.sub("? ", text)) if s.strip()]
    questions = [u for u in found if u.endswith("?") and len(u.split()) >= _FEWEST and _WH.match(u)]
    none = [q for q in questions if not asks(judged(offer, q, today))]
    return none if len(none) < len(found) else []


_AND_ASKS = regex(
    r"(?<=\w),? and (?=(?:who|where|when|why|how|which|what(?:'s| (?:is|are|was|do|does)))\b)", re.I
)
_WH = regex(
    r"(?:and |also |oh |by the way,? )*(?:who|what|where|when|why|how|which|is|are|was|does|did|has"
    r"|will|should|must|may)\b",
    re.IGNORECASE,
)


def _matter(offer: Offer, said: str, today: date, whole: str) -> Iterator[Matter]:
    """What one piece of a message asks for: one call, or one for each of several ids."""
    order = judged(offer, said, today, whole)
    if asks(order):
        yield from _calls(offer, order, said, today)


def calls_of(tools: Tools, own: Tools, said: str, today: date) -> list[Matter]:
    """The calls that a text asks of the likeliest of some of the tools, which one of them is known
    to serve."""
    offer = offer_of(tools)
    order = [j for j in judged(offer, said, today) if offer.tools[j.place] in own]
    return [*_calls(offer, order, said, today)]


def _calls(offer: Offer, order: Sequence[Judged], said: str, today: date) -> Iterator[Matter]:
    best = order[0]
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


_BESIDE = regex(r"\s*(?:,|and|&|,\s*and|as well as|plus)\s*(?:also |for |of |one for |the |an? )*")


def _side_by_side(found: list[Any], place: int, said: str) -> bool:
    here = found[place]
    near = [found[n] for n in (place - 1, place + 1) if 0 <= n < len(found)]
    gaps = [said[min(here.end, m.end) : max(here.start, m.start)] for m in near]
    return any(_BESIDE.fullmatch(gap) for gap in gaps)


_SAYS_NOTHING = frozenset(
    """the a an of to on for in is it its i my me and that at this with please you we us our
    be""".split()
)


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


UNHEARD = "unheard"
"""The feature of a colleague for whom no word speaks."""


@lru_cache(maxsize=256)
def among_colleagues(offer: Offer) -> bool:
    """Whether colleagues stand among the tools, as if they were some."""
    return any(t.name.startswith(STAND_IN) for t in offer.tools)


def tool_features(
    offer: Offer, place: int, text: str, fillings: Sequence[Filling], told: Told = _nothing
) -> dict[str, float]:
    """What speaks for a tool: its words, its deed, and what becomes of its slots; those that are
    `told` elsewhere lack nothing."""
    name, index = offer.tools[place].name, index_of(offer)
    scores = scores_of(index, text)
    score, hint = scores[place], hinted(index, text)[place]
    if name.startswith(STAND_IN):
        shared = {*content(text)} & index.documents[place].weights.keys()
        found = {
            "": 1.0,
            "score": score,
            "hinted root": hint**0.5 * (max(scores) < ENOUGH),
            "words": float(len(shared)),
        }
        who = "me" if name == STAND_IN else "who"
        found = found if score or hint else {UNHEARD: 1.0}
        return {f"{who} {k}".strip(): v for k, v in found.items()}
    view = _outlook(offer, place, fillings, told)
    sure = fillings[place].surely.values()
    return {
        "score": score,
        "none": float(score <= 0),
        "hinted": hint,
        "missing": float(view.lacks),
        "any missing": float(bool(view.lacks)),
        "looked up": float(view.looked_up),
        "filled": float(view.filled),
        "covered": view.covered / 10,
        "whole": float(bool(view.filled) and not view.lacks),
        "sure": sum(sure) / len(sure) if sure else 0.0,
    }


def word_pairs(
    offer: Offer, place: int, text: str, filling: Filling
) -> tuple[set[str], frozenset[str]]:
    """The stems of a text that no slot takes, and those by which a tool differs from others: each
    pair of them may speak for the tool. Of colleagues they say nothing."""
    if among_colleagues(offer):
        return set(), frozenset()
    stems = {w.stem for w in words(text)
             if w.text not in _SAYS_NOTHING and not _used(w.start, w.end, filling)}  # fmt: skip
    return stems, _deed_stems(offer)[place]


def nothing_features(offer: Offer, text: str, fillings: Sequence[Filling]) -> dict[str, float]:
    """What speaks for a text's asking for nothing."""
    best = max(scores_of(index_of(offer), text), default=0.0)
    hint = max(hinted(index_of(offer), text), default=0.0)
    others = sum(t.name.startswith(STAND_IN) for t in offer.tools)
    return {
        **(
            {"no tools": float(others == len(offer.tools))}
            if others
            else {"tools": math.log(max(1, len(offer.tools)))}
        ),
        "": 1.0,
        "score": best,
        "no word": float(best <= 0),
        "hinted": hint,
        "filled": float(max((len(f.surely) for f in fillings), default=0)),
        "all lack": float(all(f.missing for f in fillings)),
        "question": float(text.rstrip().endswith("?")),
        "words": min(30, len(text.split())) / 10,
        "deed": float(head_action(text) is not None),
    }


@dataclass(frozen=True)
class _Outlook:
    """What becomes of a tool's slots, with what other tools on offer can look up for it: how many
    stay empty, how many are looked up, how many values were found, and their letters."""

    lacks: int
    looked_up: int
    filled: int
    covered: int


def _outlook(offer: Offer, place: int, fillings: Sequence[Filling], told: Told) -> _Outlook:
    used, lacks = _sources(offer, place, fillings, told, frozenset())
    spans = {span for n in used for span in fillings[n].spans}
    return _Outlook(
        lacks,
        int(len(used) > 1),
        sum(len(fillings[n].surely) for n in used),
        sum(end - start for start, end in spans),
    )


def _sources(
    offer: Offer, place: int, fillings: Sequence[Filling], told: Told, asked: frozenset[int]
) -> tuple[frozenset[int], int]:
    """A tool and those that look up what it lacks, and how much is lacking even then."""
    used, lacks = frozenset((place,)), 0
    by_story = (s for s in fillings[place].told if s.param.required)
    for slot in (*fillings[place].missing, *by_story):
        if slot.param.kind in _NAMING and slot.name in told(place):
            continue
        found = [
            offer.tools.index(t) for t in providers(slot.param, offer.tools[place], offer.tools)
        ]
        ways = [_sources(offer, n, fillings, told, asked | used)
                for n in found if n not in asked | used]  # fmt: skip
        best = min(ways, key=lambda way: way[1], default=(frozenset(), 1))
        used, lacks = used | best[0], lacks + best[1]
    return used, lacks


def _used(start: int, end: int, filling: Filling) -> bool:
    return any(a <= start and end <= b for a, b in filling.spans)


@lru_cache(maxsize=256)
def index_of(offer: Offer) -> Index:
    """The words of the offered tools."""
    return tool_index(offer.tools)
