"""Word lists and cues: the words and turns of phrase that rules look for, which are data.

They stand in `wordlists.toml`: lists of words, tables, and cues, which are regular expressions.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def _tables() -> dict[str, Any]:
    text = files("course.models.policy").joinpath("wordlists.toml").read_text("utf-8")
    return tomllib.loads(text)


def table(name: str) -> Any:
    """What stands under a module and a name ("verbs.actions"); KeyError if nothing does."""
    module, _, entry = name.partition(".")
    return _tables()[module][entry]


def word_list(name: str) -> list[str]:
    """The words of a list, by its module and name."""
    return str(table(name)).split()


def cue(name: str, flags: re.RegexFlag | int = re.IGNORECASE) -> re.Pattern[str]:
    """The pattern of a cue, by its module and name; a list holds alternatives."""
    module, _, entry = name.partition(".")
    told = _tables()["cue"][module][entry]
    return re.compile(told if isinstance(told, str) else "|".join(told), flags)
