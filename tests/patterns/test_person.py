"""A wish for a person: one is reached from everywhere, whatever the model does."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest

from course import Agent, PlanningSupervisor, Router, clock, connect, tool
from course.context import Context
from course.fallback import NO_PERSON
from course.handoff import Handoff
from course.models import Reply, Scripted
from course.models.wire import ToolSpec
from course.person import ASKED, put_through, way_out, wishes_person
from course.runner import run
from course.session import Session
from course.supervisor import Supervisor
from course.team import HUMAN, HumanQueue, Team, human_handoff
from course.team.human import PUT_THROUGH, WaitingRoom
from course.team.turn import Offer, move_of
from course.tools import Tool
from course.voice.bridge import live_agent
from course.voice.typed import typed_session, words
from tests.benchmarks.persons import OTHERS, PLACES, WISHES, member
from tests.patterns.teaming import call, calls

WISH = "I want to talk to a human being."


@pytest.mark.parametrize("place", PLACES)
def test_every_wish_reaches_a_person_from_everywhere_and_nothing_else_does(place: str) -> None:
    some = slice(None, None, 5 if place == "native LiveKit" else 1)  # a session for each takes long
    assert [said for said in WISHES[some] if not PLACES[place](said)] == []
    assert [said for said in OTHERS[some] if PLACES[place](said)] == []


@pytest.mark.parametrize(
    "said",
    [
        "If the router is still broken tomorrow, put me through to a person.",
        "I don't want to be transferred to an operator.",
        "They told me to ask for a representative.",
        "What does it cost to talk to an agent?",
    ],
)
def test_a_condition_a_refusal_a_report_and_a_question_are_no_wish(said: str) -> None:
    assert not wishes_person(said)


@pytest.mark.parametrize(
    "said",
    [
        "I need a human.",
        "Is there anyone I can talk to?",
        "Operator!",
        "A person, please.",
        "How do I talk to a real person?",
        "I want to speak to someone who is not a robot.",
        "Could someone from your team ring me?",
        "I want an agent to handle this.",
        "Can I talk to someone else?",
        "I need to speak to a manager about my bill.",
        "Can a human look at this?",
        "Get me a person, I have had enough.",
    ],
)
def test_a_wish_is_whole_without_a_thing_or_another_person_in_it(said: str) -> None:
    assert wishes_person(said)


@pytest.mark.parametrize(
    "said",
    [
        # things that are named after people
        "I need an agent contract.",
        "We need a manager report for Q3.",
        "Find me a representative sample of 20 reviews.",
        "I want a human resources contact.",
        "Get me human-readable output.",
        "Find customer service reviews of our competitors.",
        "I need a supervisor's signature.",
        "Can I have the employee handbook?",
        "Transfer it to the team member account.",
        "I need one of your brochures.",
        # people of another world than the speaker's call
        "Find a person in the database named Miller.",
        "Can you find an employee with sales skills?",
        "Get me the manager of store 12 and his phone number.",
        "Please call the manager at Acme.",
        "Call people back from the list of leads.",
        "Have a person call the patient about her blood pressure.",
        "We want people to feel safe.",
        "I would like someone else on the booking.",
        "Is anyone available on Monday at 10?",
        "I need an advisor for my thesis.",
        # those who build such systems talk of them
        "I'd like the supervisor to delegate to two workers.",
        "I want the agent to answer in French.",
        "Give the agent a budget of 500 tokens.",
        "Pass it to the agent as input.",
        "Talk to the agent about pricing.",
        # questions and answers
        "Can a person take both medicines together?",
        "How should I talk to people with dementia?",
        "How do I speak to a manager about a raise?",
        "Customer service.",
        "The supervisor.",
        "A person",
        # quoted words
        'The customer wrote "I want to talk to a human" on the form.',
        "Classify this message:\nI want to talk to a human.",
        "Translate into French: I want to talk to a human.",
    ],
)
def test_what_only_has_people_in_it_is_no_wish(said: str) -> None:
    assert not wishes_person(said)


def severe(
    reason: str, severity: Literal["low", "high", "critical"], summary: str
) -> tuple[str, str, str]:
    """Escalate to a human operator."""
    return reason, severity, summary


def escalate_to_human(
    reason: str, severity: Literal["low", "high", "critical"], summary: str
) -> str:
    """Let somebody of ours take over."""
    return "A colleague comes."


def without_arguments() -> str:
    """Transfer the call to a live agent."""
    return "A colleague comes."


def deaf(*said: Reply | str) -> Any:
    """A client whose model says this, and never puts anybody through."""
    left = list(said)
    return connect(Scripted(lambda request: left.pop(0) if left else "Anything else?"))


def agent(*tools: Tool) -> Agent:
    return Agent(name="desk", instructions="You are the desk.", description="a desk", tools=tools)


def arguments(context: Context) -> list[dict[str, Any]]:
    """The arguments of all calls in a conversation."""
    made = (each for m in context.messages for each in m.get("tool_calls") or ())
    return [json.loads(each["function"]["arguments"]) for each in made]


@pytest.mark.parametrize("wanted", [severe, escalate_to_human])
def test_what_a_handoff_tool_wants_is_taken_from_the_conversation(wanted: Any) -> None:
    before = Context.of("It is critical: somebody has stolen my account.")
    asked = before.add({"role": "user", "content": WISH})
    result = clock.simulate(run(agent(tool(wanted)), asked, client=deaf()))
    [told] = arguments(result.context)
    assert told == {
        "reason": "It is critical: somebody has stolen my account.",
        "severity": "critical",
        "summary": f"It is critical: somebody has stolen my account.\n{WISH}",
    }


@pytest.mark.parametrize(
    ("reply", "severity", "reason"),
    [("Low, I think.", "low", ""), ("Now please!", "high", " (not told: severity)")],
)
def test_what_nobody_said_is_asked_for_once(reply: str, severity: str, reason: str) -> None:
    first = f"Somebody has stolen my account, {WISH}"
    desk, client = agent(tool(escalate_to_human)), deaf()
    result = clock.simulate(run(desk, first, client=client))
    assert arguments(result.context) == []
    assert result.answer == ASKED.format(needed="the severity (low, high, critical)")
    again = result.context.add({"role": "user", "content": reply})
    [told] = arguments(clock.simulate(run(desk, again, client=client)).context)
    assert told == {"severity": severity, "reason": f"{first}{reason}", "summary": first}


@pytest.mark.parametrize(
    ("kind", "taken"),
    [
        ({"enum": ["low", "high", "critical"]}, "high"),
        ({"enum": ["low", "medium", "high"]}, "medium"),
        ({"enum": ["critical", "high", "medium", "low"]}, "medium"),
        ({"enum": ["routine", "urgent"]}, "urgent"),
        ({"enum": ["low", "high", "unknown"]}, "unknown"),
        ({"enum": ["not told", "low", "high"]}, "not told"),
        ({"enum": [1, 2, 3, 4, 5]}, 3),
        ({"enum": ["low", "medium", "high"], "default": "low"}, "low"),
    ],
)
def test_of_a_choice_that_nobody_made_neither_the_mildest_nor_the_worst_is_taken(
    kind: dict[str, Any], taken: Any
) -> None:
    schema = {"type": "object", "properties": {"how_bad": kind}, "required": ["how_bad"]}
    offered = ToolSpec("escalate_to_human", "Let somebody of ours take over.", schema)
    asked = put_through((offered,), Context.of(WISH).messages)
    assert asked is not None and asked.message["content"].startswith("I will put you through")
    said = Context.of(WISH).add(asked.message, {"role": "user", "content": "Now please!"})
    told = put_through((offered,), said.messages)
    assert told is not None and arguments(Context((told.message,))) == [{"how_bad": taken}]


def test_a_tool_without_arguments_gets_none() -> None:
    result = clock.simulate(run(agent(tool(without_arguments)), WISH, client=deaf()))
    assert arguments(result.context) == [{}]


def test_a_person_is_called_once() -> None:
    desk, client = agent(tool(without_arguments)), deaf()
    once = clock.simulate(run(desk, WISH, client=client)).context
    twice = once.add({"role": "user", "content": WISH})
    assert len(arguments(clock.simulate(run(desk, twice, client=client)).context)) == 1


BOOKS = "Look into the books of the person who calls."


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("transfer_to_billing", BOOKS),
        ("consult_manager", BOOKS),
        ("look_up_person", BOOKS),
        ("get_person", BOOKS),
        ("pay", "Transfer an amount of money to a person."),
        ("mail", "Forward the bill by mail to the operator."),
    ],
)
def test_other_tools_lead_to_no_person(name: str, description: str) -> None:
    def told(reason: str) -> str:
        return reason

    told.__doc__ = description
    made = tool(name=name)(told)
    assert way_out((made,)) is None
    assert put_through((made,), Context.of(WISH).messages) is None


def test_members_of_teams_and_supervisors_use_a_tool_of_their_own() -> None:
    desk = agent(tool(without_arguments))
    team = Team(name="team", agents=(desk,))
    result = clock.simulate(run(team, WISH, client=deaf()))
    assert (result.agent, arguments(result.context)) == ("desk", [{}])
    boss = Supervisor(name="boss", workers=(member("a"),), tools=(tool(without_arguments),))
    led = clock.simulate(run(boss, WISH, client=deaf()))
    assert (led.escalated_to, arguments(led.context)) == (None, [{}])


def test_a_supervisor_puts_the_ticket_into_the_queue_it_escalates_to() -> None:
    queue = HumanQueue()
    boss = Supervisor(name="boss", workers=(member("a"),), escalate_to=queue)
    result = clock.simulate(run(boss, WISH, client=deaf()))
    assert (result.answer, len(queue)) == (PUT_THROUGH, 1)
    assert queue.tickets == (result.ticket,)
    assert result.ticket.request == WISH


NOBODY: dict[str, Any] = {
    "supervisor": Supervisor(name="boss", workers=(member("a"),)),
    "supervisor over an agent": Supervisor(
        name="boss", workers=(member("a"),), escalate_to=member("b")
    ),
    "router": Router(agents=(member("a"),)),
    "router with a sentence": Router(agents=(member("a"),), fallback="Please call us."),
    "planner": PlanningSupervisor(name="boss", workers=(member("a"),)),
}


@pytest.mark.parametrize("system", NOBODY)
def test_who_has_no_person_behind_it_says_so_and_claims_nothing(system: str) -> None:
    result = clock.simulate(run(NOBODY[system], WISH, client=deaf("{}")))
    assert result.answer == NO_PERSON
    assert (result.escalated_to, result.ticket) == (None, None)


def test_a_router_lets_an_agent_put_people_through_that_can() -> None:
    desk = agent(tool(without_arguments))
    result = clock.simulate(run(Router(agents=(member("a"), desk)), WISH, client=deaf()))
    assert (result.route.agents, arguments(result.context)) == (("desk",), [{}])
    queue = HumanQueue()
    boss = Supervisor(name="boss", description="b", workers=(member("a"),), escalate_to=queue)
    result = clock.simulate(run(Router(agents=(member("b"), boss)), WISH, client=deaf()))
    assert (result.answer, len(queue)) == (PUT_THROUGH, 1)


def test_the_words_of_a_task_are_nobodys_wish() -> None:
    inner = Supervisor(name="inner", description="inner", coordinates=True, workers=(member("a"),))
    order = calls(call("delegate_to_agent", worker_agent="inner", task="Get me a human."))
    boss = Supervisor(name="boss", workers=(inner,))
    result = clock.simulate(run(boss, "See to it.", client=deaf(order, "I did.")))
    [delegation] = result.delegations.values()
    assert (delegation.result, delegation.outcome.escalated_to) == ("I did.", None)


def test_a_waiting_room_is_the_way_where_a_team_has_one() -> None:
    queue = HumanQueue()
    way = human_handoff(queue)
    desk = Agent(name="desk", description="a desk", handoffs=(way,))
    team = Team(name="team", agents=(desk, way.agent))
    session = Session("desk")
    clock.simulate(run(team, WISH, client=deaf("A wish."), session=session))
    assert isinstance(way.agent, WaitingRoom)
    assert (session.active, len(queue)) == (way.to, 1)
    clock.simulate(run(team, WISH, client=deaf(), session=session))
    assert len(queue) == 1


def test_a_handoff_tool_with_more_arguments_tells_all_of_them() -> None:
    offer = Offer(agent(), handoffs={"transfer_to_human": ("transfer", Handoff(HUMAN))})
    given = json.dumps({"reason": "stolen", "severity": "critical"})
    made = {"id": "c1", "function": {"name": "transfer_to_human", "arguments": given}}
    message = {"role": "assistant", "content": None, "tool_calls": [made]}
    assert move_of(offer, made, message, ()).reason == "stolen; critical"


def test_an_agent_on_livekit_uses_its_tool_or_asks() -> None:
    heard: list[tuple[str, str]] = []

    def escalate_to_human(reason: str, severity: Literal["low", "high"]) -> str:
        """Let somebody of ours take over."""
        heard.append((reason, severity))
        return "A colleague comes."

    async def main() -> list[str]:
        client = deaf()
        desk = live_agent(agent(tool(escalate_to_human)), client=client)
        async with typed_session(desk, client=client) as call:
            return [words(await call.run(user_input=said)) for said in (WISH, "high")]

    first, _ = clock.simulate(main())
    assert first == ASKED.format(needed="the severity (low, high)")
    assert [severity for _, severity in heard] == ["high"]
