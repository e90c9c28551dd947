"""A world to work in: a seeded database of figures, a collection of documents, and a day.

Every domain makes its `Content` from a seed; `World` puts it into one SQLite file of its own.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from course.scenarios.database import Database, Row

Rows = Sequence[Sequence[Any]]

_DOCUMENTS = """
CREATE TABLE documents (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL,
    written TEXT NOT NULL, body TEXT NOT NULL
);
CREATE VIRTUAL TABLE documents_index USING fts5 (
    title, subject, body, content = 'documents', tokenize = 'porter unicode61'
);
"""


@dataclass(frozen=True, slots=True)
class Document:
    """One document of the collection.

    Attributes:
        id: how answers cite it, such as "D-014".
        kind: such as "annual report"; one of the filters of a search.
        subject: whom it is about, such as a company's name; the other filter.
        written: the day it is dated.
        body: its text.
    """

    id: str
    title: str
    kind: str
    subject: str
    written: date
    body: str


@dataclass(frozen=True, slots=True)
class Content:
    """All that a seed makes: the tables' SQL, their rows in an order foreign keys allow, texts."""

    schema: str
    rows: Mapping[str, Rows]
    documents: tuple[Document, ...]


def database_bytes(content: Content) -> bytes:
    """The finished SQLite file: the tables, the documents and the index over them."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(content.schema + _DOCUMENTS)
        connection.execute("PRAGMA foreign_keys = ON")
        for table, rows in content.rows.items():
            marks = ", ".join("?" * len(rows[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
        connection.executemany(
            "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)",
            [
                (d.id, d.title, d.kind, d.subject, d.written.isoformat(), d.body)
                for d in content.documents
            ],
        )
        connection.execute("INSERT INTO documents_index (documents_index) VALUES ('rebuild')")
        connection.commit()
        return connection.serialize()
    finally:
        connection.close()


class World:
    """One copy of a seed's database, for the tools of a domain's workers.

    Attributes:
        seed: which world it is.
        today: the day it is there.
        path: the SQLite file.
        database: the same, as the tools open it.
        tables: the names of the tables of figures, without those of the documents.

    Leaving the `with` block, `close()` or the end of the program deletes the file.
    """

    def __init__(self, content: bytes, *, seed: int, today: date, tables: Sequence[str]) -> None:
        folder = tempfile.mkdtemp(prefix="world-")
        self.seed = seed
        self.today = today
        self.tables = tuple(tables)
        self.path = Path(folder, "world.sqlite")
        self.path.write_bytes(content)
        self.database = Database(self.path, remedy="open the world again")
        # Tied to what the tools hold, so that workers may outlive the world that made them.
        self._remove = weakref.finalize(self.database, shutil.rmtree, folder, ignore_errors=True)

    def rows(self, query: str, *values: object) -> list[Row]:
        """What a query of our own gives: for requests, their facts and tests."""
        with self.database.read() as connection:
            return connection.execute(query, values).fetchall()

    def close(self) -> None:
        """Delete the database; closing twice does no harm."""
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
