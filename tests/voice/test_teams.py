"""Teams of the course on a LiveKit session: silent handoffs, filters, tiers, guards, the queue."""

from dataclasses import replace
from typing import Any

import pytest
from openai import AsyncOpenAI

from course import Agent, clock, connect
from course.errors import ConfigurationError, ToolError
from course.handoff import Handoff, last
from course.models import ApiError, Scripted
from course.routing import Guess, HybridRouter, ModelRouter, descriptions
from course.scenarios import front_desk
from course.session import Session, state
from course.supervisor import Supervisor
from course.team import HUMAN, Criteria, Guards, Team, consultation, escalation, hub_and_spoke
from course.team.human import PUT_THROUGH, STILL_WAITING
from course.team.rules import SORRY
from course.tools import tool
from course.trace import Trace
from course.voice.behind import FILLERS, LiveSystem
from course.voice.teams import LiveMember, live_team
from course.voice.typed import typed_session, words
from tests.patterns.talking import move
from tests.voice.calling import scripted, scripted_by

HUB = Agent(name="hub", description="all else", instructions="Find out what is wanted.")
BILLING = Agent(name="billing", description="invoices", instructions="You do the billing.")


def talk(
    team: Team, *texts: str, client: AsyncOpenAI, **more: Any
) -> tuple[list[str], Session, Trace, list[Any]]:
    """What the person hears of a team, the session it leaves, its trace and its runs."""

    async def main() -> tuple[list[str], Session, Trace, list[Any]]:
        known, trace = team.begin(), Trace("call")
        agent = live_team(team, known, client=client, **more)
        async with typed_session(agent, client=client, userdata=known, trace=trace) as session:
            results = [await session.run(user_input=text) for text in texts]
            return [words(each) for each in results], known, trace, results

    return clock.simulate(main())


def moves(trace: Trace) -> list[str]:
    return [each.name for each in trace.spans if each.operation == "handoff"]


def test_a_handoff_is_silent_and_the_specialist_answers_in_the_same_turn() -> None:
    team = hub_and_spoke(HUB, [BILLING])
    client = scripted(("transfer_to_billing", {"reason": "a bill"}), "You owe 10 EUR.")
    said, known, trace, [result] = talk(team, "My bill?", client=client)
    assert said == ["You owe 10 EUR."]
    assert known.active == "billing"
    assert moves(trace) == ["hub -> billing"]
    result.expect.next_event().is_function_call(name="transfer_to_billing")
    result.expect.skip_next_event_if(type="message")
    result.expect.contains_agent_handoff(new_agent_type=LiveMember)
    result.expect[-1].is_message(role="assistant")


@pytest.mark.parametrize(("context", "kept"), [(last(2), False), (None, True)])
def test_a_filter_decides_what_the_specialist_sees(context: Any, kept: bool) -> None:
    asked: list[Any] = []
    steps = iter(["Hello.", ("transfer_to_billing", {"reason": "a bill"}), "10 EUR."])

    def script(request: Any) -> Any:
        asked.append(request.messages)
        return move(next(steps))

    more = {"context": context} if context else {}
    team = hub_and_spoke(HUB, [BILLING], **more)
    talk(team, "Good morning.", "My bill?", client=scripted_by(script))
    assert asked[-1][0]["content"] == "You do the billing."
    assert ("Good morning." in str(asked[-1])) is kept
    assert "transfer_to_billing" in str(asked[-1])
    assert HUB.instructions not in str(asked[-1])


def test_who_takes_over_greets_first() -> None:
    hub = Agent(name="hub", handoffs=(Handoff("billing", greeting="Billing speaking."),))
    team = Team(name="desk", agents=(hub, BILLING))
    client = scripted(("transfer_to_billing", {"reason": "a bill"}), "You owe 10 EUR.")
    assert talk(team, "My bill?", client=client)[0] == ["Billing speaking. You owe 10 EUR."]


def test_tools_share_the_session_s_state_and_every_model_reads_it() -> None:
    asked: list[str] = []

    @tool
    def find(name: str) -> str:
        """Find a patient."""
        state()["patient"] = "P-1"
        return "found"

    hub = replace(HUB, tools=(find,))
    steps = iter([("find", {"name": "Ada"}), ("transfer_to_billing", {"reason": "-"}), "10 EUR."])

    def script(request: Any) -> Any:
        asked.append(str(request.messages[0]["content"]))
        return move(next(steps))

    team = hub_and_spoke(hub, [BILLING])
    _, known, _, _ = talk(team, "I am Ada.", client=scripted_by(script))
    assert known.state == {"patient": "P-1"}
    assert [each.call for each in known.attempts] == ['find({"name": "Ada"})']
    assert asked[-1] == 'You do the billing.\n\nKnown so far: {"patient":"P-1"}'


def test_a_conversation_with_a_person_waits_in_the_queue_with_all_that_was_said() -> None:
    hub = Agent(name="hub", handoffs=(Handoff(HUMAN),))
    team = Team(name="desk", agents=(hub,))
    client = scripted("What is it?")
    said, known, _, _ = talk(team, "Hello.", "A person, please.", "Are you there?", client=client)
    assert said == ["What is it?", PUT_THROUGH, STILL_WAITING]
    [ticket] = team.queue.tickets
    assert (ticket.sender, ticket.reason) == ("hub", "asks for a person: A person, please.")
    assert ticket.request == "A person, please."
    told = [(each.get("name"), each["content"]) for each in ticket.transcript if each["content"]]
    assert told[:3] == [(None, "Hello."), ("hub", "What is it?"), (None, "A person, please.")]
    assert known.history[-1] == {"role": "user", "content": "Are you there?"}


@tool
def mend(part: str) -> str:
    """Mend a part."""
    raise ToolError(f"{part} is broken still")


def test_a_tier_hands_on_after_two_attempts_and_the_last_one_to_a_person() -> None:
    tiers = [
        Agent(name="first", instructions="Try.", tools=(mend,), description="simple things"),
        Agent(name="second", instructions="Try.", tools=(mend,), description="hard things"),
    ]
    team = escalation(tiers, criteria=[Criteria(max_attempts=2), Criteria(max_attempts=1)])
    client = scripted(("mend", {"part": "a"}), ("mend", {"part": "b"}), ("mend", {"part": "c"}))
    said, known, trace, _ = talk(team, "It is down.", client=client)
    assert moves(trace) == ["first -> second", "second -> human"]
    assert said == [PUT_THROUGH]
    [ticket] = team.queue.tickets
    assert [each.agent for each in ticket.tried] == ["first", "first", "second"]
    assert known.active == HUMAN and ticket.reason == "failed attempts: 1"


@pytest.mark.parametrize(("fallback", "heard"), [(None, SORRY), (HUMAN, PUT_THROUGH)])
def test_guards_end_a_turn_that_goes_round(fallback: str | None, heard: str) -> None:
    @tool
    def look(place: str) -> str:
        """Look somewhere."""
        return "nothing"

    hub = Agent(name="hub", tools=(look,))
    for guards in (Guards(max_turns=3, max_repeats=None), Guards(max_repeats=3)):
        team = Team(name="desk", agents=(hub,), guards=guards, fallback=fallback)
        said, known, _, _ = talk(team, "Hello.", client=scripted(("look", {"place": "here"})))
        assert (said, known.calls) == ([heard], 3), guards


def test_a_specialist_is_consulted_and_its_answer_comes_back() -> None:
    asked: list[Any] = []
    steps = iter(
        [
            ("consult_billing", {"request": "What does she owe?"}),
            "Which year?",
            ("return_to_hub", {"result": "She owes 10 EUR."}),
            "You owe 10 EUR.",
        ]
    )

    def script(request: Any) -> Any:
        asked.append(request.messages)
        return move(next(steps))

    team = consultation(HUB, [BILLING])
    said, known, trace, _ = talk(team, "My bill?", "This one.", client=scripted_by(script))
    assert said == ["Which year?", "You owe 10 EUR."]
    assert moves(trace) == ["hub -> billing", "billing -> hub"]
    assert asked[-1][-1]["content"] == "She owes 10 EUR."
    assert "This one." in str(asked[-1]) and known.state == {"billing": "She owes 10 EUR."}


def test_a_supervisor_that_is_consulted_gives_its_answer_to_who_asked() -> None:
    boss = Supervisor(name="boss", description="hard things", workers=[BILLING])
    steps = (("consult_boss", {"request": "Find out."}), "It is 10 EUR.", "You owe 10 EUR.")
    said, _, trace, _ = talk(consultation(HUB, [boss]), "My bill?", client=scripted(*steps))
    assert said == ["You owe 10 EUR."]
    assert moves(trace) == ["hub -> boss", "boss -> hub"]


class Fixed:
    """A classifier that is always as sure as it is told to be."""

    labels = ("billing",)

    def __init__(self, confidence: float) -> None:
        self.confidence = confidence

    def guess(self, requests: Any) -> list[Guess]:
        return [Guess("billing", self.confidence) for _ in requests]


@pytest.mark.parametrize(("confidence", "calls"), [(0.9, 1), (0.2, 2)])
def test_a_sure_classifier_spares_the_router_s_model_call(confidence: float, calls: int) -> None:
    asked: list[Any] = []

    def script(request: Any) -> Any:
        asked.append(request)
        return (
            '{"agents": ["billing"]}'
            if request.response_format == "json_schema"
            else "You owe 10 EUR."
        )

    team = hub_and_spoke(HUB, [BILLING])
    by_model = ModelRouter(descriptions([BILLING]))
    chooser = HybridRouter(classifier=Fixed(confidence), threshold=0.8, otherwise=by_model)
    said, _, trace, _ = talk(team, "My bill?", client=scripted_by(script), chooser=chooser)
    assert said == ["You owe 10 EUR."]
    assert len(asked) == calls
    assert moves(trace) == ["hub -> billing"]


def test_a_team_without_the_session_as_userdata_says_so() -> None:
    async def main() -> None:
        team = hub_and_spoke(HUB, [BILLING])
        client = scripted("Hello.")
        member = live_team(team, team.begin(), client=client)
        async with typed_session(member, client=client) as session:
            await session.run(user_input="Hello.")

    with pytest.raises(ConfigurationError, match="userdata=session"):
        clock.simulate(main())


def clinic(desk: front_desk.Desk) -> Team:
    return hub_and_spoke(front_desk.reception(desk), front_desk.colleagues(desk), name="clinic")


@pytest.mark.parametrize(
    ("name", "agent"), [("owed", "billing"), ("pay", "billing"), ("next visit", "scheduling")]
)
def test_the_clinic_s_hub_finds_the_desk_whose_work_it_is(name: str, agent: str) -> None:
    with front_desk.Desk(seed=7) as desk:
        [request] = [each for each in front_desk.REQUESTS if each.name == name]
        sample = request.on(desk)
        said, known, _, _ = talk(clinic(desk), sample.text, client=connect(profile="instant"))
    assert known.active == agent
    assert not sample.missing(said[0])


def test_workers_work_behind_a_turn_without_silence() -> None:
    client = connect(profile="calm")
    with front_desk.Desk(seed=7) as desk:
        [request] = [each for each in front_desk.REQUESTS if each.name == "owed"]
        sample = request.on(desk)
        workers = front_desk.specialists(desk)
        boss = Supervisor(name="boss", instructions="Let others work.", workers=workers)

        async def main() -> str:
            async with typed_session(LiveSystem(boss, client=client), client=client) as session:
                return words(await session.run(user_input=sample.text))

        said = clock.simulate(main())
    assert said.startswith(FILLERS[0])
    assert not sample.missing(said)


def test_a_system_whose_model_is_gone_is_no_silence() -> None:
    def script(request: Any) -> Any:
        raise ApiError(404, "the model is gone", code="model_not_found")

    client = connect(Scripted(script))

    async def main() -> str:
        async with typed_session(LiveSystem(HUB, client=client), client=client) as session:
            return words(await session.run(user_input="Hello."))

    assert clock.simulate(main()) == SORRY
