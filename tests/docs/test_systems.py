"""docs/systems.md is true: what it names is there, and each page's program prints what it says."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from course.models.connect import BACKEND, _default, default_client
from course.models.server import background
from course.observability.sequence import sequence_diagram
from tests.marking import LONG

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "docs/systems.md"
PAGES = sorted((ROOT / "docs/systems").glob("*.md"))
LEAST = 40
FRACTION = re.compile(r"\d+\.\d+")


class Row(NamedTuple):
    """One system: its name, what it does, where to read, its code, its test."""

    system: str
    does: str
    read: str
    code: str
    test: str


def rows() -> list[Row]:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    listed = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return [Row(*(cell.strip() for cell in cells)) for cells in listed[1:]]


def linked(cell: str) -> set[Path]:
    """The files that a cell links to: a chapter, a page, or both."""
    return {(TABLE.parent / link).resolve() for link in re.findall(r"\]\(([^)#]+)", cell)}


def bound(module: str) -> Iterator[str]:
    """The names that a module binds, read and not imported: voices take seconds to load."""
    origin = str(getattr(importlib.util.find_spec(module), "origin", None))
    for node in ast.parse(Path(origin).read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.ImportFrom():
                yield from (each.asname or each.name for each in node.names)
            case ast.Assign() | ast.AnnAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                yield from (each.id for each in targets if isinstance(each, ast.Name))


def text_of(path: Path) -> str:
    """What a page says; of a notebook, its cells' sources."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])


def block(page: Path, language: str) -> str:
    """The first block of a language on a page."""
    found = re.search(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    assert found, f"{page.name} has no block ```{language}"
    return found[1]


def played(page: Path) -> tuple[str, dict[str, Any]]:
    """What a page's program prints, and its names."""
    said, names = io.StringIO(), {"__name__": "__main__"}
    with contextlib.redirect_stdout(said):
        exec(compile(block(page, "python"), page.name, "exec"), names)
    return said.getvalue(), names


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.system)
def test_a_row_names_what_is_there_and_what_speaks_of_it(row: Row) -> None:
    place = row.code.strip("`")
    module, _, attribute = place.partition(":")
    if attribute:
        assert attribute in set(bound(module)), f"no {place}"
    else:
        assert (ROOT / place).exists(), f"no {place}"
    names = re.compile(rf"\b({attribute or Path(place).stem}|{module.replace('/', '.')})\b")
    test = ROOT / row.test.strip("`")
    read = linked(row.read)
    assert read
    for page in {test, *read} - {Path(__file__)}:  # which runs pages as they stand
        assert names.search(text_of(page)), f"{page.name} does not name {place}"


def test_each_system_has_one_row_and_each_page_is_listed() -> None:
    names = [row.system for row in rows()]
    assert len(names) == len(set(names)) >= LEAST
    assert set(PAGES) <= {page for row in rows() for page in linked(row.read)}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with background(profile="instant") as url:
        yield url


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_pages_program_prints_what_the_page_says(page: Path) -> None:
    said, names = played(page)
    assert said == block(page, "text")
    if "```mermaid" in page.read_text(encoding="utf-8"):
        drawn = sequence_diagram(names["result"].trace, tools=False)
        assert f"{drawn}\n" == block(page, "mermaid")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_it_does_so_with_the_model_behind_an_endpoint(
    page: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seconds and prices, which are fractions, are the service's own; all the rest is the same."""
    environment = {BACKEND: "endpoint", "OPENAI_API_KEY": "any",
                   "OPENAI_BASE_URL": address}  # fmt: skip
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    _default.cache_clear()
    try:
        assert default_client().real_time  # type: ignore[attr-defined]
        assert FRACTION.sub("#", played(page)[0]) == FRACTION.sub("#", block(page, "text"))
    finally:
        _default.cache_clear()


MEASURED = ROOT / "docs/systems/one-agent.md"
CELLS = [
    [int(cell.replace(",", "")) for cell in line.split(" | ")]
    for line in re.findall(r"^\| (\d.*) \|$", MEASURED.read_text(encoding="utf-8"), re.M)
]
SHORT_STEPS = 5
ENDS = (CELLS[0][0], CELLS[-1][0])
"""The fewest tools and the most: with up to so many steps, a row of these takes a second."""


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(
            row,
            id=f"{row[0]} tools {row[1]} steps",
            marks=() if row[0] in ENDS and row[1] <= SHORT_STEPS else LONG,
        )
        for row in CELLS
    ],
)
def test_a_row_of_the_table_of_one_agent_or_several_is_measured_again(row: list[int]) -> None:
    names: dict[str, Any] = {"__name__": "page"}
    exec(compile(block(MEASURED, "python"), MEASURED.name, "exec"), names)
    tools, steps, *told = row
    found = [names["measured"](tools, steps, way) for way in ("single", "supervisor")]
    numbers = [float(n) for said in found for n in re.findall(r"[\d.]+", said)]
    wanted = [told[0], 40, *told[1:4], 40, *told[4:]]
    assert numbers == pytest.approx(wanted, rel=0, abs=0.56)  # both are rounded seconds


def test_the_table_of_one_agent_or_several_is_whole() -> None:
    assert len(CELLS) == 20
