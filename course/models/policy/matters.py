"""Matters: who else there is, and the parts of a request, each with who is to deal with it: one's
own tools or somebody else.

A tool that hands over, consults or delegates is worth what its agent is described for; the words
around that description ("hand the conversation over to") are the same for all and say nothing.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from course.models.policy.arguments import Texts, fill
from course.models.policy.clauses import Clause, is_greeting, joined, split
from course.models.policy.conversation import Talk
from course.models.policy.match import ENOUGH, described_in, shared_words, tool_index
from course.models.policy.mentions import mentions
from course.models.policy.needs import LOOKED_UP, reads_only
from course.models.policy.params import lead_of, params
from course.models.policy.parts import leans, parts_of
from course.models.policy.prose import polished
from course.models.policy.ranking import delegates, rank
from course.models.policy.steps import HANDS_OVER
from course.models.policy.verbs import commands, head_action, tool_action
from course.models.policy.wordlists import cue, word_list
from course.models.policy.words import STAND_IN, content, name_stems, name_words
from course.models.wire import ToolSpec

How = Literal["transfer", "consult", "return", "delegate"]

_NAMED: tuple[tuple[How, re.Pattern[str]], ...] = (
    ("return", re.compile(r"^(?:return|(?:hand|give|pass|send)_back|back)_to_(\w+)$")),
    (
        "transfer",
        re.compile(rf"^{HANDS_OVER}_(\w+)$"),
    ),
    ("consult", re.compile(r"^consult_(\w+)$")),
)
_DOOR = re.compile(r"^(?:transfer|hand_?off|hand_?over|route|forward|to|queue|team|desk)_(\w+)$")
"""A way out by its place in a family of them: "queue_fees" beside "queue_bookings"."""
_WHO = frozenset(word_list("matters.who"))
_LIMITS = frozenset(word_list("matters.limits"))
_GENERAL, _HEAD, _DOWN, _SUMS_UP, _BACK, _ASKS = (
    cue(f"matters.{n}") for n in "general head down sums_up back asks".split()
)
_OWN_FIRST = 0.7  # one's own tool may score this much less than somebody else
_FAINT = 0.75  # enough for somebody who stands out
_APART = 0.6  # below this share of the best a colleague is none for a piece of a list


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
    """The tools of a request, sorted: those that do things, and colleagues."""

    own: tuple[ToolSpec, ...]
    others: tuple[Colleague, ...]

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
    return Staff(own, tuple(c for others in found for c in others))


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
    """A part of a request. `own` are the tools that serve it, `others` the colleagues that suit it,
    best first; without own tools the first of them is whom it belongs to. `ranking` are all of
    them, and `fit` is the score of the first."""

    clause: Clause
    own: tuple[ToolSpec, ...] = ()
    others: tuple[Colleague, ...] = ()
    ranking: tuple[Colleague, ...] = ()
    fit: float = 0.0

    @property
    def who(self) -> Colleague | None:
        """Whose the part is, None when it is one's own or nobody's."""
        return self.others[0] if self.others and not self.own else None


def matters_of(talk: Talk, staff: Staff) -> list[Matter]:
    """The parts of the request in hand with whoever suits each."""
    staff = replace(staff, others=staff.by("transfer", "consult", "delegate"))
    stand_ins = tuple(c.stand_in for c in staff.others)
    found = parts_of(talk, (*staff.own, *stand_ins))
    matters = [_matter(clause, ranked, staff, talk) for clause, ranked in found]
    return _woven(_headed([p for m in matters for p in _listed_apart(m, staff, talk)]))


def _matter(clause: Clause, ranked: tuple[ToolSpec, ...], staff: Staff, talk: Talk) -> Matter:
    by_name = {f"{STAND_IN}{c.name}": c for c in staff.others}
    offered = (*staff.own, *(c.stand_in for c in staff.others))
    scored = rank(offered, clause.text, (talk.instructions,))
    scores = {tool.name: score for score, tool in scored}
    ranking = tuple(by_name[t.name] for _, t in scored if t.name in by_name)
    fitting = tuple(c for c in ranking if scores[f"{STAND_IN}{c.name}"] >= _FAINT)
    others = () if is_greeting(clause.text) else fitting
    best = scores[f"{STAND_IN}{others[0].name}"] if others else 0.0
    own = tuple(t for t in ranked if t.name not in by_name) or _looks_into(clause.text, staff)
    if own and others:
        enough = scores[own[0].name] >= max(ENOUGH, _OWN_FIRST * best) or in_trouble(clause.text)
        own = own if enough and _serves(own[0], clause, best, others[0]) else ()
    return Matter(clause, own, others, ranking, best)


def _serves(tool: ToolSpec, clause: Clause, best: float, other: Colleague) -> bool:
    """Whether one's own tool does what a part asks for rather than sharing a noun with it: a
    look-up does no deed, no deed is done that a mere statement does not name, and whoever covers
    all that the tool covers and more comes first."""
    mine, theirs = (shared_words(t, _without_ids(clause.text)) for t in (tool, other.stand_in))
    deed, wish = tool_action(tool.name, tool.description), head_action(clause.text)
    if not mine or mine < theirs:
        return False
    if wish is None and deed not in (None, "find") and _lacks(tool, clause.text):
        return False
    if clause.fact and wish is None and deed not in (None, "find"):
        return not mine <= set(name_stems(tool.name)[1:])  # more than the nouns of its name
    return wish in (None, "find") or deed != "find" or best < ENOUGH


def _without_ids(text: str) -> str:
    """A text without its ids, whose letters are no words."""
    for mention in reversed([m for m in mentions(text) if m.kind == "id"]):
        text = f"{text[: mention.start]}{text[mention.end :]}"
    return text


def _lacks(tool: ToolSpec, text: str) -> bool:
    """Whether a tool needs more than a text says, and nothing that could be looked up."""
    filled = fill(tool.parameters, Texts(text), tool.name)
    return any(p.kind not in LOOKED_UP for p in filled.missing)


def _looks_into(text: str, staff: Staff) -> tuple[ToolSpec, ...]:
    """The tool of one's own that looks into trouble of this sort, if anything is in trouble."""
    if not in_trouble(text) or not staff.own:
        return ()
    score, tool = max(zip(tool_index(staff.own).scores(text), staff.own, strict=True), key=_score)
    return (tool,) if score >= _FAINT and reads_only(tool) and shared_words(tool, text) else ()


def _score(scored: tuple[float, ToolSpec]) -> float:
    return scored[0]


def in_trouble(text: str) -> bool:
    """Whether a text says that something does not work, which somebody should mend."""
    return bool(_DOWN.search(text)) and not text.rstrip().endswith("?")


_AND = re.compile(r",? and (?=\w)|, (?=\w)")


def _listed_apart(matter: Matter, staff: Staff, talk: Talk) -> list[Matter]:
    """A part that lists things for different colleagues, as one part for each: "flights to Rome,
    a hotel and a car"."""
    if not matter.who or len(staff.others) < 2:
        return [matter]
    text = matter.clause.text
    pieces: list[str] = []
    start = 0
    for joint in _AND.finditer(text):
        if _for_others(text[start : joint.start()], text[joint.end() :], staff, talk):
            pieces.append(text[start : joint.start()])
            start = joint.end()
    if not pieces:
        return [matter]
    cut = [replace(matter.clause, text=p.strip()) for p in (*pieces, text[start:])]
    return [_matter(c, tuple(x.stand_in for x in matter.ranking), staff, talk) for c in cut]


def _for_others(left: str, right: str, staff: Staff, talk: Talk) -> bool:
    """Whether two pieces of a list belong to different colleagues, beyond doubt."""
    if leans(right):
        return False
    stand_ins = tuple(c.stand_in for c in staff.others)
    one, two = (
        {t.name: s for s, t in rank(stand_ins, text, (talk.instructions,))}
        for text in (left, _AND.split(right, maxsplit=1)[0])
    )
    mine, yours = (max(scores, key=lambda n: scores[n]) for scores in (one, two))
    clear = one[yours] < _APART * one[mine] and two[mine] < _APART * two[yours]
    return clear and min(one[mine], two[yours]) >= _FAINT


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
    """Parts that only go on about the one before join it: "and book it", or a part for nobody."""
    out: list[Matter] = []
    for matter in found:
        nobody = not matter.own and matter.who is None
        if out and nobody and _SUMS_UP.search(matter.clause.text):
            continue  # putting the results together is what the answer does anyway
        if out and ((nobody and matter.clause.fact) or _goes_on(out[-1], matter)):
            out[-1] = replace(out[-1], clause=joined(out[-1].clause, matter.clause))
        else:
            out.append(matter)
    return out


def _goes_on(before: Matter, matter: Matter) -> bool:
    """Whether a part speaks of the one before: for the same colleague, for nobody, or told of one
    call of one tool."""
    texts = (before.clause.text, matter.clause.text)
    if before.own and matter.own and before.own[0].name == matter.own[0].name:
        ids = [any(m.kind in ("id", "number") for m in mentions(t)) for t in texts]
        return all(map(_tells, texts)) and not all(ids)
    leaning = bool(_BACK.search(matter.clause.text)) or matter.clause.after
    if matter.own or not before.who or not leaning:
        return False
    same = matter.who is not None and matter.who.name == before.who.name
    return same or (matter.who is None and not texts[1].rstrip().endswith("?"))


def _tells(text: str) -> bool:
    return head_action(text) is None and not text.rstrip().endswith("?")


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
