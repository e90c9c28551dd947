"""What people say: everyday words and phrases, and the plain words of tools, values and switches
that they suggest. The tables (said_*.toml) are general English and know no business."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from course.models.policy.words import name_words, stem, tokens

_KEY = 3
"""Letters by which phrases are filed: a word and its forms begin alike."""
TABLES = {"said_deeds": ("deeds",), "said_things": ("things",),
          "said_values": ("values", "switches", "off")}  # fmt: skip


class Said(NamedTuple):
    """A phrase of a text: the table and the plain words that it stands for, and its place."""

    table: str
    head: tuple[str, ...]
    start: int
    end: int


Filed = tuple[tuple[str, ...], str, str]


@cache
def _filed() -> Mapping[str, tuple[Filed, ...]]:
    """All phrases by the beginning of their first word, each with its table and head."""
    found: dict[str, list[Filed]] = defaultdict(list)
    for file, tables in TABLES.items():
        read = tomllib.loads(
            files("course.models.policy").joinpath(f"{file}.toml").read_text("utf-8")
        )
        for table in tables:
            for head, said in read[table].items():
                for phrase in said.split(","):
                    words = tuple(phrase.split())
                    if words:
                        found[words[0][:_KEY]].append((words, table, head))
    return {k: tuple(v) for k, v in found.items()}


@cache
def everyday() -> frozenset[str]:
    """All words that the tables hold, as they are written there."""
    return frozenset(w for filed in _filed().values() for words, _, head in filed
                     for w in (*words, *name_words(head)))  # fmt: skip


@cache
def _opened_by(key: str) -> Mapping[tuple[str, ...], tuple[Filed, ...]]:
    """The phrases of one file, their words as stems, by the first of these or the first two."""
    found: dict[tuple[str, ...], list[Filed]] = defaultdict(list)
    for words, table, head in _filed().get(key, ()):
        stems = tuple(stem(w) for w in words)
        found[stems[:2]].append((stems, table, head))
    return {first: tuple(v) for first, v in found.items()}


@lru_cache(maxsize=4_000)
def _head(name: str) -> tuple[str, ...]:
    return tuple(stem(w) for part in name.split() for w in name_words(part))


@lru_cache(maxsize=4_000)
def phrases_said(text: str) -> tuple[Said, ...]:
    """All phrases of the tables that stand in a text."""
    said = tokens(text)
    stems = tuple(t.stem for t in said)
    found = []
    for place, token in enumerate(said):
        near = _opened_by(token.text.lower()[:_KEY])
        one, two = stems[place : place + 1], stems[place : place + 2]
        for words, table, head in (*near.get(one, ()), *(near.get(two, ()) if two != one else ())):
            end = place + len(words)
            if stems[place:end] == words:
                found.append(Said(table, _head(head), token.start, said[end - 1].end))
    return tuple(found)


_LOOKS_UP = frozenset(stem(w) for w in "find list get show look search view".split())
"""Of a deed like "find book" it is the thing that a phrase tells; many tools find."""


@lru_cache(maxsize=4_000)
def suggested(text: str) -> Mapping[str, int]:
    """The stems that a text's words and phrases suggest, with how many do."""
    found: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for said in phrases_said(text):
        if said.table in ("deeds", "things", "values"):
            for head in set(said.head) - (_LOOKS_UP if len(said.head) > 1 else set()):
                found[head].add((said.start, said.end))
    return {head: len(by) for head, by in found.items()}
