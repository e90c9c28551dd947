"""The feedback on one submission as one page: no scripts, nothing remote, readable in print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from course.markup import Markup, fill, joined
from graders.feedback.result import css, drawn, sentence_of, style, worst
from graders.feedback.words import SIGNS, points, standing
from graders.records.report import Report
from graders.records.wording import clip, one_line

# Should anything of a student's text ever slip through unescaped, a browser still loads nothing.
_POLICY = fill("default-src 'none'; style-src 'unsafe-inline'")


def feedback_page(report: Report, facts: Sequence[tuple[str, str]] = ()) -> Markup:
    """A report as a whole HTML document.

    It holds what the report holds and no more: verdicts, evidence and the code's own output, each
    text escaped and cut to size; no test's source and no seed.

    Args:
        report: on one submission.
        facts: what else is to be said at its top, such as ("attempt", "2").
    """
    title = one_line(clip(report.notebook, 80))
    return fill(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<title>Feedback on {title}</title>\n"
        "<style>\n{result}\n{page}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n",
        policy=_POLICY, title=title, result=style("result"), page=style("page"),
        body=joined(_body(report, title, facts), "\n"),
    )  # fmt: skip


def _body(report: Report, title: str, facts: Sequence[tuple[str, str]]) -> Iterator[Markup]:
    yield fill("<div class=verdict><header>")
    yield fill("<p class=kit>Switchboard · feedback</p><h1>{}</h1>", title)
    if facts:
        told = (fill("<dt>{}</dt><dd>{}</dd>", *map(one_line, each)) for each in facts)
        yield fill("<dl class=facts>{}</dl>", joined(told))
    if report.code:
        yield fill("</header><main>")
        yield fill('<section class="exercise broken"><h2>✗ not judged</h2>')
        yield fill("<p>{}</p>", sentence_of(report.message))
        if report.exercises:
            total, name = points(report.score, report.max_score), one_line(report.chapter)
            yield fill("<p><b>{} points</b>, since its name says {}</p>", total, name)
        yield fill("<p class=code>{}</p></section></main></div>", one_line(report.code))
        return
    yield fill("<p class=chapter>judged as {}</p>", one_line(report.chapter))
    yield _total(report)
    yield fill("</header><main>")
    if not report.exercises:
        yield fill("<section class=exercise><p>This chapter has no exercise that is judged.</p>")
        yield fill("</section>")
    for exercise in report.exercises:
        yield from drawn(exercise, ident=f"ex-{one_line(exercise.number)}")
    yield from _notes(report)
    yield fill("</main>")
    yield fill("{}</div>", _key(report))


def _total(report: Report) -> Markup:
    """The points, and one box for each exercise, with a sign, that leads to it."""
    links = joined(
        fill(
            '<li class="{sign}"><a href="#ex-{number}"><b>{number}</b> {mark} '
            "<span>{points}</span></a></li>",
            sign=css(worst(each)), number=one_line(each.number), mark=SIGNS[worst(each)],
            points=points(each.score, each.max_score),
        )
        for each in report.exercises
    )  # fmt: skip
    told, _, detail = standing(report).partition(" · ")
    return fill(
        "<p class=total><b>{}</b> <span>{}</span></p><ul class=strip>{}</ul>", told, detail, links
    )


def _notes(report: Report) -> Iterator[Markup]:
    if report.notes:
        notes = joined(fill("<li>{}</li>", one_line(clip(note, 300))) for note in report.notes)
        yield fill("<section class=exercise><h2>Cells that ended in an error</h2>")
        yield fill("<ul class=notes>{}</ul></section>", notes)


def _key(report: Report) -> Markup:
    """How to read the pictures, when there are any."""
    drawn = any(trial.verdict.evidence for each in report.exercises for trial in each.trials)
    if not drawn:
        return Markup()
    return fill(
        "<footer>In a timeline each bar is one request of your code to a model or a tool, from the "
        "moment it was sent until it was answered. ▶ and a striped bar mark what the message "
        "speaks of; a torn right edge means that no answer ever came. The seconds are virtual: "
        "they don't depend on how fast a machine is.</footer>"
    )
