"""A drive-through: a menu with the day's prices, orders and a till in SQLite.

`Window(seed=7)` gives a window of its own to each run. `Order` is the state that its stages
share, `host`, `cashier` and `server` are the agents, `Window.check_order` decides in code what can
be had; `REQUESTS` are sample requests that say what a right answer is.
"""

from __future__ import annotations

from course.scenarios.drive_through.order import Order, Wish
from course.scenarios.drive_through.requests import REQUESTS, Request, Sample, orders, paid
from course.scenarios.drive_through.staff import cashier, host, server
from course.scenarios.drive_through.window import Window

__all__ = [
    "REQUESTS",
    "Order",
    "Request",
    "Sample",
    "Window",
    "Wish",
    "cashier",
    "host",
    "orders",
    "paid",
    "server",
]
