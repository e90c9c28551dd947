"""The course's exercises as data, and how a notebook plays them.

Each chapter has a package, such as `ch01`, whose modules define them, and a page in
`docs/contracts`, where the sentences stand that they hold a student to. `play` and `play_hidden`
judge one of them with the names of the notebook, by the same worlds and words as the box does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graders.exercises.lookup import chapter_of, exercise, exercises_of

if TYPE_CHECKING:
    from graders.exercises.playing import play, play_hidden

__all__ = ["chapter_of", "exercise", "exercises_of", "play", "play_hidden"]


def __getattr__(name: str) -> Any:
    """Load what a notebook needs when a notebook asks: who judges in boxes needs the data alone."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from graders.exercises import playing

    return getattr(playing, name)
