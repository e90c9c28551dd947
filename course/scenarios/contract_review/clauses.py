"""What contracts say and what follows from it: terms in force, checks, deadlines, interest."""

from __future__ import annotations

import sqlite3
from datetime import date, timedelta
from typing import Any

from course.errors import ToolError
from course.scenarios.contract_review.data import LAWS
from course.scenarios.database import Row

UNITS = {
    "notice": "days",
    "payment": "days",
    "liability": "monthly fees",
    "interest": "percent a year",
    "law": "",
}


def contract(connection: sqlite3.Connection, name: str) -> Row:
    """A contract by its id or partner; raises ToolError that names those there are."""
    rows = connection.execute("SELECT * FROM contracts ORDER BY id").fetchall()
    for row in rows:
        if name.strip().lower() in (row["id"].lower(), row["partner"].lower()):
            found: Row = row
            return found
    known = ", ".join(f"{row['id']} ({row['partner']})" for row in rows)
    raise ToolError(f"there is no contract '{name}'; there are {known}")


def versions(connection: sqlite3.Connection, contract_id: str, topic: str) -> list[str]:
    """What a contract says on a topic: as signed, then as amended."""
    query = "SELECT value FROM terms WHERE contract_id = ? AND topic = ? ORDER BY version"
    return [str(row["value"]) for row in connection.execute(query, (contract_id, topic))]


def in_force(connection: sqlite3.Connection, found: Row, topic: str) -> str:
    """What counts today; raises ToolError where the contract has no such clause."""
    said = versions(connection, found["id"], topic)
    if not said:
        raise ToolError(
            f"contract {found['id']} has no clause on {topic}: name it as missing, and go on"
        )
    return said[-1]


def check(value: str, rule: Row) -> bool:
    """Whether a term keeps to a rule of the playbook."""
    if rule["topic"] == "law":
        return value in LAWS
    number = float(value)
    return (rule["least"] is None or number >= rule["least"]) and (
        rule["most"] is None or number <= rule["most"]
    )


def deadline(ends: date, notice: int) -> date:
    """The last day on which notice can be given: `notice` days before the end."""
    return ends - timedelta(days=notice)


def days_late(issued: date, paid: date, days: int) -> int:
    """By how many days a payment missed its day, 0 when it was in time."""
    return max(0, (paid - issued - timedelta(days=days)).days)


def interest(euro: float, percent: float, days: int) -> float:
    """Simple interest for some days of a year of 365 days, in EUR."""
    return euro * percent / 100 * days / 365


def checked(connection: sqlite3.Connection, found: Row) -> list[dict[str, Any]]:
    """Each rule of the playbook with what the contract says today and whether it keeps to it."""
    rows = []
    for rule in connection.execute("SELECT * FROM playbook ORDER BY topic").fetchall():
        said = versions(connection, found["id"], rule["topic"])
        verdict = "missing" if not said else "kept" if check(said[-1], rule) else "broken"
        value = f"{said[-1]} {UNITS[rule['topic']]}".strip() if said else None
        rows.append(
            {"topic": rule["topic"], "in_force": value, "rule": rule["rule"], "verdict": verdict}
        )
    return rows
