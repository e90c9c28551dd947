"""Reading a trace for what went wrong between agents."""

from __future__ import annotations

from course.trace import Trace


def circle(trace: Trace) -> tuple[str, ...]:
    """The agents among whom a conversation went round, as its trace tells it.

    A consultation comes back by design, so only handoffs that are not meant to return count.

    Args:
        trace: of a team; its `handoff` spans say who handed over to whom, and of what kind it was.

    Returns:
        The shortest sequence of agents that the conversation went through twice in a row, from
        where it did so first; empty when there is none.

    Built in chapter 03, exercise 3.5.
    """
    path: list[str] = []
    for span in trace.spans:
        kind = span.attributes.get("switchboard.handoff.kind")
        if span.operation == "handoff" and kind not in ("consult", "return"):
            path = path or [str(span.attributes["switchboard.handoff.from"])]
            path.append(str(span.attributes["switchboard.handoff.to"]))
    for length in range(1, len(path) // 2 + 1):
        for start in range(len(path) - 2 * length + 1):
            once = path[start : start + length]
            if once == path[start + length : start + 2 * length]:
                return tuple(once)
    return ()
