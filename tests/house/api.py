"""docs/api.json: the public names of course/ with their signatures.

`python -m tests.house.api` writes it anew; a test holds it to the code. Public is what `course` and
its rooms export (`__all__`), what the modules named here define, and what a class of those offers.
A name has one home: what `course` offers is public there, though its room can be asked for it too.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

PAGE = Path(__file__).parents[2] / "docs/api.json"
ROOMS = """course course.delegation course.models course.pipeline course.routing course.supervisor
    course.supervisor_worker course.team""".split()
MODULES = """course.benches.bench course.clock course.errors course.evaluation.scores
    course.evaluation.stats course.events course.foreign course.lab.one course.lab.patterns
    course.lab.spec course.limits course.models.breaker course.observability.transcript
    course.results course.session course.systems""".split()
"""Modules that the documents import from, of which all is public that has no underscore."""
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def api() -> dict[str, dict[str, Any]]:
    """By room and name: a signature, a class's with its members, or the type of a value."""
    door, *rooms = (*ROOMS, *MODULES)
    nouns = dict(sorted(_exports(door)))
    within = {room: sorted(_exports(room)) for room in rooms}
    return {door: nouns} | {
        room: {name: value for name, value in found if nouns.get(name) != value}
        for room, found in within.items()
    }


def _exports(room: str) -> Iterator[tuple[str, Any]]:
    module = importlib.import_module(room)
    for name in getattr(module, "__all__", None) or _defined(module):
        value = getattr(module, name)
        if inspect.ismodule(value):
            yield name, "module"
        elif inspect.isclass(value):
            yield name, {"()": _signature(value), **dict(sorted(_members(value)))}
        else:
            yield name, _signature(value) if callable(value) else type(value).__name__


def _defined(module: ModuleType) -> list[str]:
    own = {
        name
        for name, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", "") == module.__name__
    }
    return sorted(name for name in own if not name.startswith("_"))


def _members(kind: type) -> Iterator[tuple[str, str]]:
    """What the course itself gives a class: methods and properties."""
    for base in reversed(kind.__mro__):
        for name, value in vars(base).items() if base.__module__.startswith("course") else ():
            function = getattr(value, "__func__", value)
            if name.startswith("_") or inspect.isclass(function):
                continue
            if inspect.isfunction(function):
                yield name, _signature(function)
            elif hasattr(value, "__get__") and not inspect.ismemberdescriptor(value):
                yield name, "property"


def _signature(value: Any) -> str:
    try:
        return _ADDRESS.sub("", str(inspect.signature(value)))
    except ValueError:  # of an enumeration or a protocol, in which nobody passes anything
        return "(...)"


def text() -> str:
    return json.dumps(api(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
