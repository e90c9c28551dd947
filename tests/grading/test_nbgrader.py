"""nbgrader's own commands find the course's settings, as an instructor would run them."""

import os
import subprocess
import sys
from pathlib import Path

from tests.grading.classroom import Classroom
from tests.notebooks import kit

BIN = Path(sys.executable).parent


def nbgrader(course: Path, folder: Path, *arguments: str) -> None:
    """Run a command in ``folder``, with the course's settings and no activated environment."""
    environment = os.environ | {"JUPYTER_CONFIG_PATH": str(course / "graders")}
    places = os.environ["PATH"].split(os.pathsep)
    environment["PATH"] = os.pathsep.join(each for each in places if Path(each) != BIN)
    ran = subprocess.run(
        [str(BIN / "nbgrader"), *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-2000:]


def test_an_instructor_grades_from_the_command_line(tmp_path: Path) -> None:
    room = Classroom(kit.make_course(tmp_path / "course"), kit.CHAPTER)
    nbgrader(room.root, tmp_path, "generate_assignment", kit.CHAPTER, "--force")
    room.hand_in("ada", room.solved())
    room.hand_in("bo", room.released)
    nbgrader(room.root, room.root, "autograde", kit.CHAPTER)
    assert room.scores("ada") == room.points()
    assert set(room.scores("bo").values()) == {0}
