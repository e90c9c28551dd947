"""Calls in a real room: a LiveKit server on loopback, a worker, and callers who speak.

They need the server (`make livekit`), the recogniser's weights and flite (`make speech`).
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from livekit.agents import Agent, AgentSession, CloseEvent, JobContext, ToolError
from livekit.plugins import openai

import course
from course.errors import ConfigurationError
from course.scenarios.front_desk import Desk
from course.scenarios.front_desk.callers import Answering, Caller, callers
from course.scenarios.front_desk.visits import Visit
from course.voice import room
from course.voice.bridge import live_task
from course.voice.call import SpokenCall, Utterance, conduct, spoken, voiced
from course.voice.hearing import Hearing
from course.voice.listening import ADVICE, CALLER, OPERATOR, to_operator
from course.voice.room import RoomLine, answering, call_room, token
from course.voice.server import Access, access_from_environment, server
from course.voice.systems import Copilot
from tests.voice.speech import flite, in_a_room, whisper

ENDS_SECONDS = 35.0


@pytest.fixture(autouse=True)
def everything_there() -> None:
    in_a_room()


class Clerk(Agent):
    """Carries out one of the front desk's tasks, acts on its result, and says so."""

    def __init__(self, desk: Desk, errand: str, ended: list[str]) -> None:
        super().__init__(instructions="You are a clerk of a clinic.")
        self.visit, self.errand, self.ended = Visit(desk, heard=True), errand, ended
        self.client = course.connect(profile="instant")

    async def on_enter(self) -> None:
        visit = self.visit
        tasks: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
            "book": (visit.scheduling, visit.book),
            "pay": (visit.billing, visit.pay),
        }
        start, act = tasks[self.errand]
        try:
            act(await live_task(start(), client=self.client))
            await self.session.say("It is done. Goodbye.")
            self.ended.append(f"{self.errand}: done")
        except ToolError as error:
            self.ended.append(f"{self.errand}: {error.message}")


class Phone:
    """Answers calls; the room's name says what each is about."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.ended: list[str] = []
        self.reasons: list[str] = []
        self.closed = threading.Event()

    def __call__(self, job: JobContext) -> tuple[AgentSession[Any], Agent]:
        client = course.connect(profile="instant")
        session: AgentSession[Any] = AgentSession(
            llm=openai.LLM(client=client, model="switchboard-small"),
            **spoken(Hearing(whisper()), flite("slt")),
        )
        session.on("close", self._close)
        return session, Clerk(self.desk, job.room.name.partition("-")[0], self.ended)

    def _close(self, event: CloseEvent) -> None:
        self.reasons.append(event.reason.value)
        self.closed.set()


def person(caller: Caller) -> Callable[[str], Any]:
    """Answers questions, and hangs up when they are told that it is done."""
    answers = Answering(caller)

    async def speaks(heard: str) -> Utterance:
        if "done" in heard:
            raise EOFError
        return await voiced(answers, flite())(heard)

    return speaks


async def silent(heard: str) -> Utterance:
    """Somebody who only listens, and then is gone."""
    raise EOFError


def test_one_books_while_another_pays_and_both_are_in_the_database() -> None:
    with Desk(seed=7) as desk:
        booking, paying = callers(desk, count=2)
        before = desk.rows("SELECT id FROM appointments WHERE patient_id = ?", booking.patient_id)
        phone = Phone(desk)

        async def both() -> list[SpokenCall]:
            async with server() as access, answering(access, phone):
                return await asyncio.gather(
                    call_room(access, person(booking), room="book-1", seconds=85, patience=30),
                    call_room(access, person(paying), room="pay-1", seconds=85, patience=30),
                )

        booked, paid = asyncio.run(both())
        assert booked.ending == paid.ending == "the caller hung up", (
            booked.transcript() + paid.transcript()
        )
        after = desk.rows(
            "SELECT date(s.starts) AS day FROM appointments a JOIN slots s ON s.id = a.slot_id"
            " WHERE a.patient_id = ? AND a.status = 'booked'",
            booking.patient_id,
        )
        payments = desk.rows("SELECT * FROM payments WHERE invoice_id = ?", paying.invoice_id)
    assert booking.day.isoformat() in [row["day"] for row in after]
    assert len(after) <= len(before) + 1
    assert payments
    assert sorted(phone.ended) == ["book: done", "pay: done"]
    assert all(turn.ear is not None for turn in (*booked.turns, *paid.turns))


def test_hanging_up_inside_a_task_over_tcp_ends_the_task_and_the_call() -> None:
    with Desk(seed=7) as desk:
        phone = Phone(desk)

        async def hangs_up() -> tuple[SpokenCall, RoomLine, bool]:
            async with server(tcp=True) as access, answering(access, phone):
                line = RoomLine(room.AGENT)
                joining = line.connect(
                    access.url, token(access, "pay-2", "caller", agent=room.AGENT)
                )
                call = await conduct(line, joining, silent, seconds=40, patience=8)
                ended = await asyncio.to_thread(phone.closed.wait, ENDS_SECONDS)
                return call, line, ended

        call, line, ended = asyncio.run(hangs_up())
    assert call.greeting.startswith("Could you tell me")
    assert call.ending == "the caller hung up"
    assert line.transport == "tcp"
    assert ended
    assert "the call has ended" in phone.ended[0]
    assert phone.reasons == ["participant_disconnected"]


def test_a_server_that_dies_in_mid_call_ends_the_call_in_time() -> None:
    with Desk(seed=7) as desk:
        phone = Phone(desk)

        async def dies() -> tuple[SpokenCall, bool]:
            async with server() as access, answering(access, phone):

                async def kills(heard: str) -> Utterance:
                    assert access.process is not None
                    os.kill(access.process, signal.SIGKILL)
                    return Utterance(await flite().say("Is anybody there?"))

                call = await call_room(access, kills, room="pay-3", seconds=ENDS_SECONDS)
                return call, await asyncio.to_thread(phone.closed.wait, ENDS_SECONDS)

        call, ended = asyncio.run(dies())
    assert call.ending in {"the connection to the server was lost", "the agent hung up"}
    assert ended
    assert "the call has ended" in phone.ended[0]


def test_a_copilot_hears_both_sides_and_only_the_operator_reads_its_advice() -> None:
    overheard = threading.Event()

    class Noting(Copilot):
        async def overhear(self, text: str) -> None:
            await super().overhear(text)
            overheard.set()

    @course.tool
    def opening_hours() -> str:
        """Look up the clinic's opening hours: what time it is open."""
        return "The clinic is open from eight to six."

    def make(job: JobContext) -> tuple[AgentSession[Any], Agent]:
        client = course.connect(profile="instant")
        llm = openai.LLM(client=client, model="switchboard-small")
        told = course.Agent(
            name="copilot", instructions="Advise a clinic's operator.", tools=(opening_hours,)
        )
        copilot = Noting(told, client=client, advise=to_operator(job.room))
        return AgentSession(llm=llm, **spoken(Hearing(whisper()), flite())), copilot

    async def call() -> tuple[str, list[str], list[int]]:
        async with server() as access, answering(access, make, name="copilot"):
            caller, operator = RoomLine("copilot"), RoomLine("copilot")
            read: dict[str, asyncio.Queue[str]] = {}
            for name, line in ((CALLER, caller), (OPERATOR, operator)):
                pieces = read[name] = asyncio.Queue[str]()
                line.room.register_text_stream_handler(ADVICE, reading(pieces))
                # who comes first makes the room, and their token calls the copilot
                pass_in = token(access, "advised", name, agent="copilot")
                await line.connect(access.url, pass_in)
            for _ in range(6):  # nobody knows when the operator's sound arrives there
                await operator.microphone.say(await flite().say("Linden Lane Clinic, hello."))
                if await asyncio.to_thread(overheard.wait, 4.0):
                    break
            await caller.microphone.say(await flite().say("What time do you open?"))
            advice = await read[OPERATOR].get()
            others = caller.room.remote_participants.values()
            tracks = [len(p.track_publications) for p in others if p.identity != OPERATOR]
            words = [*caller._words, *operator._words]
            await caller.hang_up()
            await operator.hang_up()
            return advice, [*words, *(["leaked"] if read[CALLER].qsize() else [])], tracks

    async def bounded() -> tuple[str, list[str], list[int]]:
        return await asyncio.wait_for(call(), 90.0)

    advice, heard_by_caller, tracks = asyncio.run(bounded())
    assert "open from eight to six" in advice
    assert overheard.is_set()
    assert heard_by_caller == []
    assert tracks == [0]  # the copilot is there, and publishes nothing


def reading(pieces: asyncio.Queue[str]) -> Callable[[Any, str], None]:
    """What keeps the texts of a stream's topic."""
    tasks = set()

    async def keep(reader: Any) -> None:
        pieces.put_nowait(await reader.read_all())

    return lambda reader, _speaker: tasks.add(asyncio.ensure_future(keep(reader)))


def test_wrong_keys_and_absent_agents_and_servers_are_said_and_nothing_secret_is_logged(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_COMES_SECONDS", 2.0)
    problems: list[str] = []

    async def at(access: Access) -> None:
        with pytest.raises(ConfigurationError) as raised:
            async with answering(access, lambda job: pytest.fail("nobody calls")):
                pass
        problems.append(str(raised.value))

    async def tries() -> tuple[SpokenCall, SpokenCall, Access]:
        async with server() as access:
            await at(replace(access, secret="x" * 64))
            alone = await call_room(access, silent, agent="nobody")
            refused = await call_room(replace(access, secret="x" * 64), silent)
        await at(access)
        return alone, refused, access

    with caplog.at_level(logging.DEBUG):
        alone, refused, access = asyncio.run(tries())
    assert "refuses the key or its secret" in problems[0]
    assert "no LiveKit server answers" in problems[1]
    assert alone.ending == "no agent came: does one wait under the name 'nobody'?"
    assert refused.ending.startswith("the server lets nobody in")
    said = "\n".join([caplog.text, repr(access), *problems, refused.ending])
    assert access.secret not in said
    assert "eyJ" not in said  # how every token begins


def test_a_server_of_ones_own_is_named_by_three_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LIVEKIT_URL", "LIVEKIT_API_KEY"):
        monkeypatch.setenv(name, "wss://example.livekit.cloud")
    monkeypatch.delenv("LIVEKIT_API_SECRET", raising=False)
    with pytest.raises(ConfigurationError, match="LIVEKIT_API_SECRET not set: a"):
        access_from_environment()
    monkeypatch.setenv("LIVEKIT_API_SECRET", "a secret")
    access = access_from_environment()
    assert access.http == "https://example.livekit.cloud"
    assert "a secret" not in repr(access)
