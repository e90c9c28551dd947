"""The policy knows no scenario and no chapter, and looks at nothing but the request."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import course.models.policy as policy

HERE = Path(policy.__file__).parent
FILES = sorted(HERE.rglob("*.py"))
SCENARIOS = re.compile(
    r"clinic|front.?desk|competitive|competitor|rebalanc|curricul|portfolio|product launch"
    r"|contract review|chapter|exercise",
    re.IGNORECASE,
)
WORLD = {"time", "random", "os", "sys", "pathlib", "socket", "asyncio", "threading", "secrets"}
CLOCKS = {"now", "today", "utcnow", "time", "monotonic", "perf_counter"}


def test_there_is_something_to_look_at() -> None:
    assert len(FILES) > 20


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(HERE)))
def test_no_scenario_or_chapter_is_named(path: Path) -> None:
    assert SCENARIOS.findall(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(HERE)))
def test_nothing_of_the_world_is_read(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert not {a.name.split(".")[0] for a in node.names} & WORLD
        if isinstance(node, ast.ImportFrom):
            assert (node.module or "").split(".")[0] not in WORLD
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("open", "input", "print")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            clock = isinstance(owner, ast.Name) and owner.id in ("date", "datetime", "time")
            assert not (clock and node.func.attr in CLOCKS)
