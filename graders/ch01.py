"""Hidden checks of chapter 01: its exercises in worlds that the page does not show.

Each works on the student's definition alone: what it builds on is the finished version, put into
the notebook's names for as long as the check runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graders.exercises import play_hidden


def more_1_1(describe: Callable[[Callable[..., Any]], dict[str, Any]]) -> None:
    """Defaults, descriptions, choices, a parameter called title, an untyped parameter."""
    play_hidden("1.1", describe)


def more_1_2(answer_call: Callable[..., Any]) -> None:
    """JSON results, conversion, every kind of failure, none of them raised."""
    play_hidden("1.2", answer_call)


def more_1_3(answer_calls: Callable[..., Any]) -> None:
    """Order, overlap, a failure among others, none."""
    play_hidden("1.3", answer_calls)


def more_1_4(loop: Callable[..., Any]) -> None:
    """Other caps, tokens, seconds, an answer cut off, a model that goes away."""
    play_hidden("1.4", loop)


def more_1_5(join_deltas: Callable[..., Any]) -> None:
    """Text, calls, both, cut off: always what the unstreamed request gives; half is refused."""
    play_hidden("1.5", join_deltas)
