"""Static routing: a table of intents, and the words that give each of them away."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import snowballstemmer

from course.errors import ConfigurationError
from course.routing.route import Route

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_STEMMER = snowballstemmer.stemmer("english")


@cache
def stems(text: str) -> tuple[str, ...]:
    """The words of a text, reduced to their stems: "booked" and "booking" are both "book".

    Source: the Snowball stemmer for English (Porter 2).
    """
    return tuple(_STEMMER.stemWords(re.findall(r"[a-z0-9]+", text.lower())))


@dataclass(frozen=True)
class StaticRouter:
    """Routes by a table: the specialist most of whose words occur in the request.

    No model, no training and no waiting: it knows the words that somebody wrote down, and no
    others. A request without any of them is nobody's. Between equals, the upper row wins.

    Attributes:
        table: words (or phrases) for each specialist.

    Raises:
        ConfigurationError: the table is empty, or a row of it is.

    Built in chapter 02.
    """

    table: Mapping[str, Sequence[str]]

    def __post_init__(self) -> None:
        if not self.table:
            raise ConfigurationError("a routing table needs at least one row: name: [words, ...]")
        for name, words in self.table.items():
            if isinstance(words, str) or not any(stems(each) for each in words):
                raise ConfigurationError(f"the row '{name}' needs a list of words to look for")

    @property
    def names(self) -> Collection[str]:
        """The rows."""
        return self.table.keys()

    @cached_property
    def _phrases(self) -> dict[str, frozenset[str]]:
        rows = self.table.items()
        return {name: frozenset(" ".join(stems(each)) for each in words) for name, words in rows}

    def hits(self, request: str) -> dict[str, int]:
        """How many of each row's words occur in the request."""
        said = f" {' '.join(stems(request))} "
        return {
            name: sum(f" {phrase} " in said for phrase in phrases)
            for name, phrases in self._phrases.items()
        }

    async def choose(self, request: str, *, client: AsyncOpenAI) -> Route:
        """The row with most hits; its share of all hits is the confidence."""
        hits = self.hits(request)
        best = max(hits, key=lambda name: hits[name])
        if not hits[best]:
            return Route(agents=(), by="table", confidence=0.0)
        return Route(agents=(best,), by="table", confidence=hits[best] / sum(hits.values()))
