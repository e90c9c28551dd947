"""Word lists and cues: the words and turns of phrase that rules look for, which are data.

They stand in `wordlists.toml`: lists of words, tables, and cues, which are regular expressions.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib import import_module
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


# --- patterns that few texts hold ---

_parser: Any = import_module("re._parser")
_DIGITS = re.compile(r"\d")


@lru_cache(maxsize=2_000)
def flat(text: str) -> str:
    """A text in small letters, every digit as 0: where the needs of patterns are looked for."""
    return _DIGITS.sub("0", text.casefold())


class Sparse:
    """A pattern that is tried only on texts with some of what it cannot do without."""

    def __init__(self, pattern: str, flags: re.RegexFlag | int = 0) -> None:
        self.pattern = re.compile(pattern, flags)
        needs = _needs(_parser.parse(pattern, flags)) or {""}
        self.needs = sorted(n for n in needs if not any(o in n for o in needs - {n}))

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All its matches in a text."""
        low = flat(text)
        for need in self.needs:
            if need in low:
                return self.pattern.finditer(text)
        return iter(())


def _needs(tree: Any) -> set[str] | None:
    """Pieces of text of which each match of a parsed pattern has one; None if it needs none."""
    found: list[set[str]] = []
    run = ""
    for op, told in [*tree, ("END", None)]:
        if str(op) == "LITERAL":
            run += flat(chr(told))
            continue
        found += [{run}] if run else []
        run = ""
        within = _within(str(op), told)
        found += [within] if within else []
    return max(found, key=lambda some: min(len(s.strip()) for s in some), default=None)


def _within(op: str, told: Any) -> set[str] | None:
    """What a part of a pattern needs."""
    if op == "IN":
        return {"0"} if [str(each[-1]) for each in told] == ["CATEGORY_DIGIT"] else None
    if op == "BRANCH":
        each = [_needs(way) for way in told[1]]
        return set().union(*(e for e in each if e)) if all(each) else None
    if op in ("SUBPATTERN", "ASSERT", "ATOMIC_GROUP"):
        return _needs(told if op == "ATOMIC_GROUP" else told[-1])
    if op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return _needs(told[2]) if told[0] else None
    return None
