"""All checks in one table: what each is for, its parameters, its codes and what it says."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from graders.checks.examples import calling, results, structure, trying
from graders.checks.examples.play import Example
from graders.records import wording

MODULES = (
    "calls order overlap retry refine breakers timeouts leftovers content invention values schemas"
    " outcome histories senders limits traces disjoint plans"
).split()


@dataclass(frozen=True)
class Row:
    """One code of one check.

    Attributes:
        check: the factory's name.
        purpose: the first sentence of its docstring.
        parameters: its signature, as one writes a call of it.
        code: what a verdict may carry.
        meaning: when it does.
        message: what it then says, from a small log.
    """

    check: str
    purpose: str
    parameters: str
    code: str
    meaning: str
    message: str


def examples() -> list[Example]:
    """For every code of every check a log that earns it."""
    return [*calling.EXAMPLES, *trying.EXAMPLES, *results.EXAMPLES, *structure.EXAMPLES]


def meanings() -> dict[str, str]:
    """Every code and when it is given, in the order of the modules."""
    found: dict[str, str] = {}
    for name in MODULES:
        found.update(importlib.import_module(f"graders.checks.{name}").CODES)
    return found | wording.CODES


def rows() -> Iterator[Row]:
    """The table: each check with each of its codes, in the order of the examples."""
    package = importlib.import_module("graders.checks")
    meaning = meanings()
    for example in examples():
        factory: Callable[..., Any] = getattr(package, example.factory)
        yield Row(
            check=example.factory,
            purpose=(inspect.getdoc(factory) or "").splitlines()[0],
            parameters=_parameters(factory),
            code=example.code,
            meaning=meaning[example.code],
            message=example.verdict.message,
        )


def _parameters(factory: Callable[..., Any]) -> str:
    """Names with their defaults, as one would write them in a call."""
    shown = []
    for name, each in inspect.signature(factory).parameters.items():
        if each.kind is each.VAR_POSITIONAL:
            shown.append(f"*{name}")
        elif each.default is each.empty:
            shown.append(name)
        else:
            default = getattr(each.default, "__name__", None) or repr(each.default)
            short = default if len(default) <= 40 else "..."
            shown.append(f"{name}={short}")
    return ", ".join(shown)
