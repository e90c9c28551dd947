"""Five small programs as documentation: twelve lines each, and what they print."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parents[1] / "programs"
PRINTS = {
    "agent": "On its way, due on Friday. Usage",
    "supervisor": "Katya Tanaka owes 120 euros",
    "handoff": "billing says: Katya Tanaka owes 120 euros",
    "plan": "Globex had a revenue of 174 million euros in 2023",
    "task": "drink='large lemonade' size='large'",
}


def test_every_program_is_played() -> None:
    assert {path.stem for path in PROGRAMS.glob("*.py")} == set(PRINTS)


@pytest.mark.parametrize("name", PRINTS)
def test_a_small_program_does_what_it_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    path = PROGRAMS / f"{name}.py"
    lines = [line for line in path.read_text().splitlines() if line.strip()]
    assert len(lines) <= 12
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    said, complained = capfd.readouterr()
    assert complained == ""
    assert PRINTS[name] in said


def test_it_does_so_in_a_process_of_its_own(tmp_path: Path) -> None:
    command = [sys.executable, str(PROGRAMS / "agent.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    assert PRINTS["agent"] in done.stdout


def test_the_readme_begins_with_the_first_of_them(root: Path) -> None:
    shown = re.search(r"```python\n(.+?)```", (root / "README.md").read_text(), re.DOTALL)
    assert shown
    assert shown[1] == (PROGRAMS / "agent.py").read_text()
