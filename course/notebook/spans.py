"""A trace as a tree to unfold, in HTML without scripts."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from course.observability.views import children_of

if TYPE_CHECKING:
    from course.trace import Span, Trace

LONGEST = 500  # characters of one value; the whole is in the trace's JSON


def html_tree(trace: Trace) -> str:
    """Return nested ``<details>``, closed: each span with its times, attributes and events."""
    children = children_of(trace)
    inside = "".join(_branch(span, children) for span in children.get(None, ()))
    title = html.escape(f"The trace as a tree: {trace.name}, {len(trace.spans)} spans")
    return f"<details><summary>{title}</summary>{inside}</details>"


def _branch(span: Span, children: Mapping[str | None, Sequence[Span]]) -> str:
    inside = "".join(_branch(child, children) for child in children.get(span.span_id, ()))
    facts = _facts(span)
    return (
        f'<details style="margin-left: 1.5em"><summary>{_summary(span)}</summary>'
        f"{facts}{inside}</details>"
    )


def _summary(span: Span) -> str:
    sign = "✗ " if span.status == "error" else ""
    name = html.escape(f"{span.operation} {span.name}".strip())
    return f"{sign}<b>{name}</b> {span.start:.3f} to {span.end:.3f} s"


def _facts(span: Span) -> str:
    rows = [(key, str(value)) for key, value in sorted(span.attributes.items())]
    rows += [(f"at {each.time:.3f} s", _event(each.name, each.attributes)) for each in span.events]
    if span.error:
        rows.insert(0, ("error", span.error))
    if not rows:
        return ""
    return f"<ul>{''.join(_fact(*row) for row in rows)}</ul>"


def _event(name: str, attributes: Mapping[str, object]) -> str:
    told = ", ".join(f"{key}={value}" for key, value in attributes.items())
    return f"{name} {told}".strip()


def _fact(key: str, value: str) -> str:
    short = value if len(value) <= LONGEST else f"{value[:LONGEST]}… ({len(value)} characters)"
    return f"<li>{_text(key)}: <code>{_text(short)}</code></li>"


def _text(said: str) -> str:
    """Text between tags, where quotes stay as they are: JSON is full of them."""
    return html.escape(said, quote=False)
