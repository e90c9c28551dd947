"""What `referencing` and `jsonschema` use of rpds, in plain Python: a tab needs no compiled one.

Each method gives a changed copy, as theirs do; in schemas of a hundred entries copies are cheap.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Self


class HashTrieMap(dict[Hashable, Any]):
    """A mapping that is never changed in place."""

    @classmethod
    def convert(cls, value: Any) -> Self:
        """The value as such a mapping."""
        return value if isinstance(value, cls) else cls(value)

    def insert(self, key: Hashable, value: Any) -> Self:
        """A copy with one entry more."""
        return type(self)({**self, key: value})

    def update(self, *others: Any) -> Self:  # type: ignore[override]
        """A copy with the entries of others."""
        made = type(self)(self)
        for other in others:
            dict.update(made, other)
        return made

    def remove(self, key: Hashable) -> Self:
        """A copy without an entry; KeyError if it has none."""
        made = type(self)(self)
        del made[key]
        return made

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


class HashTrieSet(frozenset[Hashable]):
    """A set that is never changed in place."""

    def insert(self, value: Hashable) -> Self:
        """A copy with one value more."""
        return type(self)(self | {value})

    def remove(self, value: Hashable) -> Self:
        """A copy without a value."""
        return type(self)(self - {value})

    def update(self, *others: Iterable[Hashable]) -> Self:
        """A copy with the values of others."""
        return type(self)(self.union(*others))


class List(tuple[Any, ...]):
    """A list that grows at its front."""

    __slots__ = ()

    def push_front(self, value: Any) -> List:
        """A copy with one value more."""
        return List((value, *self))

    @property
    def first(self) -> Any:
        """The value at its front."""
        return self[0]

    @property
    def rest(self) -> List:
        """What follows it."""
        return List(self[1:])
