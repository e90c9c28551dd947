"""Matters: who else there is, and the parts of a request, each with who is to deal with it: one's
own tools or somebody else.

A tool that hands over, consults or delegates is worth what its agent is described for; the words
around that description ("hand the conversation over to") are the same for all and say nothing.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from course.models.policy.clauses import Clause, joined, split, takes_object
from course.models.policy.conversation import Talk
from course.models.policy.match import described_in, tool_index
from course.models.policy.mentions import mentions
from course.models.policy.needs import LOOKED_UP, reads_only
from course.models.policy.params import lead_of, params
from course.models.policy.prose import polished
from course.models.policy.ranking import delegates
from course.models.policy.reader.decision import in_hand
from course.models.policy.reader.matters import Judged, asks, judged, leans
from course.models.policy.reader.slots import offer_of
from course.models.policy.steps import HANDS_OVER
from course.models.policy.verbs import commands, head_action
from course.models.policy.wordlists import cue, word_list
from course.models.policy.words import STAND_IN, content, name_words, stem
from course.models.wire import ToolSpec

How = Literal["transfer", "consult", "return", "delegate"]

_NAMED: tuple[tuple[How, re.Pattern[str]], ...] = (
    ("return", re.compile(r"^(?:return|(?:hand|give|pass|send)_back|back)_to_(\w+)$")),
    ("transfer", re.compile(rf"^{HANDS_OVER}_(\w+)$")),
    ("consult", re.compile(r"^consult_(\w+)$")),
)
_DOOR = re.compile(r"^(?:transfer|hand_?off|hand_?over|route|forward|to|queue|team|desk)_(\w+)$")
"""A way out by its place in a family of them: "queue_fees" beside "queue_bookings"."""
_WHO = frozenset(word_list("matters.who"))
_LIMITS = frozenset(word_list("matters.limits"))
_GENERAL, _HEAD, _DOWN, _SUMS_UP, _BACK, _ASKS, _ABOUT_ME = (
    cue(f"matters.{n}") for n in "general head down sums_up back asks about_me".split()
)
_TOLD = 2_000
"""Characters of one's instructions that say what one is there for."""
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
_ALSO = re.compile(r"\b(?:also|as well|too|besides|another thing)\b", re.IGNORECASE)
SURE = 0.5
"""How likely somebody has to be to claim something without doubt."""


@dataclass(frozen=True)
class Colleague:
    """Another agent: its name, what it is described for, and the tool that reaches it."""

    name: str
    about: str
    how: How
    tool: str
    text: str  # the parameter that says what it is about
    limits: str = ""  # the parameter for constraints
    chooser: str = ""  # the parameter that names the agent

    @property
    def general(self) -> bool:
        """Whether it is there for whatever nobody else does, and passes things on."""
        return bool(_GENERAL.search(f"{self.name} {self.about}"))

    @property
    def stand_in(self) -> ToolSpec:
        """The agent as if it were a tool, so that it is ranked beside tools."""
        return ToolSpec(f"{STAND_IN}{self.name}", self.about, {})


@dataclass(frozen=True)
class Staff:
    """The tools of a request, sorted: those that do things, and colleagues; and what one is
    oneself told to do."""

    own: tuple[ToolSpec, ...]
    others: tuple[Colleague, ...]
    instructions: str = ""

    @property
    def asked(self) -> Staff:
        """The same without the ways back."""
        return replace(self, others=self.by("transfer", "consult", "delegate"))

    @property
    def offered(self) -> tuple[ToolSpec, ...]:
        """One's own tools, and the colleagues and oneself as if they were tools."""
        me = ToolSpec(STAND_IN, self.instructions[:_TOLD], {})
        return (*self.own, *(c.stand_in for c in self.others), me)

    def by(self, *how: How) -> tuple[Colleague, ...]:
        """The colleagues that are reached in one of these ways."""
        return tuple(c for c in self.others if c.how in how)


def staff_of(tools: tuple[ToolSpec, ...], instructions: str) -> Staff:
    """Sort a request's tools; `instructions` may describe the workers of a delegation tool."""
    families = Counter(name_words(t.name)[:1] for t in tools if _DOOR.match(_spelled(t.name)))
    found = [
        _led_to(
            t.name,
            t.description,
            json.dumps(t.parameters),
            instructions,
            families[name_words(t.name)[:1]] > 1,
        )
        if len(name_words(t.name)) > 1 or "enum" in str(t.parameters)
        else ()
        for t in tools
    ]
    own = tuple(t for t, others in zip(tools, found, strict=True) if not others)
    return Staff(own, tuple(c for others in found for c in others), instructions)


def _spelled(name: str) -> str:
    """A tool's name with "_" between its words, however it is written."""
    return name if "_" in name else "_".join(name_words(name))


@lru_cache(maxsize=1_000)
def _led_to(name: str, about: str, key: str, instructions: str, kin: bool) -> tuple[Colleague, ...]:
    """The agents that a tool leads to; `key` is the JSON of its parameters, and `kin` says that
    other tools are named like it."""
    tool = ToolSpec(name, about, json.loads(key))
    wanted = params(tool.parameters)
    texts = [p for p in wanted if p.type == "string" and p.kind not in (*LOOKED_UP, "enum")]
    texts.sort(key=lambda p: (not p.required, p.kind not in ("prose", "query"), p.kind == "name"))
    text = texts[0].name if texts else ""
    doors: tuple[tuple[How, re.Pattern[str]], ...] = (("transfer", _DOOR),) if kin else ()
    for how, pattern in (*_NAMED, *doors):
        match = pattern.match(_spelled(name))
        if match and not [p for p in wanted if p.required and p not in texts]:
            return (Colleague(match[1], _described(match[1], about), how, name, text),)
    return _workers(tool, instructions) if delegates(tool) else ()


def _described(agent: str, description: str) -> str:
    """What stands after the agent's name and a colon, or else the whole description."""
    spoken = re.escape(agent).replace("_", "[_ ]")
    match = re.search(rf"\b{spoken}\b\s*:\s*(.+)$", description, re.IGNORECASE | re.DOTALL)
    return match.group(1).strip() if match else description


def _workers(tool: ToolSpec, instructions: str) -> tuple[Colleague, ...]:
    wanted = params(tool.parameters)
    named = [p for p in wanted if p.kind == "enum"]
    chooser = next((p for p in named if set(name_words(p.name)) & _WHO), named[0])
    limits = next((p.name for p in wanted if set(name_words(p.name)) & _LIMITS), "")
    text = next(p.name for p in wanted if p.kind == "prose" and p.name != limits)
    guides = (chooser.description, tool.description, instructions)
    about = {
        name: next((d for g in guides if (d := described_in(name, g))), "")
        for name in chooser.schema["enum"]
        if isinstance(name, str)
    }
    return tuple(
        Colleague(name, told, "delegate", tool.name, text, limits, chooser.name)
        for name, told in about.items()
    )


@dataclass(frozen=True)
class Matter:
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
    """

    clause: Clause
    own: tuple[ToolSpec, ...] = ()
    others: tuple[Colleague, ...] = ()
    ranking: tuple[Colleague, ...] = ()
    near: tuple[ToolSpec, ...] = ()
    mine: bool = False
    likely: float = 0.0

    @property
    def first(self) -> str:
        """The name of who or what serves it best, "" if nothing does."""
        return self.own[0].name if self.own else self.others[0].name if self.others else ""

    @property
    def who(self) -> Colleague | None:
        """Whose the part is, None when it is one's own or nobody's."""
        return self.others[0] if self.others and not self.own else None


def matters_of(talk: Talk, staff: Staff) -> list[Matter]:
    """The parts of the request in hand with whoever suits each."""
    staff = staff.asked
    talk = in_hand(talk, staff.own)
    verbs = frozenset(stem(w) for t in staff.own for w in name_words(t.name)[:1])
    clauses = split(talk.request, verbs)
    found = [_matter(clause, staff, talk, len(clauses) > 1) for clause in clauses]
    if not any(m.first for m in found):
        whole = Clause(talk.request.strip())
        told = [c for c in clauses if not _ABOUT_ME.match(c.text)]
        best = max((_matter(c, staff, talk) for c in (whole, *told)), key=lambda m: m.likely)
        return [replace(best, clause=whole)] if best.first else _woven(found)
    return _woven(
        _headed([p for m in _merged(found, staff, talk) for p in _listed_apart(m, staff, talk)])
    )


def _merged(found: list[Matter], staff: Staff, talk: Talk) -> list[Matter]:
    """The parts, those without a claimant of their own with what they belong to."""
    place = 0
    while place < len(found):
        other = _belongs_to(place, found, staff, talk)
        if other is None:
            place += 1
            continue
        first, second = sorted((place, other))
        both = joined(found[first].clause, found[second].clause)
        found[first : second + 1] = [replace(found[other], clause=both)]
        place = first
    return found


def _belongs_to(place: int, found: list[Matter], staff: Staff, talk: Talk) -> int | None:
    """The place of what a part belongs to that stands next to it: what is only told to what is
    asked, and what leans on what came before to that; None where it stands alone."""
    matter = found[place]
    text = matter.clause.text
    told_before = place > 0 and _tells(found[place - 1].clause.text)
    leans_back = matter.likely < SURE and (told_before or bool(_BACK.search(text)))
    if not matter.first or not (_tells(text) or leans_back):
        return None
    for n in (n for n in (place + 1, place - 1) if 0 <= n < len(found)):
        other = found[n]
        fit = n < place if leans_back else not _tells(other.clause.text)
        if not fit or not other.first or _adds(found[max(n, place)].clause, talk):
            continue
        both = joined(*(found[at].clause for at in sorted((place, n))))
        made = _matter(both, staff, talk)
        if made.first == other.first and made.likely >= SURE:
            return n
    return None


def _adds(clause: Clause, talk: Talk) -> bool:
    """Whether a part is added to the one before it as something else: "and", "also"."""
    before = talk.request.partition(clause.text)[0].rstrip()
    return before.lower().endswith(" and") or bool(_ALSO.search(clause.text))


def _matter(clause: Clause, staff: Staff, talk: Talk, beside: bool = False) -> Matter:
    """A part with those who suit it. What is only told beside other things asks for somebody only
    if nobody else comes near."""
    order = judged(offer_of(staff.offered), clause.text, talk.today)
    view = _View(clause.text, staff, talk, order)
    ranking, trouble = view.ranking, _looks_into(clause.text, staff)
    tells = _tells(clause.text) and not _stands_out(order)
    faint = beside and (tells or bool(_ABOUT_ME.match(clause.text)))
    if faint or not (asks(order) or (view.ours and view.serves)):
        return Matter(clause, trouble if view.ours else (), (), ranking)
    if view.ours and not (view.serves or trouble):
        return Matter(clause, (), (), ranking, mine=True)
    others = tuple(c for c in ranking[1:] if view.of(c.stand_in) >= _NEXT)
    others = (*ranking[:1], *others) if view.best >= _FAINT else ()
    served = view.tools if view.ours and view.serves else ()
    if trouble and (view.ours or reads_only(trouble[0])):
        served = trouble
    near = tuple(t for t in view.tools if view.of(t) >= _FAINT)
    return Matter(clause, served, others, ranking, near, likely=order[0].likely)


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
_AND = re.compile(r",? and (?=\w)|, (?=\w)")


def _stands_out(order: Sequence[Judged]) -> bool:
    second = order[1].likely if len(order) > 1 else 0.0
    return order[0].likely >= min(_PLAIN, max(_STATED, _TIMES * second))


def _listed_apart(matter: Matter, staff: Staff, talk: Talk) -> list[Matter]:
    """A part that lists things for different colleagues, as one part for each: "flights to Rome,
    a hotel and a car"."""
    text = matter.clause.text
    if not matter.who or len(staff.others) < 2 or (matter.clause.fact and _IS.search(text)):
        return [matter]
    pieces: list[str] = []
    start = 0
    for joint in _AND.finditer(text):
        if _for_others(text[start : joint.start()], text[joint.end() :], staff, talk):
            pieces.append(text[start : joint.start()])
            start = joint.end()
    if not pieces:
        return [matter]
    cut = [replace(matter.clause, text=p.strip()) for p in (*pieces, text[start:])]
    return [_matter(c, staff, talk) for c in cut]


def _for_others(left: str, right: str, staff: Staff, talk: Talk) -> bool:
    """Whether two pieces of a list belong to different colleagues, beyond doubt."""
    if leans(right):
        return False
    offer = offer_of(staff.offered)
    one, two = (
        judged(offer, text, talk.today) for text in (left, _AND.split(right, maxsplit=1)[0])
    )
    return one[0].place != two[0].place and min(one[0].likely, two[0].likely) >= _LISTED


def _headed(found: list[Matter]) -> list[Matter]:
    """Things in a list with the verb or heading that stands before its first."""
    out: list[Matter] = []
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


def _woven(found: list[Matter]) -> list[Matter]:
    """Parts that only go on about the one before join it: "and book it", or what is told."""
    out: list[Matter] = []
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
    return out or ([Matter(carried)] if carried else [])


def _goes_on(before: Matter, matter: Matter) -> bool:
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


def in_full(matter: Matter, talk: Talk) -> str:
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
