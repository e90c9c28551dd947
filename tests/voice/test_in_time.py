"""A limit of seconds holds on a LiveKit session too, whatever hangs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from livekit.agents import Agent as LiveKitAgent
from livekit.agents import ToolError, function_tool

from course import clock, connect
from course.agent import Agent
from course.delegation import Task, TaskGroup
from course.limits import Limits
from course.models import Scripted
from course.models.wire import Call, ChatRequest, Reply
from course.team import HUMAN, Team, hub_and_spoke
from course.team.human import PUT_THROUGH
from course.voice.bridge import live_agent, live_task
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


@pytest.mark.parametrize("go_on", [False, True])
@pytest.mark.parametrize("kind", ["task", "group"])
def test_a_task_and_a_group_end_in_time_though_the_person_says_nothing(
    kind: str, go_on: bool
) -> None:
    """A group's seconds are those of all its steps, which have none of their own."""
    told: list[str] = []
    ended: list[float] = []

    def asking(**more: Any) -> Task[bool]:
        return Task[bool](instructions="Ask.", name="asking", **more)

    @function_tool
    async def look() -> str:
        """Look."""
        begin = clock.now()
        group = TaskGroup(name="both", limits=LIMITS, return_exceptions=go_on)
        for name in ("one", "two"):
            group.add(asking, id=name, description=f"step {name}")
        work = asking(limits=LIMITS) if kind == "task" else group
        try:
            await live_task(work, client=client)
        except ToolError as error:
            told.append(str(error.message))
        ended.append(clock.now() - begin)
        return "over"

    def says(request: ChatRequest) -> Any:
        offered = {each.name for each in request.tools}
        if "complete" in offered:
            return "Well?"
        called = any(each["role"] == "tool" for each in request.messages)
        return "We go on." if called else Reply(calls=(Call("look", "{}"),))

    client = connect(Scripted(says))

    async def main() -> str:
        desk = LiveKitAgent(instructions="You are the desk.", tools=[look])
        async with typed_session(desk, client=client) as session:
            await session.run(user_input="What is the figure?")
            await asyncio.sleep(2 * SECONDS)
            return str(session.history.messages()[-1].text_content)

    assert clock.simulate(main()) == "We go on."
    assert len(told) == 1 and SAYS_SO.search(told[0]), told
    assert ended[0] <= SECONDS + SLACK


def test_what_does_not_hang_is_said_as_ever() -> None:
    for system in ("agent", "team"):
        heard, seconds = said("nothing", system)
        assert heard.endswith("says it is 42.")
        assert seconds < SECONDS
