"""Who used or heard what it had not been given, as a trace tells.

A stage can use a value that it was never shown (`unshown`), and a task can begin with words of
another call (`leaks`). Both ask the same of a trace: what had this step seen when it used it?
"""

from __future__ import annotations

import json
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
    Built in chapter 02, exercise 2.3.

    A field is known once a stage was shown it or wrote it. A tool call inside a later stage that
    has an argument of that name, although the stage was not shown the field, got its value from
    nowhere: the stage lacks the field in its `reads`.

    Args:
        trace: of one run of a pipeline.

    Returns:
        What was used unseen, in the order of the calls, each stage, field and tool once.
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


def leaks(trace: Trace) -> list[tuple[str, str]]:
    """Which calls had a task that began with words of another call.
    Built in chapter 05, exercise 5.6.

    Args:
        trace: several calls, each an `invoke_workflow` span with `task` spans somewhere below it.
            A task's span has the messages that it began with (`gen_ai.input.messages`) and those
            that it added (`gen_ai.output.messages`), as JSON.

    Returns:
        Pairs of names, without doubles: the call that heard a person's words, and the earlier
        call in which a task had heard them first. Words that were said in the call itself before
        are no leak.
    """
    steps = {step.span_id: step for step in trace.spans}
    said: dict[str, set[str]] = {}
    found: list[tuple[str, str]] = []
    for task in trace.spans:
        if task.operation != "task":
            continue
        call = task
        while call.parent_id:
            call = steps[call.parent_id]
        own = said.setdefault(call.name, set())
        strange = persons_words(task, "gen_ai.input.messages") - own
        found += [(call.name, other) for other, words in said.items() if strange & words]
        own |= persons_words(task, "gen_ai.output.messages")
    return list(dict.fromkeys(found))


def persons_words(step: Span, attribute: str) -> set[str]:
    """What the person said, among the messages that a span carries. Built in chapter 05."""
    messages = json.loads(str(step.attributes.get(attribute, "[]")))
    parts = (part for each in messages if each["role"] == "user" for part in each["parts"])
    return {str(part["content"]) for part in parts if part["type"] == "text"}
