"""The tests themselves: the same ones on every day, and words that help when one is red."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path

import pytest

from tests import covering, needs, spreading, telling
from tests.__main__ import Run
from tests.marking import LONG
from tests.rooms import FOLDERS, ROOMS
from tests.spreading import MOST
from tests.telling import Told, sentences

ANOTHER_DAY = """
import datetime, time_machine

time_machine.travel(datetime.datetime(2031, 2, 28, 23, 59, tzinfo=datetime.UTC)).start()
"""
BY_CHANCE = re.compile(
    r"date\.today\(|datetime\.now\(|\.toordinal\(|time\.time\("
    r"|\brandom\.(?:random|choice|choices|sample|shuffle|randint|randrange)\("
)
MAY = {
    "reading/__main__.py": "notes the day of each look at what is kept for the end",
    "judge/test_box_warm.py": "code that is judged, which shall draw",
    "judge/test_judge.py": "a world that a seed of the judge's draws",
}


def collected(root: Path, *words: str, **variables: str) -> list[str]:
    """The tests as another pytest finds them, the long ones too."""
    said = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "--long", *words, "tests"],
        cwd=root,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    ).stdout
    return sorted(line for line in said.splitlines() if "::" in line)


@LONG  # finding all tests twice takes as long as a chapter; that none asks for the date is below
def test_the_same_tests_are_played_on_another_day(root: Path, tmp_path: Path) -> None:
    (tmp_path / "another_day.py").write_text(ANOTHER_DAY)
    variables = {"PYTHONPATH": str(tmp_path), "PYTHONHASHSEED": "11"}
    with ThreadPoolExecutor(2) as both:
        today = both.submit(collected, root)
        another = both.submit(collected, root, "-p", "another_day", **variables)
    assert another.result() == today.result()


def test_no_test_asks_for_the_date_or_draws_without_a_seed(root: Path) -> None:
    found = {
        str(path.relative_to(root / "tests"))
        for path in (root / "tests").rglob("*.py")
        if BY_CHANCE.search(path.read_text(encoding="utf-8"))
    }
    assert found == set(MAY)


def test_each_room_and_each_folder_of_tests_can_be_asked_for(root: Path) -> None:
    rooms = {
        path.parent.name
        for kit in ("course", "graders")
        for path in (root / kit).glob("*/__init__.py")
    }
    assert rooms | set(FOLDERS) <= set(ROOMS)
    for paths in ROOMS.values():
        assert paths
        assert all((root / path).exists() for path in paths)


def test_what_a_benchmark_has_another_measure_is_there(root: Path) -> None:
    folder = root / "tests/benchmarks"
    asked = {
        found
        for path in folder.glob("*.py")
        for found in re.findall(r'sample\("(\w+)", "(\w+)"', path.read_text(encoding="utf-8"))
    }
    assert asked
    for name, module in asked:
        text = (folder / f"{module}.py").read_text(encoding="utf-8")
        assert f"def {name}(" in text or f'"{name}"' in text, (name, module)


@pytest.mark.parametrize(("ci", "without"), [("", ""), ("true", "flite, chromium")])
def test_what_is_missing_is_named_with_its_command(
    monkeypatch: pytest.MonkeyPatch, ci: str, without: str
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("TESTS_WITHOUT", without)
    with pytest.raises(pytest.skip.Exception) as left:
        needs.lacking("chromium", "it was looked for in PATH")
    assert needs.why_not(str(left.value)) == "chromium is missing, apt install chromium"
    assert needs.why_not("Skipped: no exercises") == ""


def test_in_ci_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("TESTS_WITHOUT", "a local model")
    with pytest.raises(pytest.fail.Exception, match="apt install flite"):
        needs.lacking("flite")
    with pytest.raises(pytest.fail.Exception, match="pip install distributed_none"):
        needs.package("distributed_none")


PLAYED = """
import pytest
from tests.marking import LONG
from tests.needs import lacking

class Exercise:
    number = "3.4"

@pytest.mark.parametrize("exercise", [Exercise()], ids=["3.4 it's"])
def test_wrong(exercise):
    assert [1, 2] == [1, 3]

def test_right():
    pass

@LONG
def test_takes_long():
    pass

def test_wants():
    lacking("flite")
"""


@pytest.mark.parametrize("spread", [(), ("--processes", "2")])
def test_the_end_says_what_to_do(root: Path, tmp_path: Path, spread: tuple[str, ...]) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
    (tmp_path / "test_it.py").write_text(PLAYED)
    environment = {k: v for k, v in os.environ.items() if k not in ("CI", telling.KEPT)}
    settings = ["-c", str(root / "pyproject.toml"), "--rootdir", str(tmp_path)]
    said = subprocess.run(
        [sys.executable, "-m", "pytest", *settings, *spread, "test_it.py"],
        cwd=tmp_path, env=environment | {"PYTHONPATH": str(root)},
        capture_output=True, text=True, check=False, timeout=120,
    ).stdout  # fmt: skip
    lines = said.partition("in short")[2].partition("\n==")[0].splitlines()[1:]
    test = "test_it.py::test_wrong[3.4 it's]"
    quoted = test.replace("'", "'\"'\"'")
    assert lines[:5] == [
        f"✗ {test}",
        "    of: exercise 3.4",
        "    said: assert [1, 2] == [1, 3]",
        "    got: [1, 2]",
        "    expected: [1, 3]",
    ]
    assert lines[5] == f"    alone: .venv/bin/pytest '{quoted}'"
    assert lines[-1] == (
        "not green: 1 passed, 1 failed; 1 not run: flite is missing, apt install flite;"
        " 1 long ones are for make test-all"
    )


DIES = """
import os, signal, warnings
from pathlib import Path

def test_before():
    Path(f"{os.getpid()}.first").touch()

def test_dies():
    os.kill(os.getpid(), signal.SIGKILL)

def test_after(tmp_path):
    warnings.warn("heard all the same")
    Path(f"{os.getpid()}.second").touch()
"""
STAYS = """
import os
from pathlib import Path
import pytest

@pytest.mark.parametrize("turn", range(9))
def test_is_in_one_process(turn):
    Path(f"{os.getpid()}.third").touch()
"""


def test_who_plays_may_die_and_a_file_stays_in_one_process(root: Path, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
    (tmp_path / "test_dies.py").write_text(DIES)
    (tmp_path / "test_stays.py").write_text(STAYS)
    kept = tmp_path / "told.json"
    settings = ["-c", str(root / "pyproject.toml"), "--rootdir", str(tmp_path), "-W", "default"]
    said = subprocess.run(
        [sys.executable, "-m", "pytest", *settings, "--processes", "2", "."],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(root), telling.KEPT: str(kept)},
        capture_output=True, text=True, check=False, timeout=120,
    ).stdout  # fmt: skip
    told = telling.read(kept)
    assert told.counts == Counter(passed=11, failed=1)
    [red] = told.red
    assert red["test"] == "test_dies.py::test_dies"
    assert red["said"] == "the process that played it ended with -9"
    assert "heard all the same" in said
    first, second, third = (list(tmp_path.glob(f"*.{n}")) for n in ("first", "second", "third"))
    assert len(first) == len(second) == len(third) == 1
    assert first[0].stem != second[0].stem


def test_a_long_file_goes_out_in_even_parts() -> None:
    short, long = Path("short"), Path("long")
    made = spreading.parts([short, *[long] * (2 * MOST + 1), short])
    assert made[0] == [0, 2 * MOST + 2]
    assert list(chain.from_iterable(made[1:])) == list(range(1, 2 * MOST + 2))
    assert len(made) == 4 and {len(each) for each in made[1:]} <= {333, 334, 335}


def test_two_processes_are_told_of_together(tmp_path: Path) -> None:
    one, other = Told(), Told()
    one.counts.update(passed=3, long=2)
    one.seconds["tests/a.py"] = 1
    other.counts.update(passed=1, failed=1)
    other.seconds["tests/a.py"] = 1
    other.red.append({"test": "tests/b.py::test", "said": "no"})
    other.keep(tmp_path / "other.json")
    one.add(telling.read(tmp_path / "other.json"))
    assert list(sentences(one, besides=["mypy"])) == [
        "✗ tests/b.py::test",
        "    said: no",
        "The 10 slowest files, in seconds of one core:",
        "     2  tests/a.py",
        "not green: 4 passed, 1 failed, mypy; 2 long ones are for make test-all",
    ]
    assert telling.read(tmp_path / "none.json").red == [{"test": "none", "said": "it did not end"}]


@pytest.mark.parametrize("red", ["unclean", "failed"])
def test_what_is_not_clean_decides(red: str, capsys: pytest.CaptureFixture[str]) -> None:
    run = Run()
    assert run.end() == 0
    if red == "unclean":
        run.unclean.append("mypy")
    else:
        run.told.red.append({"test": "x", "said": "no"})
    assert run.end() == 1
    assert capsys.readouterr().out.startswith("green: 0 passed\n")


def test_a_room_that_is_covered_less_is_told() -> None:
    file = {"covered_lines": 6, "covered_branches": 1, "num_statements": 8, "num_branches": 2}
    files = {"course/team/hub.py": {"summary": file}, "course/team/deep/x.py": {"summary": file}}
    assert covering.by_room(files) == {"course/team": 70.0}
    assert covering.fallen({"course/team": 70.0}, {"course/team": 70.2}) == {}
    assert covering.fallen({"course/team": 70.0}, {"course/team": 71.0, "course": 1.0}) == {
        "course/team": 70.0,
        "course": 0.0,
    }
