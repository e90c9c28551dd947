"""Worlds of your own: `python -m course new-world NAME` writes one here, as a package.

Each has a `DOMAIN`; `course.scenarios.domains` counts it among the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from course.errors import ScenarioError
from course.scenarios.world.domain import Domain


def domains() -> Iterator[Domain[Any]]:
    """The domains in this folder, by name.

    Raises ScenarioError: a package here cannot be loaded, or has no `DOMAIN`.
    """
    for name in sorted(each.name for each in iter_modules(__path__) if each.ispkg):
        try:
            domain = import_module(f"{__name__}.{name}").DOMAIN
        except Exception as error:  # whatever its author wrote
            raise ScenarioError(
                f"the world in course/scenarios/own/{name} cannot be loaded"
                f" ({type(error).__name__}: {error}): put it right, or move it away"
            ) from error
        yield domain
