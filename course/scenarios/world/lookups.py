"""What a tool of a world refuses, in words that say how to ask again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from course.errors import ToolError
from course.scenarios.database import Row

T = TypeVar("T")


def found(rows: Sequence[Row], name: str, *, noun: str, by: Iterable[str] = ("name",)) -> Row:
    """The row that is called `name`, whatever its case, by one of the columns `by`.

    Raises ToolError: no row is; the message says what there is, by the first of `by`.
    """
    columns = tuple(by)
    wanted = name.strip().lower()
    for row in rows:
        if wanted in (str(row[column]).lower() for column in columns):
            return row
    known = ", ".join(str(row[columns[0]]) for row in rows)
    raise ToolError(f"there is no {noun} '{name}'; there are {known}")


def given(value: T | None, name: str, *, known: Sequence[T], because: str) -> T:
    """The value of an argument that a call may leave out, but that this question depends on.

    Args:
        value: what the call says; None where it says nothing.
        name: the argument's name.
        known: the values that there are.
        because: why it matters, such as "each year has its own figures".

    Raises ToolError: nothing was said, or a value that is not there.
    """
    listed = ", ".join(map(str, known))
    if value is None:
        raise ToolError(f"{because}: give {name} ({listed})")
    if value not in known:
        raise ToolError(f"there is no {name} {value}; there are {listed}")
    return value
