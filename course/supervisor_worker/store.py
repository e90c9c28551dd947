"""What has been done so far, on disk: a run that was killed goes on where it was.

Each piece is written the moment it is there, in a transaction of its own. So what is on disk is
true whenever a run is killed, and only what was under way is done again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import cache
from itertools import chain, count
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from course.errors import ConfigurationError, FileFormatError
from course.results import Attempt, TaskResult
from course.supervisor_worker.plan import Plan

R = TypeVar("R")

# "NORMAL" is enough for a process that is killed; when the machine fails, the last writes may go
_TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS run (
    id TEXT PRIMARY KEY, request TEXT NOT NULL, plan TEXT, answer TEXT,
    plans_made INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE IF NOT EXISTS attempt (
    run TEXT NOT NULL REFERENCES run, task TEXT NOT NULL, number INTEGER NOT NULL,
    data TEXT NOT NULL, PRIMARY KEY (run, task, number)
) STRICT;
CREATE TABLE IF NOT EXISTS result (
    run TEXT NOT NULL REFERENCES run, task TEXT NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (run, task)
) STRICT;
"""


@cache  # pydantic works a form out in milliseconds, and a run looks at its results all the time
def _reader(kind: type[R]) -> TypeAdapter[R]:
    return TypeAdapter(kind)


class Store:
    """The state of runs in an SQLite file, which is made if it is not there. Used in chapter 10.

    Raises FileFormatError: the file is something else, or what it has cannot be read;
    ConfigurationError: the store is closed.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        # A notebook's run has a thread of its own, which this one waits for: never two at once.
        try:
            self._database = opened = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False
            )
        except sqlite3.OperationalError as error:
            raise FileFormatError(f"{self.path}: {error}: is its folder there?") from None
        try:
            opened.executescript(_TABLES)
            if "plans_made" not in {row[1] for row in opened.execute("PRAGMA table_info(run)")}:
                # a file from before runs counted their plans
                opened.execute("ALTER TABLE run ADD COLUMN plans_made INTEGER NOT NULL DEFAULT 0")
        except sqlite3.DatabaseError as error:
            opened.close()
            raise FileFormatError(f"{self.path}: cannot hold the state of runs: {error}") from None

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def begin(self, run: str, request: str) -> None:
        """Note a run and what it was asked; the same again, when it goes on.

        Raises ConfigurationError: the run is there with another request.
        """
        self._ask("INSERT OR IGNORE INTO run (id, request) VALUES (?, ?)", run, request)
        known = self._of_run("request", run)
        if known != request:
            shown = known if len(known) <= 60 else known[:57] + "..."
            raise ConfigurationError(
                f"run '{run}' in {self.path} was asked something else (“{shown}”): use another name"
            )

    def free_name(self, run: str, request: str) -> str:
        """The name under which a run can be asked this: its own, or with a number after it."""
        names = chain([run], (f"{run} ({number})" for number in count(2)))
        return next(name for name in names if self._of_run("request", name) in (None, request))

    def plan(self, run: str) -> Plan | None:
        """The plan of a run, once it has one."""
        text = self._of_run("plan", run)
        return Plan.from_json(text, source=f"plan of run '{run}'") if text else None

    def plans_made(self, run: str) -> int:
        """How often a run was planned anew."""
        return int(self._of_run("plans_made", run) or 0)

    def save_plan(self, run: str, plan: Plan, *, made: int = 0) -> None:
        """Keep the plan, which was made after `made` others; a later one takes its place."""
        text = plan.to_json()
        self._ask("UPDATE run SET plan = ?, plans_made = ? WHERE id = ?", text, made, run)

    def results(self, run: str) -> dict[str, TaskResult]:
        """The tasks of a run that are over, failed ones among them, by id."""
        query = "SELECT task, data FROM result WHERE run = ? ORDER BY rowid"
        return dict(self._kept(TaskResult, query, run))

    def save_result(self, run: str, result: TaskResult) -> None:
        """Keep what came of a task."""
        data = to_json(result).decode()
        self._ask("INSERT OR REPLACE INTO result VALUES (?, ?, ?)", run, result.task_id, data)

    def attempts(self, run: str) -> dict[str, tuple[Attempt, ...]]:
        """The tries of a run by task, oldest first; all failed but for the last, if under way."""
        found: dict[str, tuple[Attempt, ...]] = {}
        query = "SELECT task, data FROM attempt WHERE run = ? ORDER BY task, number"
        for task, attempt in self._kept(Attempt, query, run):
            found[task] = (*found.get(task, ()), attempt)
        return found

    def save_attempt(self, run: str, task: str, attempt: Attempt) -> None:
        """Keep one more try at a task: that it failed or, without a failure, that it begins."""
        self._ask(
            "INSERT OR REPLACE INTO attempt SELECT ?, ?, COUNT(*), ? FROM attempt"
            " WHERE run = ? AND task = ? AND json_extract(data, '$.failure') IS NOT NULL",
            run, task, to_json(attempt).decode(), run, task,
        )  # fmt: skip

    def answer(self, run: str) -> str | None:
        """The answer of a run that came to its end."""
        found: str | None = self._of_run("answer", run)
        return found

    def save_answer(self, run: str, answer: str) -> None:
        """Keep the answer: the run is over."""
        self._ask("UPDATE run SET answer = ? WHERE id = ?", answer, run)

    def _of_run(self, column: str, run: str) -> Any:
        rows = self._ask(f"SELECT {column} FROM run WHERE id = ?", run)
        return rows[0][0] if rows else None

    def _kept(self, kind: type[R], query: str, run: str) -> Iterator[tuple[str, R]]:
        """What a query finds of a run: each task's id with its data, read as this type."""
        for task, data in self._ask(query, run):
            try:
                yield task, _reader(kind).validate_json(data)  # type: ignore[arg-type]
            except ValidationError:
                raise FileFormatError(
                    f"{self.path}: what it has of task '{task}' of run '{run}' cannot be read:"
                    " use another name for the run"
                ) from None

    def _ask(self, query: str, *values: Any) -> list[Any]:
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.ProgrammingError:
            raise ConfigurationError(f"the store {self.path} is closed: open it again") from None
