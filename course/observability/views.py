"""A trace as text: a tree of steps, and bars along a time axis."""

from __future__ import annotations

from collections.abc import Iterator

from course.trace import Span, Trace

BARS = {"chat": "█", "execute_tool": "▒", "invoke_agent": "─"}
_DETAILS = (
    ("gen_ai.usage.input_tokens", "{} tokens in"),
    ("gen_ai.usage.output_tokens", "{} out"),
    ("gen_ai.tool.call.arguments", "{}"),
    ("switchboard.stop", "{}"),
)


def tree(trace: Trace) -> str:
    """The steps of a trace as an indented tree, one line each, with times in seconds."""
    lines = [f"{trace.name}  ({duration(trace):.2f} s)"]
    children = children_of(trace)
    pending = _stacked("", children.get(None, []))
    while pending:
        indent, span, last = pending.pop()
        lines.append(f"{indent}{'└─ ' if last else '├─ '}{_line(span)}")
        pending += _stacked(indent + ("   " if last else "│  "), children.get(span.span_id, []))
    return "\n".join(lines)


def gantt(trace: Trace, *, width: int = 60) -> str:
    """The steps of a trace as bars: █ model call, ▒ tool, ─ agent; `width` characters of time."""
    spans = list(walk(trace))
    if not spans:
        return f"{trace.name}: no steps recorded"
    total = max(duration(trace), 1e-9)
    labels = ["  " * depth + _label(span) for depth, span in spans]
    column = min(max(map(len, labels)), 40)
    lines = []
    for (_, span), label in zip(spans, labels, strict=True):
        left = min(round(span.start / total * width), width - 1)
        length = max(round(span.seconds / total * width), 1)
        bar = " " * left + BARS.get(span.operation, "▪") * min(length, width - left)
        lines.append(f"{label[:column]:<{column}} │{bar:<{width}}│ {span.seconds:6.2f} s")
    lines.append(f"{'':<{column}} │{'0':<{width // 2}}{f'{total:.2f} s':>{width - width // 2}}│")
    return "\n".join(lines)


def walk(trace: Trace) -> Iterator[tuple[int, Span]]:
    """Every span with its depth (roots 0), parents before their children."""
    children = children_of(trace)
    pending = [(0, span) for span in reversed(children.get(None, []))]
    while pending:
        depth, span = pending.pop()
        yield depth, span
        pending += [(depth + 1, child) for child in reversed(children.get(span.span_id, []))]


def duration(trace: Trace) -> float:
    """Seconds from the start of the trace to the end of its last span; 0 when it is empty."""
    return max((span.end for span in trace.spans), default=0.0)


def children_of(trace: Trace) -> dict[str | None, list[Span]]:
    """The spans by the id of the one that they stand in, None for roots; in the trace's order."""
    children: dict[str | None, list[Span]] = {}
    for span in trace.spans:
        children.setdefault(span.parent_id, []).append(span)
    return children


def _stacked(indent: str, siblings: list[Span]) -> list[tuple[str, Span, bool]]:
    """Siblings in the order in which a stack wants them, each with whether it is the last."""
    return [(indent, span, span is siblings[-1]) for span in reversed(siblings)]


def _line(span: Span) -> str:
    details = [
        text.format(span.attributes[key])
        for key, text in _DETAILS
        if span.attributes.get(key, "") != ""
    ]
    if span.error:
        details.append(f"✗ {span.error}")
    told = f"  {' '.join(' · '.join(details).split())}" if details else ""  # one line, whatever
    return f"{_label(span)}  {span.start:.2f}–{span.end:.2f} s{told}"


def _label(span: Span) -> str:
    return f"{span.operation} {span.name}".strip()
