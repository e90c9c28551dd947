"""Which box `auto` takes, and that the doctor says the same."""

import shutil
from pathlib import Path

import pytest

from course.errors import ConfigurationError
from graders.box import bwrap, choose, doctor, landlock
from graders.box.folder import remove
from graders.box.probe import TESTER, Finding, attempt_source
from graders.box.warm import warm
from tests.judge.boxes import needed

REAL = shutil.which("bwrap") or ""
ODD = {
    "says nothing": "exit 0",
    "fails": "echo no such luck >&2; exit 1",
    "runs the program as it is": 'while [ "$1" != "--" ]; do shift; done; shift; exec "$@"',
    "leaves the network": f'''
for each; do shift; [ "$each" = --unshare-net ] || set -- "$@" "$each"; done; exec {REAL} "$@"''',
    "shows the machine": f'''
for each; do shift; [ "$each" = -- ] && set -- "$@" --ro-bind /etc /etc; set -- "$@" "$each"; done
exec {REAL} "$@"''',
}


@pytest.fixture
def odd(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bubblewrap that is none, first on the PATH."""
    needed("bwrap")
    program = tmp_path / "bwrap"
    program.write_text(f"#!/bin/sh\n{ODD[request.param]}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")


@pytest.mark.parametrize("odd", ODD, indirect=True)
@pytest.mark.usefixtures("odd")
def test_a_bubblewrap_that_does_not_isolate_is_passed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(landlock, "available", lambda: "")
    assert choose("auto").name == "landlock"
    with pytest.raises(ConfigurationError, match="bubblewrap"):
        choose("bwrap")


def test_the_real_one_is_taken_and_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    needed("bwrap")
    bwrap.available()
    monkeypatch.setattr("subprocess.run", None)
    assert choose("auto").name == "bwrap"


@pytest.mark.parametrize(
    ("held", "told", "code"),
    [
        (("bwrap", "landlock"), "can be judged here: --box auto takes bwrap.", 0),
        (("bwrap",), "can be judged here: --box auto takes bwrap.", 0),
        (("landlock",), "in it. Use --box landlock, which does.", 1),
        ((), "takes bwrap, which does not hold everything here", 1),
    ],
)
def test_the_doctor_names_what_auto_takes(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    held: tuple[str, ...],
    told: str,
    code: int,
) -> None:
    for module in (bwrap, landlock):
        monkeypatch.setattr(module, "available", lambda: "")
    monkeypatch.setattr(doctor, "probe", lambda backend: [Finding("all", backend.name in held)])
    assert doctor.doctor() == code
    assert told in capsys.readouterr().out


def test_boxes_end_without_another_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with warm(needed("landlock"), child=TESTER) as parent:
        source = """
import os
at = os.open(".", os.O_RDONLY)
for _ in range(50):
    os.mkdir("d" * 200, dir_fd=at)  # longer in all than a path may be
    at = os.open("d" * 200, os.O_RDONLY, dir_fd=at)
os.symlink("/", "link", dir_fd=at)
"""
        assert attempt_source(parent, source).ending.reason == "exited 0"
        folder = parent._folder.path
    assert not folder.exists()


def test_what_a_box_closed_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "written"
    (folder / "closed" / "inner").mkdir(parents=True)
    for path in (folder / "closed" / "inner", folder / "closed", folder):
        path.chmod(0)
    remove(folder)
    assert list(tmp_path.iterdir()) == []
