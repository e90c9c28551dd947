"""Guests at the drive-through, for the tests of its parts."""

from __future__ import annotations

from course import clock, connect
from course.pipeline import PipelineResult
from course.runner import run
from course.scenarios.drive_through import Order, Window
from course.scenarios.drive_through.chain import chain


def serve(window: Window, text: str, *, seed: int = 0) -> PipelineResult[Order]:
    """One guest at the window, with the simulated model."""

    async def order() -> PipelineResult[Order]:
        async with connect("simulated", profile="instant", seed=seed) as client:
            return await run(chain(window), text, client=client)

    return clock.simulate(order())
