"""How sure an answer may be, from what is known of its run: of the whole and of each part.

The rule. A part's own confidence is the chance that it adds no error of its own:

    0.995  each tool result that it rests on came twice the same, from calls of their own
    0.90  it rests on a tool result that came once
    0.70  it rests on nothing: no tool was asked and no part was given
    x 0.95 for each try or tool call that failed before it, x 0.5 for each result that it had to do
    without, and for each contradiction that names it; 0 where it has no result

A part that only puts others' results in words (no tools asked) counts as 0.995. The answer's
confidence is the product over all its parts, x 0.5 for each gap and x 0.9 where no model could make
the answer. From `SURE` on it is called sure: that takes figures that were looked up twice.

The numbers are assumptions; that they hold is measured: `python -m tests.benchmarks.confidence`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import prod

from course.contradictions import Contradiction
from course.results import Gap, TaskResult

SURE = 0.92
"""From which confidence on an answer is called sure."""
TWICE, ONCE, NEVER = 0.995, 0.90, 0.70
TRIED_AGAIN, WITHOUT, LISTED = 0.95, 0.5, 0.9


@dataclass(frozen=True)
class Confidence:
    """A confidence with what lowered it.

    Attributes:
        value: from 0 to 1.
        reasons: each a line; empty where nothing lowered it.
    """

    value: float
    reasons: tuple[str, ...] = ()

    @property
    def sure(self) -> bool:
        """Whether it is high enough to be called sure."""
        return self.value >= SURE

    def __str__(self) -> str:
        told = f" ({'; '.join(self.reasons)})" if self.reasons else ""
        return f"{self.value:.2f}, {'sure' if self.sure else 'unsure'}{told}"


@dataclass(frozen=True)
class Confidences:
    """How sure an answer may be: the whole, and each of its parts by the task's id."""

    answer: Confidence
    parts: Mapping[str, Confidence]


def confidence(
    results: Mapping[str, TaskResult],
    gaps: Collection[Gap] = (),
    contradictions: Collection[Contradiction] = (),
    *,
    listed: bool = False,
) -> Confidences:
    """How sure an answer may be, by the rule above, from the results by task, what is missing and
    what disagrees; `listed` where no model made it.
    """
    named = Counter(id for each in contradictions for id, _ in each.said)
    parts = {id: part(each, named[id]) for id, each in results.items()}
    reasons = [f"{id}: {'; '.join(each.reasons)}" for id, each in parts.items() if each.reasons]
    own = [each.value for each in parts.values() if each.value]
    value = prod(own) if own else 0.0
    if gaps:
        reasons.append(f"{len(gaps)} gap(s)")
        value *= WITHOUT ** len(gaps)
    if listed:
        reasons.append("no model made the answer")
        value *= LISTED
    return Confidences(Confidence(value, tuple(reasons)), parts)


def part(result: TaskResult, contradicted: int = 0) -> Confidence:
    """How sure one task's result may be, by itself.

    Args:
        contradicted: contradictions that name it.
    """
    if not result.done:
        return Confidence(0.0, (f"no result: {result.failure}",))
    value, reasons = _sources(result)
    failed = sum(each.failed for each in result.evidence)
    failed += sum(each.failure is not None for each in result.attempts)
    for count, factor, why in (
        (failed, TRIED_AGAIN, "failed before it"),
        (len(result.without), WITHOUT, "result(s) missing"),
        (contradicted, WITHOUT, "contradiction(s)"),
    ):
        if count:
            value *= factor**count
            reasons.append(f"{count} {why}")
    return Confidence(value, tuple(reasons))


def _sources(result: TaskResult) -> tuple[float, list[str]]:
    came = Counter((e.tool, e.arguments, e.result) for e in result.evidence if not e.failed)
    if not came:
        return (TWICE, []) if result.rests_on else (NEVER, ["no source"])
    asked = {(tool, arguments) for tool, arguments, _ in came}
    twice = {(tool, arguments) for (tool, arguments, _), n in came.items() if n > 1}
    return (TWICE, []) if asked == twice else (ONCE, ["looked up once"])
