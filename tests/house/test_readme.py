"""The README shows what really happens: its demo prints the very lines it says."""

import re
import subprocess
import sys
from pathlib import Path


def test_the_demo_prints_what_the_readme_shows(root: Path, tmp_path: Path) -> None:
    readme = (root / "README.md").read_text()
    asked = re.search(r'make demo ASK="(.+)"', readme)
    shown = re.search(r"```text\n(.+?)```", readme, re.DOTALL)
    assert asked
    assert shown
    said = subprocess.run(
        [sys.executable, "-m", "course", "ask", asked[1]],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    lines = [line for line in shown[1].splitlines() if line not in ("", "...")]
    assert len(lines) > 5
    assert [line for line in lines if line not in said.stdout.splitlines()] == []
