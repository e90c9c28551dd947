"""What a trace says about how a supervisor worked."""

from __future__ import annotations

from dataclasses import dataclass

from course.trace import Trace

ASKING = ("decompose", "chat")
"""The steps in which a supervisor's model asks for delegations."""


@dataclass(frozen=True)
class Wait:
    """A delegation that began later than it could have.

    Attributes:
        worker: who was given the task late.
        behind: the worker whose delegation, asked for by the same message, ended just before.
        seconds: how long it waited.

    Built in chapter 04.
    """

    worker: str
    behind: str
    seconds: float


def waits(trace: Trace) -> list[Wait]:
    """The delegations that waited for another one of the same message, in the order of the trace.

    All delegations of a message could begin when the message is there: a worker sees nothing of
    another's work. So whoever begins only when a sibling has ended was held up for nothing.

    Args:
        trace: of a supervisor's run. A delegation is a span whose operation is "delegate"; its
            siblings have the same parent. A message ends where a sibling "decompose" or "chat"
            ends.

    Built in chapter 04, exercise 4.6.
    """
    found = []
    for each in trace.spans:
        if each.operation != "delegate":
            continue
        siblings = [s for s in trace.spans if s.parent_id == each.parent_id and s is not each]
        asked = max(
            (s.end for s in siblings if s.operation in ASKING and s.end <= each.start), default=0.0
        )
        before = [
            s
            for s in siblings
            if s.operation == "delegate" and asked <= s.start < s.end <= each.start
        ]
        if before:
            last = max(before, key=lambda s: s.end)
            found.append(Wait(each.name, last.name, each.start - asked))
    return found
