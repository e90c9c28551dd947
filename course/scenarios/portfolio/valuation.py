"""What portfolios and securities are worth: prices converted, weights, drift and returns."""

from __future__ import annotations

import re
import sqlite3

from course.errors import ToolError
from course.scenarios.database import Row
from course.scenarios.portfolio.data import euro_price

_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")


def months(connection: sqlite3.Connection) -> tuple[str, str]:
    """The first and the last month that there are prices for."""
    row = connection.execute("SELECT min(month) AS a, max(month) AS b FROM prices").fetchone()
    return str(row["a"]), str(row["b"])


def check_month(connection: sqlite3.Connection, month: str | None, name: str = "month") -> str:
    """A month that there are prices for; raises ToolError that names the others."""
    first, last = months(connection)
    if month is None:
        raise ToolError(f"the value depends on the day: give {name}, from {first} to {last}")
    if not _MONTH.fullmatch(month):
        raise ToolError(f"{name} '{month}' is no month with its year: write it as {last}")
    if not first <= month <= last:
        raise ToolError(f"there are no prices for {month}: give {name} from {first} to {last}")
    return month


def client_id(connection: sqlite3.Connection, client: str) -> tuple[str, str]:
    """A client's id and name as written; raises ToolError that names those there are."""
    rows = connection.execute("SELECT id, name FROM clients ORDER BY name").fetchall()
    for row in rows:
        if client.strip().lower() in (row["name"].lower(), row["id"].lower()):
            return row["id"], row["name"]
    known = ", ".join(row["name"] for row in rows)
    raise ToolError(f"there is no client '{client}'; there are {known}")


def security(connection: sqlite3.Connection, name: str) -> Row:
    """A security by its name or symbol; raises ToolError that names those there are."""
    rows = connection.execute("SELECT * FROM securities ORDER BY name").fetchall()
    for row in rows:
        if name.strip().lower() in (row["name"].lower(), row["symbol"].lower()):
            found: Row = row
            return found
    known = ", ".join(f"{row['name']} ({row['symbol']})" for row in rows)
    raise ToolError(f"there is no security '{name}'; there are {known}")


def close_of(connection: sqlite3.Connection, of: Row, month: str) -> float:
    """The closing price as quoted; raises ToolError where there is none."""
    query = "SELECT close FROM prices WHERE symbol = ? AND month = ?"
    row = connection.execute(query, (of["symbol"], month)).fetchone()
    if row is None:
        raise ToolError(
            f"no price of {of['name']} is recorded for {month}: take another month, and say so"
        )
    return float(row["close"])


def in_euros(connection: sqlite3.Connection, of: Row, month: str) -> float:
    """The closing price in EUR."""
    rows = connection.execute("SELECT * FROM rates WHERE month = ?", (month,))
    rates = {(row["currency"], month): row["euro"] for row in rows}
    return euro_price(of["quoted"], close_of(connection, of, month), month, rates)


def positions(connection: sqlite3.Connection, client: str, month: str) -> list[Row]:
    """A client's positions at the end of a month, with what each is worth in EUR."""
    query = """SELECT s.*, h.shares FROM holdings h JOIN securities s ON s.symbol = h.symbol
        WHERE h.client_id = ? ORDER BY s.asset_class, s.name"""
    rows = connection.execute(query, (client,)).fetchall()
    return [row | {"euro": row["shares"] * in_euros(connection, row, month)} for row in rows]


def by_class(connection: sqlite3.Connection, client: str, month: str) -> dict[str, float]:
    """What a client has in each asset class at the end of a month, in EUR, cash included."""
    classes: dict[str, float] = {}
    for row in positions(connection, client, month):
        classes[row["asset_class"]] = classes.get(row["asset_class"], 0.0) + row["euro"]
    query = "SELECT cash_euro FROM clients WHERE id = ?"
    classes["cash"] = float(connection.execute(query, (client,)).fetchone()["cash_euro"])
    return classes


def targets(connection: sqlite3.Connection, client: str) -> dict[str, float]:
    """A client's target weights in percent."""
    query = "SELECT asset_class, percent FROM targets WHERE client_id = ?"
    rows = connection.execute(query, (client,)).fetchall()
    return {row["asset_class"]: float(row["percent"]) for row in rows}


def drift(classes: dict[str, float], wanted: dict[str, float]) -> dict[str, float]:
    """Actual weight minus target weight of each asset class, in percentage points."""
    total = sum(classes.values())
    return {name: 100 * classes.get(name, 0.0) / total - share for name, share in wanted.items()}


def trades(classes: dict[str, float], wanted: dict[str, float], band: float) -> dict[str, float]:
    """EUR to buy (positive) or sell in each class that is off its target by more than `band`."""
    total = sum(classes.values())
    return {
        name: total * wanted[name] / 100 - classes.get(name, 0.0)
        for name, points in drift(classes, wanted).items()
        if abs(points) > band
    }
