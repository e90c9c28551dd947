"""A world of one's own, begun as a copy of the example: a small bike rental that works."""

from __future__ import annotations

import keyword
import re
from importlib.resources import files
from pathlib import Path

from course.errors import ScenarioError
from course.scenarios import own

FILES = ("__init__.py", "world.py", "schema.sql")
_EXAMPLE = "course.scenarios.world.example"
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def new_world(name: str) -> Path:
    """Write the package of a new world where `course.scenarios.own` finds it; give its folder.

    Args:
        name: of the package, such as "ferry_line"; its world is a `FerryLine`.

    Raises ScenarioError: the name is no package's, there is such a folder already, or it cannot be
    written.
    """
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise ScenarioError(
            f"'{name}' is no name for a world: use small letters and _, such as ferry_line"
        )
    target = own.place() / name
    if target.exists():
        raise ScenarioError(f"{target} is there already: choose another name, or move it away")
    words = {
        _EXAMPLE: f"{own.__name__}.{name}",
        "BikeRental": "".join(part.capitalize() for part in name.split("_")),
        '"bike rental"': f'"{name.replace("_", " ")}"',
    }
    try:
        target.mkdir(parents=True)
        for file in FILES:
            text = files(_EXAMPLE).joinpath(file).read_text("utf-8")
            for old, new in words.items():
                text = text.replace(old, new)
            (target / file).write_text(text, "utf-8")
    except OSError as error:
        raise ScenarioError(f"cannot write {target} ({error.strerror})") from error
    return target
