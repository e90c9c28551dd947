"""A wish for a person: who is reached, from where, with a model that never puts anybody through."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from livekit.agents import Agent as LiveKitAgent
from livekit.agents import function_tool

from course import Router, clock, connect
from course.agent import Agent
from course.models import Scripted
from course.runner import run
from course.session import Session
from course.supervisor import Supervisor
from course.supervisor_worker import PlanningSupervisor
from course.team import HUMAN, HumanQueue, Team, escalation, hub_and_spoke
from course.voice.teams import live_team
from course.voice.typed import typed_session

WORDS = tomllib.loads((Path(__file__).parents[1] / "patterns/persons.toml").read_text())
WISHES: tuple[str, ...] = tuple(w for half in WORDS.values() for w in half["wishes"])
OTHERS: tuple[str, ...] = tuple(w for half in WORDS.values() for w in half["others"])
TURNS = 2
"""Within so many turns a person has to be there."""

deaf = connect(Scripted(lambda request: "How can I help you with that?"))


def member(name: str) -> Agent:
    """An agent of the teams here."""
    return Agent(name=name, description=f"does {name}", instructions=f"You are {name}.")


LADDER = escalation((member("first tier"), member("second tier")))
HUB = hub_and_spoke(member("desk"), (member("billing"), member("repairs")))


def in_team(team: Team, active: str) -> Callable[[str], bool]:
    """Whether words reach a person while this agent of a team has the conversation."""

    async def reached(words: str) -> bool:
        session = Session(active)
        for _ in range(TURNS):
            await run(team, words, client=deaf, session=session)
        return session.active == HUMAN and session.ticket is not None

    return lambda words: clock.simulate(reached(words))


BOTH = (member("billing"), member("repairs"))
LEADING: dict[str, Callable[[HumanQueue], Any]] = {
    "supervisor": lambda queue: Supervisor(name="boss", workers=BOTH, escalate_to=queue),
    "router": lambda queue: Router(agents=BOTH, fallback=queue),
    "planner": lambda queue: PlanningSupervisor(name="boss", workers=BOTH, fallback=queue),
}
"""Who leads others, with a queue for what cannot be settled."""


def led(name: str) -> Callable[[str], bool]:
    """Whether words reach a person by way of who leads others."""

    def reached(words: str) -> bool:
        queue = HumanQueue()
        result = clock.simulate(run(LEADING[name](queue), words, client=deaf))
        asked = [each.reason.startswith("asks for a person") for each in queue.tickets]
        return result.escalated_to == HUMAN and asked == [True]

    return reached


def on_livekit(words: str) -> bool:
    """Whether words reach a person in a team on a LiveKit session, typed."""

    async def reached() -> bool:
        session = HUB.begin()
        agent = live_team(HUB, session, client=deaf)
        async with typed_session(agent, client=deaf, userdata=session) as call:
            for _ in range(TURNS):
                await call.run(user_input=words)
        return session.active == HUMAN

    return clock.simulate(reached())


class Desk(LiveKitAgent):
    """An agent that is written for LiveKit, with a tool that leads to people."""

    def __init__(self) -> None:
        super().__init__(instructions="You are the desk.")
        self.reasons: list[str] = []

    @function_tool
    async def transfer_to_operator(self, reason: str) -> str:
        """Let somebody of ours take over."""
        self.reasons.append(reason)
        return "A colleague comes."


def on_native(words: str) -> bool:
    """Whether words make the call of such an agent, typed."""

    async def reached() -> bool:
        desk = Desk()
        async with typed_session(desk, client=deaf) as call:
            await call.run(user_input=words)
        return desk.reasons == [words]

    return clock.simulate(reached())


PLACES: dict[str, Callable[[str], bool]] = {
    "first tier": in_team(LADDER, "first tier"),
    "second tier": in_team(LADDER, "second tier"),
    "hub": in_team(HUB, "desk"),
    "specialist": in_team(HUB, "billing"),
    **{name: led(name) for name in LEADING},
    "LiveKit": on_livekit,
    "native LiveKit": on_native,
}


def measure() -> dict[str, tuple[int, int]]:
    """By place: how many of the wishes reached a person, and how many of the others did."""
    return {
        place: (sum(map(reached, WISHES)), sum(map(reached, OTHERS)))
        for place, reached in PLACES.items()
    }


if __name__ == "__main__":
    for place, (wishes, others) in measure().items():
        print(f"{place:14} {wishes} of {len(WISHES)} wishes, {others} of {len(OTHERS)} others")
