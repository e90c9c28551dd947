"""Evidence as a picture: one line a step, bars along an axis of virtual seconds.

The picture is SVG without scripts, without anything remote and without ids, so that any number of
them can stand on one page. It takes the colour of its text from the page, and what is marked
differs by stripes, a frame, a pointer and its weight, so that colour is never needed.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence

from graders.feedback.words import extent, label, remark, share, told
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
_FONT = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def evidence_svg(verdict: Verdict) -> str:
    """The evidence of a verdict as one `<svg>` element; empty when there is none.

    Args:
        verdict: as the judge gives it; whatever its texts hold is escaped.
    """
    bars = verdict.evidence
    if not bars:
        return ""
    left = POINTER + max(len(label(bar)) for bar in bars) * LETTER + GAP
    right = GAP + max(len(UNIT), *(len(remark(bar)) for bar in bars)) * LETTER
    plot = min(max(WIDTH - left - right, PLOT[0]), PLOT[1])
    width = left + plot + right
    height = TOP + ROW * len(bars) + 26
    total = extent(bars)
    parts = [*_axis(left, plot, height, total), *_rows(bars, left, plot, total)]
    said = html.escape(told(bars), quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{said}" '
        f'viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}" '
        f'style="max-width: 100%; height: auto" font-family="{_FONT}" font-size="{SIZE}" '
        f'fill="currentColor">{"".join(parts)}</svg>'
    )


def _rows(bars: Sequence[Bar], left: float, plot: float, total: float) -> Iterator[str]:
    for row, bar in enumerate(bars):
        middle = TOP + row * ROW + ROW / 2
        text = middle + SIZE * 0.36
        weight = ' font-weight="bold"' if bar.marked else ""
        if bar.marked:
            yield f'<text x="0" y="{text:.1f}" fill="{VERMILION}">▶</text>'
        yield f'<text x="{POINTER}" y="{text:.1f}"{weight}>{html.escape(label(bar))}</text>'
        yield from _bar(bar, left, plot, middle - THICK / 2, total)
        said = html.escape(remark(bar))
        yield f'<text x="{left + plot + GAP:.1f}" y="{text:.1f}"{weight}>{said}</text>'


def _bar(bar: Bar, left: float, plot: float, top: float, total: float) -> Iterator[str]:
    begin = left + share(bar.start, total) * plot
    end = left + (1.0 if bar.end is None else share(bar.end, total)) * plot
    length = max(end - begin, 3.0)
    begin = min(begin, left + plot - length)
    shape = _open(begin, top, length) if bar.end is None else _closed(begin, top, length)
    if not bar.marked:
        yield f'<path d="{shape}" fill="{SKY}"/>'
        return
    yield f'<path d="{shape}" fill="#fff"/>'
    yield f'<path d="{_stripes(begin, top, length)}" stroke="{VERMILION}" stroke-width="1.6"/>'
    yield f'<path d="{shape}" fill="none" stroke="{VERMILION}" stroke-width="2"/>'


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


def _axis(left: float, plot: float, height: float, total: float) -> Iterator[str]:
    bottom = height - 22
    for tick in _ticks(total):
        x = left + tick / total * plot
        yield (
            f'<path d="M{x:.1f} {TOP - 4}V{bottom}" stroke="currentColor" stroke-opacity="0.18"/>'
            f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle" fill-opacity="0.75">'
            f"{tick:g}</text>"
        )
    yield f'<text x="{left + plot + GAP:.1f}" y="{bottom + 14}" fill-opacity="0.75">{UNIT}</text>'


def _ticks(total: float) -> list[float]:
    """Round numbers from 0 to at most `total`, three to six of them."""
    power = 10.0 ** math.floor(math.log10(total / 2))
    step = next(s for s in (power, 2 * power, 5 * power, 10 * power) if total / s <= 5)
    return [step * i for i in range(int(total / step + 1e-9) + 1)]
