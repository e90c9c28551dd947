"""Hidden checks of chapter 00: its exercises in worlds that the page does not show."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from course.trace import Trace
from graders.exercises import play_hidden


def more_0_1(greeting: Callable[[str], str]) -> None:
    """Other callers, and nobody's name."""
    play_hidden("0.1", greeting)


def more_0_2(
    put_all_through: Callable[[list[str], Callable[[str], Awaitable[str]]], Awaitable[list[str]]],
) -> None:
    """Everybody once, all at once, in order; nobody is fine too."""
    play_hidden("0.2", put_all_through)


def more_0_3(time_spent: Callable[[Trace, str], float]) -> None:
    """Nested steps, several kinds, an empty trace."""
    play_hidden("0.3", time_spent)
