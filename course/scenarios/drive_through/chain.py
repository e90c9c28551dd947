"""The drive-through's four stages put together: welcome, menu, payment, confirmation."""

from __future__ import annotations

from course.pipeline import Pipeline, Stage
from course.scenarios.drive_through.order import Order
from course.scenarios.drive_through.staff import cashier, host, server
from course.scenarios.drive_through.window import Window


def chain(window: Window) -> Pipeline[Order]:
    """From what a guest says to an order that is paid, and to what the guest is told of it."""
    return Pipeline(
        name="drive-through",
        state=Order,
        stages=(
            Stage(
                name="welcome",
                work=host(),
                reads=("request",),
                writes=("greeting", "wishes", "paying"),
            ),
            Stage(
                name="menu",
                work=window.check_order,
                reads=("wishes",),
                writes=("order_number", "lines", "refused", "sorry"),
                ends_on="sorry",
            ),
            Stage(
                name="payment",
                work=cashier(window),
                reads=("order_number", "paying"),
                writes=("total", "receipt"),
                check=window.check_payment,
            ),
            Stage(
                name="confirmation",
                work=server(),
                reads=("order_number", "lines", "refused", "total"),
                writes=("answer",),
                check=window.check_answer,
            ),
        ),
    )
