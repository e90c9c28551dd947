"""Each public name of course/ has one home, and the front door has every noun."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import course
from tests.notebooks import kit, lints

NOUNS = (
    "Agent Handoff Team Supervisor Worker Pipeline Stage Router Task TaskGroup Plan Session Limits"
    " PlanningSupervisor Result Trace tool connect clock run run_sync stream hub_and_spoke"
    " escalation consultation"
).split()
ROOMS = (
    "benches delegation evaluation lab models observability pipeline routing supervisor"
    " supervisor_worker team trace"
).split()

PRELUDES = {
    "course.models.policy.words",
    "course.models.validators",
    "course.models.wire",
    "graders.exercises.kit",
}
"""Modules that are there to pass names on, as packages do."""
IMPORT = re.compile(r"^ *from ((?:course|graders|tests)[\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)
NAME = re.compile(r"(\w+)(?: as (\w+))?(?=[,)\s]|$)")


def exports(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """What a room offers."""
    for name in getattr(module, "__all__", ()):
        yield name, getattr(module, name)


def homes() -> dict[str, set[str]]:
    """Where what the rooms and the front door export under a name is defined."""
    found: dict[str, set[str]] = {}
    for module in (course, *(importlib.import_module(f"course.{room}") for room in ROOMS)):
        for name, value in exports(module):
            if inspect.isclass(value) or inspect.isfunction(value):
                found.setdefault(name, set()).add(value.__module__)
    return found


def test_the_front_door_has_every_noun() -> None:
    assert [name for name in NOUNS if name not in course.__all__] == []
    assert all(getattr(course, name) is not None for name in course.__all__)


def test_a_name_has_one_home() -> None:
    assert {name: places for name, places in homes().items() if len(places) > 1} == {}


def test_a_room_exports_its_own_names_only() -> None:
    for room in ROOMS:
        module = importlib.import_module(f"course.{room}")
        strangers = {
            name: value.__module__
            for name, value in exports(module)
            if inspect.isclass(value) or inspect.isfunction(value)
            if not value.__module__.startswith(f"course.{room}")
        }
        assert strangers == {}, room


def test_no_two_rooms_define_a_class_of_one_name() -> None:
    found: dict[str, set[str]] = {}
    for each in pkgutil.walk_packages(course.__path__, "course."):
        # each module of a framework needs that framework
        left = (".policy", ".scenarios", ".lab.frameworks.", ".joining.")
        if any(part in each.name for part in left) or each.name.endswith("__main__"):
            continue
        module = importlib.import_module(each.name)
        for name, value in vars(module).items():
            if inspect.isclass(value) and value.__module__ == each.name and name[0] != "_":
                found.setdefault(name, set()).add(each.name)
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def imports(text: str) -> Iterator[tuple[str, str, str]]:
    """Module and name of all that a program imports of the house, and what it calls it."""
    for room, names in IMPORT.findall(text):
        yield from ((room, name, other or name) for name, other in NAME.findall(names))


def programs(root: Path) -> Iterator[tuple[str, str]]:
    """Name and text of each module of the house, and of each chapter's code."""
    for room in ("course", "graders", "tests"):
        for path in (root / room).rglob("*.py"):
            name = ".".join(path.relative_to(root).with_suffix("").parts)
            yield name, path.read_text(encoding="utf-8")
    for path in lints.notebooks("solutions"):
        cells = (cell.source for cell in kit.read(path).cells if cell.cell_type == "code")
        yield path.stem, "\n".join(cells)


def test_a_name_is_imported_from_its_home(root: Path) -> None:
    found = {name: set(imports(text)) for name, text in programs(root)}
    passed_on = {(name, own) for name in found.keys() - PRELUDES for _, _, own in found[name]}
    wrong = {
        f"{name}: {each} is only passed on by {home}"
        for name, names in found.items()
        for home, each, _ in names
        if (home, each) in passed_on
    }
    assert wrong == set()
