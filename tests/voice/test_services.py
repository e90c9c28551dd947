"""A supervisor and its specialist as two services in one room, on a real server, and spoken."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

import pytest
from livekit import rtc
from livekit.agents import Agent as LiveKitAgent
from livekit.agents import AgentSession, JobContext
from livekit.agents.ipc.mock_room import create_mock_room
from livekit.agents.testing import fake_job_context
from openai import AsyncOpenAI

from course import Agent, connect, tool
from course.voice.bridge import live_agent
from course.voice.call import SpokenCall, Utterance, spoken
from course.voice.hearing import Hearing
from course.voice.room import answering, call_room
from course.voice.server import Access, server
from course.voice.services import ask_service, service
from tests.voice.speech import flite, in_a_room, whisper

QUESTION = "What time do you open on Wednesday?"


@tool
def opening_hours(day: Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]) -> str:
    """Look up the opening hours on a weekday."""
    return f"On {day} the clinic is open from eight to six."


def specialist() -> Agent:
    """What works in the service."""
    return Agent(name="hours", instructions="Answer from the book.", tools=(opening_hours,))


def client() -> AsyncOpenAI:
    return connect(profile="instant")


class Supervisor:
    """Answers calls, and delegates to the service whose name it is given."""

    def __init__(self, access: Access, name: str) -> None:
        wanted = "Look up when the clinic is open, on any day: its opening hours."
        self.tool = ask_service(access, name, wanted)
        self.heard: list[str] = []

    def __call__(self, job: JobContext) -> tuple[AgentSession[Any], LiveKitAgent]:
        here = client()
        boss = Agent(name="desk", instructions="Answer the telephone.", tools=(self.tool,))
        session = AgentSession[Any](**spoken(Hearing(whisper()), flite("slt")))
        session.on("function_tools_executed", self._note)
        return session, live_agent(boss, client=here)

    def _note(self, event: Any) -> None:
        self.heard += [output.output for _, output in event.zipped() if output]


def asks(*texts: str) -> Any:
    left = iter(texts)

    async def caller(heard: str) -> Utterance:
        for text in left:
            return Utterance(await flite().say(text), text)
        raise EOFError

    return caller


@pytest.mark.parametrize(("kind", "may"), [("AGENT", True), ("STANDARD", False), ("SIP", False)])
def test_a_service_works_for_agents_and_for_no_caller(
    kind: str, may: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = create_mock_room()
    [other] = room.remote_participants.values()
    monkeypatch.setattr(other, "kind", getattr(rtc.ParticipantKind, f"PARTICIPANT_KIND_{kind}"))
    room.local_participant.reset_mock()

    async def main() -> str:
        with fake_job_context(room=room) as job:
            await service("hours", specialist, client=client)(job)
        _, delegate = room.local_participant.register_rpc_method.call_args.args
        task = "Look up the opening hours on Wednesday."
        return await delegate(rtc.RpcInvocationData("1", other.identity, task, 10.0))

    if may:
        assert asyncio.run(main()) == "On Wednesday the clinic is open from eight to six."
    else:
        with pytest.raises(rtc.RpcError, match="only an agent"):
            asyncio.run(main())


def called(name: str, *texts: str) -> tuple[SpokenCall, list[str]]:
    """A call to the supervisor, whose specialist waits as the service `hours`."""

    in_a_room()

    async def both() -> tuple[SpokenCall, list[str]]:
        async with server() as access:
            boss = Supervisor(access, name)
            work = service("hours", specialist, client=client)
            async with answering(access, work, name="hours"), answering(access, boss):
                call = await call_room(access, asks(*texts), seconds=85, patience=40)
                return call, boss.heard

    return asyncio.run(both())


def test_the_caller_hears_what_the_other_service_found_and_it_is_called_once() -> None:
    call, found = called("hours", QUESTION, "And what time do you open on Friday?")
    told = call.transcript()
    assert found and "On Wednesday the clinic is open from eight to six." in found[0], told
    assert "open from eight to six" in call.turns[0].answer, told
    assert "Friday" in found[-1], told


def test_a_service_that_nobody_runs_is_an_error_that_the_supervisor_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("course.voice.services.COMES_SECONDS", 2.0)
    call, found = called("nobody", QUESTION)
    assert found and "nobody did not come within 2 s" in found[0], call.transcript()
