"""The spans of a trace as a tree: what stands below what, and which exchange it tells of."""

from __future__ import annotations

from graders.checks.spans import Step, Unreadable, steps_of
from graders.exercises.ch11.observed_run import Seen
from graders.exercises.kit import *

SLACK = 0.25
"""Seconds by which a span may be longer than what it tells of, at either end."""


class Tree:
    """The spans of a trace with those above them."""

    def __init__(self, steps: Sequence[Step], raw: Sequence[Any]) -> None:
        self.steps = steps
        self._raw = raw
        self._parents = {step.span_id: step.parent_id for step in steps}

    @classmethod
    def of(cls, seen: Seen) -> Tree:
        """The trace of a run; empty where it cannot be read."""
        trace = seen.log.trace or {}
        try:
            return cls(steps_of(trace, seen.log.ended), list(trace.get("spans", ())))
        except Unreadable:
            return cls((), ())

    def dispatches(self, id: str) -> list[Step]:
        """The dispatches of a task, in order of time."""
        own = [s for s in self.steps if s.operation == "dispatch" and id in self._names(s)]
        return sorted(own, key=lambda step: (step.start, step.index))

    def all_dispatches(self) -> list[str]:
        """The tasks that the trace says were dispatched."""
        own = [step for step in self.steps if step.operation == "dispatch"]
        return list(dict.fromkeys(self._names(step)[-1] for step in own))

    def attempts(self, step: Step) -> int:
        """The tries that a dispatch tells of."""
        raw = self._raw[step.index]
        events = [e for e in raw.get("events") or () if e.get("name") == "attempt"]
        said = raw.get("attributes", {}).get("switchboard.task.attempts")
        return int(said) if isinstance(said, int) else len(events)

    def told(self, own: Sequence[Step]) -> set[int]:
        """How many tries a task's dispatches can be read to tell of: one each, or what they say.

        Where one is in another, the outer one tells; where that says nothing, those in it do.
        """
        above = [self.above(each) for each in own]
        outer = [s for s, ids in zip(own, above, strict=True) if ids.isdisjoint(_ids(own))]
        inner = [s for s in own if s.span_id not in set[str]().union(*above)]
        said = [self.attempts(each) for each in outer]
        if not any(said):
            outer, said = inner, [self.attempts(each) for each in inner]
        total, longest = sum(said), max(said, default=0)
        return {total} if longest > len(outer) else {total, len(outer)}

    def holds_work(self, step: Step) -> bool:
        """Whether a request or a call is in this span."""
        work = (each for each in self.steps if each.operation in ("chat", "execute_tool"))
        return any(step.span_id in self.above(each) for each in work)

    def nearest(self, step: Step) -> Step | None:
        """The innermost dispatch that a span is in."""
        ids = {each.span_id: each for each in self.steps}
        at, seen = ids.get(step.parent_id or ""), set[str]()
        while at is not None and at.operation != "dispatch" and at.span_id not in seen:
            seen.add(at.span_id)
            at = ids.get(at.parent_id or "")
        return at if at is not None and at.operation == "dispatch" else None

    def above(self, step: Step) -> set[str]:
        """The ids of the spans that a span is in."""
        found: set[str] = set()
        at = step.parent_id
        while at is not None and at not in found:
            found.add(at)
            at = self._parents.get(at)
        return found

    def of_exchange(self, exchange: Exchange) -> Step | None:
        """The span that tells of an exchange."""
        operation = "chat" if exchange.kind == "model" else "execute_tool"
        named = [s for s in self.steps if (s.operation, s.name) == (operation, exchange.name)]
        near = [s for s in named if abs(s.start - exchange.start) <= SLACK + 1e-6]
        ends = [s for s in near if abs(s.end - (exchange.end or 0.0)) <= SLACK + 1e-6]
        one = [s for s in ends if _same(s.arguments, exchange)]
        return one[0] if len(one) == 1 else None  # of several nobody can say which

    def _names(self, step: Step) -> list[str]:
        attributes = self._raw[step.index].get("attributes", {})
        said = attributes.get("switchboard.task.id")
        return [step.name, str(said)] if said is not None else [step.name]


def _ids(steps: Sequence[Step]) -> set[str]:
    return {step.span_id for step in steps}


def _same(noted: Any, exchange: Exchange) -> bool:
    if exchange.kind == "model" or not isinstance(noted, Mapping):
        return True
    return all(str(exchange.request.get(key)) == str(value) for key, value in noted.items())
