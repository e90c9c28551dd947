"""The scorer: logistic coefficients that were trained in the project, and nothing else.

`python -m tests.reading.train` makes coefficients.json from the training part of the generated
requests and the development requests; see docs/model-accuracy.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

Features = Mapping[str, float]


@cache
def coefficients() -> dict[str, dict[str, float]]:
    """The trained coefficients, for each scorer by feature; "" is the constant."""
    text = files("course.models.policy.reader").joinpath("coefficients.json").read_text("utf-8")
    read: dict[str, dict[str, float]] = json.loads(text)
    return read


def chance(of: str, features: Features) -> float:
    """The probability that trained coefficients give to features: `of` is "slot" or "tool"."""
    weights = coefficients().get(of, {})
    total = weights.get("", 0.0) + math.fsum(weights.get(k, 0.0) * v for k, v in features.items())
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))
