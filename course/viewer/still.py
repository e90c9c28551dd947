"""A run where no scripts run: a picture in the page's own colour, and every event as a table."""

from __future__ import annotations

from collections.abc import Iterator

from course.drawing import OKABE_ITO
from course.markup import Markup, fill, joined
from course.viewer.picture import Picture
from course.viewer.sentences import short
from course.viewer.steps import Job, TraceStep

WIDTH, NAMES, ROW, TOP = 900, 330, 22, 24  # pixels
SMALL = 3  # pixels, below which a step is a diamond
MOST_ROWS = 40
MOST_EVENTS = 200
_COLOURS = {"chat": OKABE_ITO["purple"], "execute_tool": OKABE_ITO["green"]}


def still(picture: Picture) -> Markup:
    """A run as an SVG and a folded table, for a page that plays nothing."""
    return fill("{}{}", svg(picture), _table(picture))


def _told(picture: Picture) -> str:
    """The run in a few sentences."""
    facts = picture.facts
    agents = ", ".join(picture.agents) or "nobody"
    lost = [m.text for m in picture.moments if m.bad][:4]
    return (
        f"{picture.trace.name}: {facts['seconds']:.2f} s, {facts['calls']:.0f} model calls,"
        f" {facts['tokens']:.0f} tokens. Who took part: {agents}. {' '.join(lost)}"
    ).strip()


def svg(picture: Picture) -> Markup:
    """The lines of a run: a row for each job, on one axis of seconds."""
    jobs = sorted(picture.jobs, key=lambda job: (job.status == "skipped", _start(job)))
    rows = jobs[:MOST_ROWS]
    left = len(jobs) - len(rows)
    height = TOP + ROW * len(rows) + (18 if left else 4)
    end = picture.end or 1.0
    parts: list[Markup] = list(_axis(end))
    for n, job in enumerate(rows):
        parts += _row(picture, job, TOP + ROW * n + ROW / 2, end)
    if left:
        words = f"and {left} rows more, in the table"
        parts.append(fill('<text x="0" y="{:.0f}">{}</text>', height - 4, words))
    return fill(
        '<svg viewBox="0 0 {} {:.0f}" width="{}" role="img" aria-label="{}" fill="currentColor"'
        ' font-family="sans-serif" font-size="12" style="max-width: 100%">{}</svg>',
        WIDTH, height, WIDTH, _told(picture), joined(parts),
    )  # fmt: skip


def _start(job: Job) -> float:
    return job.opened_by.span.start


def _x(time: float, end: float) -> float:
    return NAMES + time / end * (WIDTH - NAMES - 24)


def _axis(end: float) -> Iterator[Markup]:
    for quarter in range(5):
        time = end * quarter / 4
        yield fill(
            '<text x="{:.0f}" y="12" text-anchor="middle" opacity=".75">{}</text>',
            _x(time, end), f"{time:.2f}" if quarter else "0 s",
        )  # fmt: skip


def _row(picture: Picture, job: Job, y: float, end: float) -> Iterator[Markup]:
    who = f"{job.id} {job.agent}".strip()
    words = short(job.words, max(8, 50 - len(who)))
    yield fill(
        '<text x="0" y="{:.0f}"><tspan font-weight="bold">{}</tspan> {}</text>', y + 4, who, words
    )
    span = job.opened_by.span
    if job.status == "skipped":
        place = min(_x(span.start, end), WIDTH - 300)
        text = f"skipped: {short(job.error, 40)}"
        yield fill('<text x="{:.1f}" y="{:.0f}">▢ {}</text>', place, y + 4, text)
        return
    parts = picture.parts(job)
    yield from (_part(step, y, end) for step in parts if not _small(step, end))
    yield from (_part(step, y, end) for step in parts if _small(step, end))
    sign = "✕" if job.status == "failed" else "✓"
    yield fill('<text x="{:.1f}" y="{:.0f}">{}</text>', _x(span.end, end) + 6, y + 4, sign)


def _small(step: TraceStep, end: float) -> bool:
    """Whether a step is too short for a bar."""
    return _x(step.span.end, end) - _x(step.span.start, end) < SMALL


def _part(step: TraceStep, y: float, end: float) -> Markup:
    """A step as a bar or, where it is too short, as a diamond; what failed has a cross."""
    span = step.span
    colour = OKABE_ITO["vermillion"] if step.failed else _COLOURS.get(step.kind, "none")
    a, b = _x(span.start, end), _x(span.end, end)
    name = f"{step.kind.replace('_', ' ')} {span.name}: {span.seconds:.2f} s"
    cross = Markup()
    if step.failed:
        place = a if _small(step, end) else (a + b) / 2
        cross = fill(
            '<text x="{:.1f}" y="{:.0f}" text-anchor="middle" font-size="9">✕</text>', place, y + 3
        )
    if _small(step, end):
        d = f"M{a:.1f} {y - 6:.0f}l5 6l-5 6l-5 -6z"
        shape = fill('<path d="{}" fill="{}" stroke="currentColor" stroke-width=".7">', d, colour)
        return fill("{}<title>{}</title></path>{}", shape, name, cross)
    return fill(
        '<rect x="{:.1f}" y="{:.0f}" width="{:.1f}" height="12" rx="2" fill="{}"'
        ' stroke="currentColor" stroke-width=".7"{}><title>{}</title></rect>{}',
        a, y - 6, b - a, colour,
        fill(' stroke-dasharray="2 2"') if step.kind in ("wait", "approve") else "", name, cross,
    )  # fmt: skip


def _table(picture: Picture) -> Markup:
    """Every event of a run, folded: when, who, and what happened."""
    rows = [
        fill(
            "<tr><td>{:.2f}</td><td>{}</td><td>{}{}</td></tr>",
            each.time, each.who, "✕ " if each.bad else "", each.text,
        )
        for each in picture.moments[:MOST_EVENTS]
    ]  # fmt: skip
    left = len(picture.moments) - len(rows)
    return fill(
        "<details><summary>The run as a table, {} events</summary><table><thead><tr>"
        "<th>Second</th><th>Who</th><th>What happened</th></tr></thead><tbody>{}</tbody></table>"
        "{}</details>",
        len(picture.moments), joined(rows), fill("<p>and {} more</p>", left) if left > 0 else "",
    )  # fmt: skip
