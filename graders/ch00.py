"""Hidden checks of chapter 00."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from course import clock
from course.notebook import check
from course.trace import Trace, span
from graders.helpers import expect


def more_0_1(greeting: Callable[[str], str]) -> None:
    """Other names than the ones on the page."""
    with check("0.1 greets other callers too"):
        expect(greeting("Grace Hopper"), "Switchboard, good morning, Grace Hopper.", "the greeting")
        expect(greeting("Émile"), "Switchboard, good morning, Émile.", "the greeting")


def more_0_2(
    put_all_through: Callable[[list[str], Callable[[str], Awaitable[str]]], Awaitable[list[str]]],
) -> None:
    """Everybody once, all at once, in order; nobody is fine too."""
    served: list[str] = []

    async def serve(caller: str) -> str:
        served.append(caller)
        await asyncio.sleep(1 if caller == "Zoe" else 7)
        return f"{caller} served at {clock.now():g} s"

    async def all_of_them() -> tuple[list[str], float]:
        answers = await put_all_through(["Max", "Zoe", "Max", "Ida"], serve)
        return list(answers), clock.now()

    async def nobody() -> list[str]:
        return list(await put_all_through([], serve))

    with check("0.2 puts every caller through exactly once"):
        answers, seconds = clock.run(all_of_them())
        expect(sorted(served), ["Ida", "Max", "Max", "Zoe"], "the callers that were put through")
        expect([each.split()[0] for each in answers], ["Max", "Zoe", "Max", "Ida"], "the order")
        expect(seconds, 7, "the seconds until all are through", look="what is awaited when")
    with check("0.2 has nothing to do when nobody calls"):
        expect(clock.run(nobody()), [], "the answers for no callers")


def more_0_3(time_spent: Callable[[Trace, str], float]) -> None:
    """Nested steps, several kinds, an empty trace."""

    async def steps() -> None:
        with span("invoke_agent", "outer"):
            for seconds in (1.5, 2.5):
                with span("chat", "model"):
                    await asyncio.sleep(seconds)
            with span("execute_tool", "tool"):
                await asyncio.sleep(0.5)

    trace = Trace("hidden")
    with trace.record():
        clock.run(steps())
    with check("0.3 tells operations apart"):
        expect(time_spent(trace, "chat"), 4.0, "the seconds of the model calls")
        expect(time_spent(trace, "execute_tool"), 0.5, "the seconds of the tools")
        expect(time_spent(trace, "invoke_agent"), 4.5, "the seconds of the agent")
    with check("0.3 reads an empty trace"):
        expect(time_spent(Trace("empty"), "chat"), 0, "the seconds in a trace without spans")
