"""What a trace of a chain tells about its wiring: values that a stage cannot have known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic_core import from_json

from course.trace import Span, Trace

SHOWN, WROTE = "switchboard.stage.shown", "switchboard.stage.wrote"
ARGUMENTS = "gen_ai.tool.call.arguments"


@dataclass(frozen=True)
class Unshown:
    """A stage gave a tool a field of the state that it was not shown: it made the value up.

    Built in chapter 02.
    """

    stage: str
    field: str
    tool: str


def unshown(trace: Trace) -> list[Unshown]:
    """The fields that stages used without having been shown them, as a trace tells.

    A field is known once a stage was shown it or wrote it. A tool call inside a later stage that
    has an argument of that name, although the stage was not shown the field, got its value from
    nowhere: the stage lacks the field in its `reads`.

    Args:
        trace: of one run of a pipeline.

    Returns:
        What was used unseen, in the order of the calls, each stage and field once.

    Built in chapter 02, exercise 2.3.
    """
    known: set[str] = set()
    found: list[Unshown] = []
    for stage in trace.spans:
        if stage.operation != "stage":
            continue
        seen = names_in(stage, SHOWN)
        for call in calls_in(trace, stage):
            for name in names_in(call, ARGUMENTS):
                made_up = Unshown(stage.name, name, call.name)
                if name in known and name not in seen and made_up not in found:
                    found.append(made_up)
        known |= {*seen, *names_in(stage, WROTE)}
    return found


def names_in(span: Span, attribute: str) -> tuple[str, ...]:
    """The names in an attribute that holds a JSON object; none if it is missing or no object.

    Built in chapter 02.
    """
    try:
        held = from_json(str(span.attributes.get(attribute, "{}")))
    except ValueError:  # a model's arguments need not be JSON
        return ()
    return tuple(held) if isinstance(held, dict) else ()


def calls_in(trace: Trace, stage: Span) -> Iterator[Span]:
    """The tool calls that were made inside a stage, in the order in which they began.

    Built in chapter 02.
    """
    inside = {stage.span_id}
    for span in trace.spans:  # parents come before their children
        if span.parent_id in inside:
            inside.add(span.span_id)
            if span.operation == "execute_tool":
                yield span
