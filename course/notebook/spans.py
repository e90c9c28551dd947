"""A trace as a tree to unfold, in HTML without scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from course.markup import Markup, fill, joined, text
from course.observability.views import children_of

if TYPE_CHECKING:
    from course.trace import Span, Trace

LONGEST = 500  # characters of one value; the whole is in the trace's JSON


def html_tree(trace: Trace) -> Markup:
    """Return nested ``<details>``, closed: each span with its times, attributes and events."""
    children = children_of(trace)
    inside = joined(_branch(span, children) for span in children.get(None, ()))
    title = f"The trace as a tree: {trace.name}, {len(trace.spans)} spans"
    return fill("<details><summary>{}</summary>{}</details>", title, inside)


def _branch(span: Span, children: Mapping[str | None, Sequence[Span]]) -> Markup:
    inside = joined(_branch(child, children) for child in children.get(span.span_id, ()))
    return fill(
        '<details style="margin-left: 1.5em"><summary>{}</summary>{}{}</details>',
        _summary(span), _facts(span), inside,
    )  # fmt: skip


def _summary(span: Span) -> Markup:
    sign = "✗ " if span.status == "error" else ""
    name = f"{span.operation} {span.name}".strip()
    return fill("{}<b>{}</b> {:.3f} to {:.3f} s", sign, name, span.start, span.end)


def _facts(span: Span) -> Markup:
    rows = [(key, str(value)) for key, value in sorted(span.attributes.items())]
    rows += [(f"at {each.time:.3f} s", _event(each.name, each.attributes)) for each in span.events]
    if span.error:
        rows.insert(0, ("error", span.error))
    if not rows:
        return Markup()
    return fill("<ul>{}</ul>", joined(_fact(*row) for row in rows))


def _event(name: str, attributes: Mapping[str, object]) -> str:
    told = ", ".join(f"{key}={value}" for key, value in attributes.items())
    return f"{name} {told}".strip()


def _fact(key: str, value: str) -> Markup:
    short = value if len(value) <= LONGEST else f"{value[:LONGEST]}… ({len(value)} characters)"
    return fill("<li>{}: <code>{}</code></li>", text(key), text(short))
