"""The drive-through's four stages put together, for the tests of its parts."""

from __future__ import annotations

from course import clock, connect
from course.pipeline import Pipeline, PipelineResult, Stage
from course.runner import run
from course.scenarios.drive_through import Order, Window, cashier, host, server


def chain(window: Window) -> Pipeline[Order]:
    """Welcome, menu, payment, confirmation."""
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


def serve(window: Window, text: str, *, seed: int = 0) -> PipelineResult[Order]:
    """One guest at the window, with the simulated model."""

    async def order() -> PipelineResult[Order]:
        async with connect("simulated", profile="instant", seed=seed) as client:
            return await run(chain(window), text, client=client)

    return clock.run(order())
