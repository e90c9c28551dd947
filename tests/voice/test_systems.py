"""The voice systems of the course with the simulated model, typed."""

import asyncio
import re
from dataclasses import replace
from typing import Any

import pytest

from course import Agent, clock, connect, run_sync
from course.scenarios import drive_through, front_desk
from course.scenarios.drive_through import REQUESTS, orders, paid
from course.scenarios.front_desk.callers import Answering, Caller, callers
from course.session import Session
from course.team import HUMAN
from course.team.human import PUT_THROUGH
from course.voice import systems
from course.voice.teams import live_team
from course.voice.typed import exchange, hold, typed_session, words
from tests.voice.calling import Exchanged, called, scripted_by, visit

CLIENT = connect(profile="instant")


def line(desk: front_desk.Desk, person: Any, first: str) -> tuple[Exchanged, Session, Any]:
    """A call to the triage line."""
    team = systems.triage_line(desk)

    async def main() -> tuple[Exchanged, Session]:
        known = team.begin()
        agent = live_team(team, known, client=CLIENT)
        async with typed_session(agent, client=CLIENT, userdata=known) as session:
            return await hold(session, person, first=first), known

    return *clock.simulate(main()), team


async def hanging_up(said: str) -> str:
    raise EOFError


def test_the_front_desk_books_and_takes_the_payment() -> None:
    with front_desk.Desk(seed=7) as desk:
        caller = callers(desk)[0]
        make = systems.front_desk
        called(
            lambda: make(desk, client=CLIENT), Answering(caller), first=caller.first, client=CLIENT
        )
        assert visit(desk, caller)["starts"].startswith(str(caller.day))


def phoned(desk: front_desk.Desk, text: str) -> tuple[str, str]:
    """What the front desk says on the telephone first, and who says it."""

    async def main() -> tuple[str, str]:
        agent = systems.front_desk(desk, client=CLIENT)
        async with typed_session(agent, client=CLIENT) as session:
            return await exchange(session, text), session.current_agent.id

    return clock.simulate(main())


@pytest.mark.parametrize(
    "text",
    [
        "When is the next appointment of Katya Tanaka?",
        "What are your opening hours on Friday?",
        "When is Amara Schmid's next appointment, and with which doctor?",
        "How much does Goran Chandra still owe?",
        "Which unpaid invoices does Katya Tanaka have?",
    ],
)
def test_on_the_telephone_the_front_desk_answers_what_it_answers_in_writing(text: str) -> None:
    with front_desk.Desk(seed=7) as desk:
        written = run_sync(front_desk.agent(desk), text, client=CLIENT).answer
        heard, who = phoned(desk, text)
    facts = re.findall(r"\d[\d:.-]*\d|Dr\. \w+ \w+", written)
    assert who == "front_desk" and facts
    assert [each for each in facts if each not in heard] == []


@pytest.mark.parametrize(
    "text",
    [
        "I have a bad cough.",
        "My knee hurts.",
        "I have had a headache for three days.",
        "I feel dizzy.",
        "I have a complaint: a cough.",
    ],
)
def test_who_feels_ill_is_asked_by_the_nurse_whatever_words_they_use(text: str) -> None:
    with front_desk.Desk(seed=7) as desk:
        heard, who = phoned(desk, text)
    assert who == "triage" and heard.endswith("?")


@pytest.mark.parametrize("name", ["Katya Tanka", "Tanaka", "Katya Nobody"])
def test_on_the_telephone_nobody_learns_of_another_patient_or_a_date_of_birth(name: str) -> None:
    with front_desk.Desk(seed=7) as desk:
        people = desk.rows("SELECT first_name || ' ' || last_name AS name, born FROM patients")
        heard, _ = phoned(desk, f"When is the next appointment of {name}?")
    told = [row["name"] for row in people if row["name"] in heard and row["name"] != "Katya Tanaka"]
    assert told == [] and [row["born"] for row in people if row["born"] in heard] == []


@pytest.mark.parametrize(
    "text",
    [
        "My father has chest pain and cannot breathe.",
        "This is an emergency: she is unconscious and bleeding heavily.",
    ],
)
def test_an_emergency_goes_to_a_person_at_once(text: str) -> None:
    with front_desk.Desk(seed=7) as desk:
        said, known, team = line(desk, hanging_up, text)
    assert said == ((text, PUT_THROUGH),)
    [ticket] = team.queue.tickets
    assert known.active == HUMAN and ticket.request == text
    assert ticket.state["severity"] in ("high", "critical")


def severe(desk: front_desk.Desk, severity: str) -> Caller:
    """A caller of the triage line whose complaint is this bad."""
    return replace(callers(desk)[0], severity=severity)


@pytest.mark.parametrize(("severity", "human"), [("severe", True), ("mild", False)])
def test_severity_decides_who_goes_on(severity: str, human: bool) -> None:
    with front_desk.Desk(seed=7) as desk:
        caller = severe(desk, severity)
        _, known, team = line(desk, Answering(caller), caller.first)
        assert (known.active == HUMAN) is human
        assert bool(len(team.queue)) is human
        if not human:
            assert visit(desk, caller)["starts"].startswith(str(caller.day))


def ordered(window: drive_through.Window, *texts: str) -> list[str]:
    """What a guest hears at the drive-through after each of these."""

    async def main() -> list[str]:
        agent = systems.DriveThrough(window, client=CLIENT)
        async with typed_session(agent, client=CLIENT) as session:
            await asyncio.sleep(1)  # the window speaks first
            return [words(await session.run(user_input=text)) for text in texts]

    return clock.simulate(main())


@pytest.mark.parametrize("name", ["one thing", "sizes", "an extra", "not on the menu"])
def test_a_drive_through_order_stands_in_the_till(name: str) -> None:
    [request] = [each for each in REQUESTS if each.name == name]
    with drive_through.Window(seed=7) as window:
        sample = request.on(window)
        before = orders(window), paid(window)
        said = ordered(window, sample.text, "Cash, please.")
        new = [lines for number, lines in orders(window).items() if number not in before[0]]
        till = [entry for number, entry in paid(window).items() if number not in before[1]]
    assert new == [sample.lines]
    assert till == [(sample.cents, "cash")]
    assert not sample.missing(said[-1])


def test_a_guest_who_wants_what_there_is_not_may_order_something_else() -> None:
    with drive_through.Window(seed=7) as window:
        before = len(orders(window))
        said = ordered(window, "A pizza, please.", "Card.", "A cheeseburger.", "Card.")
        assert len(orders(window)) == before + 1
    assert "pizza is not on the menu" in said[1] and systems.AGAIN in said[1]
    assert "cheeseburger" in said[-1]


def test_a_copilot_advises_and_the_caller_hears_nothing_of_it() -> None:
    advice: list[str] = []
    client = connect(profile="instant")

    async def main() -> tuple[list[str], str]:
        with front_desk.Desk(seed=7) as desk:
            name = callers(desk)[0].name
            adviser = front_desk.agent(desk)
            copilot = systems.Copilot(adviser, client=client, advise=advice.append)
            async with typed_session(copilot, client=client) as session:
                await copilot.overhear("Linden Lane Clinic, how can I help?")
                result = await session.run(user_input=f"What do I owe? I am {name}.")
                result.expect.contains_function_call(name="list_invoices")
                spoken = [each.text_content or "" for each in session.history.messages()]
                return spoken, words(result)

    spoken, heard = clock.simulate(main())
    assert heard == "" and len(spoken) == 1
    assert advice and "EUR" in advice[-1]


def test_a_copilot_s_model_hears_both_sides() -> None:
    asked: list[str] = []

    def script(request: Any) -> str:
        asked.append(str(request.messages))
        return "Ask for the date of birth."

    client = scripted_by(script)
    advice: list[str] = []

    async def main() -> None:
        agent = Agent(name="copilot", instructions="Advise the human.")
        copilot = systems.Copilot(agent, client=client, advise=advice.append)
        async with typed_session(copilot, client=client) as session:
            await session.run(user_input="I am Ada.")
            await copilot.overhear("Which Ada?")
            await session.run(user_input="Ada Okafor.")

    clock.simulate(main())
    assert "Which Ada?" in asked[-1] and "Ada Okafor." in asked[-1]
    assert advice == ["Ask for the date of birth."] * 2
