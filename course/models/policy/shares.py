"""Shares: the parts of a request that somebody has colleagues for, each with whose it is: one's
own, or somebody else's."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from course.models.policy.clauses import Clause, joined, split, takes_object
from course.models.policy.colleagues import Colleague, Staff
from course.models.policy.conversation import Talk
from course.models.policy.match import tool_index
from course.models.policy.mentions import mentions
from course.models.policy.needs import reads_only
from course.models.policy.params import lead_of
from course.models.policy.prose import polished
from course.models.policy.reader.decision import in_hand
from course.models.policy.reader.matters import Judged, asks, judged, leans
from course.models.policy.reader.slots import offer_of
from course.models.policy.verbs import commands, head_action
from course.models.policy.wordlists import cue
from course.models.policy.words import STAND_IN, content, name_words, stem
from course.models.wire import ToolSpec

_HEAD, _DOWN, _SUMS_UP, _BACK, _ASKS, _ABOUT_ME = (
    cue(f"shares.{n}") for n in "head down sums_up back asks about_me".split()
)
_FAINT, _NEXT = 0.05, 0.2
"""How likely somebody has to be at least, and to be asked after whoever is likelier."""
_PLAIN, _STATED, _TIMES = 0.6, 0.4, 5
"""How likely somebody has to be to be asked for by what is only told beside other things: that, or
a little less and so many times as likely as the next."""
_TROUBLE = 0.75
"""Words in common, as a score, of trouble and the tool that looks into it."""
_OURS, _SLIGHT, _OWN = 0.4, 0.15, 0.85
"""How likely one's own tools together have to be, beside others, to serve what is one's own; how
likely where they are asked for without the others; and how likely then to come before these."""
_LISTED = 0.4
"""How likely those have to be who share the things in a list."""
_FURTHER, _RUN = 1.0, 4
"""Log odds that each further share has to bring with it, and clauses of one share."""
SURE = 0.5
"""How likely somebody has to be to claim something without doubt."""


@dataclass(frozen=True)
class Share:
    """A part of a request.

    Attributes:
        clause: its words.
        own: the tools that serve it, the likeliest first.
        others: the colleagues that suit it, the likeliest first; without own tools the first of
            them is whom it belongs to.
        ranking: all colleagues, the likeliest first.
        near: one's own tools that might serve it if whoever asks is sure.
        mine: whether it is what one's own instructions are about.
        likely: how probable the first is.
        worth: how much it speaks for somebody's being asked, as log odds.
    """

    clause: Clause
    own: tuple[ToolSpec, ...] = ()
    others: tuple[Colleague, ...] = ()
    ranking: tuple[Colleague, ...] = ()
    near: tuple[ToolSpec, ...] = ()
    mine: bool = False
    likely: float = 0.0
    worth: float = 0.0

    @property
    def first(self) -> str:
        """The name of who or what serves it best, "" if nothing does."""
        return self.own[0].name if self.own else self.others[0].name if self.others else ""

    @property
    def who(self) -> Colleague | None:
        """Whose the part is, None when it is one's own or nobody's."""
        return self.others[0] if self.others and not self.own else None


def shares_of(talk: Talk, staff: Staff) -> list[Share]:
    """The parts of the request in hand with whoever suits each."""
    staff = staff.asked
    talk = in_hand(talk, staff.own)
    verbs = frozenset(stem(w) for t in staff.own for w in name_words(t.name)[:1])
    pieces = [p for c in split(talk.request, verbs) for p in _listed(c)]
    return _woven(_headed(_divided(pieces, staff, talk)))


@dataclass(frozen=True)
class _Piece:
    """A clause, or a thing in a list with the joint that stands before it; with whoever suits it by
    itself, and whether it asks for something by itself."""

    clause: Clause
    joint: str = ""
    share: Share = Share(Clause(""))
    claims: bool = False


_AND = re.compile(r",? and (?=\w)|, (?=\w)")
_IS = re.compile(r"\b(?:is|are|was|were|has|have|had)\b", re.IGNORECASE)
_ALSO = re.compile(r"\b(?:also|as well|too|besides|another thing)\b", re.IGNORECASE)


def _listed(clause: Clause) -> Iterator[_Piece]:
    """A clause in pieces where it may list things: "flights to Rome, a hotel and a car"."""
    start, joint = 0, ""
    for match in _AND.finditer(clause.text):
        after = clause.text[match.end() :]
        if not (leans(after) or _IS.search(_AND.split(after)[0])):
            yield _Piece(replace(clause, text=clause.text[start : match.start()]), joint)
            start, joint = match.end(), match.group()
    yield _Piece(replace(clause, text=clause.text[start:]), joint)


def _whole(run: Sequence[_Piece]) -> Clause:
    """Several pieces as one clause."""
    clause = run[0].clause
    for piece in run[1:]:
        listed = replace(clause, text=f"{clause.text}{piece.joint}{piece.clause.text}")
        clause = listed if piece.joint else joined(clause, piece.clause)
    return clause


def _divided(pieces: list[_Piece], staff: Staff, talk: Talk) -> list[Share]:
    """The request cut where its parts speak most for those whose they are."""
    several = len(pieces) > 1
    alone = [_share(p.clause, staff, talk, several) for p in pieces]
    pieces = [replace(p, share=s, claims=_claims(s, p)) for s, p in zip(alone, pieces, strict=True)]
    served = any(s.first for s in alone)
    best: list[tuple[float, tuple[Share, ...]]] = [(0.0, ())]
    for end in range(1, len(pieces) + 1):
        ways = []
        for first in range(end):
            run = pieces[first:end]
            if (served and not _may_join(run)) or (run[0].joint and not run[0].claims):
                continue
            beside = len(run) < len(pieces)
            share = run[0].share if len(run) == 1 else _share(_whole(run), staff, talk, beside)
            worth, before = best[first]
            if run[0].joint and not _apart(before[-1], share):
                continue
            own = share.worth - (0.0 if any(p.claims for p in run) else _FURTHER)
            ways.append((worth + max(0.0, own), (*before, share)))
        best.append(max(ways, key=lambda way: (round(way[0], 6), -len(way[1]))))
    return list(best[-1][1])


def _may_join(run: Sequence[_Piece]) -> bool:
    """Whether pieces may be one part: a list, or with one at most that asks for something, which
    somebody is there for."""
    asked = [p for n, p in enumerate(run) if p.claims and not (n and p.joint)]
    alone = all(p.joint for p in run[1:])
    return alone or not asked or (len(asked) == 1 and bool(asked[0].share.first))


def _apart(one: Share, other: Share) -> bool:
    """Whether two things in a list belong to different people, beyond doubt."""
    return one.first != other.first and min(one.likely, other.likely) >= _LISTED


def _claims(share: Share, piece: _Piece) -> bool:
    """Whether a piece asks for something by itself, without a look back."""
    text = share.clause.text
    if piece.joint:
        return bool(share.first) and share.likely >= _LISTED
    leans_back = share.likely < SURE and bool(_BACK.search(text))
    asks = not (_tells(text) or leans_back) or bool(_ALSO.search(text))
    asks = asks or bool(share.own and in_trouble(text))
    return asks and bool(share.first or {*content(text)} - _LIGHT)


def _share(clause: Clause, staff: Staff, talk: Talk, beside: bool = False) -> Share:
    """A part with those who suit it. What is only told beside other things asks for somebody only
    if nobody else comes near."""
    order = judged(offer_of(staff.offered), clause.text, talk.today)
    view = _View(clause.text, staff, talk, order)
    ranking, trouble = view.ranking, _looks_into(clause.text, staff)
    tells = _tells(clause.text) and not _stands_out(order)
    faint = beside and (tells or bool(_ABOUT_ME.match(clause.text)))
    if faint or not (asks(order) or (view.ours and view.serves)):
        return Share(clause, trouble if view.ours else (), (), ranking)
    worth = math.log(order[0].likely / max(1e-9, 1 - sum(j.likely for j in order)))
    if view.ours and not (view.serves or trouble):
        return Share(clause, (), (), ranking, mine=True, worth=worth)
    others = tuple(c for c in ranking[1:] if view.of(c.stand_in) >= _NEXT)
    others = (*ranking[:1], *others) if view.best >= _FAINT else ()
    served = view.tools if view.ours and view.serves else ()
    if trouble and (view.ours or reads_only(trouble[0])):
        served = trouble
    near = tuple(t for t in view.tools if view.of(t) >= _FAINT)
    return Share(clause, served, others, ranking, near, likely=order[0].likely, worth=worth)


class _View:
    """What the judgement of a part says of oneself and of the others: `ranking` and `tools` are the
    colleagues and one's own tools, the likeliest first, `best` how likely the first colleague is;
    `serves` tells that one's own tools do what is asked, `ours` that it is oneself who is asked."""

    def __init__(self, text: str, staff: Staff, talk: Talk, order: Sequence[Judged]) -> None:
        offer = offer_of(staff.offered)
        self._likely = {offer.tools[j.place].name: j.likely for j in order}
        self.ranking = tuple(sorted(staff.others, key=lambda c: -self.of(c.stand_in)))
        self.best = self.of(self.ranking[0].stand_in) if self.ranking else 0.0
        alone = judged(offer_of(staff.own), text, talk.today) if staff.own else ()
        self.tools = tuple(staff.own[j.place] for j in alone)
        tools, me = sum(map(self.of, staff.own)), self._likely[STAND_IN]
        surely = bool(alone) and alone[0].likely >= _OWN and tools >= max(_SLIGHT, self.best / 2)
        self.serves = surely or tools >= _OURS or (asks(alone) and me >= tools >= _SLIGHT)
        general = bool(self.ranking) and self.ranking[0].general
        self.ours = surely or tools + me >= self.best or (self.serves and general)

    def of(self, tool: ToolSpec) -> float:
        """How likely a tool, or a colleague as if it were one, is meant."""
        return self._likely[tool.name]


def _looks_into(text: str, staff: Staff) -> tuple[ToolSpec, ...]:
    """The tool of one's own that speaks of trouble of this sort, if anything is in trouble."""
    if not in_trouble(text) or not staff.own:
        return ()
    scored = zip(tool_index(staff.own).scores(text), staff.own, strict=True)
    score, tool = max(scored, key=lambda pair: pair[0])
    return (tool,) if score >= _TROUBLE else ()


def in_trouble(text: str) -> bool:
    """Whether a text says that something does not work, which somebody should mend."""
    return bool(_DOWN.search(text)) and not text.rstrip().endswith("?")


_STORY = re.compile(
    r"(?:i|we) (?!need|want|wish|hope|would|like)(?:\w+ed|lost|had|got|forgot|bought|broke|left"
    r"|sent|paid|ran|moved?)\b[^?]*$",
    re.IGNORECASE,
)
_IS = re.compile(r"\b(?:is|are|was|were|has|have|had)\b", re.IGNORECASE)


def _stands_out(order: Sequence[Judged]) -> bool:
    second = order[1].likely if len(order) > 1 else 0.0
    return order[0].likely >= min(_PLAIN, max(_STATED, _TIMES * second))


def _headed(found: list[Share]) -> list[Share]:
    """Things in a list with the verb or heading that stands before its first."""
    out: list[Share] = []
    head = ""
    for matter in found:
        text = matter.clause.text
        if head and matter.who and not (commands(text) or head_action(text)):
            out.append(replace(matter, clause=replace(matter.clause, text=f"{head}{text}")))
        else:
            out.append(matter)
            head = _head_of(text)
    return out


def _head_of(text: str) -> str:
    """What a list is the object of: its verb, "I need", or a heading with a colon."""
    match = _HEAD.match(polished(text))
    head = match["head"] if match else ""
    return head if ":" in head or " " in head.strip() or commands(head + "the") else ""


def _woven(found: list[Share]) -> list[Share]:
    """Parts that only go on about the one before join it: "and book it", or what is told."""
    out: list[Share] = []
    carried: Clause | None = None
    for matter in found:
        nobody = not matter.own and matter.who is None
        if nobody and _tells(matter.clause.text) and not out and len(found) > 1:
            carried = joined(carried, matter.clause) if carried else matter.clause
            continue
        if carried:
            matter, carried = replace(matter, clause=joined(carried, matter.clause)), None
        if out and nobody and _SUMS_UP.search(matter.clause.text):
            continue  # putting the results together is what the answer does anyway
        if out and ((nobody and _tells(matter.clause.text)) or _goes_on(out[-1], matter)):
            out[-1] = replace(out[-1], clause=joined(out[-1].clause, matter.clause))
        else:
            out.append(matter)
    return out or ([Share(carried)] if carried else [])


def _goes_on(before: Share, matter: Share) -> bool:
    """Whether a part speaks of the one before: for the same colleague, for nobody, or told of one
    call of one tool."""
    texts = (before.clause.text, matter.clause.text)
    if before.own and matter.own and before.own[0].name == matter.own[0].name:
        ids = [any(m.kind in ("id", "number") for m in mentions(t)) for t in texts]
        return all(map(_tells, texts)) and not all(ids)
    leaning = bool(_BACK.search(matter.clause.text)) or matter.clause.after
    leaning = leaning or all(map(_tells, texts))
    if matter.own or not before.first or not leaning:
        return False
    same = matter.who is not None and matter.first == before.first
    asks_more = texts[1].rstrip().endswith("?") and {*content(texts[1])} - _LIGHT
    return same or (matter.who is None and not asks_more)


_LIGHT = frozenset("mean happen work".split())


def _tells(text: str) -> bool:
    if _STORY.match(text):
        return True
    asked = text.rstrip().endswith("?") or head_action(text) is not None
    return not asked and not commands(text) and not takes_object(text)


_WHOM = ("name", "id", "email", "phone", "uuid")
_PERSON = re.compile(r"\b(?:he|she|him|her|his|hers|they|them|their)\b", re.IGNORECASE)
_SAME_DAY = re.compile(r"\b(?:then|same day|that day)\b", re.IGNORECASE)
_HOUSE = re.compile(r"\byours?\b", re.IGNORECASE)
_THERE = re.compile(r"\bthere\b", re.IGNORECASE)


def in_full(matter: Share, talk: Talk) -> str:
    """The part in words that can be understood without the rest: with the names, ids and dates
    that the request states elsewhere and this part leaves out."""
    text = re.sub(r"(?<=[.;] )[a-z]", lambda m: m[0].upper(), polished(matter.clause.text))
    words = set(content(text))
    about = dict.fromkeys(f for f in _carried(text, talk) if not set(content(f)) <= words)
    return f"{text} ({', '.join(about)})" if about else text


def _carried(text: str, talk: Talk) -> list[str]:
    """Who and what a part is about, and when, if it doesn't say so itself."""
    own = {m.kind for m in mentions(text, talk.today)}
    said = [c for source in (talk.request, *talk.answers) for c in split(source)]
    words = set(content(text))
    place = next((n for n, c in enumerate(said) if words <= set(content(c.text))), len(said))
    before = [c.text for c in said[: place + 1]]
    facts = [c.text for c in said if c.fact and c.text not in text]
    elliptic = not (_ASKS.match(text) or commands(text))
    found: list[str] = []
    if "name" not in own:
        found = _stated(facts + (before if elliptic else []), _WHOM, talk)
        told = found or elliptic or _HOUSE.search(text)
        found = found if told else _nearest(text, before, talk)
    if "date" not in own and (elliptic or _SAME_DAY.search(text)):
        found += _stated(before, ("date",), talk)
    return found


def _stated(texts: list[str], kinds: tuple[str, ...], talk: Talk) -> list[str]:
    return [m.text for t in texts for m in mentions(t, talk.today) if m.kind in kinds]


def _nearest(text: str, before: list[str], talk: Talk) -> list[str]:
    """Whom or what a pronoun stands for: what was named last, in this or an earlier message."""
    told = [
        [
            (m, lead_of(t, m) in ("to", "in", "at", "near", "from"))
            for m in mentions(t, talk.today)
            if m.kind in _WHOM
        ]
        for t in (*before[::-1], *talk.earlier[:2])
    ]
    there = _THERE.search(text)
    people = [[m.text for m, place in t if m.kind == "name" and not place] for t in told]
    people = people if _PERSON.search(text) else []
    found = next((t[:1] for t in people if t), [])
    if not found or there:
        things = [[m.text for m, place in t if place or not there] for t in told]
        found = found + next((t[:2] for t in things if t), [])
    return found
