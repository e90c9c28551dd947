"""A spoken call in process: what is said, heard, cut off and timed, and how calls end."""

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from livekit.agents import Agent, AgentSession, AgentTask, ToolError
from livekit.plugins import openai

import course
from course.errors import ConfigurationError
from course.voice import speaking
from course.voice.call import SpokenCall, Utterance, hold_call, recorded, spoken, voiced
from course.voice.hearing import Hearing
from course.voice.latency import SpokenTurn, latency_figure, waits
from course.voice.sound import Sound, silence
from course.voice.speaking import Flite
from tests.voice.hours import Hours
from tests.voice.speech import flite, said, whisper


class Form(AgentTask[str]):
    def __init__(self, ended: list[str]) -> None:
        super().__init__(instructions="Ask for the patient's name.")
        self.ended = ended

    async def on_enter(self) -> None:
        await self.session.say("What is the patient's name?")

    async def on_exit(self) -> None:
        self.ended.append("left")


class Asking(Agent):
    def __init__(self) -> None:
        super().__init__(instructions="You fill in forms.")
        self.ended: list[str] = []

    async def on_enter(self) -> None:
        with suppress(ToolError):  # the caller left
            await Form(self.ended)


def session() -> AgentSession[None]:
    return AgentSession(
        llm=openai.LLM(client=course.connect(profile="instant"), model="switchboard-small"),
        **spoken(Hearing(whisper()), flite("slt")),
    )


def call(agent: Callable[[], Agent], caller: Any, **limits: float) -> SpokenCall:
    async def held() -> SpokenCall:
        return await asyncio.wait_for(hold_call(session(), agent(), caller, **limits), 60)

    return asyncio.run(held())


def test_a_question_is_answered_cut_short_and_timed() -> None:
    whisper()
    second = Utterance(said("And on Tuesday, please? What time do you open on Tuesday?"))
    first = Utterance(said("What time do you open on Monday?"), then=second, after=1.0)
    coming, heard = iter([first]), []

    async def caller(words: str) -> Utterance:
        heard.append(words)
        for each in coming:
            return each
        raise EOFError

    held = call(Hours, caller, seconds=55, patience=30)
    assert held.greeting == "Good morning, this is the clinic."
    assert held.ending == "the caller hung up"
    cut, whole = held.turns
    assert "Monday" in cut.heard
    assert "Tuesday" in whole.heard
    assert cut.answer.startswith("On Monday the clinic")
    assert "doctors" not in cut.answer  # it was cut off, and the rest was never said
    assert whole.answer.endswith("The doctors are in all day.")
    assert cut.silent_after is not None
    assert whole.silent_after is None
    assert heard == [held.greeting, whole.answer]
    assert cut.stages is not None
    assert sum(cut.stages) == pytest.approx(cut.ear)
    caller_side, agent_side = held.tape.samples().T
    assert np.any(caller_side)
    assert np.any(agent_side)
    assert len(caller_side) / held.tape.rate <= held.seconds + 1
    assert held.transcript().splitlines()[-1] == "(the caller hung up)"


@pytest.mark.parametrize(
    "sound",
    [silence(1.0), Sound(np.random.default_rng(1).normal(0, 600, 16_000).astype(np.int16), 16_000)],
    ids=["silence", "noise"],
)
def test_where_nothing_is_said_the_call_ends_with_a_line(sound: Sound) -> None:
    held = call(lambda: Hours("Yes?"), recorded(sound), patience=1.0)
    assert held.ending == "nothing was understood within 1 s"
    assert held.turns[0].heard == ""


def test_a_ten_minute_monologue_is_not_waited_for() -> None:
    begin = time.monotonic()
    held = call(lambda: Hours("Yes?"), recorded(silence(600.0)), seconds=30)
    assert held.ending == "the caller would speak for 600 s, and a call lasts 30 s"
    assert time.monotonic() - begin < 60


def test_a_call_has_an_end_whatever_its_caller_does() -> None:
    async def asleep(heard: str) -> Utterance:
        await asyncio.sleep(3600)
        raise AssertionError

    held = call(lambda: Hours("Yes?"), asleep, seconds=3)
    assert held.ending.startswith("cut off after 3 s")


def test_hanging_up_inside_a_task_ends_the_task() -> None:
    agents: list[Asking] = []

    def asking() -> Asking:
        agents.append(Asking())
        return agents[0]

    held = call(asking, recorded(), seconds=30)
    assert held.greeting == "What is the patient's name?"
    assert held.ending == "the caller hung up"
    assert agents[0].ended == ["left"]


def test_two_callers_at_once_hear_only_their_own_agent() -> None:
    voice = flite()

    def person(question: str) -> Callable[[str], Awaitable[str]]:
        questions = iter([question])

        async def asks(heard: str) -> str:
            for each in questions:
                return each
            raise EOFError

        return asks

    async def both() -> list[SpokenCall]:
        return await asyncio.gather(
            *(
                hold_call(
                    session(), Hours("Yes?"), voiced(person(f"When are you open on {day}?"), voice)
                )
                for day in ("Monday", "Thursday")
            )
        )

    whisper()
    monday, thursday = asyncio.run(both())
    assert monday.turns[0].said == "When are you open on Monday?"
    assert thursday.turns[0].said == "When are you open on Thursday?"
    for call in (monday, thursday):  # which day is heard is the recogniser's affair
        assert call.turns[0].heard.startswith("When are you open")
        assert call.turns[0].answer
    assert "Thursday" not in monday.transcript()
    assert "Monday" not in thursday.transcript()


def test_a_missing_synthesiser_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speaking.shutil, "which", lambda program: None)
    with pytest.raises(ConfigurationError, match="apt install flite") as raised:
        Flite()
    assert "\n" not in str(raised.value)
    with pytest.raises(ConfigurationError, match="flite has no voice 'alice': slt"):
        Flite("alice")


def test_an_interrupted_sentence_leaves_no_process_behind() -> None:
    voice = flite("slt")
    started: list[Any] = []
    running = asyncio.Event()
    real = asyncio.create_subprocess_exec

    async def noted(*words: str, **streams: Any) -> Any:
        started.append(await real(*words, **streams))
        running.set()
        return started[-1]

    async def interrupt() -> None:
        task = asyncio.create_task(voice.say("word " * 4000))
        await running.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(asyncio, "create_subprocess_exec", noted)
        asyncio.run(interrupt())
    assert started[0].returncode is not None


def test_what_cannot_be_said_is_silence_and_no_option_of_flite() -> None:
    assert said("…").seconds == 0
    assert said("-o /tmp/x").seconds > 0.2


def test_the_figure_stacks_the_stages_of_each_turn_and_says_so() -> None:
    turn = SpokenTurn(
        said="", heard="a", answer="b", transcript=0.6, first_token=0.62, first_audio=0.7, ear=0.75
    )
    slow = replace(turn, ear=1.25)
    unanswered = SpokenTurn(said="", heard="", answer="")
    figure, alt = latency_figure([turn, unanswered, slow])
    axes = figure.axes[0]
    heights = [bar.get_height() for bar in axes.patches]
    assert heights == pytest.approx([0.6, 0.6, 0.02, 0.02, 0.08, 0.08, 0.05, 0.55])
    names = [text.xyann[1] for text in axes.texts[: len(heights) // 2]]
    apart = min(b - a for a, b in itertools.pairwise(names))
    assert apart > 0.06 * axes.get_ylim()[1]  # 0.02 s is less than a line of text
    assert [line.get_ydata()[0] for line in axes.lines] == [0.2, 0.8]
    assert "1.00 s on average" in alt
    assert "1 of 2 took longer than 800 ms" in alt
    assert waits([turn, unanswered, slow]) == [0.75, 1.25]
    assert latency_figure([unanswered])[1].endswith("no turn was answered.")
