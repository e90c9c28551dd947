"""The rooms of course/ and graders/: each reads in one sitting, and imports point down."""

import ast
import re
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

LONGEST = 500  # lines in a module: past that it no longer reads in one sitting

# Top to bottom, as README lists them. A room may import those below it and those beside it.
COURSE: tuple[set[str], ...] = (
    {"__main__", "cli", "lab_commands"},
    {"playground"},
    {"notebook"},
    {"reproductions"},
    {"lab"},
    {"evaluation"},
    {"benches"},
    {"viewer"},
    {"observability"},
    {"voice"},
    {"scenarios"},
    {"runner"},
    {"supervisor_worker"},
    {"conversation", "delegation"},
    {"supervisor"},
    {"pipeline", "routing"},
    {"fallback"},
    {"foreign", "joining", "team"},
    {"agent"},
    {"alternates", "approval", "conditions", "going_back", "handoff", "person", "session"},
    {
        "answers",
        "budget",
        "chat",
        "context",
        "events",
        "limits",
        "results",
        "runs",
        "systems",
        "tools",
    },
    {"models"},
    {"trace"},
    {"clock", "contradictions", "corrections", "figures"},
    {"statements"},
    {"stems"},
    {"addresses", "drawing", "executors", "extras", "files", "terminal"},
    {"threads", "trace_ids", "trace_messages"},
    {"tab"},
    {"markup"},
    {"errors"},
)
GRADERS: tuple[set[str], ...] = (
    {"doors"},
    {
        "__main__",
        "cli",
        "jupyter_nbconvert_config",
        "jupyter_server_config",
        "nbgrader_config",
        "startup",
    },
    {"classroom", "handed_in"},
    {"chapters", "preprocessors"},
    {"exercises", "release"},
    {"feedback", "harmless", "judge"},
    {"checks"},
    {"box", "child", "diagrams", "linking", "records"},
)
FLOORS = {"course": COURSE, "graders": GRADERS}
ABOVE = {"course": {"graders", "tests"}, "graders": {"tests"}}
HEAVY = ("openai", "pydantic", "matplotlib", "livekit", "IPython", "opentelemetry", "starlette",
         "uvicorn", "bpe_openai", "jsonschema", "snowballstemmer")  # fmt: skip

SERVERS = ("starlette", "uvicorn", "opentelemetry.exporter", "openai", "http.server")


def modules(package: Path) -> list[Path]:
    return sorted(package.rglob("*.py"))


def module(path: Path, root: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def room(path: Path, package: Path) -> str:
    return path.relative_to(package).parts[0].removesuffix(".py")


@cache
def imported(path: Path) -> list[str]:
    """What a module imports anywhere in it, in a function or for types as well, in full."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and not node.level:
            found += (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert "child" in path.parts or "box" in path.parts, (  # they run by themselves
                f"{path.name}:{node.lineno}: write imports in full"
            )
        elif isinstance(node, ast.Import):
            found += (alias.name for alias in node.names)
    return found


def needs(package: str, root: Path) -> dict[str, set[str]]:
    """By module of a package the others of it that it imports."""
    homes = {module(path, root): path for path in modules(root / package)}
    return {
        name: {
            home
            for each in imported(path)
            if (home := each if each in homes else each.rpartition(".")[0]) in homes.keys() - {name}
        }
        for name, path in homes.items()
    }


@pytest.mark.parametrize("package", FLOORS)
def test_every_room_has_a_floor(package: str, root: Path) -> None:
    rooms = {room(path, root / package) for path in modules(root / package)}
    assert rooms - {"__init__"} <= set().union(*FLOORS[package])


@pytest.mark.parametrize("package", FLOORS)
def test_imports_only_point_down(package: str, root: Path) -> None:
    floor = {name: number for number, names in enumerate(FLOORS[package]) for name in names}
    wrong = set()
    for path in modules(root / package):
        here = room(path, root / package)
        for name in imported(path):
            first, _, rest = name.partition(".")
            target = rest.partition(".")[0]
            upward = first == package and rest and floor.get(target, -1) < floor.get(here, -1)
            if upward or first in ABOVE[package]:
                wrong.add(f"{path.relative_to(root)} imports {name}")
    assert wrong == set()


@pytest.mark.parametrize("package", ["course", "graders", "tests"])
def test_no_modules_go_round_in_a_circle(package: str, root: Path) -> None:
    """Imports for types and within functions count too: whoever reads follows them all."""
    TopologicalSorter(needs(package, root)).prepare()  # raises CycleError, which names the circle


def test_rooms_of_graders_import_each_other_one_way(root: Path) -> None:
    graders = root / "graders"
    below: dict[str, set[str]] = {}
    for path in modules(graders):
        names = (name.split(".")[1] for name in imported(path) if name.startswith("graders."))
        below.setdefault(room(path, graders), set()).update(names)
    alone = {name: others - {name} for name, others in below.items()}
    TopologicalSorter(alone).prepare()  # raises where rooms of one floor go round in a circle


def test_no_chapters_exercises_need_another_chapters(root: Path) -> None:
    found = {
        f"{path.relative_to(root)} imports {name}"
        for path in modules(root / "graders/exercises")
        for name in imported(path)
        if (other := re.match(r"graders\.exercises\.(ch\d\d)\b", name))
        if other[1] not in path.parts
    }
    assert found == set()


def test_looking_an_exercise_up_loads_its_chapter_alone() -> None:
    program = "import sys; from graders.exercises import exercise; exercise('0.1')"
    loaded = subprocess.run(
        [sys.executable, "-c", f"{program}; print(*sys.modules)"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    names = loaded.stdout.split()
    chapters = {name.split(".")[2] for name in names if name.startswith("graders.exercises.ch")}
    assert chapters == {"ch00"}
    assert not [name for name in names if name.startswith(("course.scenarios", "graders.judge.j"))]


def test_judging_one_notebook_loads_nothing_of_a_class() -> None:
    program = "import sys; from graders.cli import main; main(['check', 'not-there.ipynb'])"
    loaded = subprocess.run(
        [sys.executable, "-c", f"{program}; print(*sys.modules)"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    names = [name for name in loaded.stdout.split() if name.startswith("graders.classroom.")]
    assert {name.split(".")[2] for name in names} <= {"commands", "lms_names", "saying"}


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


def test_the_core_loads_nothing_of_a_server() -> None:
    program = (
        f"from course import *; import sys; print([n for n in {SERVERS!r} if n in sys.modules])"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert loaded.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("bench", "worlds"),
    [("dag:4x3", set()), ("contract_review", {"contract_review"}), ("support", {"support"})],
)
def test_making_a_bench_loads_its_own_world_and_no_other(bench: str, worlds: set[str]) -> None:
    program = f"import sys; from course.benches.bench import make; make({bench!r}).tasks()"
    loaded = subprocess.run(
        [sys.executable, "-c", f"{program}; print(*sys.modules)"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    names = [each.split(".") for each in loaded.stdout.split()]
    found = {each[2] for each in names if each[:2] == ["course", "scenarios"] and each[2:]}
    every = {path.parent.name for path in Path("course/scenarios").glob("*/schema.sql")}
    assert found & every == worlds
