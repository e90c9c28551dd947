"""Errands: a task for somebody who sees nothing else and whom nobody answers.

"Task: ... Previous error: ... Results of earlier tasks: [t1] ..." with the rule that whoever cannot
do the task says so in a certain form. Nothing can be asked back, so everything has to come from
the task, from the earlier results and from the tools.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from course.models.policy.asks import brief_of
from course.models.policy.conversation import Made, Talk
from course.models.policy.dates import REFERENCE
from course.models.policy.material import error_in_text, fields
from course.models.policy.mentions import subjects
from course.models.policy.obedience import form_of_refusal
from course.models.policy.wordlists import cue
from course.models.wire import ChatRequest, ToolSpec


@dataclass(frozen=True)
class Errand:
    """A task with all there is to do it: the error of the last try, the results of earlier tasks
    (their lines), the tools, and the calls made so far."""

    task: str
    error: str
    given: tuple[str, ...]
    tools: tuple[ToolSpec, ...]
    made: tuple[Made, ...]
    talk: Talk

    @property
    def asks(self) -> tuple[str, ...]:
        """The things that the task asks, each as a text, with what the task tells besides."""
        brief = brief_of(self.task)
        asked = (f"{a.head}: {a.text}" if a.head else a.text for a in brief.asks)
        return (*asked, *brief.facts)

    @property
    def worked(self) -> tuple[Made, ...]:
        """The calls that brought something."""
        return tuple(m for m in self.made if m.error is None and m.text is not None)


@dataclass(frozen=True)
class Store:
    """Where arguments come from: one ask, the whole task, lines of results, and the day."""

    ask: str
    task: str
    lines: tuple[str, ...] = ()
    today: date = REFERENCE

    @property
    def texts(self) -> tuple[str, str]:
        """The ask, and then the whole task."""
        return self.ask, self.task

    @property
    def subjects(self) -> tuple[str, ...]:
        """Whom or what the ask is about, or else the task."""
        return subjects(self.ask) or subjects(self.task)


_RESULTS = ("results of earlier tasks", "earlier results", "previous results", "results", "result")


def errand_of(request: ChatRequest, talk: Talk) -> Errand | None:
    """The errand that a request is, None when it is none: no task under a label, no tools, or
    somebody who could be asked back."""
    labelled: Mapping[str, str] = fields(talk.latest)
    task = labelled.get("task", "").strip()
    if not task or not request.tools or form_of_refusal(talk) is None:
        return None
    told = _results_in(talk.latest) or next((labelled[n] for n in _RESULTS if labelled.get(n)), "")
    inside = _BELOW.search(task)  # results that follow the task without a heading
    told = f"{task[inside.start() :]}\n{told}" if inside else told
    lines = tuple(line.strip() for line in told.splitlines() if line.strip())
    words = task[: inside.start()].strip() if inside else task
    return Errand(words, error_in_text(talk.latest), lines, request.tools, talk.made, talk)


def _results_in(text: str) -> str:
    """All that stands below the heading of earlier results: headings in it are theirs."""
    heading = _RESULTS_BELOW.search(text)
    return text[heading.end() :].strip() if heading else ""


_RESULTS_BELOW = cue("errand.results_below", 0)
_BELOW = re.compile(r"(?m)^\s*[-*]?\s*\[[^\]\n]{1,60}\]")


_GAP = re.compile(r"^\[[^\]]+\] Failed: ")


def without_gaps(lines: tuple[str, ...]) -> tuple[str, ...]:
    """The lines of earlier results that tell something, without those that tell of failures."""
    return tuple(line for line in lines if not _GAP.match(line))
