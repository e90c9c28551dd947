"""Calls for the tests of the voice room: scripted callers on typed sessions, in virtual time."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

from livekit.agents import Agent
from livekit.agents.voice.run_result import RunResult
from openai import AsyncOpenAI

from course import clock, connect
from course.models import Scripted
from course.scenarios.front_desk import Desk
from course.scenarios.front_desk.callers import Answering, Caller
from course.scenarios.front_desk.requests import State
from course.trace import Trace
from course.voice.typed import hold, typed_session, words
from tests.patterns.talking import Move, model

Exchanged = tuple[tuple[str, str], ...]


def scripted(*steps: Move) -> AsyncOpenAI:
    """A client of a model that makes these moves, and then repeats the last one."""
    return connect(model(*steps))


def scripted_by(script: Callable[[Any], Any]) -> AsyncOpenAI:
    return connect(Scripted(script))


def called(
    agent: Callable[[], Agent], person: Any, *, first: str, client: AsyncOpenAI
) -> tuple[Exchanged, Trace]:
    """A whole typed call: what was said, and its trace."""

    async def main() -> tuple[Exchanged, Trace]:
        trace = Trace("call")
        async with typed_session(agent(), client=client, trace=trace) as session:
            return await hold(session, person, first=first), trace

    return clock.simulate(main())


def runs(agent: Callable[[], Agent], *texts: str, client: AsyncOpenAI) -> list[RunResult[Any]]:
    """What came of each of these texts in one typed session."""

    async def main() -> list[RunResult[Any]]:
        async with typed_session(agent(), client=client) as session:
            return [await session.run(user_input=text) for text in texts]

    return clock.simulate(main())


def heard(agent: Callable[[], Agent], *texts: str, client: AsyncOpenAI) -> list[str]:
    """What the person hears after each of these texts."""
    return [words(each) for each in runs(agent, *texts, client=client)]


def visit(desk: Any, caller: Caller) -> dict[str, Any]:
    """The newest appointment of a caller."""
    query = """SELECT s.starts, d.speciality, a.reason FROM appointments a
               JOIN slots s ON s.id = a.slot_id JOIN doctors d ON d.id = s.doctor_id
               WHERE a.patient_id = ? ORDER BY CAST(substr(a.id, 3) AS INTEGER) DESC"""
    with closing(sqlite3.connect(desk.path)) as connection:
        connection.row_factory = sqlite3.Row
        return dict(connection.execute(query, (caller.patient_id,)).fetchone())


def booked(desk: Desk, caller: Caller) -> bool:
    """Whether the caller's newest visit is on their day, at their time, in their field."""
    made = visit(desk, caller)
    return (
        made["starts"].startswith(str(caller.another_day or caller.day))
        and (made["starts"][11:] < "12:00") == (caller.part_of_day == "morning")
        and made["speciality"] == caller.speciality
    )


def paid(caller: Caller, before: State, after: State) -> bool:
    """Whether the caller's invoice was paid, and nobody else's."""
    return [entry[0] for entry in after.paid - before.paid] == [caller.invoice_id]


def answering(caller: Caller) -> Answering:
    return Answering(caller)
