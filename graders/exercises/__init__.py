"""The course's exercises as data, and how a notebook plays them.

Each chapter has a module, such as `ch01`, with its `EXERCISES`. `play` and `play_hidden` judge one
of them with the names of the notebook, by the same worlds and words as the box does.
"""

from graders.exercises.playing import play, play_hidden

__all__ = ["play", "play_hidden"]
