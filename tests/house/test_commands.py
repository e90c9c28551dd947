"""The commands a person is told about exist, and say in one line what they lack."""

import os
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml


def make(where: Path, *words: str) -> subprocess.CompletedProcess[str]:
    # `make test` runs this test: the inner make must not take itself for a part of the outer one.
    alone = {k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k != "ASK"}
    return subprocess.run(
        ["make", *words],
        cwd=where,
        env=alone,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture
def bare(root: Path, tmp_path: Path) -> Path:
    """A checkout that has never been set up."""
    for name in ("Makefile", "pyproject.toml", "requirements.lock"):
        shutil.copy(root / name, tmp_path)
    (tmp_path / "binder").mkdir()
    shutil.copy(root / "binder/requirements.txt", tmp_path / "binder")
    return tmp_path


def interpreter(where: Path, refuse: str) -> str:
    """A stand-in for a Python that refuses the one-liners in which `refuse` occurs."""
    script = where / "python-stand-in"
    script.write_text(f'#!/bin/sh\ncase "$2" in *{refuse}*) exit 1 ;; esac\n')
    script.chmod(0o755)
    return str(script)


def test_every_command_the_papers_name_is_in_make_help(root: Path) -> None:
    known = set(re.findall(r"^make ([\w-]+)", make(root, "help").stdout, re.MULTILINE))
    papers = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    named = {
        (paper.name, target)
        for paper in papers
        for target in re.findall(r"(?:^|`)make ([a-z-]+)", paper.read_text(), re.MULTILINE)
    }
    assert {"lab", "test", "demo", "release", "help"} <= known
    assert {target for _, target in named} >= {"lab", "test", "demo"}
    assert {(paper, target) for paper, target in named if target not in known} == set()


def test_no_python_at_all(bare: Path) -> None:
    result = make(bare, "demo", "PYTHON=no-such-python")
    assert result.returncode != 0
    assert result.stdout.splitlines() == [
        "no-such-python is not here: install Python 3.11 or newer, or say make PYTHON=..."
    ]


def test_python_too_old(bare: Path) -> None:
    result = make(bare, "lab", f"PYTHON={interpreter(bare, 'version_info')}")
    assert result.returncode != 0
    assert len(result.stdout.splitlines()) == 1
    assert "is older than 3.11" in result.stdout


def test_python_without_venv(bare: Path) -> None:
    result = make(bare, "test", f"PYTHON={interpreter(bare, 'ensurepip')}")
    assert result.returncode != 0
    assert len(result.stdout.splitlines()) == 1
    assert "python3-venv" in result.stdout


def test_the_set_up_runs_again_only_when_the_lock_or_the_project_changed(bare: Path) -> None:
    for_lab, for_tests = bare / ".venv/lab", bare / ".venv/ready"
    for_lab.parent.mkdir()
    now = 1_000_000_000
    project, *locks = (
        bare / name for name in ("pyproject.toml", "binder/requirements.txt", "requirements.lock")
    )
    for path in (project, *locks, bare / "Makefile"):
        os.utime(path, (now, now))
    for stamp in (for_lab, for_tests):
        stamp.touch()
        os.utime(stamp, (now + 10, now + 10))

    def stale() -> list[str]:
        wanted = [".venv/lab", ".venv/ready"]
        return [each for each in wanted if make(bare, "-q", each).returncode == 1]

    assert stale() == []
    again = {project: 2, locks[0]: 2, locks[1]: 1}  # a test's package is nothing to a student
    for path, targets in again.items():
        os.utime(path, (now + 20, now + 20))
        assert stale() == [".venv/lab", ".venv/ready"][-targets:]
        os.utime(path, (now, now))


@pytest.fixture
def echoing(bare: Path) -> Path:
    """A checkout whose Python says what it was told to do, a word a line."""
    python = bare / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\nfor word; do echo "[$word]"; done\n')
    python.chmod(0o755)
    for stamp in ("lab", "ready"):
        (bare / ".venv" / stamp).touch()
    return bare


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("test",), []),
        (("test", "ROOM=voice"), ["[--room]", "[voice]"]),
        (("test", "ARGS=-k 'a b'"), ["[-k]", "[a b]"]),
        (("test-all",), ["[--long]"]),
    ],
)
def test_the_three_commands_for_the_tests(
    echoing: Path, words: tuple[str, ...], told: list[str]
) -> None:
    assert make(echoing, *words).stdout.splitlines() == ["[-m]", "[tests]", *told]


def test_a_request_with_quotes_reaches_the_demo_whole(echoing: Path) -> None:
    asked = make(echoing, "demo", """ASK=I'm "Ana"; move it (please)""")
    assert asked.stdout.splitlines() == [
        "[-m]",
        "[course]",
        "[ask]",
        """[I'm "Ana"; move it (please)]""",
    ]
    assert make(echoing, "demo").stdout.splitlines() == ["[-m]", "[course]", "[ask]"]


def test_ci_runs_make_test_a_part_of_the_rest_and_one_on_a_newer_python(root: Path) -> None:
    scripts = [root / ".ci/run", root / ".ci/longer", root / ".ci/newer", root / ".ci/ends"]
    assert "    all) make test; .ci/longer; .ci/newer ;;\n" in scripts[0].read_text()
    for script in scripts:
        assert os.access(script, os.X_OK)
        assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0


def test_a_public_host_runs_parts_that_there_are_and_the_lowest_and_newest_python(
    root: Path,
) -> None:
    workflow = yaml.safe_load((root / ".github/workflows/ci.yml").read_text())
    parts = workflow["jobs"]["parts"]["strategy"]["matrix"]["part"]
    assert set(parts) == {"lint", "types", "tests", "browser", "longer", "ends"}
    found = re.search(r"^    (all [^)]*)\)", (root / ".ci/run").read_text(), re.MULTILINE)
    assert found and set(parts) <= set(found[1].split(" | "))
    unknown = subprocess.run(
        [root / ".ci/run", "nothing"], capture_output=True, text=True, check=False
    )
    assert (unknown.returncode, unknown.stdout[:14]) == (2, ".ci/run knows ")
    lowest, newest = workflow["jobs"]["pythons"]["strategy"]["matrix"]["python"]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    promised = [each.split()[-1] for each in project["classifiers"] if "Python :: 3." in each]
    assert (f">={lowest}", newest) == (project["requires-python"], promised[-1])


def test_each_hook_is_a_command_that_is_there(root: Path) -> None:
    [repository] = yaml.safe_load((root / ".pre-commit-config.yaml").read_text())["repos"]
    assert repository["repo"] == "local"  # nothing is fetched
    for hook in repository["hooks"]:
        program, *words = shlex.split(hook["entry"])
        assert (root / program).exists(), hook["id"]
        for path in (word for word in words if word.startswith("tests/")):
            assert (root / path).exists(), hook["id"]


def test_a_notebook_reaches_the_judge_under_whatever_name(echoing: Path) -> None:
    said = make(echoing, "check", "NOTEBOOK=-o'clock & (1).ipynb", "ARGS=--json").stdout
    assert said.splitlines() == [
        "[-m]",
        "[graders]",
        "[check]",
        "[--json]",
        "[--]",
        "[-o'clock & (1).ipynb]",
    ]
    forgotten = make(echoing, "check")
    assert forgotten.returncode == 2
    assert forgotten.stdout == "Which one? make check NOTEBOOK=path/to/it.ipynb\n"
