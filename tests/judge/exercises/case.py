"""A test exercise: what is asked, right answers in several styles, wrong ones with their codes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graders.records.scenario import (
    Answer,
    Ask,
    Exercise,
    Scenario,
    ScenarioMaker,
    ToolOffer,
    Trial,
)
from tests.grading.answers import read

FOLDER = Path(__file__).with_name("answers")
PRELUDE = "import asyncio, json, threading, time\nfrom course import ToolError\n"


@dataclass(frozen=True)
class Case:
    """One exercise and its answers.

    Attributes:
        check: the check of the vocabulary that it is there for.
        exercise: with one trial.
        right: style -> source.
        wrong: name -> (code, source).
    """

    check: str
    exercise: Exercise
    right: Mapping[str, str]
    wrong: Mapping[str, tuple[str, str]]


def case(
    check: str,
    stage: str,
    scenario: Scenario | ScenarioMaker,
    checks: Callable[[Scenario], Any],
) -> Case:
    """A case around `async def solve(...)`; `stage` is what the stage returns.

    Its answers are a text file of the check's name; what a wrong one `says` is its code.
    """
    source = f"async def stage(bench, student):\n    solve = student.solve\n    {stage}\n"

    def world(draw: random.Random) -> Scenario:
        return scenario(draw) if callable(scenario) else scenario

    name = re.sub(r"\W+", "_", check).strip("_")
    path = FOLDER / f"{name}.txt"
    told = read(path.read_text(encoding="utf-8"), path.name, "")
    wrong = {name: (told.says[name], source) for name, source in told.wrong}
    trial = Trial(check, source, world, checks)
    return Case(check, Exercise("9.9", ("solve",), (trial,)), dict(told.right), wrong)


def offer(
    name: str, behaviour: Callable[[Ask], Answer], *required: str, timeout: float | None = None
) -> ToolOffer:
    """A tool whose arguments are all text."""
    fields = {each: {"type": "string"} for each in required}
    schema = {"type": "object", "properties": fields, "required": list(required)}
    return ToolOffer(name, f"{name}.", schema, behaviour, timeout)


def told(ask: Ask, seconds: float) -> Answer:
    """An answer with its token, after some seconds."""
    what = " ".join(str(each) for each in ask.arguments.values())
    return Answer(f"{what}: {ask.token}", seconds)


def lasting(**seconds: float) -> Callable[[Ask], Answer]:
    """Answers after so many seconds, by the first argument."""

    def behaviour(ask: Ask) -> Answer:
        first = str(next(iter(ask.arguments.values())))
        return told(ask, seconds.get(first, 1.0))

    return behaviour
