"""The feedback on one submission as one page: no scripts, nothing remote, readable in print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graders.feedback.result import css, drawn, sentence_of, style, text_of, worst
from graders.feedback.words import SIGNS, points, standing
from graders.records.report import Report
from graders.records.wording import clip

# Should anything of a student's text ever slip through unescaped, a browser still loads nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def feedback_page(report: Report, facts: Sequence[tuple[str, str]] = ()) -> str:
    """A report as a whole HTML document.

    It holds what the report holds and no more: verdicts, evidence and the code's own output, each
    text escaped and cut to size; no test's source and no seed.

    Args:
        report: on one submission.
        facts: what else is to be said at its top, such as ("attempt", "2").
    """
    title = text_of(clip(report.notebook, 80))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Feedback on {title}</title>\n"
        f"<style>\n{style('result')}\n{style('page')}\n</style>\n</head>\n<body>\n"
        + "\n".join(_body(report, title, facts))
        + "\n</body>\n</html>\n"
    )


def _body(report: Report, title: str, facts: Sequence[tuple[str, str]]) -> Iterator[str]:
    yield "<div class=switchboard><header>"
    yield f"<p class=kit>Switchboard · feedback</p><h1>{title}</h1>"
    if facts:
        told = (f"<dt>{text_of(name)}</dt><dd>{text_of(value)}</dd>" for name, value in facts)
        yield f"<dl class=facts>{''.join(told)}</dl>"
    if report.code:
        yield "</header><main>"
        yield '<section class="exercise broken"><h2>✗ not judged</h2>'
        yield f"<p>{sentence_of(report.message)}</p>"
        if report.exercises:
            total = points(report.score, report.max_score)
            yield f"<p><b>{total} points</b>, since its name says {text_of(report.chapter)}</p>"
        yield f"<p class=code>{text_of(report.code)}</p></section></main></div>"
        return
    yield f"<p class=chapter>judged as {text_of(report.chapter)}</p>"
    yield _total(report)
    yield "</header><main>"
    if not report.exercises:
        yield "<section class=exercise><p>This chapter has no exercise that is judged.</p>"
        yield "</section>"
    for exercise in report.exercises:
        yield from drawn(exercise, ident=f"ex-{text_of(exercise.number)}")
    yield from _notes(report)
    yield "</main>"
    yield _key(report) + "</div>"


def _total(report: Report) -> str:
    """The points, and one box for each exercise, with a sign, that leads to it."""
    links = "".join(
        f'<li class="{css(worst(each))}"><a href="#ex-{text_of(each.number)}">'
        f"<b>{text_of(each.number)}</b> {SIGNS[worst(each)]} "
        f"<span>{points(each.score, each.max_score)}</span></a></li>"
        for each in report.exercises
    )
    told, _, detail = standing(report).partition(" · ")
    return f"<p class=total><b>{told}</b> <span>{detail}</span></p><ul class=strip>{links}</ul>"


def _notes(report: Report) -> Iterator[str]:
    if report.notes:
        notes = "".join(f"<li>{text_of(clip(note, 300))}</li>" for note in report.notes)
        yield "<section class=exercise><h2>Cells that ended in an error</h2>"
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
