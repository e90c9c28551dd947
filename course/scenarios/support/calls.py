"""Sample calls to support, one for each kind of fault, worded for a seed's own customers."""

from __future__ import annotations

from dataclasses import dataclass

from course.errors import ScenarioError
from course.scenarios.support.helpdesk import HelpDesk

WORDS = {
    "router": "My internet connection is down. My name is {name}.",
    "wifi": "My internet is very slow. My name is {name}.",
    "port": "My internet connection is down. My name is {name}.",
    "profile": "My internet is very slow. My name is {name}.",
    "cable": "My internet connection is down. My name is {name}.",
}
MENDED_BY = {"router": "tier1", "wifi": "tier1", "port": "tier2", "profile": "tier2"}
_BROKEN = """
    SELECT c.first_name || ' ' || c.last_name AS name, l.id AS line_id
    FROM lines l JOIN customers c ON c.id = l.customer_id
    WHERE l.fault IS ? ORDER BY l.id
"""


@dataclass(frozen=True, slots=True)
class Call:
    """A customer who calls: what is said, on which line, and who can mend it ("human": nobody)."""

    text: str
    name: str
    line_id: str
    fault: str
    mended_by: str


def calls(desk: HelpDesk, fault: str) -> list[Call]:
    """The calls of all customers whose line has this fault.

    Raises ScenarioError: there is no such fault.
    """
    if fault not in WORDS:
        raise ScenarioError(f"there is no fault '{fault}'; there are: {', '.join(WORDS)}")
    return [
        Call(
            WORDS[fault].format(name=row["name"]),
            row["name"],
            row["line_id"],
            fault,
            MENDED_BY.get(fault, "human"),
        )
        for row in desk.rows(_BROKEN, fault)
    ]


def fault_of(desk: HelpDesk, line_id: str) -> str | None:
    """What is wrong with a line now, or None."""
    found = desk.rows("SELECT fault FROM lines WHERE id = ?", line_id)
    return found[0]["fault"] if found else None
