"""One exercise's result in HTML: alone under its check in a notebook, and in the feedback page.

No scripts, nothing remote, no ids but those a page asks for. What differs does so by sign, word and
line as well as by colour, and the colours follow the page's theme.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from course.markup import Markup, fill, joined
from graders.feedback.drawing import comparison_svg, evidence_svg
from graders.feedback.gathered import Finding, findings
from graders.feedback.words import CONTRACT, NOTHING_YET, points, readable, signed
from graders.records.report import ExerciseReport, TrialVerdict
from graders.records.verdict import Sign
from graders.records.wording import one_line

_NAME = re.compile(r"\w+(?:[.(]\w|\(|_)|\w*_\w")
SHORT = 12  # lines of output that are shown without a click


def notebook_result(exercise: ExerciseReport, foot: str) -> Markup:
    """A result for a notebook's page, with its own style; a screen reader is told that it came.

    Args:
        exercise: as it was played.
        foot: the last line, such as where the reader stands in the chapter; may be markup.
    """
    return fill(
        "<style>{}{}</style>"
        '<div class="verdict{}" role="status" aria-live="polite" aria-atomic="true">'
        "{}</div>",
        style("result"), style("notebook"), " fails" if worst(exercise) != "passed" else "",
        joined(drawn(exercise, foot=foot)),
    )  # fmt: skip


def drawn(exercise: ExerciseReport, *, ident: str = "", foot: str = "") -> Iterator[Markup]:
    """A result as a box: what failed, each reason once and the first one first, then what passed.

    Args:
        exercise: the verdicts on its trials.
        ident: an id to link to; none when empty.
        foot: its last line; may be markup.
    """
    earned = points(exercise.score, exercise.max_score)
    yield fill('<section class="exercise"{}>', fill(' id="{}"', ident) if ident else "")
    yield fill(
        '<div class="head" role="heading" aria-level="2"><b>Exercise {}</b> '
        '<span class="soft">{} points</span></div>',
        one_line(exercise.number), earned,
    )  # fmt: skip
    for finding in findings(exercise.trials):
        yield from _finding(finding)
    yield from (_trial([each]) for each in exercise.trials if each.verdict.passed)
    if exercise.output:
        yield _output(exercise.output, helps=worst(exercise) == "not yet")
    if foot:
        yield fill('<p class="sum">{}</p>', foot)
    yield fill("</section>")


def worst(exercise: ExerciseReport) -> Sign:
    """The sign of the whole: the first of these that one of its trials has."""
    signs = [trial.verdict.sign for trial in exercise.trials]
    order: tuple[Sign, ...] = ("not yet", "not attempted", "passed")
    return next((sign for sign in order if sign in signs), "passed")


def css(sign: str) -> str:
    """A sign as the name of a class."""
    return sign.replace(" ", "-")


def sentence_of(message: str) -> Markup:
    """A message as sentences; its last part, where to look, on a line of its own."""
    said, mark, look = one_line(message).rpartition("; ")
    if not mark:
        return _ended(look)
    return fill("{}<br><em>{}</em>", _ended(said), _ended(look))


@cache
def style(name: str) -> Markup:
    """A stylesheet of this folder on few lines: a notebook holds one for each result."""
    sheet = (Path(__file__).parent / f"{name}.css").read_text(encoding="utf-8")
    return Markup(re.sub(r"\s*([{};,])\s*", r"\1", re.sub(r"\s+", " ", sheet)).strip())


def _finding(finding: Finding) -> Iterator[Markup]:
    silent = finding.trials[0].verdict.message == NOTHING_YET
    said = () if silent else _explained(finding)
    yield _trial(list(finding.trials), *said)


def _explained(finding: Finding) -> Iterator[Markup]:
    yield fill("<p>{}</p>", sentence_of(finding.message))
    if finding.sentence:
        yield fill('<p class="contract">{} <q>{}</q></p>', CONTRACT, _marked(finding.sentence))
    if finding.comparison:
        caption = fill("<figcaption>{}</figcaption>", one_line(finding.comparison.cause))
        yield fill("<figure>{}{}</figure>", caption, comparison_svg(finding.comparison))
    elif finding.evidence:
        yield fill("<figure>{}</figure>", evidence_svg(finding.trials[0].verdict))


def _trial(trials: list[TrialVerdict], *said: Markup) -> Markup:
    """Trials with one verdict, a line each, and what is said of them all."""
    sign = trials[0].verdict.sign
    lines = (
        fill(
            '<p class="title"><span class="sign">{}</span> <b>{}</b> '
            '<span class="soft">{}</span></p>',
            signed(sign), one_line(each.title), points(each.score, each.points),
        )
        for each in trials
    )  # fmt: skip
    return fill('<div class="trial {}">{}{}</div>', css(sign), joined(lines), joined(said))


def _output(output: str, *, helps: bool) -> Markup:
    """What the code printed, unfolded when it is short and may explain what went wrong."""
    told = readable(output)
    lines = told.count("\n") + 1
    return fill(
        "<details{}><summary>your output ({})</summary>"
        '<pre tabindex="0" role="region" aria-label="Your output">{}</pre></details>',
        " open" if helps and lines <= SHORT else "",
        "1 line" if lines == 1 else f"{lines} lines", told,
    )  # fmt: skip


def _ended(words: str) -> Markup:
    """The words with a large first letter and a full stop, where there is none yet.

    A name of a program keeps its first letter: `asyncio.gather`, `find_patient`, `put(...)`.
    """
    stop = "" if words.endswith(("?", ".", "…")) else "."
    first = words[:1] if _NAME.match(words) else words[:1].upper()
    return _marked(first + words[1:] + stop)


def _marked(words: str) -> Markup:
    """A text on one line, with what stands in backquotes as code."""
    parts = re.split(r"`([^`]+)`", one_line(words))  # every second one stood in backquotes
    return joined(fill("<code>{}</code>", p) if n % 2 else p for n, p in enumerate(parts))
