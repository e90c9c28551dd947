"""Colleagues: the other agents that tools lead to, told apart from the tools that do things.

A tool that hands over, consults or delegates is worth what its agent is described for; the words
around that description ("hand the conversation over to") are the same for all and say nothing.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from course.models.policy.lookups import LOOKED_UP
from course.models.policy.match import described_in
from course.models.policy.params import params
from course.models.policy.ranking import delegates
from course.models.policy.wordlists import cue
from course.models.policy.words import STAND_IN, name_words
from course.models.wire import ToolSpec

How = Literal["transfer", "consult", "return", "delegate"]

_NAMED: tuple[tuple[How, re.Pattern[str]], ...] = (
    ("return", re.compile(r"^return_to_(\w+)$")),
    ("transfer", re.compile(r"^(?:transfer|hand_?off|hand_?over|escalate|route)_to_(\w+)$")),
    ("consult", re.compile(r"^consult_(\w+)$")),
)


_GENERAL = cue("colleagues.general")


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
    found = [_colleagues(t, instructions) for t in tools]
    own = tuple(t for t, others in zip(tools, found, strict=True) if not others)
    return Staff(own, tuple(c for others in found for c in others))


def _colleagues(tool: ToolSpec, instructions: str) -> tuple[Colleague, ...]:
    if not _may_lead(tool):
        return ()
    key = json.dumps(tool.parameters)
    return _led_to(tool.name, tool.description, key, instructions)


def _may_lead(tool: ToolSpec) -> bool:
    return "_" in tool.name or "enum" in str(tool.parameters)


@lru_cache(maxsize=1_000)
def _led_to(name: str, about: str, key: str, instructions: str) -> tuple[Colleague, ...]:
    tool = ToolSpec(name, about, json.loads(key))
    wanted = params(tool.parameters)
    texts = [p for p in wanted if p.type == "string" and p.kind not in (*LOOKED_UP, "enum")]
    text = next((p.name for p in texts if p.kind in ("prose", "query")), "")
    for how, pattern in _NAMED:
        match = pattern.match(name)
        if match and not [p for p in wanted if p.required and p not in texts]:
            agent = match.group(1)
            text = text or next((p.name for p in texts), "")
            return (Colleague(agent, _about(agent, about), how, name, text),)
    return _workers(tool, instructions) if delegates(tool) else ()


def _about(agent: str, description: str) -> str:
    """What stands after the agent's name and a colon, or else the whole description."""
    spoken = re.escape(agent).replace("_", "[_ ]")
    match = re.search(rf"\b{spoken}\b\s*:\s*(.+)$", description, re.IGNORECASE | re.DOTALL)
    return match.group(1).strip() if match else description


_WHO = frozenset(("worker", "agent", "assignee", "specialist", "team"))
_LIMITS = frozenset(("constraints", "constraint", "limits", "requirements"))


def _workers(tool: ToolSpec, instructions: str) -> tuple[Colleague, ...]:
    wanted = params(tool.parameters)
    named = [p for p in wanted if p.kind == "enum"]
    chooser = next((p for p in named if set(name_words(p.name)) & _WHO), named[0])
    limits = next((p.name for p in wanted if set(name_words(p.name)) & _LIMITS), "")
    text = next(p.name for p in wanted if p.kind == "prose" and p.name != limits)
    guides = (chooser.description, tool.description, instructions)
    return tuple(
        Colleague(
            name,
            next((d for g in guides if (d := described_in(name, g))), ""),
            "delegate",
            tool.name,
            text,
            limits,
            chooser.name,
        )
        for name in chooser.schema["enum"]
        if isinstance(name, str)
    )
