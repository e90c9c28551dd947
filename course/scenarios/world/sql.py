"""Questions to a world's database in SQL that can only read.

Three locks, since a model writes the text: the file is opened read-only, SQLite asks `Guard`
about each thing a statement wants to do, and a statement may take only so many steps. Steps and
not seconds, so that the same query always ends the same way.

Source: https://sqlite.org/c3ref/set_authorizer.html and progress_handler.html.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field

from course.errors import ToolError
from course.scenarios.database import Database, Row

MOST_ROWS = 50
MOST_STEPS = 2_000_000  # of SQLite's virtual machine: some tenths of a second
MOST_CHARACTERS = 20_000  # of a value, and of the query itself
_EVERY = 10_000

_WRITES = {
    sqlite3.SQLITE_INSERT: "INSERT writes",
    sqlite3.SQLITE_UPDATE: "UPDATE writes",
    sqlite3.SQLITE_DELETE: "DELETE writes",
    sqlite3.SQLITE_ATTACH: "ATTACH opens another file",
    sqlite3.SQLITE_DETACH: "DETACH closes a file",
    sqlite3.SQLITE_PRAGMA: "PRAGMA changes settings",
    sqlite3.SQLITE_TRANSACTION: "transactions are for writing",
    sqlite3.SQLITE_SAVEPOINT: "savepoints are for writing",
}
_HARMLESS = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE)
_LEFT_TO_CHANCE = ("random", "randomblob", "current_date", "current_time", "current_timestamp")
_SCHEMA = ("sqlite_master", "sqlite_temp_master")
_CLOCKS = {"date": 0, "time": 0, "datetime": 0, "julianday": 0, "unixepoch": 0, "strftime": 1}
"""Functions that read the clock where no day is given: the place of the day in their arguments."""


@dataclass(slots=True)
class Guard:
    """Allows a statement to read these tables and nothing else; keeps the first thing refused."""

    tables: tuple[str, ...]
    refused: str = field(default="")

    def __call__(self, action: int, one: str | None, two: str | None, *_: str | None) -> int:
        """SQLite's authorizer: what a statement wants to do, and to what."""
        reason = self._objection(action, one, two)
        if reason is None:
            return sqlite3.SQLITE_OK
        self.refused = self.refused or reason
        return sqlite3.SQLITE_DENY

    def _objection(self, action: int, one: str | None, two: str | None) -> str | None:
        if action in _HARMLESS:
            return None
        if action == sqlite3.SQLITE_READ:
            # An empty name is a subquery's or a common table expression's.
            if not one or one in self.tables:
                return None
            return f"there is no table {one} here; the tables are: {', '.join(self.tables)}"
        if action == sqlite3.SQLITE_FUNCTION:
            if two in _LEFT_TO_CHANCE:
                return f"{two}() is not allowed: an answer must not depend on chance or the clock"
            if two == "load_extension":
                return "load_extension() is not allowed: it runs foreign code"
            return None
        if one in _SCHEMA and action == sqlite3.SQLITE_UPDATE:  # how a table function begins
            return f"only these tables can be read here: {', '.join(self.tables)}"
        if one in _SCHEMA and action in _WRITES:
            return "CREATE and DROP change the tables: only SELECT is allowed here"
        what = _WRITES.get(action, "that is no query")
        return f"{what}: only SELECT is allowed here"


@dataclass(frozen=True, slots=True)
class Questions:
    """The two tools over the tables of one world."""

    database: Database
    tables: tuple[str, ...]

    def describe_tables(self) -> Row:
        """Describe the database: its tables with their columns, units and numbers of rows."""
        with self.database.read() as connection:
            return {table: _described(connection, table) for table in self.tables}

    def query_database(
        self,
        sql: Annotated[str, Field(description="one SELECT statement in SQLite's dialect")],
    ) -> Row:
        """Query the database with one read-only SELECT statement: the rows that it gives."""
        if len(sql) > MOST_CHARACTERS:
            raise ToolError(f"the query is longer than {MOST_CHARACTERS} characters: shorten it")
        guard = Guard(self.tables)
        try:
            rows = _run(self.database, sql, guard)
        except (sqlite3.Error, sqlite3.Warning, ValueError, UnicodeError) as error:
            raise ToolError(_what_is_wrong(error, guard)) from None
        if len(rows) > MOST_ROWS:
            raise ToolError(
                f"the query gives more than {MOST_ROWS} rows: narrow it with WHERE, GROUP BY or"
                " LIMIT"
            )
        return {"count": len(rows), "rows": rows}


def _described(connection: sqlite3.Connection, table: str) -> Row:
    made_by = "SELECT sql FROM sqlite_schema WHERE name = ?"
    counted = connection.execute(f"SELECT count(*) AS rows FROM {table}").fetchone()
    return {**counted, "made_by": connection.execute(made_by, (table,)).fetchone()["sql"]}


def _run(database: Database, sql: str, guard: Guard) -> list[Row]:
    address = f"{database.path.absolute().as_uri()}?mode=ro"
    with (
        closing(sqlite3.connect(":memory:")) as days,
        closing(sqlite3.connect(address, uri=True, isolation_level=None)) as connection,
    ):
        for name, place in _CLOCKS.items():
            connection.create_function(name, -1, _without_a_clock(name, place, days, guard))
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_CHARACTERS)
        connection.set_authorizer(guard)
        left = MOST_STEPS // _EVERY

        def one_more() -> int:
            nonlocal left
            left -= 1
            return int(left <= 0)

        connection.set_progress_handler(one_more, _EVERY)
        cursor = connection.execute(sql)
        if cursor.description is None:
            raise ValueError("that is no query: write one SELECT statement")
        names = [column[0] for column in cursor.description]
        for name, count in Counter(names).items():
            if count > 1:
                raise ToolError(f"{count} columns are called '{name}': name each with AS")
        return [
            {name: _plain(value) for name, value in zip(names, row, strict=True)}
            for row in cursor.fetchmany(MOST_ROWS + 1)
        ]


def _without_a_clock(
    name: str, place: int, days: sqlite3.Connection, guard: Guard
) -> Callable[..., Any]:
    """A function of days as SQLite has it, which refuses to look at the clock."""

    def function(*values: Any) -> Any:
        if len(values) <= place or str(values[place]).lower() in ("now", "subsec", "subsecond"):
            guard.refused = "'now' is not allowed: write the day itself, as in your instructions"
            raise ValueError(guard.refused)
        marks = ", ".join("?" * len(values))
        return days.execute(f"SELECT {name}({marks})", values).fetchone()[0]

    return function


def _plain(value: Any) -> Any:
    return f"{len(value)} bytes" if isinstance(value, bytes) else value


def _what_is_wrong(error: Exception, guard: Guard) -> str:
    if guard.refused:
        return guard.refused
    message = " ".join(str(error).split())
    if "interrupted" in message:
        return "the query takes too many steps: join on keys, or narrow it with WHERE"
    if "one statement" in message:
        return "only one statement at a time: send the others in calls of their own"
    return f"the query cannot be run: {message}; describe_tables gives tables and columns"
