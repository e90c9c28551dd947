"""Judging: which of several labelled answers does best what a task asks."""

from __future__ import annotations

import re

from course.models.policy.conversation import Talk
from course.models.policy.wordlists import cue
from course.models.policy.words import content

_MARK = re.compile(r"(?m)^\[(?P<label>[^\]\n]{1,20})\]:?[ \t]*")
_FIGURE = re.compile(r"(?<![\w-])\d[\d,.]*")
_SOURCE = cue("judging.source")
_HEDGE = cue("judging.hedge")


def best_of(options: tuple[str, ...], talk: Talk) -> str | None:
    """The label of the best answer, None when the options are no labels of answers in a message.

    Counted are the words shared with the task, figures, and sources; hedges count against.
    """
    marks = list(_MARK.finditer(talk.latest))
    ends = [*(m.start() for m in marks[1:]), len(talk.latest)][: len(marks)]
    answers = {m["label"]: talk.latest[m.end() : e] for m, e in zip(marks, ends, strict=True)}
    if len(options) < 2 or not set(options) <= set(answers):
        return None
    return max(options, key=lambda o: (_worth(answers[o], talk.request), -options.index(o)))


def _worth(answer: str, task: str) -> float:
    shared = len(set(content(answer)) & set(content(task)))
    return (
        0.5 * shared
        + 1.5 * bool(_FIGURE.search(answer))
        + 1.5 * bool(_SOURCE.search(answer))
        - 1.0 * len(_HEDGE.findall(answer))
    )
