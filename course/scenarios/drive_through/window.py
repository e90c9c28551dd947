"""The drive-through's window: the day's world, the kitchen's rules and the till."""

from __future__ import annotations

import sqlite3
from functools import cached_property
from typing import Annotated, Any

from pydantic import Field

from course.errors import ToolError
from course.scenarios.database import Database, Row
from course.scenarios.drive_through.generate import make_day
from course.scenarios.drive_through.menu import Line, lines_of
from course.scenarios.drive_through.order import Order, Paying, Wish
from course.scenarios.shared import money
from course.scenarios.world.world import World
from course.tools import Tool, tool

_COURSES = ("main", "side", "drink")


class Window(World):
    """A drive-through's window: the day's menu and prices, the orders, and the till."""

    make = staticmethod(make_day)

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        """What an agent can do at the window: look at the menu, and take a payment."""
        till = Till(self.database)
        return (tool(till.read_menu), tool(till.take_payment))

    def check_order(self, wishes: tuple[Wish, ...]) -> dict[str, Any]:
        """Put what can be had on an order, and say of the rest why not: a stage in code.

        Returns:
            `order_number`, `lines`, `refused` and `sorry`, as `Order` has them. There is no order,
            and `sorry` says why, when nothing of what was wished can be had.
        """
        with self.database.write() as connection:
            lines, refused = lines_of(connection, wishes)
            if not lines:
                sorry = _sorry(refused)
                return {"order_number": None, "lines": [], "refused": refused, "sorry": sorry}
            number = _new_order(connection, lines)
            said = _said(connection, number, lines)
        return {"order_number": number, "lines": said, "refused": refused, "sorry": ""}

    def check_payment(self, order: Order) -> str | None:
        """Whether total and receipt are those in the till; else what the till says."""
        paid = self._paid(order.order_number)
        if paid is None:
            return "the order is not paid: take its payment at the till"
        if (order.total, order.receipt) != (paid["total"], paid["receipt"]):
            return f"the till says total {paid['total']} and receipt {paid['receipt']}"
        return None

    def check_answer(self, order: Order) -> str | None:
        """Whether the guest is told the order's number, the total and what cannot be had."""
        wanted = (str(order.order_number), order.total, *order.refused)
        missing = [text for text in wanted if text.lower() not in order.answer.lower()]
        return f"it does not say: {'; '.join(missing)}" if missing else None

    def _paid(self, number: int | None) -> Row | None:
        with self.database.read() as connection:
            return _payment(connection, number)


class Till:
    """The tools of the window, on one database."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def read_menu(self) -> list[Row]:
        """Read the menu: what there is, in which sizes, at which price, and what is sold out."""
        query = """
            SELECT i.name, p.size, p.cents, i.sold_out FROM items i JOIN prices p ON p.item = i.name
            ORDER BY i.course, i.name, p.cents
        """
        with self.database.read() as connection:
            rows = connection.execute(query).fetchall()
        return [
            {
                "item": " ".join(filter(None, (row["size"], row["name"]))),
                "price": money(row["cents"]),
                "sold_out": bool(row["sold_out"]),
            }
            for row in rows
        ]

    def take_payment(
        self,
        order_number: Annotated[int, Field(description="the order's number")],
        paying: Annotated[Paying, Field(description="how the guest pays")] = "card",
    ) -> Row:
        """Take the payment of an order at the till, which adds it up."""
        with self.database.write() as connection:
            query = "SELECT cents FROM totals WHERE order_number = ?"
            row = connection.execute(query, (order_number,)).fetchone()
            if row is None:
                raise ToolError(f"there is no order {order_number}: give the number of this order")
            # Asked twice, as after a crash, the till answers twice and charges once.
            connection.execute(
                "INSERT INTO payments VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (f"R-{order_number}", order_number, paying, row["cents"]),
            )
            paid = _payment(connection, order_number)
        assert paid is not None  # it was inserted in this very transaction
        return paid


def _new_order(connection: sqlite3.Connection, lines: list[Line]) -> int:
    """Write an order down and return its number."""
    row = connection.execute("SELECT max(number) + 1 AS number FROM orders").fetchone()
    number: int = row["number"]
    connection.execute("INSERT INTO orders VALUES (?, ?)", (number, _meals(connection, lines)))
    for position, line in enumerate(lines, start=1):
        connection.execute(
            "INSERT INTO order_lines VALUES (?, ?, ?, ?, ?, ?)",
            (number, position, line.item, line.size, line.quantity, line.cents),
        )
        connection.executemany(
            "INSERT INTO line_extras VALUES (?, ?, ?, ?)",
            [(number, position, line.item, extra) for extra in line.extras],
        )
    return number


def _meals(connection: sqlite3.Connection, lines: list[Line]) -> int:
    """How many meals an order holds: a main, a side and a drink each."""
    rows = connection.execute("SELECT name, course FROM items").fetchall()
    course = {row["name"]: row["course"] for row in rows}
    counts = [
        sum(line.quantity for line in lines if course[line.item] == each) for each in _COURSES
    ]
    return min(counts)


def _said(connection: sqlite3.Connection, number: int, lines: list[Line]) -> list[str]:
    """The order as it is read out, line by line, the discount included."""
    said = [f"{line.quantity} x {line.name}: {money(line.quantity * line.cents)}" for line in lines]
    query = "SELECT meals, meals * discount_cents AS cents FROM orders, meal WHERE number = ?"
    row = connection.execute(query, (number,)).fetchone()
    if row["meals"]:
        said.append(f"{row['meals']} x meal discount: -{money(row['cents'])}")
    return said


def _payment(connection: sqlite3.Connection, number: int | None) -> Row | None:
    query = "SELECT receipt, order_number, paying, cents FROM payments WHERE order_number = ?"
    row: Row | None = connection.execute(query, (number,)).fetchone()
    if row is None:
        return None
    return {
        "order_number": row["order_number"],
        "total": money(row["cents"]),
        "receipt": row["receipt"],
        "paying": row["paying"],
    }


def _sorry(refused: list[str]) -> str:
    if not refused:
        return "Sorry, I heard no order: what would you like?"
    return f"Sorry, nothing of that can be had: {'; '.join(refused)}."
