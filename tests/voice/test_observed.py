"""An audit trail of LiveKit sessions has each word, call, result and move, whoever wrote them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from livekit.agents import Agent as LiveKitAgent
from livekit.agents import AgentTask, function_tool

from course import Agent, Supervisor, clock, connect, hub_and_spoke, tool
from course.events import audit
from course.models import Call
from course.observability.transcript import transcript
from course.voice.bridge import live_agent
from course.voice.teams import live_team
from course.voice.typed import exchange, quiet, typed_session
from tests.patterns.bosses import models, order, ordering
from tests.voice.calling import scripted


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def told(path: Path) -> list[tuple[str, ...]]:
    """What each line tells, without its time."""
    keys = ("event", "system", "words", "tool", "outcome", "sender", "to", "content")
    return [tuple(str(row[key]) for key in keys if key in row) for row in rows(path)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


def play(
    make: Callable[[], Any], *texts: str, client: Any, path: Path, userdata: Any = None
) -> None:
    """A typed session whose every event is in the file."""

    async def main() -> None:
        async with typed_session(make(), client=client, userdata=userdata) as session:
            await quiet(session)
            for text in texts:
                await exchange(session, text)

    with audit(path):
        clock.simulate(main())


class Name(AgentTask[str]):
    def __init__(self) -> None:
        super().__init__(instructions="Find out the name.")

    async def on_enter(self) -> None:
        self.session.generate_reply()

    @function_tool
    async def note_name(self, name: str) -> None:
        """Note the name."""
        self.complete(name)


class Counter(LiveKitAgent):
    def __init__(self) -> None:
        super().__init__(instructions="You are a counter.")

    async def on_enter(self) -> None:
        await self.session.say("Yes?")

    @function_tool
    async def ask_name(self) -> str:
        """Ask for the name."""
        return f"It is {await Name()}."

    @function_tool
    async def transfer_to_office(self) -> LiveKitAgent:
        """Hand over."""
        return Office()


class Office(LiveKitAgent):
    def __init__(self) -> None:
        super().__init__(instructions="You are an office.")

    async def on_enter(self) -> None:
        self.session.generate_reply()


def test_a_native_session_with_a_task_and_a_handoff_is_told_whole(path: Path) -> None:
    steps = [("ask_name", {}), "Who?", ("note_name", {"name": "Ada"}), "Good, Ada."]
    client = scripted(*steps, ("transfer_to_office", {}), "The office.")
    play(Counter, "Hello.", "Ada.", "The office, please.", client=client, path=path)
    assert told(path) == [
        ("Said", "counter", "Yes?"),
        ("Said", "person", "Hello."),
        ("ToolCalled", "counter", "ask_name"),
        ("HandedOver", "counter", "counter", "name"),
        ("Said", "name", "Who?"),
        ("Said", "person", "Ada."),
        ("ToolCalled", "name", "note_name"),
        ("ToolAnswered", "name", "note_name", "ok", ""),
        ("HandedOver", "counter", "name", "counter"),
        ("ToolAnswered", "counter", "ask_name", "ok", "It is Ada."),
        ("Said", "counter", "Good, Ada."),
        ("Said", "person", "The office, please."),
        ("ToolCalled", "counter", "transfer_to_office"),
        ("ToolAnswered", "counter", "transfer_to_office", "ok", ""),
        ("HandedOver", "counter", "counter", "office"),
        ("Said", "office", "The office."),
    ]
    assert [line.who for line in transcript(path)] == [
        "counter", "person", "name", "person", "counter", "person", "office",
    ]  # fmt: skip


@tool
def look(place: str) -> str:
    """Look somewhere."""
    return f"Nothing in {place}."


def test_an_agent_of_the_course_tells_its_calls_and_what_was_refused(path: Path) -> None:
    agent = Agent(name="finder", instructions="Look.", tools=(look,))
    client = scripted(("look", {}), ("look", {"place": "B"}), "Nothing.")
    play(lambda: live_agent(agent, client=client), "Look.", client=client, path=path)
    assert [each[:4] for each in told(path)] == [
        ("Said", "person", "Look."),
        ("ToolCalled", "finder", "look"),
        ("ToolAnswered", "finder", "look", "refused"),
        ("ToolCalled", "finder", "look"),
        ("ToolAnswered", "finder", "look", "ok"),
        ("Said", "finder", "Nothing."),
    ]


def test_a_team_tells_each_move_once_and_the_work_of_a_member_that_leads(path: Path) -> None:
    aide = Agent(name="aide", description="looks", instructions="Look.", tools=(look,))
    lead = Supervisor(name="lead", description="leads", workers=(aide,))
    hub = Agent(name="hub", description="routes", instructions="Route.")
    team = hub_and_spoke(hub, [lead], name="desk")
    session = team.begin()
    over = ordering([Call("transfer_to_lead", json.dumps({"reason": "a search"}))])
    seek = ordering([Call("look", json.dumps({"place": "A"}))], answer="Nothing.")
    client = connect(models(hub=over, lead=ordering([order("aide", "Look.")]), aide=seek))
    play(lambda: live_team(team, session, client=client), "Look in A.",
         client=client, path=path, userdata=session)  # fmt: skip
    assert [each[:4] for each in told(path)] == [
        ("Said", "person", "Look in A."),
        ("ToolCalled", "hub", "transfer_to_lead"),
        ("HandedOver", "desk", "hub", "lead"),
        ("ToolAnswered", "hub", "transfer_to_lead", "ok"),
        ("DelegationStarted", "lead"),
        ("ToolCalled", "aide", "look"),
        ("ToolAnswered", "aide", "look", "ok"),
        ("Said", "aide", "Nothing."),
        ("DelegationCompleted", "lead", '{"worker":"aide","status":"done","result":"Nothing."}'),
        ("Said", "lead", "all done"),
    ]
