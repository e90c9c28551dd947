"""A run on the page: played where somebody watches, a still picture where nobody does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from course.errors import ConfigurationError
from course.markup import fill, joined
from course.notebook.show import html_bundle, show, watched
from course.observability.views import tree
from course.viewer.compare import comparison
from course.viewer.picture import picture_of
from course.viewer.still import still
from course.viewer.widget import widget

if TYPE_CHECKING:
    from course.trace import Trace


def show_trace(trace: Trace, other: Trace | None = None, *, said: str = "") -> None:
    """Show a run on the switchboard: who has the conversation, who asks whom, and when.

    Step through it with → and ←, or play it. Each step shows what the model saw, what of it was
    new, and what came back. Where no scripts run there is a still picture with a table of all
    events, and outside a notebook a tree of the steps.

    Args:
        trace: what a run left behind, for example ``result.trace``. Made with messages
            (``Trace(name, messages=True)``; in a chapter they are kept) it tells what was said.
        other: of another run, to compare on one clock, from where they part.
        said: what stands above the comparison.
    """
    if not trace.spans:
        print(f"The trace of {trace.name} is empty: nothing was recorded.")
        return
    show(trace_bundle(trace, other, said=said))


def trace_bundle(trace: Trace, other: Trace | None = None, *, said: str = "") -> dict[str, Any]:
    """A run, or two, by MIME type."""
    traces = [trace] if other is None else [trace, other]
    pictures = [picture_of(each) for each in traces]
    alone = other is None
    data = pictures[0].as_json() if alone else comparison(*pictures, said=said)
    cause = "" if alone else (data["parting"] or {}).get("sentence", "")
    words = [each for each in (said, cause) if each and not alone]
    told = joined(fill("<p>{}</p>", each) for each in words)
    plain = "\n".join((*words, *map(tree, traces)))
    bundle: dict[str, Any] = dict(html_bundle(joined((told, *map(still, pictures))), plain))
    if not watched():
        return bundle
    try:
        made = widget(data)._repr_mimebundle_()
    except ConfigurationError:  # no widgets here: the still picture says the same
        return bundle
    return {**(made[0] if isinstance(made, tuple) else made), **bundle}
