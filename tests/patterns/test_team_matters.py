"""A hub with several matters: all are served in turn or named as open, for who is meant."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from course import Agent, Limits, clock, connect, hub_and_spoke, run_sync
from course.models import ChatRequest, Reply, Scripted
from course.scenarios import front_desk
from course.scenarios.front_desk.diary import TODAY
from course.scenarios.front_desk.requests import _amount, _day, _time
from course.session import Session
from course.team import HUMAN, HumanQueue, Team, TeamResult, answer_as_human, human_handoff
from course.tools import call_tool
from tests.marking import first
from tests.patterns.teaming import agent, call, calls, once, spans, talk, transfer, who

WORDINGS = (
    "When is my next appointment, and how much do I still owe? My name is {name}.",
    "I am {name}. When is my next visit and what is open on my bill?",
    "This is {name}. I have two questions: my next appointment and my unpaid invoices.",
    "Please tell me when {name}'s next appointment is and how much {name} still owes.",
    "My visit and my bill, please. I am {name}.",
    "Hello, I'm {name}, I would like to know about my visit and my bill.",
)
OWES = """
    SELECT p.first_name || ' ' || p.last_name AS name, sum(b.total_cents - b.paid_cents) AS cents
    FROM patients p JOIN invoices i ON i.patient_id = p.id JOIN balances b ON b.invoice_id = i.id
    WHERE b.paid_cents < b.total_cents GROUP BY name HAVING count(DISTINCT p.id) = 1
"""
WITH_BOTH = """
    SELECT p.id, p.first_name || ' ' || p.last_name AS name, s.starts, d.last_name AS doctor,
           b.total_cents - b.paid_cents AS cents
    FROM patients p JOIN appointments a ON a.patient_id = p.id AND a.status = 'booked'
    JOIN slots s ON s.id = a.slot_id JOIN doctors d ON d.id = s.doctor_id
    JOIN invoices i ON i.patient_id = p.id JOIN balances b ON b.invoice_id = i.id
    WHERE s.starts > ? AND b.paid_cents < b.total_cents AND 1 = (
        SELECT count(*) FROM patients q
        WHERE q.first_name = p.first_name AND q.last_name = p.last_name)
    GROUP BY p.id HAVING count(*) = 1 ORDER BY p.id
"""


def clinic(desk: front_desk.Desk, **more: Any) -> Team:
    hub = front_desk.reception(desk)
    return hub_and_spoke(hub, front_desk.colleagues(desk), name="clinic", **more)


@pytest.mark.parametrize("seed", first(len(WORDINGS), of=range(40)))
def test_my_visit_and_my_bill_are_both_told_and_nobody_elses(seed: int) -> None:
    with front_desk.Desk(seed=seed) as desk:
        people = desk.rows(WITH_BOTH, TODAY.isoformat())
        person = people[seed % len(people)]
        words = WORDINGS[seed % len(WORDINGS)].format(name=person["name"])
        result: TeamResult = run_sync(clinic(desk), words, client=connect(seed=seed))
        told = result.answer.lower()
        facts = (_day(person["starts"]), _time(person["starts"]), _amount(person["cents"]))
        assert [f for f in facts if not any(form.lower() in told for form in f)] == []
        names = desk.rows("SELECT first_name || ' ' || last_name AS name FROM patients")
        assert {n["name"] for n in names if n["name"].lower() in told} == {person["name"]}
        assert (result.stop, result.session.open) == (None, ())


@pytest.fixture
def desk() -> Iterator[front_desk.Desk]:
    with front_desk.Desk(seed=0) as desk:
        yield desk


def test_two_patients_of_one_first_name_are_not_taken_for_each_other(desk: front_desk.Desk) -> None:
    people = desk.rows(OWES)
    first = {p["name"].split()[0]: p for p in people}
    one = next(p for p in people if first[p["name"].split()[0]] is not p)
    other = first[one["name"].split()[0]]
    words = f"How much does {one['name']} owe? And how much does {other['name']} owe?"
    result: TeamResult = run_sync(clinic(desk), words, client=connect())
    for person, heard in zip((one, other), result.heard, strict=True):
        assert person["name"] in heard and _amount(person["cents"])[0] in heard


def test_no_model_gets_at_a_patient_of_whom_nobody_spoke(desk: front_desk.Desk) -> None:
    me, other = desk.rows(WITH_BOTH, TODAY.isoformat())[:2]
    [theirs] = desk.rows("SELECT min(id) AS id FROM invoices WHERE patient_id = ?", other["id"])
    tools = {t.name: t for each in front_desk.colleagues(desk) for t in each.tools}

    def used(words: str, tool: str, **arguments: str) -> str:
        session = Session("billing")
        session.add({"role": "user", "content": words})

        async def use() -> str:
            return str(await call_tool(tools[tool], json.dumps(arguments)))

        with session.running():
            try:
                return clock.simulate(use())
            except Exception as error:
                return str(error)

    mine, before = f"I am {me['name']}.", front_desk.state(desk)
    assert me["name"] in used(mine, "list_invoices", patient_id=other["id"])
    assert f"about {me['name']}" in used(mine, "pay_invoice", invoice_id=theirs["id"])
    assert f"about {me['name']}" in used(mine, "find_patient", name=other["name"])
    assert "nobody spoke of" in used("What do I owe?", "find_patient", name=other["name"])
    assert "nobody yet" in used("What do I owe?", "list_invoices", patient_id=other["id"])
    assert front_desk.state(desk) == before


def division(*matters: tuple[str, str]) -> str:
    return json.dumps({"matters": [{"agent": a, "request": r} for a, r in matters]})


def hub(*spokes: str, **more: Any) -> Team:
    return hub_and_spoke(agent("hub"), [agent(n) for n in spokes], **more)


def test_each_matter_goes_to_its_agent_in_words_of_its_own() -> None:
    def says(request: ChatRequest) -> str:
        if request.response_format == "json_schema":
            return division(("b", "second thing"), ("hub", "own thing"), ("a", "first thing"))
        return f"{who(request)}: {request.messages[-1]['content']}"

    result = once(hub("a", "b"), Scripted(says), "All of it.")
    assert result.heard == ("b: second thing", "hub: own thing", "a: first thing")
    assert result.answer == "\n\n".join(result.heard)
    assert [s.name for s in spans(result, "handoff")] == ["hub -> b", "b -> hub", "hub -> a"]
    assert result.session.request == "All of it."


def test_a_question_of_an_agent_is_answered_first_and_the_rest_named_as_open() -> None:
    def says(request: ChatRequest) -> str:
        if request.response_format == "json_schema":
            return division(("a", "first thing"), ("b", "second thing"))
        said = request.messages[-1]["content"]
        return "Which one?" if said == "first thing" else f"{who(request)}: {said}"

    first, second = talk(hub("a", "b"), Scripted(says), "Both.", "The blue one.")
    assert first.heard == ("Which one?", "Still open, and next: second thing")
    assert second.heard == ("a: The blue one.", "b: second thing")


def test_a_matter_that_is_stopped_leaves_the_others_named_and_each_has_its_own_room() -> None:
    def says(request: ChatRequest) -> Reply | str:
        if request.response_format == "json_schema":
            return division(("a", "first thing"), ("b", "second thing"))
        return calls(call("look_up", name=str(len(request.messages))))

    result = once(hub("a", "b"), Scripted(says), "Both.")
    assert result.stop is not None
    assert result.heard[-1] == "Still open, and next: second thing"
    assert [m.request for m in result.session.open] == ["second thing"]
    assert Session.from_json(result.session.to_json()).open == result.session.open


@pytest.mark.parametrize("said", ["no JSON", "{}", division(("stranger", "x"))])
def test_where_the_model_cannot_take_it_down_the_hub_gets_it_whole(said: str) -> None:
    def says(request: ChatRequest) -> str:
        if request.response_format == "json_schema":
            return said
        return f"{who(request)}: {request.messages[-1]['content']}"

    assert once(hub("a"), Scripted(says), "All of it.").heard == ("hub: All of it.",)


KINDS = {
    "billing": "invoices, charges, payments, credit cards and refunds of money",
    "technical support": "devices, screens and software that fail: errors, crashes, connections",
    "returns": "sending a product back: exchanges, return labels and the state of a return",
    "general": "everything else: opening hours, where we are, questions about the company",
}
ASKED = {
    "billing": ("I was charged twice this month.", "Why is my invoice higher than last month?",
                "Can I pay by bank transfer?", "I have not received my refund.",
                "Please update my credit card."),
    "technical support": ("My router keeps losing the connection.", "The app crashes on login.",
                          "My screen stays black after the update.", "I cannot connect my printer.",
                          "There is an error 502 on the website."),
    "returns": ("I want to send back the shoes I bought.", "Has my return arrived yet?",
                "The jacket is too small, can I exchange it?", "Where do I get a return label?",
                "How do I return a lamp?"),
    "general": ("What are your opening hours?", "Do you have a shop in Lyon?", "Are you hiring?",
                "Who founded your company?", "How can I reach you by phone?"),
}  # fmt: skip


def test_four_categories_are_routed_right() -> None:
    spokes = [
        Agent(name=n, description=d, instructions=f"You do {n}.", limits=Limits(max_turns=2))
        for n, d in KINDS.items()
    ]
    team = hub_and_spoke(Agent(name="hub", instructions="You greet."), spokes, back=False)
    routed = {
        words: run_sync(team, words, client=connect(profile="instant")).agent
        for wordings in ASKED.values()
        for words in wordings
    }
    wrong = {
        w: routed[w] for kind, wordings in ASKED.items() for w in wordings if routed[w] != kind
    }
    assert wrong == {}


def test_a_person_who_joins_later_is_announced_and_finds_a_summary_and_notes() -> None:
    queue = HumanQueue(people=2, seconds_each=150)
    for _ in range(2):
        queue.put(Session("x"), sender="x", reason="before")
    person = human_handoff(queue, needs=("your contract number",))
    team = Team(name="desk", agents=(agent("hub", person), person.agent), queue=queue)

    def says(request: ChatRequest) -> Reply | str:
        said = str(request.messages[-1]["content"])
        if who(request) == "summary":
            return "A contract was cancelled."
        if request.messages[-1]["role"] == "tool":
            return f"I see: {said}."
        used = {"K-4711": call("take_note", note=said), "How long?": call("estimated_wait")}
        return calls(used[said])

    model = Scripted(says)
    first, second, third = talk(team, model, "A person, please.", "K-4711", "How long?")
    assert first.heard == (
        "I am calling a colleague, who will join you here in about 5 minutes."
        " Please have ready: your contract number.",
    )
    assert third.answer == "I see: about 5 minutes."
    assert [queue.take()[0].reason for _ in range(2)] == ["before"] * 2
    ticket, session = queue.take()
    assert (ticket.summary, ticket.reason) == (
        "A contract was cancelled.",
        "asks for a person: A person, please.",
    )
    assert ticket.state["notes"] == ["K-4711"]
    assert ticket.transcript == session.history == third.session.history
    assert session.active == HUMAN
    answer_as_human(session, "Here I am.", back_to="hub")
    assert second.agent == "waiting room"


def test_a_summary_that_fails_keeps_no_person_away() -> None:
    from course.errors import ModelError

    queue = HumanQueue()
    person = human_handoff(queue)

    def says(request: ChatRequest) -> Reply:
        if who(request) == "summary":
            raise ModelError("the model refused the request (500)")
        return transfer("waiting_room")

    team = Team(name="desk", agents=(agent("hub", person), person.agent))
    assert once(team, Scripted(says)).answer.endswith("in about 5 minutes.")
    assert [each.summary for each in queue.tickets] == [""]
