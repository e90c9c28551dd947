"""A wish for a person: who is reached, from where, with a model that never puts anybody through."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

from course import clock, connect
from course.agent import Agent
from course.models import Scripted
from course.runner import run
from course.session import Session
from course.supervisor import Supervisor
from course.team import HUMAN, Team, escalation, hub_and_spoke
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


def by_supervisor(words: str) -> bool:
    """Whether words reach a person by way of a supervisor."""
    boss = Supervisor(name="boss", workers=(member("billing"), member("repairs")))
    result = clock.simulate(run(boss, words, client=deaf))
    return result.escalated_to == HUMAN and result.ticket is not None


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


PLACES: dict[str, Callable[[str], bool]] = {
    "first tier": in_team(LADDER, "first tier"),
    "second tier": in_team(LADDER, "second tier"),
    "hub": in_team(HUB, "desk"),
    "specialist": in_team(HUB, "billing"),
    "supervisor": by_supervisor,
    "LiveKit": on_livekit,
}


def measure() -> dict[str, tuple[int, int]]:
    """By place: how many of the wishes reached a person, and how many of the others did."""
    return {
        place: (sum(map(reached, WISHES)), sum(map(reached, OTHERS)))
        for place, reached in PLACES.items()
    }


if __name__ == "__main__":
    for place, (wishes, others) in measure().items():
        print(f"{place:12} {wishes} of {len(WISHES)} wishes, {others} of {len(OTHERS)} others")
