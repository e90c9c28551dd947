"""nbgrader's own commands find the course's settings, as an instructor would run them."""

import copy
import os
import subprocess
import sys
from pathlib import Path

from nbgrader.utils import is_locked

from tests.grading.classroom import open_class
from tests.notebooks import kit

BIN = Path(sys.executable).parent


def nbgrader(course: Path, folder: Path, *arguments: str) -> str:
    """What a command says, in ``folder``, with the course's settings and nothing activated."""
    environment = os.environ | {"JUPYTER_CONFIG_PATH": str(course / "graders")}
    places = os.environ["PATH"].split(os.pathsep)
    environment["PATH"] = os.pathsep.join(each for each in places if Path(each) != BIN)
    ran = subprocess.run(
        [str(BIN / "nbgrader"), *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-2000:]
    return ran.stderr


def test_an_instructor_grades_from_the_command_line(tmp_path: Path) -> None:
    room = open_class(tmp_path / "course", kit.CHAPTER, kit.chapter())
    changed = copy.deepcopy(room.solved())
    [check, *_] = [each for each in changed.cells if "check(" in each.source and is_locked(each)]
    check.source = "print('passed')"
    for student, book in (("bo", room.released), ("cy", changed)):
        room.hand_in(student, book)
    said = nbgrader(room.root, tmp_path, "autograde", kit.CHAPTER)
    assert room.scores("cy") == room.points()
    assert set(room.scores("bo").values()) == {0}
    [told] = [line for line in said.splitlines() if "change" in line]  # the other is honest
    assert f"{kit.grade_id(check)} was changed" in told
