"""A scenario's SQLite file: opened for each use, so that the file is the only truth there is."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course.errors import ScenarioError

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Database:
    """One SQLite file; `name` is the kind of world that it belongs to, for the error message."""

    path: Path
    name: str = "World"

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """A connection for queries; nothing that is written through it is kept."""
        with self._open() as connection:
            connection.execute("PRAGMA query_only = ON")
            yield connection

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A connection inside one transaction: kept when the block ends, undone when it raises."""
        with self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        # mode=rw: SQLite would otherwise make an empty file where ours was deleted.
        address = f"{self.path.absolute().as_uri()}?mode=rw"
        try:
            with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as connection:
                connection.row_factory = as_dictionary
                connection.execute("PRAGMA foreign_keys = ON")
                yield connection
        except sqlite3.IntegrityError:
            raise
        except sqlite3.DatabaseError as error:
            raise ScenarioError(self._what_is_wrong(error)) from error

    def _what_is_wrong(self, error: sqlite3.DatabaseError) -> str:
        remedy = f"{self.name}() makes a new one"
        if not self.path.parent.exists():
            return f"this {self.name} is closed: {remedy}"
        if not self.path.exists():
            return f"the database {self.path} is gone: {remedy}"
        return f"the database {self.path} cannot be used ({error}): {remedy}"


def as_dictionary(cursor: sqlite3.Cursor, values: tuple[Any, ...]) -> Row:
    """A row as a dictionary from column name to value (a row factory for sqlite3)."""
    return {column[0]: value for column, value in zip(cursor.description, values, strict=True)}
