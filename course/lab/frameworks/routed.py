"""What a router is made of in every framework: who chooses, among whom, and who writes the answer.

The shape is the course's (`course.routing.router`): a model names the specialists, all of them
answer at once, and a model makes one answer of several.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, create_model

from course.agent import Agent
from course.routing.choosers import INSTRUCTIONS
from course.routing.router import SYNTHESIS

ROUTER = "router"
WRITER = Agent(name=ROUTER, instructions=SYNTHESIS)
"""Writes one answer of several; its calls are the router's, as the choice is."""


def chooser(agents: Sequence[Agent]) -> Agent:
    """Who names the specialists that a request needs."""
    listed = "\n".join(f"- {each.name}: {each.description}" for each in agents)
    return Agent(name=ROUTER, instructions=INSTRUCTIONS.format(listed=listed))


def choice(agents: Sequence[Agent]) -> type[BaseModel]:
    """The form of its answer: `{"agents": [names]}`."""
    names: Any = Literal[tuple(each.name for each in agents)]
    return create_model("Choice", __config__=ConfigDict(extra="forbid"), agents=(list[names], ...))


def material(request: str, found: Sequence[tuple[str, str]]) -> str:
    """What the writer reads: the request, and by name what each specialist answered."""
    told = [f"## {name}\n{answer}" for name, answer in found]
    return "\n\n".join((f"Request: {request}", "Results:", *told))
