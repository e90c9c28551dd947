"""Ablation: what each module of the policy is worth: `python -m tests.reading.ablate [module ...]`.

One module at a time is switched off: each of its public functions gives the neutral answer of its
kind (none, nothing, false, zero, a text as it came). What then changes on samples of every set of
requests is a line of the table. Functions that give an object of the policy's own can't be switched
off. Of the held-out set only the number right is looked at.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import pkgutil
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest import mock

import course.models.policy as policy
from course.models.connect import connect
from tests.policy import cases, teamwork
from tests.policy.crews import outcome
from tests.policy.test_crews import CREWS, OPEN
from tests.reading.domains import domains
from tests.reading.requests import every
from tests.reading.scoring import put_all

PACKAGE = policy.__name__
NEUTRAL: dict[Any, Callable[[], Any]] = {
    bool: bool,
    int: int,
    float: float,
    str: str,
    list: list,
    tuple: tuple,
    dict: dict,
    Mapping: dict,
    frozenset: frozenset,
    Iterator: lambda: iter(()),
    Iterable: tuple,
    types.NoneType: lambda: None,
}
"""The neutral answer to each kind of result."""


def _modules() -> Iterator[types.ModuleType]:
    for found in pkgutil.walk_packages(policy.__path__, f"{PACKAGE}."):
        yield importlib.import_module(found.name)


def _neutral(function: Any) -> Callable[[], Any] | None:
    """What makes a function's neutral answer; None where its kind has none."""
    given = typing.get_type_hints(inspect.unwrap(function)).get("return")
    kinds = typing.get_args(given) if types.NoneType in typing.get_args(given) else ()
    kind = types.NoneType if kinds else typing.get_origin(given) or given
    return NEUTRAL.get(kind)


def _public(module: types.ModuleType) -> Iterator[tuple[str, Any, Callable[[], Any]]]:
    """The functions of a module that others use and that have a neutral answer."""
    for name, value in vars(module).items():
        own = callable(value) and getattr(value, "__module__", "") == module.__name__
        if own and not name.startswith("_") and not inspect.isclass(value):
            neutral = _neutral(value)
            if neutral:
                yield name, value, neutral


def _as_it_came(*given: Any, **_: Any) -> str:
    """The neutral answer of what changes a text: the text."""
    return next((each for each in reversed(given) if isinstance(each, str)), "")


def _always(neutral: Callable[[], Any]) -> Callable[..., Any]:
    return lambda *_, **__: neutral()


def _switched_off(module: types.ModuleType) -> ExitStack:
    """A stack under which a module's functions give neutral answers, wherever they are used."""
    stack = ExitStack()
    for name, value, neutral in _public(module):
        answer = _as_it_came if neutral is str else _always(neutral)
        for user in [m for n, m in sys.modules.items() if n.startswith(PACKAGE)]:
            if vars(user).get(name) is value:
                stack.enter_context(mock.patch.object(user, name, answer))
    return stack


def _right(play: Callable[..., str], *given: Any) -> bool:
    try:
        return not play(*given)
    except Exception:  # whatever a missing part breaks, the request is not answered
        return False


def _crews() -> Iterator[tuple[Any, ...]]:
    for crew in CREWS:
        for place, (request, facts) in enumerate(crew.requests, 1):
            if f"{crew.name}-{place}" not in OPEN:
                yield crew, request, facts


def measured() -> dict[str, int]:
    """The number right on samples of every set, with what is switched on now."""
    for module in [m for n, m in sys.modules.items() if n.startswith(PACKAGE)]:
        for value in vars(module).values():
            getattr(value, "cache_clear", lambda: None)()
    generated = [*every(domains(), "validation")][::4]
    client = connect(profile="instant", wire=False)
    teams = [c for name in ("teamwork", "teamwork_2", "teamwork_3") for c in teamwork.load(name)]
    return {
        "validation": sum(_right(lambda c: put_all(client, [c])[0].wrong, c) for c in generated),
        "development": sum(_right(cases.play, c) for c in cases.ALL[::6]),
        "held out": sum(_right(cases.play, c) for c in cases.load("heldout_2")),
        "teams": sum(_right(teamwork.play, c) for c in teams[::3]),
        "plans": sum(_right(outcome, *c) for c in [*_crews()][::6]),
    }


def _lines(module: types.ModuleType) -> int:
    return len(Path(str(module.__file__)).read_text(encoding="utf-8").splitlines())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help="modules, such as dates; else all")
    given = parser.parse_args()
    modules = [*_modules()]
    whole = measured()
    print("| without | lines | " + " | ".join(whole) + " |")
    print("|---|---|" + "---|" * len(whole))
    print("| nothing | | " + " | ".join(map(str, whole.values())) + " |")
    for module in modules:
        name = module.__name__.removeprefix(f"{PACKAGE}.")
        if (given.only and name not in given.only) or not any(_public(module)):
            continue
        with _switched_off(module):
            left = measured()
        changes = (f"{left[k] - whole[k]:+d}" if left[k] != whole[k] else "0" for k in whole)
        print(f"| {name} | {_lines(module)} | " + " | ".join(changes) + " |", flush=True)


if __name__ == "__main__":
    main()
