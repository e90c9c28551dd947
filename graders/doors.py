"""`switchboard`: one command for all that `python -m course` and `python -m graders` do.

`switchboard lab DIR` copies the chapters of this version to a folder and opens them.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from course.cli import add_commands as add_course
from course.cli import play
from course.errors import ConfigurationError
from course.extras import need
from course.notebook.exercises import RELEASED
from graders.cli import add_commands as add_graders

_HERE = Path(__file__).resolve().parent
_FIRST = "index.ipynb"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, 2 for bad input, 130 when interrupted."""
    parser = argparse.ArgumentParser(prog="switchboard", description=__doc__)
    parser.set_defaults(command=None)
    commands = parser.add_subparsers(title="commands")
    opening = commands.add_parser("lab", help="copy the chapters to a folder and open them")
    opening.set_defaults(command=_lab)
    opening.add_argument("folder", type=Path, metavar="DIR")
    opening.add_argument(
        "options", nargs=argparse.REMAINDER, help="for `jupyter lab`, such as --no-browser"
    )
    add_course(commands, lab="experiment")
    add_graders(commands)
    return play(parser, arguments)


def copy_chapters(folder: Path) -> tuple[int, int]:
    """Copy the chapters of this version to a folder, and never over what is there.

    Returns how many notebooks were copied, and how many were there and stay as they are.

    Raises:
        ConfigurationError: other things are in the folder, or it is a file.
    """
    if folder.exists() and not folder.is_dir():
        raise ConfigurationError(f"{folder} is a file: name a folder, new or empty")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _FIRST).is_file():
        raise ConfigurationError(
            f"{folder} has other things in it: name a folder that is new or empty,"
            " or one that this command made"
        )
    copied = kept = 0
    for source in sorted(RELEASED.rglob("*.ipynb")):
        target = folder / source.relative_to(RELEASED)
        if target.exists():
            kept += 1
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            copied += 1
    return copied, kept


def _lab(chosen: argparse.Namespace) -> int:
    need("jupyterlab")
    copied, kept = copy_chapters(chosen.folder)
    print(f"{chosen.folder}: {copied} notebooks copied, {kept} were there and stay as they are")
    found = os.environ.get("JUPYTER_CONFIG_PATH")
    settings = {  # as `make lab`: a student sees nothing of nbgrader, and no tracebacks at first
        "PYTHONSTARTUP": str(_HERE / "startup.py"),
        "JUPYTER_CONFIG_PATH": os.pathsep.join(
            [str(_HERE / "student"), str(_HERE), *([found] if found else [])]
        ),
    }
    sys.stdout.flush()
    os.chdir(chosen.folder)
    words = [sys.executable, "-m", "jupyterlab", f"--LabApp.default_url=/lab/tree/{_FIRST}"]
    os.execve(sys.executable, [*words, *chosen.options], os.environ | settings)
