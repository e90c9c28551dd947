"""The house that chapter 01's tools serve: rooms, a lift, stairs and a basement."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

from graders.records.scenario import Answer, Ask, ToolOffer

TOP = 14
PATIENCE = 2.0
"""Seconds after which a call of `basement`, where nobody answers, counts as failed."""


def _schema(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


_NUMBER = {"type": "integer"}


def _room(ask: Ask) -> Answer:
    return Answer({**ask.arguments, "key": ask.token})


def _lift(ask: Ask) -> Answer:
    floor = ask.arguments["floor"]
    if floor > TOP:
        return Answer(error=f"the lift goes to floor {TOP} at most ({ask.token})", seconds=floor)
    return Answer(f"floor {floor} ({ask.token})", seconds=floor)


ROOM = ToolOffer(
    "room",
    "Find a room.",
    _schema("number", number=_NUMBER, floor={**_NUMBER, "default": 0}),
    _room,
)
LIFT = ToolOffer("lift", "Send the lift to a floor.", _schema("floor", floor=_NUMBER), _lift)
BASEMENT = ToolOffer(
    "basement", "Go where nobody answers.", _schema(), lambda ask: Answer(never=True), PATIENCE
)
STAIRS = '''
from course import tool


@tool
def stairs() -> str:
    """Take the stairs."""
    raise KeyError("no stairs")
'''
"""A tool that fails with an error nobody planned for; it stands in the stage itself."""


def call(name: str, arguments: Any, ident: str) -> dict[str, Any]:
    """A tool call in wire form; arguments that are no text become JSON."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": ident, "type": "function", "function": {"name": name, "arguments": text}}


def idents(draw: random.Random, many: int) -> list[str]:
    """Ids as a model gives them, each another one."""
    return [f"call_{number}" for number in draw.sample(range(100, 1000), many)]


def rides(draw: random.Random, many: int, *, too_high: bool = False) -> list[int]:
    """Floors to send the lift to, the highest one first, maybe one of them too high."""
    floors = draw.sample(range(1, TOP), many)
    floors.sort(reverse=True)
    tail = floors[1:]
    draw.shuffle(tail)
    if too_high:
        tail.insert(draw.randrange(len(tail)), draw.randrange(TOP + 1, TOP + 5))
    return [floors[0], *tail]


def lifts(floors: Sequence[int], ids: Sequence[str]) -> list[dict[str, Any]]:
    """A call of the lift for each floor."""
    return [call("lift", {"floor": n}, each) for n, each in zip(floors, ids, strict=True)]
