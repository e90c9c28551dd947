"""Shares: the parts of a request that somebody has colleagues for, each with whose it is: one's
own, or somebody else's. A router names these."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from course.models.policy.arguments import fill
from course.models.policy.clauses import Clause, is_fact, joined, polished, split, takes_object
from course.models.policy.colleagues import Colleague, Staff
from course.models.policy.conversation import Talk
from course.models.policy.lexicon import commands, head_action
from course.models.policy.lookups import finds_anything, question_in
from course.models.policy.match import described_in, tool_index
from course.models.policy.mentions import mentions
from course.models.policy.needs import Wanted, reads_only
from course.models.policy.params import Param, lead_of, params
from course.models.policy.patterns import regex
from course.models.policy.plans import is_plan
from course.models.policy.ranking import rank
from course.models.policy.reader.cutting import leans
from course.models.policy.reader.decision import in_hand
from course.models.policy.reader.matters import Judged, asks, judged
from course.models.policy.reader.slots import offer_of
from course.models.policy.schemas import as_schema, follow, repaired
from course.models.policy.steps import Step
from course.models.policy.words import STAND_IN, content, cue, name_words, stem, word_list
from course.models.wire import ChatRequest, ToolSpec

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
_FURTHER = 1.0
"""Log odds that something only told has to bring to be a share of its own."""
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
    clauses = split(talk.request, verbs)
    pieces = [
        p for c in clauses for p in _listed(_share(c, staff, talk, len(clauses) > 1), staff, talk)
    ]
    return _woven(_divided(pieces, staff, talk))


_AND = regex(r",? and (?=\w)|, (?=\w)")
_IS = regex(r"\b(?:is|are|was|were|has|have|had)\b", re.IGNORECASE)
_ALSO = regex(r"\b(?:also|as well|too|besides|another thing)\b", re.IGNORECASE)


def _listed(share: Share, staff: Staff, talk: Talk) -> list[Share]:
    """A part, or of one that lists things for different people ("flights to Rome, a hotel and a
    car") each with the verb or heading that stands before its first."""
    text = share.clause.text
    if not share.who or len(staff.others) < 2 or (share.clause.fact and _IS.search(text)):
        return [share]
    things, start = [], 0
    for joint in _AND.finditer(text):
        if _for_others(text[start : joint.start()], text[joint.end() :], staff, talk):
            things.append(text[start : joint.start()])
            start = joint.end()
    if not things:
        return [share]
    head = _head_of(text)
    rest = (f"{head}{t}" for t in (*things[1:], text[start:]))
    return [_share(replace(share.clause, text=t), staff, talk) for t in (things[0], *rest)]


def _for_others(left: str, right: str, staff: Staff, talk: Talk) -> bool:
    """Whether two things in a list belong to different people, beyond doubt."""
    offer = offer_of(staff.offered)
    one, two = (judged(offer, t, talk.today)[0] for t in (left, _AND.split(right, maxsplit=1)[0]))
    sure = min(one.likely, two.likely) >= _LISTED
    return sure and one.place != two.place and not leans(right)


def _head_of(text: str) -> str:
    """What a list is the object of: its verb, "I need", or a heading with a colon."""
    match = _HEAD.match(polished(text))
    head = match["head"] if match else ""
    return head if ":" in head or " " in head.strip() or commands(head + "the") else ""


def _divided(pieces: list[Share], staff: Staff, talk: Talk) -> list[Share]:
    """The pieces put together to parts that speak most for those whose they are."""
    if pieces and not any(p.first for p in pieces):
        whole = _share(_whole(pieces), staff, talk)
        return [whole] if whole.first else pieces
    best: list[tuple[float, list[Share]] | None] = [(0.0, [])]
    for end in range(1, len(pieces) + 1):
        ways = []
        for first, way in enumerate(best):
            run = pieces[first:end]
            part = _part(run, staff, talk, len(run) < len(pieces))
            if way and part:
                worth = part.worth - (0.0 if any(map(_claims, run)) else _FURTHER)
                ways.append((way[0] + max(0.0, worth), [*way[1], part]))
        best.append(max(ways, key=lambda way: (round(way[0], 6), -len(way[1])), default=None))
    return best[-1][1] if best[-1] else pieces


def _whole(run: Sequence[Share]) -> Clause:
    """Several pieces as one clause."""
    return reduce(joined, (p.clause for p in run))


def _part(run: Sequence[Share], staff: Staff, talk: Talk, beside: bool) -> Share | None:
    """Some of the pieces as one part, judged by those that speak for somebody; None if they are no
    part by themselves. One piece at most asks for something, and what nobody is there for stays
    alone."""
    asked = [p for p in run if _claims(p)]
    speaks = [p for p in run if p.first or p in asked]
    if not speaks or len(asked) > 1 or (len(run) > 1 and any(not p.first for p in asked)):
        return None
    share = run[0] if len(run) == 1 else _share(_whole(speaks), staff, talk, beside)
    return replace(share, clause=_whole(run))


def _claims(share: Share) -> bool:
    """Whether a piece asks for something by itself, without a look back."""
    text = share.clause.text
    more = bool({*content(text)} - _LIGHT)
    leans_back = share.likely < SURE and bool(_BACK.search(text))
    leans_back = leans_back and not (not share.first and more and text.rstrip().endswith("?"))
    asks = not (_tells(text) or leans_back) or bool(_ALSO.search(text))
    asks = asks or bool(share.own and in_trouble(text))
    return asks and bool(share.first or more)


def _share(clause: Clause, staff: Staff, talk: Talk, beside: bool = False) -> Share:
    """A part with those who suit it. What is only told beside other things asks for somebody only
    if nobody else comes near."""
    offer = offer_of(staff.offered)
    order = judged(offer, clause.text, talk.today)
    likely = {offer.tools[j.place].name: j.likely for j in order}
    ranking = tuple(sorted(staff.others, key=lambda c: -likely[c.stand_in.name]))
    best = likely[ranking[0].stand_in.name] if ranking else 0.0
    trouble = _looks_into(clause.text, staff)
    tools, serves, ours = _mine(clause.text, staff, talk, likely, best)
    ours = ours or (serves and bool(ranking) and ranking[0].general)
    tells = _tells(clause.text) and not _stands_out(order)
    faint = beside and (tells or bool(_ABOUT_ME.match(clause.text)))
    if faint or not (asks(order) or (ours and serves)):
        seeker = () if trouble or beside else _seeker(clause.text, ranking)
        return Share(clause, trouble if ours else (), seeker, ranking)
    worth = math.log(order[0].likely / max(1e-9, 1 - sum(j.likely for j in order)))
    if ours and not (serves or trouble):
        return Share(clause, (), (), ranking, mine=True, worth=worth)
    others = tuple(c for c in ranking[1:] if likely[c.stand_in.name] >= _NEXT)
    others = (*ranking[:1], *others) if best >= _FAINT else ()
    served = tools if ours and serves else ()
    if trouble and (ours or reads_only(trouble[0])):
        served = trouble
    near = tuple(t for t in tools if likely[t.name] >= _FAINT)
    return Share(clause, served, others, ranking, near, likely=order[0].likely, worth=worth)


def _seeker(text: str, ranking: tuple[Colleague, ...]) -> tuple[Colleague, ...]:
    """Who finds out whatever is asked, for a question that is nobody else's."""
    found = [c for c in ranking if finds_anything(c.name, c.about)]
    return tuple(found[:1]) if found and question_in(text) else ()


def _mine(
    text: str, staff: Staff, talk: Talk, likely: Mapping[str, float], best: float
) -> tuple[tuple[ToolSpec, ...], bool, bool]:
    """One's own tools, the likeliest first; whether they do what is asked; and whether it is
    oneself who is asked, where the likeliest colleague is as likely as `best`."""
    alone = judged(offer_of(staff.own), text, talk.today) if staff.own else ()
    tools, me = sum(likely[t.name] for t in staff.own), likely[STAND_IN]
    surely = bool(alone) and alone[0].likely >= _OWN and tools >= max(_SLIGHT, best / 2)
    serves = surely or tools >= _OURS or (asks(alone) and me >= tools >= _SLIGHT)
    return tuple(staff.own[j.place] for j in alone), serves, surely or tools + me >= best


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


_STORY = regex(
    r"(?:i|we) (?!need|want|wish|hope|would|like)(?:\w+ed|lost|had|got|forgot|bought|broke|left"
    r"|sent|paid|ran|moved?)\b[^?]*$",
    re.IGNORECASE,
)


def _stands_out(order: Sequence[Judged]) -> bool:
    second = order[1].likely if len(order) > 1 else 0.0
    return order[0].likely >= min(_PLAIN, max(_STATED, _TIMES * second))


def _woven(found: list[Share]) -> list[Share]:
    """Parts that only go on about the one before join it: "and book it", or what is told."""
    out: list[Share] = []
    for share in found:
        nobody = not share.own and share.who is None
        if out and nobody and _SUMS_UP.search(share.clause.text):
            continue  # putting the results together is what the answer does anyway
        if out and _goes_on(out[-1], share):
            out[-1] = replace(out[-1], clause=joined(out[-1].clause, share.clause))
        else:
            out.append(share)
    return out


def _goes_on(before: Share, share: Share) -> bool:
    """Whether a part speaks of the one before: for the same colleague, for nobody, or told of one
    call of one tool."""
    texts = (before.clause.text, share.clause.text)
    if before.own and share.own and before.own[0].name == share.own[0].name:
        ids = [any(m.kind in ("id", "number") for m in mentions(t)) for t in texts]
        return all(map(_tells, texts)) and not all(ids)
    leaning = bool(_BACK.search(share.clause.text)) or share.clause.after
    leaning = leaning or all(map(_tells, texts))
    if share.own or not before.first or not leaning:
        return False
    same = share.who is not None and share.first == before.first
    asks_more = texts[1].rstrip().endswith("?") and {*content(texts[1])} - _LIGHT
    return same or (share.who is None and not asks_more)


_LIGHT = frozenset("mean happen work".split())


def _tells(text: str) -> bool:
    if _STORY.match(text):
        return True
    asked = text.rstrip().endswith("?") or head_action(text) is not None
    return not asked and not commands(text) and not takes_object(text)


_WHOM = ("name", "id", "email", "phone", "uuid")
_PERSON = regex(r"\b(?:he|she|him|her|his|hers|they|them|their)\b", re.IGNORECASE)
_SAME_DAY = regex(r"\b(?:then|same day|that day)\b", re.IGNORECASE)
_HOUSE = regex(r"\byours?\b", re.IGNORECASE)
_THERE = regex(r"\bthere\b", re.IGNORECASE)


def in_full(share: Share, talk: Talk) -> str:
    """The part in words that can be understood without the rest: with the names, ids and dates
    that the request states elsewhere and this part leaves out."""
    text = re.sub(r"(?<=[.;] )[a-z]", lambda m: m[0].upper(), polished(share.clause.text))
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


_REST = frozenset(word_list("routes.rest"))
_NAMED = cue("routes.named")


def options_offered(request: ChatRequest, talk: Talk) -> int:
    """How many agents a router chooses from, 0 when a request is none for a router."""
    return len(_choice(request, talk)[1])


def routed(request: ChatRequest, talk: Talk, errs: Callable[[], bool]) -> dict[str, Any]:
    """The fields of an answer that say whom the request, or which part of it, is for; empty when
    nobody is asked for. `errs` says whether the second best comes first."""
    param, names = _choice(request, talk)
    if param is None:
        return _divided_among(request, talk)
    rest = [n for n in names if set(name_words(n)) <= _REST]
    agents = _agents((n for n in names if n not in rest), talk)
    shares = shares_of(talk, Staff((), agents, ""))
    owned = [m for m in shares if m.who]
    chosen = list(dict.fromkeys(m.who.name for m in owned if m.who))
    several = param.kind == "array"
    if not chosen and (param.schema.get("minItems") if several else not param.nullable):
        near = (m.ranking[0].name for m in shares if m.ranking)
        chosen = rest[:1] or [next(near, agents[0].name)]
    if owned and errs() and len(owned[0].ranking) > 1:
        second = owned[0].ranking[1].name
        chosen = [second, *(a for a in chosen[1:] if a != second)]
    return {param.name: chosen if several else next(iter(chosen), None)}


def _choice(request: ChatRequest, talk: Talk) -> tuple[Param | None, list[str]]:
    """The field that names agents, and all their names, if the instructions describe them."""
    root = request.schema if request.response_format == "json_schema" else None
    for param in params(follow(root, root), root) if root else ():
        inner = follow(as_schema(param.schema.get("items")), root or {})
        names = _names(inner if param.kind == "array" else param.schema)
        if len(names) > 1 and 2 * _described(names, talk) >= len(names):
            return param, names
    return None, []


def _names(schema: Any) -> list[str]:
    options = schema.get("enum")
    return [o for o in options if isinstance(o, str)] if isinstance(options, list) else []


def _described(names: list[str], talk: Talk) -> int:
    return sum(bool(described_in(n, talk.instructions)) for n in names)


def _agents(names: Any, talk: Talk) -> tuple[Colleague, ...]:
    told = talk.instructions
    return tuple(Colleague(n, described_in(n, told), "delegate", "", "") for n in names)


def _divided_among(request: ChatRequest, talk: Talk) -> dict[str, Any]:
    """A request cut into its parts, each in words of its own, with whose it is; empty when the
    schema asks for no list of such."""
    root = request.schema if request.response_format == "json_schema" else None
    if not root or is_plan(root, root):
        return {}
    for param in params(follow(root, root), root):
        each = follow(as_schema(param.schema.get("items")), root) if param.kind == "array" else {}
        parts = params(each, root)
        whose = next((p for p in parts if p.kind == "enum"), None)
        text = next((p for p in parts if p.type == "string" and p.kind != "enum"), None)
        names = _names(whose.schema) if whose else []
        known = 2 * _described(names, talk) >= max(4, len(names))
        if whose and text and len(parts) == 2 and known:
            found = _parts(names, talk)
            return {param.name: [{whose.name: who, text.name: part} for who, part in found]}
    return {}


def _parts(names: list[str], talk: Talk) -> list[tuple[str, str]]:
    """The parts of a request with the agent that each is for."""
    agents = _agents(names, talk)
    rest = [n for n in names if set(name_words(n)) <= _REST]
    general = [a.name for a in agents if a.general]
    nobody = (*rest, *general, names[0])[0]
    shares = shares_of(talk, Staff((), agents, ""))
    kept = [m for m in shares if m.who or len(shares) == 1 or not m.clause.fact]
    return [(m.who.name if m.who else nobody, _spoken(m, talk)) for m in kept]


def _spoken(share: Share, talk: Talk) -> str:
    """A part in full; one that only names a thing of somebody's ("My bill, please") as a wish."""
    part = in_full(share, talk)
    sentences = re.split(r"(?<=[.!]) ", part)
    facts = [s for s in sentences if is_fact(s) and not _NAMED.match(s)]
    rest = " ".join(s for s in sentences if s not in facts)
    named = _NAMED.match(rest)
    if not named or rest.rstrip().endswith("?") or head_action(rest) not in (None, "find"):
        return part
    thing = named[1].strip()
    behind = re.sub(r"^,? please\b", "", rest[named.end() :]).strip(" .")
    about = f"{thing[0].lower()}{thing[1:]} {behind}".strip()
    return " ".join((f"Please tell me about {about}.", *facts))


def misrouted(calls: list[Wanted], steps: list[Step], tools: tuple[ToolSpec, ...]) -> list[Wanted]:
    """The calls with the first one sent to the second best tool for its part.

    Calls stay as they are when there is no other tool to mistake for the right one.
    """
    call = calls[0]
    own = (s for s in steps if (s.tool and s.tool.name == call.name) or call in s.need.calls)
    step = next(own, None)
    tool = next((t for t in tools if t.name == call.name), None)
    if step is None or tool is None:
        return calls
    return [_other_tool(tool, step, tools) or call, *calls[1:]]


def _other_tool(own: ToolSpec, step: Step, tools: tuple[ToolSpec, ...]) -> Wanted | None:
    ranked = rank(tools, step.clause.text)
    filled = [(t, fill(t.parameters, step.texts, t.name)) for _, t in ranked if t != own]
    # What can be called in earnest is the likelier mistake.
    for other, found in sorted(filled, key=lambda pair: bool(pair[1].missing))[:1]:
        values = repaired(dict(found.values), other.parameters, other.parameters)
        return Wanted(other.name, values if isinstance(values, dict) else {})
    return None
