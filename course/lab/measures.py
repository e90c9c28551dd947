"""Measures of your own: a number of a run's steps becomes a column of `runs`.

A measure is a function of the steps of a trace, and enters with a decorator; an experiment names
it in `measure`:

    @measure("asked_twice")
    def asked_twice(steps):
        asked = Counter(step.name for step in steps if step.operation == "execute_tool")
        return sum(count - 1 for count in asked.values())
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TypeVar

from course.errors import ConfigurationError
from course.lab.tables import RUNS, Column
from course.trace import Span

Measure = Callable[[Sequence[Span]], float | None]
"""Of the steps of a run, in the order in which they began; None where there is nothing to tell."""

MEASURES: dict[str, Measure] = {}
"""Every measure of one's own by its name."""

M = TypeVar("M", bound=Measure)


def measure(name: str) -> Callable[[M], M]:
    """Enter a function of a run's steps as the column of this name; a later one takes its place.

    Raises ConfigurationError: the name is no name, or that of another column.
    """
    if not name.isidentifier() or name in {column.name for column in RUNS}:
        raise ConfigurationError(
            f"a measure has a name of its own such as asked_twice, not '{name}'"
        )

    def enter(function: M) -> M:
        MEASURES[name] = function
        return function

    return enter


def columns(names: Sequence[str]) -> tuple[Column, ...]:
    """The columns of `runs` with these measures after the usual ones."""
    told = ((name, inspect.getdoc(MEASURES[name]) or "of your own") for name in names)
    return RUNS + tuple(Column(name, "float64", "", text.splitlines()[0]) for name, text in told)


def measured(names: Sequence[str], steps: Sequence[Span]) -> dict[str, float | None]:
    """What these measures tell of a run.

    Raises ConfigurationError: one of them breaks, or tells no number.
    """
    found: dict[str, float | None] = {}
    for name in names:
        try:
            value = MEASURES[name](steps)
            found[name] = None if value is None else float(value)
        except Exception as error:
            said = f"{type(error).__name__}: {error}".splitlines()[0]
            raise ConfigurationError(f"measure '{name}' breaks: {said}") from error
    return found
