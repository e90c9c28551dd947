"""A trace on the page: a timeline with one lane a span, or a diagram of who turned to whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from course.drawing import OKABE_ITO
from course.notebook.show import show
from course.observability.sequence import sequence_diagram

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from course.trace import Span, Trace


MOST_LANES = 60
LANE = 0.3  # inches


@dataclass(frozen=True)
class Look:
    """How a kind of span is drawn. Hatch and word tell it apart without colour."""

    word: str
    colour: str
    hatch: str


LOOKS = {
    "invoke_agent": Look("agent", OKABE_ITO["blue"], ""),
    "chat": Look("model", OKABE_ITO["orange"], "///"),
    "execute_tool": Look("tool", OKABE_ITO["green"], "xx"),
}
OTHER = Look("step", OKABE_ITO["purple"], "..")


def look(operation: str) -> Look:
    """Return how spans of this operation are drawn; unknown ones are called by their name."""
    return LOOKS.get(operation, Look(operation or OTHER.word, OTHER.colour, OTHER.hatch))


def label(span: Span) -> str:
    """Return what stands beside a bar: kind and name, such as ``tool find_patient``."""
    return f"{look(span.operation).word} {span.name}".strip()


def alt_text(trace: Trace) -> str:
    """Say in two or three sentences what the timeline of ``trace`` shows."""
    if not trace.spans:
        return f"The trace of {trace.name} is empty: nothing was recorded."
    spans, seconds = trace.spans, _seconds(trace)
    kinds = Counter(look(span.operation).word for span in spans)
    parts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    order = "; ".join(_told(span) for span in spans[:12])
    rest = f"; and {len(spans) - 12} more" if len(spans) > 12 else ""
    failed = [label(span) for span in spans if span.status == "error"]
    faults = f" Failed: {', '.join(failed[:5])}." if failed else ""
    return (
        f"Timeline of {trace.name}: {len(spans)} spans over {seconds:.2f} s ({parts}). "
        f"In order: {order}{rest}.{faults}"
    )


def timeline(trace: Trace) -> Figure:
    """Draw ``trace`` as a matplotlib figure; past 60 lanes the rest is only counted."""
    from matplotlib.figure import Figure

    from course.observability.views import walk

    spans = list(walk(trace))
    lanes = spans[:MOST_LANES]
    figure = Figure(figsize=(8, 0.9 + LANE * len(lanes)))
    axes = figure.add_subplot()
    total = _seconds(trace) or 1.0  # under virtual time a run may take no time at all
    for row, (_, span) in enumerate(lanes):
        _bar(axes, row, span, total)
    _frame(axes, [f"{'   ' * depth}{label(span)}" for depth, span in lanes], total)
    left = len(spans) - len(lanes)
    more = f" (and {left} more spans, in the tree below)" if left else ""
    axes.set_xlabel(f"seconds from the start{more}")
    return figure


def _bar(axes: Axes, row: int, span: Span, total: float) -> None:
    style = look(span.operation)
    # A span of no length would be invisible; a sliver of the axis shows that it happened.
    length = max(span.end - span.start, total * 0.004)
    axes.barh(
        row, length, left=span.start, height=0.62,
        color=style.colour, hatch=style.hatch, edgecolor="white", linewidth=0.6,
    )  # fmt: skip
    words = f" {span.end - span.start:.2f} s" + (" ✗" if span.status == "error" else "")
    axes.text(span.start + length, row, words, va="center", fontsize=8)
    times = [event.time for event in span.events]
    axes.plot(times, [row] * len(times), "d", color=OKABE_ITO["black"], markersize=4)


def _frame(axes: Axes, labels: Iterable[str], total: float) -> None:
    names = list(labels)
    axes.set_yticks(range(len(names)), names, fontsize=8, family="monospace")
    for tick in axes.get_yticklabels():
        tick.set_horizontalalignment("left")
    width = max(map(len, names)) * 5.2  # points, for a monospaced 8 point font
    axes.tick_params(axis="y", length=0, pad=width)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(0, total * 1.12)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis="x", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)


def _told(span: Span) -> str:
    return f"{label(span)} {span.start:.2f} to {span.end:.2f} s"


def _seconds(trace: Trace) -> float:
    return max(span.end for span in trace.spans)


def show_sequence(trace: Trace, *, tools: bool = True) -> None:
    """Show who turned to whom in a run, and what came back; JupyterLab draws it from Mermaid text.

    Args:
        trace: of any system, as recorded or from a file.
        tools: whether the calls of tools are drawn.
    """
    diagram = sequence_diagram(trace, tools=tools)
    show({"text/vnd.mermaid": diagram, "text/plain": diagram})
