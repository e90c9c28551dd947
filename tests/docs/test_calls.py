"""A call of the course's names that a page writes as code takes the keywords it is given."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import course
from course.runner import run
from course.systems import carry_out

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
RUNS = ("run", "run_sync", "stream")


def calls(text: str) -> Iterator[tuple[str, set[str]]]:
    """Name and keywords of each call of the front door's names in backticks."""
    for code in re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text):
        try:
            tree = ast.parse(code)
        except SyntaxError:  # no Python, or a part of a line
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func).removeprefix("course.")
                if name in course.__all__:
                    yield name, {each.arg for each in node.keywords if each.arg}


def takes(name: str) -> set[str]:
    """The keywords of a name of the front door; of `run` also what any system takes."""
    rooms = {each: getattr(course, each) for each in course.__all__}  # loads who carries out what
    own = set(inspect.signature(rooms[name]).parameters)
    if name not in RUNS:
        return own
    carriers: list[Any] = list(carry_out.registry.values())
    return own.union(*(inspect.signature(each).parameters for each in (run, *carriers)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_call_in_a_page_takes_what_it_is_given(page: Path) -> None:
    told = calls(page.read_text(encoding="utf-8"))
    assert [f"{name}({key}=...)" for name, keys in told for key in keys - takes(name)] == []


def test_a_keyword_that_nothing_takes_is_seen() -> None:
    [(name, keys)] = calls("a cap: `run(max_turns=...)` holds it")
    assert (name, keys - takes(name)) == ("run", {"max_turns"})
    assert sum(len(list(calls(page.read_text(encoding="utf-8")))) for page in PAGES) >= 10
