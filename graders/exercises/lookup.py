"""The exercises that there are: by chapter and by number, with an instructor's own hidden seeds."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path

from course.errors import ConfigurationError
from graders.exercises import contracts
from graders.records.scenario import Exercise

SEEDS = Path(__file__).resolve().parent.parent / "seeds.toml"
"""Hidden seeds of this copy of the course; git ignores it."""


def exercises_of(chapter: str) -> tuple[Exercise, ...]:
    """The exercises of a chapter ("01"), in order; none when it has none. Loads no other one."""
    name = f"graders.exercises.ch{chapter}"
    if importlib.util.find_spec(name) is None:
        return ()
    own = _own_seeds(SEEDS)
    known = tuple(
        replace(each, contract=contracts.contract(each.number, each.trials))
        for each in _defined(name)
    )
    for number in own.keys() - {each.number for each in known}:
        if chapter_of(number) == chapter:
            raise ConfigurationError(f"{SEEDS}: there is no exercise '{number}'")
    return tuple(
        replace(each, hidden_seeds=own[each.number]) if each.number in own else each
        for each in known
    )


def exercise(number: str) -> Exercise:
    """The exercise of this number, such as "1.3".

    Raises:
        ConfigurationError: there is none; the message says which there are.
    """
    known = {each.number: each for each in exercises_of(chapter_of(number))}
    if number not in known:
        place = f"graders/exercises/ch{chapter_of(number)}"
        there = f"{place} has {', '.join(known)}" if known else f"there is no {place}"
        raise ConfigurationError(f"there is no exercise '{number}': {there}")
    return known[number]


@cache
def _defined(package: str) -> tuple[Exercise, ...]:
    """The exercises that the modules of a chapter's package define, by number."""
    found: dict[str, Exercise] = {}
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
        for each in vars(importlib.import_module(module.name)).values():
            if isinstance(each, Exercise) and found.setdefault(each.number, each) is not each:
                raise ConfigurationError(f"{module.name}: there is another {each.number}")
    return tuple(sorted(found.values(), key=lambda each: int(each.number.partition(".")[2])))


@cache
def _own_seeds(path: Path) -> dict[str, tuple[int, ...]]:
    """An instructor's own hidden seeds by exercise: a line such as "1.2" = [71, 72]."""
    if not path.exists():
        return {}
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as trouble:
        raise ConfigurationError(f"{path}: {trouble}") from None
    for number, seeds in table.items():
        good = isinstance(seeds, list) and seeds and all(type(each) is int for each in seeds)
        if not good:
            raise ConfigurationError(f'{path}: write "{number}" = [71, 72], a list of numbers')
        if importlib.util.find_spec(f"graders.exercises.ch{chapter_of(number)}") is None:
            raise ConfigurationError(f"{path}: there is no exercise '{number}'")
    return {number: tuple(seeds) for number, seeds in table.items()}


def chapter_of(number: str) -> str:
    """The chapter ("01") that has the exercise of this number ("1.3")."""
    return number.partition(".")[0].zfill(2)
