"""A trace of many thousand steps, by level: what is outermost first, as far as it can be drawn."""

from __future__ import annotations

from course.observability.views import walk
from course.trace import Trace

MOST = 8_000
"""Steps that are drawn at once."""


def outline(trace: Trace, most: int = MOST) -> tuple[Trace, list[str]]:
    """The outer steps of a trace, and a line that says so; the trace itself where it is small.

    Whole levels as far as they go, and of the next one the steps that began first.
    """
    if trace.place <= most:
        return trace, []
    depth = {span.span_id: level for level, span in walk(trace)}
    order = {span.span_id: n for n, span in enumerate(trace.spans)}
    kept = sorted(depth, key=lambda id: (depth[id], order[id]))[:most]
    deepest, chosen = depth[kept[-1]], set(kept)
    drawn = Trace(trace.name, seed=trace.seed, messages=True)
    drawn.begin_ns = trace.begin_ns
    for span in trace.spans:
        if span.span_id in chosen:
            drawn.add(span)
    told = f"{trace.place:,} steps: the outermost {most:,}, {deepest + 1} levels deep, are drawn"
    return drawn, [f"{told}, and the figures are theirs"]
