"""A student calls an agent with the browser's microphone, in JupyterLab."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, expect, sync_playwright

from course.voice.sound import Sound, silence
from tests.browser.lab import FLAGS, RUN, Chapter, Server, chromium, serve
from tests.notebooks import kit
from tests.voice.speech import said, whisper

pytestmark = pytest.mark.browser
BEFORE_SECONDS = 10.0  # the fake microphone begins when it is opened: the greeting comes first
CELL = '''\
from livekit.agents import Agent, AgentSession, function_tool
from livekit.plugins import openai
import course
from course.voice.call import spoken
from course.voice.hearing import recogniser
from course.notebook.microphone import Telephone

class Desk(Agent):
    async def on_enter(self):
        await self.session.say("This is the clinic.")

    @function_tool
    async def opening_hours(self) -> str:
        """Say when the clinic opens: its opening hours, what time it is open."""
        return "The clinic is open from eight to six."

recogniser()
llm = openai.LLM(client=course.connect(profile="instant"), model="switchboard-small")

def make():
    return AgentSession(llm=llm, **spoken()), Desk(instructions="You are a front desk.")

telephone = Telephone(make)
telephone'''
AFTER = "print(len(telephone.calls), len(telephone.calls[0].spans) > 5, telephone.on)"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    whisper()
    root = tmp_path_factory.mktemp("microphone")
    cells = [new_code_cell(source) for source in (CELL, AFTER)]
    book = new_notebook(cells=cells, metadata={"kernelspec": kit.KERNELSPEC})
    kit.write(book, Path(root, "microphone.ipynb"))
    with serve(root, tmp_path_factory.mktemp("state")) as running:
        yield running


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Chromium whose microphone hears a question after a while, and then nothing."""
    question = said("What time do you open?").at(48_000)
    before, after = silence(BEFORE_SECONDS, 48_000), silence(60.0, 48_000)
    heard = np.concatenate([each.samples for each in (before, question, after)])
    path = Sound(heard, 48_000).save(tmp_path_factory.mktemp("sound") / "question.wav")
    fake = [
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-audio-capture={path}%noloop",
        "--autoplay-policy=no-user-gesture-required",
    ]
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium(), args=[*FLAGS, *fake])
        try:
            yield running
        finally:
            running.close()


def test_a_question_into_the_microphone_is_answered_shown_and_traced(
    browser: Browser, server: Server
) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(server.address("microphone.ipynb"))
    opened = Chapter(page)
    opened.wait_until_ready()
    cell = opened.code("class Desk")
    opened.run(cell)
    cell.get_by_role("button", name="Call").click()
    expect(cell.get_by_role("status")).to_contain_text("the agent", timeout=RUN)
    log = cell.get_by_role("log")
    expect(log).to_contain_text("agent: This is the clinic.", timeout=RUN)
    expect(log).to_contain_text("you: What time do you open", timeout=RUN)
    expect(log).to_contain_text("The clinic is open from eight to six.", timeout=RUN)
    trace = cell.get_by_label("trace of the call")
    expect(trace).to_contain_text("opening_hours", timeout=RUN)
    cell.get_by_role("button", name="Hang up").click()
    expect(cell.get_by_role("button", name="Call")).to_be_visible(timeout=RUN)
    expect(cell.get_by_role("status")).to_have_text("○ the call is over")
    after = opened.code("print(len(telephone")
    opened.run(after)
    expect(after.locator(".jp-OutputArea-output")).to_have_text("1 True False", timeout=RUN)
    context.close()
