"""Worlds of your own: `python -m course new-world NAME` writes one, as a package of three files.

They stand in `worlds/` of the working folder: in a clone beside `course/`, whoever runs what, and
where the package is installed, in the folder in which one works. COURSE_WORLDS names another
folder; an empty one is none. Each has a `DOMAIN`; `course.scenarios.domains` counts it among the
others.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from course.errors import ScenarioError
from course.scenarios.world.domain import Domain

FOLDER = "COURSE_WORLDS"
_CLONE = Path(__file__).parents[3]


def place() -> Path:
    """The folder of the worlds, whether it is there or not."""
    if given := os.environ.get(FOLDER):
        return Path(given).resolve()
    return (_CLONE if (_CLONE / "pyproject.toml").exists() else Path.cwd()) / "worlds"


if os.environ.get(FOLDER) != "":
    __path__.append(str(place()))


def domains() -> Iterator[Domain[Any]]:
    """The domains in this folder, by name.

    Raises ScenarioError: a package there cannot be loaded, or has no `DOMAIN`.
    """
    for finder, name, is_package in sorted(iter_modules(__path__), key=lambda each: each.name):
        if not is_package:
            continue
        try:
            domain = import_module(f"{__name__}.{name}").DOMAIN
        except Exception as error:  # whatever its author wrote
            raise ScenarioError(
                f"the world in {Path(finder.path, name)} cannot be loaded"  # type: ignore[union-attr]
                f" ({type(error).__name__}: {error}): put it right, or move it away"
            ) from error
        yield domain
