"""Colleagues: who else there is, what for, and which tool reaches them.

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

from course.models.policy.lexicon import VERBS, action_of
from course.models.policy.match import described_in
from course.models.policy.needs import LOOKED_UP
from course.models.policy.params import Param, params
from course.models.policy.patterns import regex
from course.models.policy.ranking import delegates
from course.models.policy.steps import HANDS_OVER
from course.models.policy.words import STAND_IN, content, cue, name_words, stem, word_list
from course.models.wire import ToolSpec

How = Literal["transfer", "consult", "return", "delegate"]

_NAMED: tuple[tuple[How, re.Pattern[str]], ...] = (
    ("return", regex(r"^(?:return|(?:hand|give|pass|send)_back|back)_to_(\w+)$")),
    ("transfer", regex(rf"^{HANDS_OVER}_(\w+)$")),
    ("consult", regex(r"^consult_(\w+)$")),
)
_DOOR = regex(r"^(?:transfer|hand_?off|hand_?over|route|forward|to|queue|team|desk)_(\w+)$")
"""A way out by its place in a family of them: "queue_fees" beside "queue_bookings"."""
_WHO = frozenset(word_list("colleagues.who"))
_LIMITS = frozenset(word_list("colleagues.limits"))
_GENERAL = cue("colleagues.general")
_TOLD = 2_000
"""Characters of one's instructions that say what one is there for."""


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
    if consulted(tool):
        return (Colleague(name, _told(name, about, instructions), "consult", name, text),)
    if chooser := _chooser(wanted):
        texts = [p for p in texts if p.name != chooser]
        listed = {who: does for who, does in _LISTED.findall(about) if who.lower() not in _HEADS}
        if listed:
            return tuple(
                Colleague(who, _told(who, does, instructions), "transfer", name,
                          texts[0].name if texts else "", chooser=chooser)
                for who, does in listed.items()
            )  # fmt: skip
    doors: tuple[tuple[How, re.Pattern[str]], ...] = (("transfer", _DOOR),) if kin else ()
    for how, pattern in (*_NAMED, *doors):
        match = pattern.match(_spelled(name))
        if match and all(p in texts or _grades(p) for p in wanted if p.required):
            told = _told(match[1], _described(match[1], about), instructions)
            return (Colleague(match[1], told, how, name, text),)
    return _workers(tool, instructions) if delegates(tool) else ()


_GRADES = frozenset("severity priority urgency importance level degree".split())


def _grades(param: Param) -> bool:
    """Whether a parameter only says how bad or how urgent something is."""
    return param.kind == "enum" and bool(set(name_words(param.name)) & _GRADES)


_LISTED = re.compile(
    r"(?:[;:\n]|\bagents?:)\s*[-*]?\s*[\"'`]?([A-Za-z]\w+)[\"'`]?\s*[:(]\s*([^;\n)]*)"
)
_HEADS = frozenset("agents agent workers available options specialists one".split())
_TEXTS = frozenset("input task request message question prompt instructions work query".split())
_PERSON = re.compile(
    r"(?:agent|expert|assistant|specialist|advis[eo]r|helper|clerk|desk|team|bot|worker|keeper|office"
    r"|officer|counter|matcher|master|finder|planner|writer|guru|scout)s?$"
)


def consulted(tool: ToolSpec) -> bool:
    """Whether a tool is a specialist who is asked in one text, by whatever name: it is called
    what somebody is, not what is done."""
    wanted = [p for p in params(tool.parameters) if p.required] or params(tool.parameters)
    if len(wanted) != 1 or wanted[0].type != "string" or wanted[0].name not in _TEXTS:
        return False
    words = name_words(tool.name)
    if _PERSON.search(tool.name) or words[0] in ("ask", "consult"):
        return bool(words[1:]) or bool(_PERSON.search(tool.name))
    if wanted[0].name == "query" or _MACHINE.search(tool.name):
        return False
    verb = (action_of(words[0]) or stem(words[0]) in VERBS) and not _FIELD.search(words[0])
    opens = tool.description.lower().startswith(words[0])
    return not (verb and (words[1:] or opens))


_FIELD = re.compile(r"ings?$|[^s]s$")
"""How the name of a field of work ends that has a verb in it: "billing", "rentals"."""


_MACHINE = re.compile(r"search|calc|wiki|web|math|python|sql|lookup|translator|tool$", re.I)


def _chooser(wanted: tuple[Param, ...]) -> str:
    """The parameter that names the agent whom the conversation goes to, "" if there is none."""
    needed = [p for p in wanted if p.required and p.type == "string" and p.kind != "enum"]
    named = [p.name for p in needed if set(name_words(p.name)) & (_WHO | {"target", "destination"})]
    return named[0] if len(named) == 1 else ""


def _told(agent: str, about: str, instructions: str) -> str:
    """What somebody is described for, with what the instructions say of it where that is little."""
    spoken = re.sub(r"_", "[_ ]", re.escape(agent))
    bare = re.sub(rf"hand over to {spoken}\.?", "", about, flags=re.IGNORECASE).strip()
    if len(content(bare)) > _LITTLE:
        return about
    forms = (form.replace("NAME", spoken) for form in _FORMS)
    found = [next(filter(None, m.groups())) for form in forms
             for m in re.finditer(form, instructions, re.IGNORECASE)]  # fmt: skip
    return " ".join(dict.fromkeys((bare, *(f.strip() for f in found)))).strip() or about


_LITTLE = 3
"""Words of a description that say little."""
_FORMS = (
    r"NAME[\"'`*]*\s*\(([^)\n]+)\)",
    r"NAME[\"'`*]*(?: tool| agent)?\s*"
    r"(?::|–|-|=|for|handles?|knows?|does|finds?|about|is for|fetches)\s+"
    r"([^;.\n]+?)(?=,? (?:and )?\w+(?: (?:for|about|handles?)|:)|[;.\n]|$)",
    r"(?:^|[;,:.\n→])\s*[-*]?\s*([^;,.\n→]+?)\s*"
    r"(?:,|go(?:es)?|→|(?:are |is )?(?:referred|sent|passed))?\s*"
    r"(?:to|call|use|ask|→)\s*(?:the )?[\"'`]?NAME\b",
    r"NAME\. (?:Assign|Give|Send|Pass) ([^.\n]+?) to (?:this|that)",
)
"""How instructions say what somebody is there for."""


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
