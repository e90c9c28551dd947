"""Word lists: the words that rules look for, which are data (`wordlists.toml`)."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def _tables() -> dict[str, Any]:
    text = files("course.models.policy").joinpath("wordlists.toml").read_text("utf-8")
    return tomllib.loads(text)


def listed(name: str) -> list[str]:
    """The words of a list, by its module and name ("verbs.openers"); KeyError if there is none."""
    return str(table(name)).split()


def table(name: str) -> Any:
    """What stands under a module and a name: words, groups of words, or a table of them."""
    module, _, entry = name.partition(".")
    return _tables()[module][entry]
