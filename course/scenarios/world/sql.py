"""Questions to a world's database in SQL that can only read.

Five locks, since a model writes the text: the file is opened read-only, SQLite asks `Guard`
about each thing a statement wants to do, a statement may be only so long once it is written out and
take only so many steps, and its functions may handle only so many letters, of which one step could
take millions. Steps and letters and not
seconds, so that the same query always ends the same way.

Source: https://sqlite.org/c3ref/set_authorizer.html and progress_handler.html.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from math import prod
from typing import Annotated, Any, NoReturn

from pydantic import Field

from course.errors import ToolError
from course.scenarios.database import Database, Row
from course.scenarios.world.common_tables import selects

MOST_ROWS = 50
MOST_STEPS = 100_000  # of SQLite's virtual machine; tables here have a hundred rows
MOST_CHARACTERS = 20_000  # of the query
MOST_SELECTS = 200  # with common tables written out
MOST_IN_A_VALUE = 4_000  # bytes of a value, and of a row that is put aside to be sorted
MOST_IN_AN_ANSWER = 250_000  # characters of all rows together
MOST_LETTERS = 20_000_000  # that functions handle in a query: about as long
_EVERY = 1_000
_A_CALL = 1_000  # letters that could be handled instead
_COMPARED = 10  # letters that are compared as quickly as one is copied
_JSON_STEPS = 50  # a step that reads JSON counts for so many

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
_BY_PRODUCT = ("glob", "instr", "like", "ltrim", "replace", "rtrim", "trim")
"""Functions that may hold each letter of a text against each one of another."""
_BY_LENGTH = ("char", "concat", "concat_ws", "format", "hex", "length", "lower", "printf", "quote",
              "soundex", "substr", "substring", "unhex", "upper")  # fmt: skip
_DIRECTIVE = re.compile(r"%[-+ 0,#!]*(\*|\d+)?(?:\.(\*|\d+))?l*(.?)", re.DOTALL)
_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*(?:e[-+]?\d+)?)", re.IGNORECASE)
_ENDLESS = "the query takes too many steps: join on keys, or narrow it with WHERE"


@dataclass(slots=True)
class Guard:
    """Allows a statement to read these tables and nothing else; keeps the first thing refused."""

    tables: tuple[str, ...]
    refused: str = field(default="")
    json: bool = False
    letters: int = 0

    def __call__(
        self, action: int, one: str | None, two: str | None, database: str | None, _: str | None
    ) -> int:
        """SQLite's authorizer: what a statement wants to do, and to what, in which database."""
        reason = self._objection(action, one, two, database)
        if reason is None:
            return sqlite3.SQLITE_OK
        self.refused = self.refused or reason
        return sqlite3.SQLITE_DENY

    def handle(self, letters: int) -> None:
        """Count the letters that a function is about to handle; ValueError for too many."""
        self.letters += letters
        if self.letters > MOST_LETTERS:
            self.refuse(_ENDLESS)

    def refuse(self, reason: str) -> NoReturn:
        """Keep the reason, of which SQLite tells none, and end the function with it."""
        self.refused = self.refused or reason
        raise ValueError(reason)

    def _objection(
        self, action: int, one: str | None, two: str | None, database: str | None
    ) -> str | None:
        if action in _HARMLESS:
            return None
        if action == sqlite3.SQLITE_READ:
            # Without a name, or in no database: a subquery or a common table expression.
            if not one or database is None or one in self.tables:
                return None
            return f"there is no table {one} here; the tables are: {', '.join(self.tables)}"
        if action == sqlite3.SQLITE_FUNCTION:
            self.json |= str(two).startswith("json")
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
        if selects(sql) > MOST_SELECTS:
            raise ToolError(
                f"the query is more than {MOST_SELECTS} selects once its WITH tables are written"
                " out: name each of them less often"
            )
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
        for name in (*_CLOCKS, *_BY_PRODUCT, *_BY_LENGTH):
            bounded = _bounded(name, days, guard)
            connection.create_function(name, -1, bounded, deterministic=True)
        for each in (days, connection):
            each.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_IN_A_VALUE)
        connection.set_authorizer(guard)
        left = MOST_STEPS // _EVERY

        def one_more() -> int:
            nonlocal left
            left -= _JSON_STEPS if guard.json else 1
            return int(left <= 0)

        connection.set_progress_handler(one_more, _EVERY)
        cursor = connection.execute(sql)
        if cursor.description is None:
            raise ValueError("that is no query: write one SELECT statement")
        names = [column[0] for column in cursor.description]
        for name, count in Counter(names).items():
            if count > 1:
                raise ToolError(f"{count} columns are called '{name}': name each with AS")
        rows, letters = [], 0
        for row in islice(cursor, MOST_ROWS + 1):
            rows.append({name: _plain(each) for name, each in zip(names, row, strict=True)})
            letters += sum(len(each) for each in rows[-1].values() if isinstance(each, str))
            if letters > MOST_IN_AN_ANSWER:
                raise ToolError(
                    f"the rows hold more than {MOST_IN_AN_ANSWER} characters: ask for fewer columns"
                    " or rows"
                )
        return rows


def _bounded(name: str, same: sqlite3.Connection, guard: Guard) -> Callable[..., Any]:
    """A function as SQLite has it, which counts what it handles and does not look at the clock.

    Args:
        same: another connection, on which the function is SQLite's own.
    """

    def function(*values: Any) -> Any:
        sizes = [len(value) if isinstance(value, str | bytes) else 1 for value in values]
        pairs = prod(sizes[:2]) // _COMPARED if name in _BY_PRODUCT else 0
        guard.handle(_A_CALL + sum(sizes) + pairs)
        if name in _CLOCKS and _asks_the_clock(values, _CLOCKS[name]):
            guard.refuse("'now' is not allowed: write the day itself, as in your instructions")
        if name in ("format", "printf") and any(n > MOST_IN_A_VALUE for n in _widths(values)):
            guard.refuse(f"{name}() may make a text of {MOST_IN_A_VALUE} characters at most")
        marks = ", ".join("?" * len(values))
        try:
            made = same.execute(f"SELECT {name}({marks})", values).fetchone()[0]
        except sqlite3.Error as error:
            guard.refuse(_cannot_run(error))
        guard.handle(len(made) if isinstance(made, str | bytes) else 0)
        return made

    return function


def _asks_the_clock(values: Sequence[Any], place: int) -> bool:
    return len(values) <= place or str(values[place]).lower() in ("now", "subsec", "subsecond")


def _widths(values: Sequence[Any]) -> Iterator[float]:
    """The widths and precisions that a format asks for, in itself or by its arguments."""
    form, *given = map(str, values or ("",))
    left = iter(given)
    for width, precision, kind in _DIRECTIVE.findall(form):
        for each in (width, precision):
            found = _NUMBER.match(next(left, "") if each == "*" else each)
            yield float(found[1]) if found else 0.0
        if kind not in ("%", "n"):
            next(left, None)


def _plain(value: Any) -> Any:
    return f"{len(value)} bytes" if isinstance(value, bytes) else value


def _what_is_wrong(error: Exception, guard: Guard) -> str:
    if guard.refused:
        return guard.refused
    message = str(error)
    if "interrupted" in message:
        return _ENDLESS
    if "one statement" in message:
        return "only one statement at a time: send the others in calls of their own"
    return _cannot_run(error)


def _cannot_run(error: Exception) -> str:
    message = " ".join(str(error).split())
    return f"the query cannot be run: {message}; describe_tables gives tables and columns"
