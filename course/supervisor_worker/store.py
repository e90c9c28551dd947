"""What has been done so far, on disk: a run that was killed goes on where it was.

Everything is written down the moment it is there, in one transaction each: the plan, every try
that failed, the words of the one that follows it, every task's result, the answer. So whatever
moment a run is killed at, what is on disk is true, and only what was under way is done again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic_core import to_json

from course.errors import ConfigurationError, FileFormatError
from course.results import Attempt, Failure, TaskResult
from course.supervisor_worker.plan import Plan

R = TypeVar("R")

_TABLES = """
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

_COUNT_PLANS = "ALTER TABLE run ADD COLUMN plans_made INTEGER NOT NULL DEFAULT 0"


class Store:
    """The state of runs in an SQLite file.

    Args:
        path: of the file; it is made if it is not there.

    Raises:
        FileFormatError: the file is something else, or cannot be opened.

    What is asked of a closed store raises ConfigurationError; what is there and cannot be read,
    FileFormatError.

    Used in chapter 10.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        # A notebook's run has a thread of its own, which this one waits for: never two at once.
        try:
            self._database = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False
            )
        except sqlite3.OperationalError as error:
            raise FileFormatError(f"{self.path}: {error}: is its folder there?") from None
        try:
            self._database.execute("PRAGMA journal_mode = WAL")
            # Enough for a process that is killed; when the machine fails, the last writes may go.
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.executescript(_TABLES)
            known = {row[1] for row in self._database.execute("PRAGMA table_info(run)")}
            if "plans_made" not in known:  # a file from before runs counted their plans
                self._database.execute(_COUNT_PLANS)
        except sqlite3.DatabaseError as error:
            self._database.close()
            raise FileFormatError(f"{self.path}: cannot hold the state of runs: {error}") from None

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def begin(self, run: str, request: str) -> None:
        """Note a run and what it was asked; the same again, when it goes on.

        Raises:
            ConfigurationError: the run is there with another request.
        """
        self._write("INSERT OR IGNORE INTO run (id, request) VALUES (?, ?)", run, request)
        known = self._request(run)
        if known is not None and known != request:
            shown = known if len(known) <= 60 else known[:57] + "..."
            raise ConfigurationError(
                f"run '{run}' in {self.path} was asked something else (“{shown}”): use another name"
            )

    def free_name(self, run: str, request: str) -> str:
        """The name under which a run can be asked this: its own, or with a number after it."""
        name, number = run, 1
        while (known := self._request(name)) is not None and known != request:
            number += 1
            name = f"{run} ({number})"
        return name

    def plan(self, run: str) -> Plan | None:
        """The plan of a run, once it has one."""
        text = self._of_run("plan", run)
        return Plan.from_json(text, source=f"plan of run '{run}'") if text else None

    def plans_made(self, run: str) -> int:
        """How often a run was planned anew."""
        return int(self._of_run("plans_made", run) or 0)

    def save_plan(self, run: str, plan: Plan, *, made: int = 0) -> None:
        """Keep the plan; a later one takes its place.

        Args:
            made: how often the run was planned anew.
        """
        text = plan.to_json()
        self._write("UPDATE run SET plan = ?, plans_made = ? WHERE id = ?", text, made, run)

    def results(self, run: str) -> dict[str, TaskResult]:
        """The tasks of a run that are over, failed ones among them, by id."""
        rows = self._read("SELECT task, data FROM result WHERE run = ? ORDER BY rowid", run)
        return {task: self._kept(run, task, data, TaskResult.from_data) for task, data in rows}

    def save_result(self, run: str, result: TaskResult) -> None:
        """Keep what came of a task."""
        data = to_json(result.to_data()).decode()
        self._write("INSERT OR REPLACE INTO result VALUES (?, ?, ?)", run, result.task_id, data)

    def attempts(self, run: str) -> dict[str, tuple[Attempt, ...]]:
        """The tries at tasks of a run that failed, by task, oldest first."""
        found: dict[str, tuple[Attempt, ...]] = {}
        for task, attempt in self._attempts(run):
            if attempt.failure:
                found[task] = (*found.get(task, ()), attempt)
        return found

    def begun(self, run: str) -> dict[str, Attempt]:
        """The tries of a run that followed a failed one and were under way, by task."""
        return {task: each for task, each in self._attempts(run) if not each.failure}

    def save_attempt(self, run: str, task: str, attempt: Attempt) -> None:
        """Keep one more try at a task: that it failed or, without a failure, that it begins."""
        data = to_json(attempt).decode()
        self._write(
            "INSERT OR REPLACE INTO attempt SELECT ?, ?, COUNT(*), ? FROM attempt"
            " WHERE run = ? AND task = ? AND json_extract(data, '$.failure') IS NOT NULL",
            run, task, data, run, task,
        )  # fmt: skip

    def answer(self, run: str) -> str | None:
        """The answer of a run that came to its end."""
        found: str | None = self._of_run("answer", run)
        return found

    def save_answer(self, run: str, answer: str) -> None:
        """Keep the answer: the run is over."""
        self._write("UPDATE run SET answer = ? WHERE id = ?", answer, run)

    def _request(self, run: str) -> str | None:
        found: str | None = self._of_run("request", run)
        return found

    def _of_run(self, column: str, run: str) -> Any:
        rows = self._read(f"SELECT {column} FROM run WHERE id = ?", run)
        return rows[0][0] if rows else None

    def _kept(self, run: str, task: str, data: str, read: Callable[[dict[str, Any]], R]) -> R:
        try:
            return read(json.loads(data))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise FileFormatError(
                f"{self.path}: what it has of task '{task}' of run '{run}' cannot be read:"
                " use another name for the run"
            ) from None

    def _attempts(self, run: str) -> list[tuple[str, Attempt]]:
        query = "SELECT task, data FROM attempt WHERE run = ? ORDER BY task, number"
        rows = self._read(query, run)
        return [(task, self._kept(run, task, data, _attempt)) for task, data in rows]

    def _read(self, query: str, *values: Any) -> list[Any]:
        return self._execute(query, *values).fetchall()

    def _write(self, query: str, *values: Any) -> None:
        self._execute(query, *values)

    def _execute(self, query: str, *values: Any) -> sqlite3.Cursor:
        try:
            return self._database.execute(query, values)
        except sqlite3.ProgrammingError:
            raise ConfigurationError(f"the store {self.path} is closed: open it again") from None


def _attempt(data: Mapping[str, Any]) -> Attempt:
    failure = Failure(**data["failure"]) if data["failure"] else None
    return Attempt(**{**data, "failure": failure})
