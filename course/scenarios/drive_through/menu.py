"""From a guest's words to what is on the menu, or to the reason why it cannot be had."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass

from course.scenarios.database import Row
from course.scenarios.drive_through.order import Wish

MOST = 20  # of one thing, at the window
USUAL = "medium"  # the size of what comes in sizes, when none was said
_FILLERS = frozenset("a an the some of portion order cup glass bottle piece serving please".split())
_ALIASES = {"coke": "cola", "chip": "frie", "french frie": "frie", "shake": "milkshake"}


@dataclass(frozen=True, slots=True)
class Line:
    """What comes: so many of an item, in a size ('' where there is one) and with extras.

    `cents` is the price of one, its extras included.
    """

    item: str
    size: str
    quantity: int
    extras: tuple[str, ...]
    cents: int

    @property
    def name(self) -> str:
        """As it is said: 'large cola', 'cheeseburger with bacon'."""
        return " ".join(filter(None, (self.size, self.item, _with(self.extras))))


class Refused(Exception):
    """A wish that cannot be had; the message says why, for the guest."""


def lines_of(
    connection: sqlite3.Connection, wishes: tuple[Wish, ...]
) -> tuple[list[Line], list[str]]:
    """The lines of an order, and what cannot be had of it, each with its reason."""
    lines: list[Line] = []
    refused: list[str] = []
    for wish in wishes:
        try:
            line, notes = _line(connection, wish)
        except Refused as reason:
            refused.append(str(reason))
        else:
            lines.append(line)
            refused += notes
    return lines, refused


def _line(connection: sqlite3.Connection, wish: Wish) -> tuple[Line, list[str]]:
    """The line for one wish, and what of it is left out; raises Refused."""
    item = _item(connection, wish)
    if item["sold_out"]:
        raise Refused(f"{item['name']} is sold out")
    if wish.quantity > MOST:
        raise Refused(f"{wish.quantity} x {item['name']}: at most {MOST} of one thing")
    size, cents, notes = _size(connection, item["name"], wish.size)
    offered = _offered(connection, item["name"])
    wanted = tuple(dict.fromkeys(" ".join(_words(extra)) for extra in wish.extras))
    named = {" ".join(_words(extra)): extra for extra in offered}
    extras = tuple(named[extra] for extra in wanted if extra in named)
    notes += [f"no {extra} on {item['name']}" for extra in wanted if extra not in named]
    price = cents + sum(offered[extra] for extra in extras)
    return Line(item["name"], size, wish.quantity, extras, price), notes


def _item(connection: sqlite3.Connection, wish: Wish) -> Row:
    """The one thing on the menu that is meant; raises Refused."""
    rows = connection.execute("SELECT name, sold_out FROM items ORDER BY name").fetchall()
    said = _words(wish.item)
    same = [row for row in rows if _words(row["name"]) == said]
    near = same or [row for row in rows if said and set(said) < set(_words(row["name"]))]
    if not near:
        raise Refused(f"{wish.item} is not on the menu")
    if len(near) > 1:
        options = " or ".join(str(row["name"]) for row in near)
        raise Refused(f"{wish.item} could be {options}: say which")
    found: Row = near[0]
    return found


def _size(
    connection: sqlite3.Connection, item: str, said: str | None
) -> tuple[str, int, list[str]]:
    """Size, price of one in cents, and a note for the guest where the size does not exist."""
    query = "SELECT size, cents FROM prices WHERE item = ?"
    prices = {row["size"]: row["cents"] for row in connection.execute(query, (item,))}
    if "" in prices:
        return "", prices[""], [f"no {said} {item}: it comes in one size"] if said else []
    size = said or USUAL
    return size, prices[size], []


def _offered(connection: sqlite3.Connection, item: str) -> dict[str, int]:
    query = "SELECT extra, cents FROM extras WHERE item = ?"
    return {row["extra"]: row["cents"] for row in connection.execute(query, (item,))}


def _words(text: str) -> list[str]:
    """The words of a name without case, plural and filler, so that "Two colas" finds "cola"."""
    words = [_singular(word) for word in re.findall(r"[a-z]+", text.lower())]
    kept = " ".join(word for word in words if word not in _FILLERS)
    return _ALIASES.get(kept, kept).split()


def _singular(word: str) -> str:
    plural = word.endswith("s") and not word.endswith("ss") and len(word) > 3
    return word[:-1] if plural else word


def _with(extras: tuple[str, ...]) -> str:
    return f"with {' and '.join(extras)}" if extras else ""
