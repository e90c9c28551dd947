"""Weights: what trained coefficients make of what speaks for something: conditional logits, one for
each thing that is chosen.

`python -m tests.reading.train` makes them of requests and documents; see docs/model-accuracy.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

Features = dict[str, float]


@cache
def coefficients() -> dict[str, dict[str, float]]:
    """The trained coefficients, for each scorer by feature; "" is the constant."""
    text = files("course.models.policy.reader").joinpath("coefficients.json").read_text("utf-8")
    read: dict[str, dict[str, float]] = json.loads(text)
    return read


def weight(of: str, features: Mapping[str, float], more: Sequence[float] = ()) -> float:
    """What trained coefficients give to features, with `more` weights: `of` names the scorer."""
    weights = coefficients().get(of, {})
    return math.fsum([*more, *[weights[k] * v for k, v in features.items() if k in weights]])


@cache
def _by_first_word() -> dict[str, dict[str, float]]:
    """The weights of pairs of words beside a tool, by the first word."""
    found: dict[str, dict[str, float]] = {}
    for name, worth in coefficients().get("tool", {}).items():
        one, beside, other = name.partition("|")
        if beside:
            found.setdefault(one, {})[other] = worth
    return found


def paired_weights(said: set[str], own: frozenset[str]) -> list[float]:
    """The weights of the pairs that words of a text make with words of a tool."""
    rows = ((one, _by_first_word().get(one, {})) for one in said)
    return [row[o] for one, row in rows for o in row.keys() & own if o != one]


def likeliest(of: str, found: tuple[tuple[Any, Mapping[str, float]], ...]) -> tuple[Any, float]:
    """The value that trained weights make likeliest, with its probability; None where nothing is
    said. `of` names the weights; those of saying nothing are kept under "no " and that name."""
    odds = [math.exp(weight(of, f)) for _, f in found[:-1]]
    none = math.exp(weight(f"no {of}", found[-1][1]))
    whole = sum(odds) + none
    told = [n for n, (_, f) in enumerate(found[:-1]) if any(v for k, v in f.items() if k)]
    best = max(told, key=odds.__getitem__, default=None)
    if best is None or odds[best] < none:
        return None, none / whole
    return found[best][0], odds[best] / whole
