"""The public names and signatures are those of docs/api.json."""

import json
from collections import Counter
from typing import Any

from tests.house import api

TOLD = (
    "public names changed: is that meant? Then run `python -m tests.house.api` and say it in"
    " CHANGELOG.md under Unreleased"
)


def flat(names: dict[str, Any], place: str = "") -> dict[str, str]:
    """Each signature by its whole name."""
    found = {}
    for name, value in names.items():
        inner = isinstance(value, dict)
        found |= flat(value, f"{place}{name}.") if inner else {place + name: value}
    return found


def changes(was: dict[str, Any], now: dict[str, Any]) -> list[str]:
    old, new = flat(was), flat(now)
    return [
        f"{name}: {old.get(name, 'not there')} -> {new.get(name, 'not there')}"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]


def test_public_names_and_signatures_are_frozen() -> None:
    was = json.loads(api.PAGE.read_text(encoding="utf-8"))
    assert changes(was, api.api()) == [], TOLD


def test_a_public_name_has_one_home() -> None:
    homes = Counter(name for names in api.api().values() for name in names)
    assert [name for name, count in homes.items() if count > 1] == []


def test_a_name_that_goes_comes_or_takes_something_else_is_told() -> None:
    was = {"course": {"Agent": {"()": "(name)", "run": "(self)"}, "tool": "(function)"}}
    now = {"course": {"Agent": {"()": "(name, age)", "run": "(self)"}, "help": "()"}}
    assert changes(was, now) == [
        "course.Agent.(): (name) -> (name, age)",
        "course.help: not there -> ()",
        "course.tool: (function) -> not there",
    ]
