"""The tools of the two tiers: looking up, checking and mending lines.

A remedy that does not help says so as an error, because that is what it is for whoever counts
attempts; a check that finds a fault has done its work and is none.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from course.errors import ToolError
from course.scenarios.database import Database, Row

LineId = Annotated[
    str,
    Field(
        pattern=r"^L-\d+$", description="the line's id as find_customer gives it, such as L-2001"
    ),
]
FINDINGS = {
    None: "no fault on the line",
    "router": "the router hangs",
    "wifi": "the line is in order, the wireless network is disturbed",
    "port": "the port in the street cabinet is stuck",
    "profile": "the line profile is too fast for this wire",
    "cable": "the cable is damaged between the cabinet and the house",
}
NO_SYNC = ("router", "port", "cable")


@dataclass(frozen=True, slots=True)
class FirstLine:
    """What tier 1 can do: find out who calls, check the line, and what a caller could do too."""

    database: Database

    def find_customer(
        self, name: Annotated[str, Field(description="the customer's full name")]
    ) -> Row:
        """Find a customer by name: customer id, line id, plan and area."""
        with self.database.read() as connection:
            row: Row | None = connection.execute(_CUSTOMER, (" ".join(name.split()),)).fetchone()
        if row is None:
            raise ToolError(f"no customer is called '{name}': ask for the name on the contract")
        return row

    def check_line(self, line_id: LineId) -> Row:
        """Check a line: connection up or down, speed, and whether its area has an outage."""
        with self.database.read() as connection:
            line = _line(connection, line_id)
        down = line["fault"] in NO_SYNC or line["outage"] is not None
        slow = line["fault"] in ("wifi", "profile")
        speed = 0 if down else line["plan_mbit"] // 8 if slow else line["plan_mbit"]
        outage = line["outage"] and f"{line['outage']}, expected to end at {line['restored']}"
        return {
            "line_id": line_id,
            "connection": "down" if down else "up",
            "speed_mbit": speed,
            "plan_mbit": line["plan_mbit"],
            "outage": outage or "none",
        }

    def restart_router(self, line_id: LineId) -> Row:
        """Restart the customer's router, for a connection that is down."""
        return _remedy(self.database, line_id, "restart the router", "router")

    def change_wifi_channel(self, line_id: LineId) -> Row:
        """Move the wireless network to another channel, for a connection that is slow."""
        return _remedy(self.database, line_id, "change the wifi channel", "wifi")


@dataclass(frozen=True, slots=True)
class SecondLine:
    """What tier 2 can do: measure the wire and work on the provider's own equipment."""

    database: Database

    def measure_line(self, line_id: LineId) -> Row:
        """Measure a line that is down or slow, and say what is wrong between exchange and house."""
        with self.database.read() as connection:
            line = _line(connection, line_id)
            work = connection.execute(
                "SELECT remedy, helped FROM work WHERE line_id = ? ORDER BY id", (line_id,)
            ).fetchall()
        done = [f"{each['remedy']}: {'helped' if each['helped'] else 'no help'}" for each in work]
        finding = line["outage"] or FINDINGS[line["fault"]]
        return {"line_id": line_id, "finding": finding, "port": line["port"], "done": done}

    def reset_port(self, line_id: LineId) -> Row:
        """Reset the line's port in the street cabinet, for a port that is stuck."""
        return _remedy(self.database, line_id, "reset the port", "port")

    def lower_profile(self, line_id: LineId) -> Row:
        """Give the line a slower profile, for one that is too fast for the wire."""
        return _remedy(self.database, line_id, "lower the profile", "profile")


_CUSTOMER = """
    SELECT c.id AS customer_id, c.first_name || ' ' || c.last_name AS name, l.id AS line_id,
           l.plan_mbit, l.router, c.area
    FROM customers c JOIN lines l ON l.customer_id = c.id
    WHERE lower(c.first_name || ' ' || c.last_name) = lower(?)
"""
_LINE = """
    SELECT l.*, a.outage, a.restored
    FROM lines l JOIN customers c ON c.id = l.customer_id JOIN areas a ON a.name = c.area
    WHERE l.id = ?
"""


def _line(connection: sqlite3.Connection, line_id: str) -> Row:
    row: Row | None = connection.execute(_LINE, (line_id,)).fetchone()
    if row is None:
        raise ToolError(f"there is no line {line_id}: find_customer gives the id for a name")
    return row


def _remedy(database: Database, line_id: str, remedy: str, fault: str) -> Row:
    """Try a remedy: it ends the fault it is for, and is written down either way."""
    with database.write() as connection:
        line = _line(connection, line_id)
        helped = line["fault"] == fault and line["outage"] is None
        connection.execute(
            "INSERT INTO work (line_id, remedy, helped) VALUES (?, ?, ?)",
            (line_id, remedy, int(helped)),
        )
        if helped:
            connection.execute("UPDATE lines SET fault = NULL WHERE id = ?", (line_id,))
    if helped:
        return {"line_id": line_id, "done": remedy, "result": "the connection works again"}
    raise ToolError(f"{remedy}: done on {line_id}, but it did not help")
