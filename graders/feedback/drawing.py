"""Evidence as a picture: one line a step, bars along an axis of virtual seconds.

The picture is SVG without scripts, without anything remote and without ids, so that any number of
them can stand on one page. It takes the colour of its text from the page, and what is marked
differs by stripes, a frame, a pointer and its weight, so that colour is never needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from course.markup import Markup, fill, joined
from graders.feedback.words import compared, extent, label, remark, share, told
from graders.records.comparison import Comparison
from graders.records.verdict import Bar, Verdict

SKY, VERMILION = "#56B4E9", "#D55E00"  # Okabe and Ito (2008): apart for everybody
LETTER = 7.3  # pixels of one character at SIZE
SIZE = 12
ROW, THICK, TOP = 25, 13, 8
WIDTH = 740  # pixels that the page has room for
PLOT = (160, 340)  # pixels of time: where the words beside it are long, as few as the first
GAP = 14
UNIT = "virtual seconds"
POINTER = 14  # pixels kept free for the sign before a marked label
_FONT = fill("ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace")


def evidence_svg(verdict: Verdict) -> Markup:
    """The evidence of a verdict as one `<svg>` element; empty when there is none.

    Args:
        verdict: as the judge gives it; whatever its texts hold is escaped.
    """
    bars = verdict.evidence
    return _drawn([("", bars)], told(bars)) if bars else Markup()


def comparison_svg(beside: Comparison) -> Markup:
    """Two runs as one `<svg>` element: yours above, a right one below, on one axis, with a line
    where they part.

    Args:
        beside: as the judge gives it; whatever its texts hold is escaped.
    """
    yours, right = beside.calls
    runs = [
        (f"Your run{_number(beside.yours, yours)}", beside.yours),
        (f"A right run{_number(beside.right, right)}", beside.right),
    ]
    return _drawn(runs, compared(beside), beside.time)


def _number(bars: Sequence[Bar], made: int) -> str:
    """How many calls a run made, where not all of them are drawn."""
    return f": {len(bars)} of its {made} calls" if made > len(bars) else "" if made else ": no call"


def _drawn(
    runs: Sequence[tuple[str, Sequence[Bar]]], said: str, parting: float | None = None
) -> Markup:
    """Runs below each other, each with a heading if it has a name."""
    every = [bar for _, bars in runs for bar in bars]
    longest = max([*(len(label(bar)) for bar in every), *(len(name) - 2 for name, _ in runs)])
    left = POINTER + longest * LETTER + GAP
    right = GAP + max(len(UNIT), *(len(remark(bar)) for bar in every), 0) * LETTER
    plot = min(max(WIDTH - left - right, PLOT[0]), PLOT[1])
    width = left + plot + right
    total = extent(every)
    drawn: list[Markup] = []
    top = TOP if parting is None else TOP + ROW * 0.6
    for number, (name, bars) in enumerate(runs):
        if name:
            drawn.append(_heading(name, top))
            top += ROW
        drawn += _rows(bars, left, plot, total, top, VERMILION if number == 0 else SKY)
        top += ROW * len(bars)
    height = top + 26
    if parting is not None:
        drawn.append(_line(left + share(parting, total) * plot, height))
    return fill(
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{said}" '
        'viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}" '
        'style="max-width: 100%; height: auto" font-family="{font}" font-size="{size}" '
        'fill="currentColor">{parts}</svg>',
        said=said, width=width, height=height, font=_FONT, size=SIZE,
        parts=joined([*_axis(left, plot, height, total), *drawn]),
    )  # fmt: skip


def _heading(words: str, top: float) -> Markup:
    y = top + ROW / 2 + SIZE * 0.36
    return fill('<text x="0" y="{:.1f}" font-style="italic">{}</text>', y, words)


def _line(x: float, height: float) -> Markup:
    """Where two runs part."""
    return fill(
        '<path d="M{x:.1f} {top}V{bottom}" stroke="currentColor" stroke-width="1.6" '
        'stroke-dasharray="5 3"/><text x="{beside:.1f}" y="{y:.1f}">they part here</text>',
        x=x, top=TOP - 4, bottom=height - 22, beside=x + 5, y=TOP + SIZE * 0.6,
    )  # fmt: skip


def _rows(
    bars: Sequence[Bar], left: float, plot: float, total: float, top: float, tint: str
) -> Iterator[Markup]:
    for row, bar in enumerate(bars):
        middle = top + row * ROW + ROW / 2
        text = middle + SIZE * 0.36
        weight = fill(' font-weight="bold"') if bar.marked else ""
        if bar.marked:
            yield fill('<text x="0" y="{:.1f}" fill="{}">▶</text>', text, tint)
        yield fill('<text x="{}" y="{:.1f}"{}>{}</text>', POINTER, text, weight, label(bar))
        yield from _bar(bar, left, plot, middle - THICK / 2, total, tint)
        where = left + plot + GAP
        yield fill('<text x="{:.1f}" y="{:.1f}"{}>{}</text>', where, text, weight, remark(bar))


def _bar(
    bar: Bar, left: float, plot: float, top: float, total: float, tint: str
) -> Iterator[Markup]:
    begin = left + share(bar.start, total) * plot
    end = left + (1.0 if bar.end is None else share(bar.end, total)) * plot
    length = max(end - begin, 3.0)
    begin = min(begin, left + plot - length)
    shape = _open(begin, top, length) if bar.end is None else _closed(begin, top, length)
    if not bar.marked:
        yield fill('<path d="{}" fill="{}"/>', shape, SKY)
        return
    yield fill('<path d="{}" fill="#fff"/>', shape)
    stripes = _stripes(begin, top, length)
    yield fill('<path d="{}" stroke="{}" stroke-width="1.6"/>', stripes, tint)
    yield fill('<path d="{}" fill="none" stroke="{}" stroke-width="2"/>', shape, tint)


def _closed(x: float, y: float, length: float) -> str:
    return f"M{x:.1f} {y:.1f}h{length:.1f}v{THICK}h-{length:.1f}z"


def _open(x: float, y: float, length: float) -> str:
    """What never ended, with a torn right edge."""
    teeth = "l-4 3.25l4 3.25l-4 3.25l4 3.25"
    return f"M{x:.1f} {y:.1f}h{length:.1f}{teeth}h-{length:.1f}z"


def _stripes(x: float, y: float, length: float) -> str:
    """Slanted lines inside the bar; drawn one by one, since a pattern would need an id."""
    lines = []
    offset = 3.0 - THICK
    while offset < length:
        low, high = max(0.0, -offset), min(float(THICK), length - offset)
        if high > low:
            lines.append(
                f"M{x + offset + low:.1f} {y + THICK - low:.1f}"
                f"L{x + offset + high:.1f} {y + THICK - high:.1f}"
            )
        offset += 5.0
    return "".join(lines)


def _axis(left: float, plot: float, height: float, total: float) -> Iterator[Markup]:
    bottom = height - 22
    for tick in _ticks(total):
        x = left + tick / total * plot
        yield fill(
            '<path d="M{x:.1f} {top}V{bottom}" stroke="currentColor" stroke-opacity="0.18"/>'
            '<text x="{x:.1f}" y="{low}" text-anchor="middle" fill-opacity="0.75">{tick:g}</text>',
            x=x, top=TOP - 4, bottom=bottom, low=bottom + 14, tick=tick,
        )  # fmt: skip
    x, y = left + plot + GAP, bottom + 14
    yield fill('<text x="{:.1f}" y="{}" fill-opacity="0.75">{}</text>', x, y, UNIT)


def _ticks(total: float) -> list[float]:
    """Round numbers from 0 to at most `total`, three to six of them."""
    power = 10.0 ** math.floor(math.log10(total / 2))
    step = next(s for s in (power, 2 * power, 5 * power, 10 * power) if total / s <= 5)
    return [step * i for i in range(int(total / step + 1e-9) + 1)]
