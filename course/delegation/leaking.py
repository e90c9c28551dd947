"""Finding out from a trace whether a task heard what was not meant for it."""

from __future__ import annotations

import json

from course.trace import Span, Trace


def leaks(trace: Trace) -> list[tuple[str, str]]:
    """Which calls had a task that began with words of another call.

    Args:
        trace: several calls, each an `invoke_workflow` span with `task` spans somewhere below it.
            A task's span has the messages that it began with (`gen_ai.input.messages`) and those
            that it added (`gen_ai.output.messages`), as JSON.

    Returns:
        Pairs of names, without doubles: the call that heard a person's words, and the earlier
        call in which a task had heard them first. Words that were said in the call itself before
        are no leak.

    Built in chapter 05, exercise 5.6.
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
    """What the person said, among the messages that a span carries.

    Built in chapter 05.
    """
    messages = json.loads(str(step.attributes.get(attribute, "[]")))
    return {str(each["content"]) for each in messages if each["role"] == "user"}
