"""What is told to people and to CI keeps the promises of docs/security.md."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

DASK = re.compile(r"dask (scheduler|worker) [^`'\n]*")


def told(tracked: list[Path], *endings: str) -> dict[str, str]:
    """The text of the files that people read or run, without the tests."""
    files = [p for p in tracked if p.suffix in endings and "tests" not in p.parts]
    return {path.name: path.read_text(encoding="utf-8") for path in files}


def test_no_command_for_dask_opens_a_port_to_everybody(tracked: list[Path]) -> None:
    texts = told(tracked, ".md", ".py", ".toml", ".ipynb")
    commands = {found[0].strip() for text in texts.values() for found in DASK.finditer(text)}
    whole = {command for command in commands if "--" in command and "tcp://..." not in command}
    assert len(whole) >= 4
    for command in whole:
        certified = {"--protocol tls", "--tls-ca-file", "--tls-cert", "--tls-key"}
        safe = "--host 127.0.0.1" in command or all(each in command for each in certified)
        assert safe, command
        assert "worker" in command or "--dashboard-address 127.0.0.1:" in command, command
    plain = [t for text in texts.values() for t in re.findall(r"tcp://[\w.:-]+", text)]
    assert {address.split(":")[1] for address in plain} <= {"//127.0.0.1", "//..."}


def test_no_package_of_weights_is_built(tracked: list[Path]) -> None:
    for name, text in told(tracked, ".md", ".py").items():
        for command in re.findall(r"pip (?:install|download) --no-deps [^`\n]*==", text):
            assert "--only-binary=:all:" in command, f"{name}: {command}"


@pytest.fixture(scope="module")
def workflow(root: Path) -> Any:
    return yaml.safe_load((root / ".github/workflows/ci.yml").read_text())


def test_a_public_host_runs_all_tests_on_each_change(workflow: Any) -> None:
    # YAML 1.1 takes the word "on" for true.
    assert {"push", "pull_request", "schedule"} <= set(workflow[True])
    assert workflow["permissions"] == {"contents": "read"}
    parts = workflow["jobs"]["parts"]["strategy"]["matrix"]["part"]
    assert ".ci/run ${{ matrix.part }}" in commands(workflow, "parts")
    assert {"tests", "browser"} <= set(parts)


def test_known_weaknesses_of_the_locked_packages_are_looked_up_weekly(
    workflow: Any, root: Path
) -> None:
    [times] = workflow[True]["schedule"]
    assert re.fullmatch(r"\d+ \d+ \* \* [0-6]", times["cron"])
    assert "schedule" in workflow["jobs"]["audit"]["if"]
    said = "\n".join(commands(workflow, "audit"))
    for lock in ("requirements.lock", "binder/requirements.txt"):
        assert f"--requirement {lock}" in said
        assert (root / lock).is_file()


def commands(workflow: Any, job: str) -> list[str]:
    return [step["run"] for step in workflow["jobs"][job]["steps"] if "run" in step]


def test_the_page_on_security_names_tests_that_are_there(root: Path) -> None:
    page = (root / "docs/security.md").read_text()
    held = re.findall(r"\*\*Held by\*\*(.*?)(?:\n\n|\Z)", page, re.DOTALL)
    sections = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert len(held) == len(sections) - 1  # what it is built of is held by hashes
    for names in held:
        folder = ""
        for name in re.findall(r"`([\w/.]+\.py)`", names):
            folder = name.rpartition("/")[0] or folder
            assert (root / folder / name.rpartition("/")[2]).is_file(), name
    for kind in ("Promised.", "Not promised."):
        assert page.count(f"**{kind}**") == len(sections) - 1
    assert "docs/security.md" in (root / "SECURITY.md").read_text()
