"""The feedback on one submission as one page: no scripts, nothing remote, readable in print."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from graders.checks.saying import clip, one_line
from graders.feedback.drawing import evidence_svg
from graders.feedback.gathered import Finding, findings
from graders.feedback.words import CONTRACT, NOTHING_YET, SIGNS, points, readable, signed, standing
from graders.judge.report import ExerciseReport, Report, TrialVerdict
from graders.judge.verdict import Sign

SHORT = 12  # lines of output that are shown without a click
# Should anything of a student's text ever slip through unescaped, a browser still loads nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def feedback_page(report: Report) -> str:
    """A report as a whole HTML document.

    It holds what the report holds and no more: verdicts, evidence and the code's own output, each
    text escaped and cut to size; no test's source and no seed.
    """
    title = _text(clip(report.notebook, 80))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Feedback on {title}</title>\n<style>\n{_style()}</style>\n</head>\n<body>\n"
        + "\n".join(_body(report, title))
        + "\n</body>\n</html>\n"
    )


@cache
def _style() -> str:
    return (Path(__file__).parent / "page.css").read_text(encoding="utf-8")


def _body(report: Report, title: str) -> Iterator[str]:
    yield "<header>"
    yield f"<p class=kit>Switchboard · feedback</p><h1>{title}</h1>"
    if report.code:
        yield "</header><main>"
        yield f"<section class=broken><h2>✗ not judged</h2><p>{_sentence(report.message)}</p>"
        yield f"<p class=code>{_text(report.code)}</p></section></main>"
        return
    yield f"<p class=chapter>judged as {_text(report.chapter)}</p>"
    yield _total(report)
    yield "</header><main>"
    if not report.exercises:
        yield "<section><p>This chapter has no exercise that is judged.</p></section>"
    for exercise in report.exercises:
        yield from _exercise(exercise)
    yield from _notes(report)
    yield "</main>"
    yield _key(report)


def _total(report: Report) -> str:
    """The points, and one box for each exercise, with a sign, that leads to it."""
    links = "".join(
        f'<li class="{_kind(each)}"><a href="#ex-{_text(each.number)}">'
        f"<b>{_text(each.number)}</b> {SIGNS[_worst(each)]} "
        f"<span>{points(each.score, each.max_score)}</span></a></li>"
        for each in report.exercises
    )
    told, _, detail = standing(report).partition(" · ")
    return f"<p class=total><b>{told}</b> <span>{detail}</span></p><ul class=strip>{links}</ul>"


def _exercise(exercise: ExerciseReport) -> Iterator[str]:
    number = _text(exercise.number)
    yield f'<section id="ex-{number}"><h2>Exercise {number} '
    yield f"<span>{points(exercise.score, exercise.max_score)} points</span></h2>"
    speaks = {each.titles[0]: each for each in findings(exercise.trials)}
    yield from (_trial(each, speaks.get(each.title)) for each in exercise.trials)
    if exercise.output:
        yield _output(exercise.output, helps=_worst(exercise) == "not yet")
    yield "</section>"


def _trial(trial: TrialVerdict, speaks: Finding | None) -> str:
    """A trial, and below the first of those that fail for one reason what it is."""
    verdict = trial.verdict
    parts = [
        f'<article class="{_css(verdict.sign)}"><h3><span class=sign>{signed(verdict.sign)}</span> '
        f"<b>{_text(trial.title)}</b> <span>{points(trial.score, trial.points)}</span></h3>"
    ]
    if speaks is not None and verdict.message != NOTHING_YET:
        parts.append(f"<p>{_sentence(speaks.message)}</p>")
        if speaks.sentence:
            parts.append(f"<p class=contract>{CONTRACT} <q>{_marked(speaks.sentence)}</q></p>")
        if verdict.evidence:
            parts.append(f"<figure>{evidence_svg(verdict)}</figure>")
        if verdict.code != "not_attempted":
            parts.append(f"<p class=code>{_text(verdict.code)}</p>")
    return "".join([*parts, "</article>"])


def _output(output: str, *, helps: bool) -> str:
    """What the code printed, unfolded when it is short and may explain what went wrong."""
    told = readable(output)
    lines = told.count("\n") + 1
    is_open = " open" if helps and lines <= SHORT else ""
    count = "1 line" if lines == 1 else f"{lines} lines"
    return (
        f"<details{is_open}><summary>your output ({count})</summary>"
        f"<pre>{html.escape(told)}</pre></details>"
    )


def _notes(report: Report) -> Iterator[str]:
    if report.notes:
        notes = "".join(f"<li>{_text(clip(note, 300))}</li>" for note in report.notes)
        yield "<section><h2>Cells that ended in an error</h2>"
        yield f"<ul class=notes>{notes}</ul></section>"


def _key(report: Report) -> str:
    """How to read the pictures, when there are any."""
    drawn = any(trial.verdict.evidence for each in report.exercises for trial in each.trials)
    if not drawn:
        return ""
    return (
        "<footer>In a timeline each bar is one request of your code to a model or a tool, from the "
        "moment it was sent until it was answered. ▶ and a striped bar mark what the message "
        "speaks of; a torn right edge means that no answer ever came. The seconds are virtual: "
        "they don't depend on how fast a machine is.</footer>"
    )


def _sentence(message: str) -> str:
    """A message as sentences; its last part, where to look, on a line of its own."""
    said, mark, look = one_line(message).rpartition("; ")
    if not mark:
        return _ended(look)
    return f"{_ended(said)}<br><em>{_ended(look)}</em>"


def _ended(words: str) -> str:
    """The words with a large first letter and a full stop, where there is none yet."""
    stop = "" if words.endswith(("?", ".", "…")) else "."
    return _marked(words[:1].upper() + words[1:] + stop)


def _marked(words: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(one_line(words)))


def _worst(exercise: ExerciseReport) -> Sign:
    """The sign of the whole: the first of these that one of its trials has."""
    signs = [trial.verdict.sign for trial in exercise.trials]
    order: tuple[Sign, ...] = ("not yet", "not attempted", "passed")
    return next((sign for sign in order if sign in signs), "passed")


def _kind(exercise: ExerciseReport) -> str:
    return _css(_worst(exercise))


def _css(sign: str) -> str:
    return sign.replace(" ", "-")


def _text(text: str) -> str:
    return html.escape(one_line(text), quote=True)
