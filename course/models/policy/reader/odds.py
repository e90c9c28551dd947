"""Odds: how likely a slot takes each of its marks, or stays empty, by a conditional logit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from course.models.policy.reader.pairs import Pair
from course.models.policy.reader.slots import Slot
from course.models.policy.reader.weights import weight

LIKELY = 0.5
"""From which probability on a mark is taken for a slot that needs a value."""
_MORE_FOR_WORDS = 0.1  # of plain words, for a slot that may stay empty


class Floors(NamedTuple):
    """How likely a mark must be for a slot that needs a value, for one that may stay empty, and
    for one that needs a text, of which an empty one is no lie."""

    required: float
    optional: float
    text: float

    def of(self, pair: Pair) -> float:
        """How likely the mark of a pair must be to be taken."""
        param = pair.slot.param
        needed = self.text if param.type == "string" else self.required
        more = _MORE_FOR_WORDS * (pair.mark.kind == "phrase")
        floor = needed if param.required else self.optional + more
        return max(floor, LIKELY) if param.kind == "prose" else floor


def unsaid(slot: Slot) -> dict[str, float]:
    """What speaks for a slot's staying empty."""
    kind, needed = slot.param.kind, float(slot.param.required)
    found = {"": 1.0, kind: 1.0, "required": needed, f"required>{kind}": needed}
    return {k: v for k, v in found.items() if v}


def chances(of: str, found: Sequence[Pair]) -> list[tuple[float, float]]:
    """For each pair how likely its mark is what its slot asks for, among all the marks of the slot
    and none, and against none alone: `of` is "slot" or "field", whose coefficients count."""
    odds = [math.exp(min(30.0, weight(of, p.features))) for p in found]
    slots = {p.slot.name: p.slot for p in found}
    none = {n: math.exp(weight(f"no {of}", unsaid(s))) for n, s in slots.items()}
    whole = dict(none)
    for pair, worth in zip(found, odds, strict=True):
        whole[pair.slot.name] += worth
    return [
        (o / whole[p.slot.name], o / (o + none[p.slot.name]))
        for p, o in zip(found, odds, strict=True)
    ]
