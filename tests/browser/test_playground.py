"""The page to talk to a system, in a browser: an answer, and the trace as it grows."""

from __future__ import annotations

import asyncio
import queue
import threading

import pytest
from playwright.async_api import async_playwright

from course import Agent, Trace, connect
from course.playground import page
from tests.browser.lab import FLAGS, chromium

pytestmark = pytest.mark.browser
SECONDS = 60.0


def test_what_is_typed_is_answered_with_the_trace_beside_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: queue.Queue[str] = queue.Queue()
    agent = Agent(name="clock", instructions="Tell the time.")
    serving = threading.Thread(
        target=lambda: page.serve(
            "clock", agent, client=connect(lambda _: "<i>Noon.</i>"),
            trace=Trace("time", messages=True),
            idle=10 * SECONDS, say=said.put,
        ),
        daemon=True,
    )  # fmt: skip
    serving.start()
    address = said.get(timeout=SECONDS).split()[1]
    wrong: list[str] = []

    async def talk() -> None:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
            shown = await browser.new_page()
            shown.on("pageerror", lambda error: wrong.append(str(error)))
            shown.on("console", lambda told: wrong.append(told.text))
            await shown.goto(address)
            await shown.get_by_label("You say").fill("How late is it?")
            await shown.get_by_role("button", name="Say it").click()
            log = shown.get_by_role("log")
            await log.get_by_text("<i>Noon.</i>").wait_for(timeout=1000 * SECONDS)
            assert "you: How late is it?" in await log.inner_text()
            run = shown.frame_locator("iframe")
            await run.get_by_text("How late is it?").first.wait_for(timeout=1000 * SECONDS)
            assert "chat switchboard" in await shown.locator("#trace").text_content()
            assert await shown.locator("i").count() == 0
            await browser.close()

    asyncio.run(talk())
    monkeypatch.setattr(page, "LONGEST_SECONDS", 0.0)
    serving.join(SECONDS)
    assert not serving.is_alive()
    assert wrong == []
