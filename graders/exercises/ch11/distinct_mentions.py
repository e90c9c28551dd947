"""Whether a text tells some of several things apart from the others, in whatever form."""

from __future__ import annotations

from collections.abc import Collection

from graders.exercises.kit import *

_WORD = re.compile(r"[^\W_]+")
_LINKS = frozenset({"and", "or", "und", "task", "tasks", "the"})
Context = tuple[str, str]
"""The last word before a mention and the first one after it, other mentions in between left out."""


def told_apart(text: str, one: str, others: Collection[str]) -> bool:
    """Whether the text says something of one thing that it does not say of the others.

    A list of all of them under one heading says the same of each; a status beside each does not.

    Args:
        one: a name, such as a task's id.
        others: the names of the others.
    """
    said = contexts(text, {one, *others})
    seldom = max((len(said[other]) for other in others), default=0)
    alike = {each for other in others for each in said[other]}
    return len(said[one]) > seldom or not alike.issuperset(said[one])


def contexts(text: str, names: Collection[str]) -> Mapping[str, list[Context]]:
    """What stands around each mention of each name."""
    known = {name.casefold(): name for name in names}
    tokens = [word for word in map(str.casefold, _WORD.findall(text)) if word not in _LINKS]
    before = list(_nearest(tokens, known))
    after = list(_nearest(tokens[::-1], known))[::-1]
    found: dict[str, list[Context]] = {name: [] for name in names}
    for token, context in zip(tokens, zip(before, after, strict=True), strict=True):
        if token in known:
            found[known[token]].append(context)
    return found


def _nearest(tokens: Collection[str], known: Collection[str]) -> Iterator[str]:
    """For each token the last one before it that is no name."""
    last = ""
    for token in tokens:
        yield last
        last = last if token in known else token
