"""Guards: what ends a conversation that goes round in circles, before the person gives up on it.

Source: LangGraph, AutoGen, Agents SDK (issue trackers ask for them; caps of 10 to 100 turns).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

SORRY = "I am sorry, I could not settle this. Please say it in other words, or ask for a person."
"""What the person hears when a guard ends the turn and there is nobody to fall back on."""


@dataclass(frozen=True, kw_only=True)
class Guards:
    """What one turn of the person may use up, over all agents. None means no limit of that kind.

    Attributes:
        max_turns: model calls, those for summaries included. The fallback gets two more.
        max_repeats: how often the same agent may ask for the same in the same state.
        max_seconds: seconds on the loop's clock. Unlike `Limits.max_seconds` it ends a call that
            is under way, because a person is waiting; the fallback gets as long again.

    Built in chapter 03.
    """

    max_turns: int | None = 10
    max_repeats: int | None = 3
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        for name, least in (("max_turns", 1), ("max_repeats", 2), ("max_seconds", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} must be at least {least}, not {value}; None is no limit")


def repeats(
    seen: Counter[str],
    agent: str,
    calls: Iterable[Mapping[str, Any]],
    state: Mapping[str, Any],
    moves: Collection[str] = (),
) -> int:
    """Count how often an agent has asked for the same in the same state, this time included.

    Args:
        seen: the counts so far; the new one is written into it.
        agent: who asks.
        calls: the tool calls of its message, in wire form.
        state: what all agents know.
        moves: names of the tools that hand over: their arguments are a reason in free words,
            which differs each time and changes nothing, so it does not count.

    Returns:
        1 for the first time, 2 for the second, and so on.

    Built in chapter 03, exercise 3.4.
    """
    asked = []
    for call in calls:
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        asked.append((name, "" if name in moves else arguments))
    key = json.dumps([agent, asked, state], sort_keys=True, default=repr)
    seen[key] += 1
    return seen[key]
