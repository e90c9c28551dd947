"""Sentences that people say to a clinic's front desk, with the specialist each belongs to.

`train()` teaches a classifier, `calibration()` sets its threshold, `test()` judges what came out:
they must never mix. All were written by the course's authors; real callers say it in more ways.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Sentence:
    """One request with the specialists it needs: none when it is out of scope, several when it asks
    for several things. Used in chapter 02.

    `kind` is "plain" (says what it is about), "paraphrase" (without the telling word), "tricky"
    (with the telling word of another specialist), "out of scope" or "several".
    """

    text: str
    agents: tuple[str, ...]
    kind: str = "plain"


def specialists() -> dict[str, str]:
    """What each specialist of the clinic is for, by name."""
    return dict(_read("specialists"))


def train() -> tuple[Sentence, ...]:
    """What a classifier learns from: 33 sentences for each specialist, none out of scope."""
    return _sentences("train")


def calibration() -> tuple[Sentence, ...]:
    """What thresholds are set on: of all five kinds, held out from training."""
    return _sentences("calibration")


def test() -> tuple[Sentence, ...]:
    """What a router is judged on: of all five kinds, and never used for a choice."""
    return _sentences("test")


@cache
def _sentences(name: str) -> tuple[Sentence, ...]:
    return tuple(
        Sentence(text, () if label == "nobody" else tuple(label.split(" + ")), kind)
        for label, kinds in _read(name).items()
        for kind, texts in kinds.items()
        for text in texts
    )


def _read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((files(__name__) / f"{name}.json").read_text("utf-8"))
    return found
