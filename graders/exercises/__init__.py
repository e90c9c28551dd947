"""The course's exercises as data, and how a notebook plays them.

Each chapter has a package, such as `ch01`, with its `EXERCISES`. `play` and `play_hidden` judge one
of them with the names of the notebook, by the same worlds and words as the box does.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

from graders.records.scenario import Exercise

if TYPE_CHECKING:
    from graders.exercises.playing import play, play_hidden

__all__ = ["exercise", "exercises_of", "play", "play_hidden"]


def exercises_of(chapter: str) -> tuple[Exercise, ...]:
    """The exercises of a chapter ("01"), in order; none when it has none. Loads no other one."""
    name = f"graders.exercises.ch{chapter}"
    if importlib.util.find_spec(name) is None:
        return ()
    return tuple(importlib.import_module(name).EXERCISES)


def exercise(number: str) -> Exercise:
    """The exercise of this number, such as "1.3".

    Raises:
        KeyError: there is none.
    """
    return {each.number: each for each in exercises_of(chapter_of(number))}[number]


def chapter_of(number: str) -> str:
    """The chapter ("01") that has the exercise of this number ("1.3")."""
    return number.partition(".")[0].zfill(2)


def __getattr__(name: str) -> Any:
    """Load what a notebook needs when a notebook asks: who judges in boxes needs the data alone."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from graders.exercises import playing

    return getattr(playing, name)
