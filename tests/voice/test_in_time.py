"""A limit of seconds holds on a LiveKit session too, whatever hangs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from livekit.agents import Agent as LiveKitAgent

from course import clock, connect
from course.agent import Agent
from course.limits import Limits
from course.team import HUMAN, Team, hub_and_spoke
from course.team.human import PUT_THROUGH
from course.voice.bridge import live_agent
from course.voice.teams import live_team
from course.voice.typed import typed_session, words
from tests.patterns.hanging import (
    GUARDS,
    LIMITS,
    SAYS_SO,
    SECONDS,
    SLACK,
    agents,
    boss,
    looking,
    model,
)

Made = Callable[[Any, Any], LiveKitAgent]


def team_of(team: Team) -> tuple[Made, Any]:
    session = team.begin()
    return (lambda look, client: live_team(team, session, client=client)), session


def said(hung: str, system: str) -> tuple[str, float]:
    """What the person hears, and after how many seconds."""
    look, client = looking(hung), connect(model(hung))
    _, bob = agents(look)
    known: Any = None
    if system == "agent":
        solo = Agent(name="ada", tools=(look,), limits=LIMITS)
        make: Made = lambda look, client: live_agent(solo, client=client)  # noqa: E731
    elif system == "supervisor":
        leader = boss(look, description="leads", limits=Limits())
        make, known = team_of(Team(name="desk", agents=(leader,), guards=GUARDS))
    else:
        more = {"fallback": HUMAN} if system == "team, person" else {}
        hub = Agent(name="hub", description="the desk", tools=(look,))
        make, known = team_of(hub_and_spoke(hub, [bob], guards=GUARDS, matters=False, **more))

    async def main() -> tuple[str, float]:
        kept = {"userdata": known} if known else {}
        async with typed_session(make(look, client), client=client, **kept) as session:
            begin = clock.now()
            heard = words(await session.run(user_input="What is the figure?"))
            return heard, clock.now() - begin

    return clock.simulate(main())


@pytest.mark.parametrize("hung", ["model", "tool", "approval"])
@pytest.mark.parametrize("system", ["agent", "team", "team, person"])
def test_a_call_is_broken_off_and_the_person_hears_why(system: str, hung: str) -> None:
    heard, seconds = said(hung, system)
    assert seconds <= SECONDS + SLACK
    assert SAYS_SO.search(heard) or PUT_THROUGH in heard, heard


def test_a_member_that_leads_others_is_broken_off_as_well() -> None:
    heard, seconds = said("worker", "supervisor")
    assert seconds <= SECONDS + SLACK
    assert SAYS_SO.search(heard), heard


def test_what_does_not_hang_is_said_as_ever() -> None:
    for system in ("agent", "team"):
        heard, seconds = said("nothing", system)
        assert heard.endswith("says it is 42.")
        assert seconds < SECONDS
