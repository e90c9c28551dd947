"""Patterns: regular expressions that are compiled when a text is first held against them.

The policy knows some six hundred, of which an answer needs a few dozen; compiling all of them was
half of the policy's import.
"""

from __future__ import annotations

import re
from typing import Any, cast


class _Uncompiled:
    """A pattern until it is used; what was asked of it once is answered without a detour."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        # `re` keeps no more than 512; so the methods are kept here, which keep the pattern.
        made = self.__dict__.get("_made") or re.compile(self.pattern, self._flags)
        found = getattr(made, name)
        self.__dict__.update({"_made": made, name: found})
        return found


def regex(text: str, flags: int = 0) -> re.Pattern[str]:
    """A regular expression as `re.compile` gives it, but compiled at its first use: one that is
    none raises re.error only then."""
    return cast("re.Pattern[str]", _Uncompiled(text, flags))
