"""Twenty seeded callers on typed sessions; who answers them differs from call to call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from livekit.agents import Agent
from openai import AsyncOpenAI

from course import clock, connect
from course.scenarios.front_desk import Desk, state, visits
from course.scenarios.front_desk.callers import Answering, Caller, callers
from course.trace import Trace
from course.voice.bridge import live_agent
from course.voice.native import FrontDesk, VisitDesk
from course.voice.typed import hold, typed_session
from tests.voice.calling import booked, paid

SEEDS = (7, 1, 2, 3)
PER_DESK = 5
CLIENT = connect(profile="instant", wire=False)
KINDS = ("tasks", "group", "native tasks", "native group", "group")


@dataclass(frozen=True)
class Called:
    """How one call went: what is right in the database, and what it took."""

    caller: Caller
    kind: str
    booked: bool
    paid: bool
    calls: int
    said: tuple[tuple[str, str], ...]

    @property
    def turns(self) -> int:
        return len(self.said)

    @property
    def right(self) -> bool:
        return self.booked and self.paid


def answering(kind: str, desk: Desk, visited: visits.Visit, client: Any) -> Agent:
    """Who answers: the course's agents, bridged, or those that are written for LiveKit."""
    if kind == "native tasks":
        return FrontDesk(visited)
    if kind == "native group":
        return VisitDesk(visited)
    make = visits.counter if kind == "tasks" else visits.visit_counter
    return live_agent(make(desk), client=client)


def call(desk: Desk, caller: Caller, kind: str, client: AsyncOpenAI = CLIENT) -> Called:
    """One caller's whole visit, typed, in virtual time."""
    before, trace, visited = state(desk), Trace("call"), visits.Visit(desk)

    async def main() -> tuple[tuple[str, str], ...]:
        agent = answering(kind, desk, visited, client)
        async with typed_session(agent, client=client, userdata=visited, trace=trace) as session:
            return await hold(session, Answering(caller), first=caller.first)

    said, after = clock.simulate(main()), state(desk)
    return Called(
        caller=caller,
        kind=kind,
        booked=booked(desk, caller),
        paid=paid(caller, before, after),
        calls=sum(each.operation == "chat" for each in trace.spans),
        said=said,
    )


def twenty(client: AsyncOpenAI = CLIENT) -> Iterator[Called]:
    """All of them; those of the last kind change their minds about the day at the end."""
    for seed in SEEDS:
        with Desk(seed=seed) as desk:
            sure = callers(desk, count=PER_DESK)
            unsure = callers(desk, count=PER_DESK, undecided=True)
            for place, kind in enumerate(KINDS):
                caller = (unsure if place == PER_DESK - 1 else sure)[place]
                yield call(desk, caller, kind, client)
