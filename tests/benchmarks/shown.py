"""How much of the core a student sees built: `python -m tests.benchmarks.shown [room ...]`.

Prints the core's lines by room and the share of its definition lines that a chapter shows. A
definition is what a module's top level defines; it is shown when a cell tagged `save` holds the
same syntax tree, or when `show_source` opens it. The ground (clock, files, errors) is counted among
the core's lines and not in the share. With rooms named, each of their definitions follows, the
longest that are not shown first.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

from course.notebook.sources import read_source
from tests.notebooks import kit, lints

ROOMS = """agent answers approval budget chat clock context contradictions conversation delegation
errors events files handoff limits pipeline results routing runner runs session supervisor
supervisor_worker systems team tools trace""".split()
GROUND = frozenset({"clock", "errors", "files"})


@dataclass(frozen=True)
class Definition:
    """What one module defines at its top level, and how many lines it takes."""

    module: str
    name: str
    lines: int
    shown: bool


@cache
def saved() -> frozenset[str]:
    """The syntax trees of all that the chapters' save cells define or their cells open."""
    books = [kit.read(path) for path in lints.notebooks("solutions")]
    cells = (
        cell.source
        for book in books
        for cell in book.cells
        if "save" in cell.metadata.get("tags", [])
    )
    opened = (read_source(place).code for book in books for place in lints.sources_shown(book))
    return frozenset(
        ast.dump(node) for source in chain(cells, opened) for node in ast.parse(source).body
    )


def modules(room: str) -> list[Path]:
    """The modules of a room of course/: a package's, or the one there is."""
    package = kit.ROOT / "course" / room
    return sorted(package.rglob("*.py")) if package.is_dir() else [package.with_suffix(".py")]


def lines(room: str) -> int:
    """All lines of a room, blank ones among them."""
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in modules(room))


def definitions(room: str) -> Iterator[Definition]:
    """What a room defines, `__all__` and names of the interpreter left out."""
    for path in modules(room):
        for name, nodes in lints.definitions(path.read_text(encoding="utf-8")).items():
            for node in nodes if not name.startswith("__") else ():
                decorators = getattr(node, "decorator_list", [])
                first = min([node.lineno, *(each.lineno for each in decorators)])
                length = (node.end_lineno or node.lineno) - first + 1
                yield Definition(path.stem, name, length, ast.dump(node) in saved())


def counted(known: Mapping[str, list[Definition]]) -> list[Definition]:
    """The definitions that a chapter may show: all but the ground's."""
    return [each for room, found in known.items() if room not in GROUND for each in found]


def row(name: str, length: int, found: list[Definition]) -> str:
    defined = sum(each.lines for each in found)
    seen = sum(each.lines for each in found if each.shown)
    share = f"{seen / defined:4.0%}" if defined else "   -"
    return f"{name:18} {length:6} {defined:8} {seen:6} {share}"


def main(named: list[str]) -> None:
    known = {room: list(definitions(room)) for room in ROOMS}
    print(f"{'room':18} {'lines':>6} {'defined':>8} {'shown':>6} share")
    for room, found in known.items():
        print(row(room, lines(room), found))
    every = counted(known)
    print(row("core", sum(map(lines, ROOMS)), every))
    for room in named:
        print(f"\n{room}")
        for each in sorted(known[room], key=lambda each: (each.shown, -each.lines)):
            mark = "shown" if each.shown else ""
            print(f"  {each.lines:4} {mark:5} {each.module}.{each.name}")


if __name__ == "__main__":
    main(sys.argv[1:])
