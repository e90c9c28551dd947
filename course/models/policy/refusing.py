"""Refusing: saying that something can't be done in the form that the instructions ask for."""

from __future__ import annotations

import re

from course.models.policy.chat import HONEST
from course.models.policy.conversation import Talk
from course.models.policy.wordlists import cue

_FORM = cue("refusing.form", 0)
_HELPLESS = re.compile(r"^(?:None of my tools|I have no tool|I am a simulated model)")


def form_of_refusal(talk: Talk) -> str | None:
    """The word that the instructions want before a refusal, None when they name none."""
    form = _FORM.search(talk.instructions)
    if form is None:
        return None
    return form["mark"] if form["mark"].endswith(":") else f"{form['mark']}:"


def refused(text: str, talk: Talk) -> str:
    """A text as it is, or, when it does not do what was asked and nobody can be asked back, after
    the word that the instructions want before a refusal."""
    mark = form_of_refusal(talk)
    if mark is None or talk.made or not (_HELPLESS.match(text) or text.rstrip().endswith("?")):
        return text
    told = re.sub(r"\s*[^.!?]*\?$", "", text.strip())
    reason = "nothing I was given answers it." if text == HONEST else told or text
    return f"{mark} {reason}"
