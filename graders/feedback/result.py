"""One exercise's result in HTML: alone under its check in a notebook, and in the feedback page.

No scripts, nothing remote, no ids but those a page asks for. What differs does so by sign, word and
line as well as by colour, and the colours follow the page's theme.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from graders.feedback.drawing import evidence_svg
from graders.feedback.gathered import Finding, findings
from graders.feedback.words import CONTRACT, NOTHING_YET, points, readable, signed
from graders.records.report import ExerciseReport, TrialVerdict
from graders.records.verdict import Sign
from graders.records.wording import one_line

SHORT = 12  # lines of output that are shown without a click


def notebook_result(exercise: ExerciseReport, foot: str) -> str:
    """A result for a notebook's page, with its own style; a screen reader is told that it came.

    Args:
        exercise: as it was played.
        foot: the last line, such as where the reader stands in the chapter; may be markup.
    """
    fails = " fails" if worst(exercise) != "passed" else ""
    told = "".join(drawn(exercise, foot=foot))
    return (
        f"<style>{style('result')}{style('notebook')}</style>"
        f'<div class="switchboard{fails}" role="status" aria-live="polite" aria-atomic="true">'
        f"{told}</div>"
    )


def drawn(exercise: ExerciseReport, *, ident: str = "", foot: str = "") -> Iterator[str]:
    """A result as a box: what failed, each reason once and the first one first, then what passed.

    Args:
        exercise: the verdicts on its trials.
        ident: an id to link to; none when empty.
        foot: its last line, as markup.
    """
    number = text_of(exercise.number)
    earned = points(exercise.score, exercise.max_score)
    yield f'<section class="exercise" id="{ident}">' if ident else '<section class="exercise">'
    yield f'<div class="head" role="heading" aria-level="2"><b>Exercise {number}</b> '
    yield f'<span class="soft">{earned} points</span></div>'
    for finding in findings(exercise.trials):
        yield from _finding(finding)
    yield from (_trial([each]) for each in exercise.trials if each.verdict.passed)
    if exercise.output:
        yield _output(exercise.output, helps=worst(exercise) == "not yet")
    if foot:
        yield f'<p class="sum">{foot}</p>'
    yield "</section>"


def worst(exercise: ExerciseReport) -> Sign:
    """The sign of the whole: the first of these that one of its trials has."""
    signs = [trial.verdict.sign for trial in exercise.trials]
    order: tuple[Sign, ...] = ("not yet", "not attempted", "passed")
    return next((sign for sign in order if sign in signs), "passed")


def css(sign: str) -> str:
    """A sign as the name of a class."""
    return sign.replace(" ", "-")


def text_of(text: str) -> str:
    """Any text on one line, safe between tags and in an attribute."""
    return html.escape(one_line(text), quote=True)


def sentence_of(message: str) -> str:
    """A message as sentences; its last part, where to look, on a line of its own."""
    said, mark, look = one_line(message).rpartition("; ")
    if not mark:
        return _ended(look)
    return f"{_ended(said)}<br><em>{_ended(look)}</em>"


@cache
def style(name: str) -> str:
    """A stylesheet of this folder on few lines: a notebook holds one for each result."""
    sheet = (Path(__file__).parent / f"{name}.css").read_text(encoding="utf-8")
    return re.sub(r"\s*([{};,])\s*", r"\1", re.sub(r"\s+", " ", sheet)).strip()


def _finding(finding: Finding) -> Iterator[str]:
    silent = finding.trials[0].verdict.message == NOTHING_YET
    said = () if silent else _explained(finding)
    yield _trial(list(finding.trials), *said)


def _explained(finding: Finding) -> Iterator[str]:
    yield f"<p>{sentence_of(finding.message)}</p>"
    if finding.sentence:
        yield f'<p class="contract">{CONTRACT} <q>{_marked(finding.sentence)}</q></p>'
    if finding.evidence:
        yield f"<figure>{evidence_svg(finding.trials[0].verdict)}</figure>"
    if finding.code != "not_attempted":
        yield f'<p class="code">{text_of(finding.code)}</p>'


def _trial(trials: list[TrialVerdict], *said: str) -> str:
    """Trials with one verdict, a line each, and what is said of them all."""
    sign = trials[0].verdict.sign
    lines = (
        f'<p class="title"><span class="sign">{signed(sign)}</span> <b>{text_of(each.title)}</b> '
        f'<span class="soft">{points(each.score, each.points)}</span></p>'
        for each in trials
    )
    return f'<div class="trial {css(sign)}">{"".join(lines)}{"".join(said)}</div>'


def _output(output: str, *, helps: bool) -> str:
    """What the code printed, unfolded when it is short and may explain what went wrong."""
    told = readable(output)
    lines = told.count("\n") + 1
    is_open = " open" if helps and lines <= SHORT else ""
    count = "1 line" if lines == 1 else f"{lines} lines"
    return (
        f"<details{is_open}><summary>your output ({count})</summary>"
        '<pre tabindex="0" role="region" aria-label="Your output">'
        f"{html.escape(told)}</pre></details>"
    )


def _ended(words: str) -> str:
    """The words with a large first letter and a full stop, where there is none yet."""
    stop = "" if words.endswith(("?", ".", "…")) else "."
    return _marked(words[:1].upper() + words[1:] + stop)


def _marked(words: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(one_line(words)))
