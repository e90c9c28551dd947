"""The rooms of course/: each reads in one sitting, and imports point down."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

LONGEST = 500  # lines in a module: past that it no longer reads in one sitting

# Top to bottom, as README lists them. A room may import those below it and those beside it.
FLOORS: tuple[set[str], ...] = (
    {"__main__", "cli"},
    {"notebook"},
    {"lab"},
    {"voice"},
    {"scenarios"},
    {"runner"},
    {"supervisor_worker"},
    {"conversation", "delegation"},
    {"supervisor"},
    {"team"},
    {"pipeline"},
    {"routing"},
    {"agent"},
    {"approval", "handoff", "session"},
    {"budget", "chat", "context", "events", "limits", "runs", "systems", "tools"},
    {"models"},
    {"trace"},
    {"blocking", "clock", "contradictions"},
    {"errors"},
)
HEAVY = ("openai", "pydantic", "matplotlib", "livekit", "IPython", "opentelemetry", "starlette",
         "uvicorn", "bpe_openai", "jsonschema", "snowballstemmer")  # fmt: skip


def modules(root: Path) -> list[Path]:
    return sorted((root / "course").rglob("*.py"))


def room(path: Path, root: Path) -> str:
    return path.relative_to(root / "course").parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> Iterator[str]:
    """The rooms a module imports anywhere in it, in a function or for types as well."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno}: write imports from course in full"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            first, _, rest = name.partition(".")
            if first == "course" and rest:
                yield rest.split(".")[0]
            assert first not in ("graders", "tests"), f"{path.name} imports {first}"


def test_every_room_has_a_floor(root: Path) -> None:
    assert {room(path, root) for path in modules(root)} - {"__init__"} <= set().union(*FLOORS)


def test_imports_only_point_down(root: Path) -> None:
    floor = {name: number for number, names in enumerate(FLOORS) for name in names}
    upward = {
        f"{path.relative_to(root)} imports course.{target}"
        for path in modules(root)
        if (here := room(path, root)) != "__init__"
        for target in imported_rooms(path)
        if floor[target] < floor[here]
    }
    assert upward == set()


@pytest.mark.parametrize("package", ["course", "graders"])
def test_modules_read_in_one_sitting(package: str, root: Path) -> None:
    lengths = {
        str(path.relative_to(root)): len(path.read_text().splitlines())
        for path in (root / package).rglob("*.py")
    }
    assert lengths
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST} == {}


def test_importing_the_course_loads_nothing_heavy() -> None:
    program = f"import sys, course; print([n for n in {HEAVY!r} if n in sys.modules])"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert loaded.stdout.strip() == "[]"
