"""LiveKit's own page, in a browser on this machine, in a room with an agent."""

import asyncio
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
from livekit.agents import Agent, AgentSession, ConversationItemAddedEvent, JobContext
from livekit.agents.llm import ChatMessage
from livekit.plugins import openai
from playwright.async_api import async_playwright, expect

import course
from course.voice.call import spoken
from course.voice.hearing import Hearing
from course.voice.room import answering, page
from course.voice.server import server
from course.voice.sound import Sound, silence
from tests.browser.lab import FLAGS, chromium
from tests.marking import LONG
from tests.voice.hours import Hours
from tests.voice.speech import flite, in_a_room, said, whisper

pytestmark = [pytest.mark.browser, LONG]  # recogniser, browser and server want both cores at once
LONGEST_SECONDS = 90.0
MICROPHONE = "button[data-lk-source=microphone]"
AGAIN_SECONDS = 8.0  # the microphone says it again: nobody knows when it is switched on


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """The page's address is nobody's business."""


def test_a_question_into_livekit_s_page_is_answered_in_the_room(tmp_path: Path) -> None:
    in_a_room()
    question = said("What time do you open on Monday?").at(48_000)
    heard = np.concatenate([question.samples, silence(AGAIN_SECONDS, 48_000).samples])
    recording = Sound(heard, 48_000).save(tmp_path / "question.wav")
    said_there: list[str] = []
    greeted, answered = Event(), Event()

    def note(event: ConversationItemAddedEvent) -> None:
        if isinstance(event.item, ChatMessage):  # the others tell who has the call
            said_there.append(f"{event.item.role}: {event.item.text_content}")
            greeted.set()  # so the page is in the room
            if "open from eight to six" in said_there[-1]:
                answered.set()

    def make(job: JobContext) -> tuple[AgentSession[Any], Agent]:
        llm = openai.LLM(client=course.connect(profile="instant"), model="switchboard-small")
        session = AgentSession[Any](llm=llm, **spoken(Hearing(whisper()), flite("slt")))
        session.on("conversation_item_added", note)
        return session, Hours()

    async def call(address: str) -> None:
        async with server() as access, answering(access, make), async_playwright() as playwright:
            (tmp_path / "page.html").write_text(str(page(access).data))
            fake = [
                "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream",
                f"--use-file-for-fake-audio-capture={recording}",
            ]  # fmt: skip
            browser = await playwright.chromium.launch(
                executable_path=chromium(), args=[*FLAGS, *fake]
            )
            opened = await browser.new_page()
            await opened.goto(f"{address}/page.html")
            microphone = opened.frame_locator("iframe").locator(MICROPHONE)
            await asyncio.to_thread(greeted.wait, LONGEST_SECONDS)
            await microphone.click()
            await expect(microphone).to_have_attribute("data-lk-enabled", "true")
            await asyncio.to_thread(answered.wait, LONGEST_SECONDS)
            await browser.close()

    web = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    Thread(target=web.serve_forever, daemon=True).start()
    try:
        asyncio.run(call(f"http://127.0.0.1:{web.server_port}"))
    finally:
        web.shutdown()
        web.server_close()
    asked = "user: What time do you open on Monday"
    assert any(each.startswith(asked) for each in said_there), said_there
    assert answered.is_set(), said_there
