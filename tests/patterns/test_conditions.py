"""A condition is looked at first, and what hangs on it is done only when it holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from course import Agent, Plan, PlanningSupervisor, Supervisor, Task, clock, connect, run
from course.conditions import Condition, condition_of, conditioned, gate, holds
from course.conversation import Conversation
from course.delegation import start_tool
from course.models import Reply, Scripted
from course.person import BEFORE
from course.results import TaskResult
from course.supervisor.state import Order
from course.supervisor_worker import PlanTask
from course.supervisor_worker.task_run import words_for
from course.team import Team
from course.tools import Tool, tool
from course.voice.bridge import live_agent
from course.voice.typed import typed_session
from tests.patterns.teaming import call, calls


@pytest.mark.parametrize(
    ("said", "looks", "wanted"),
    [
        ("If it rains in Rome, cancel the trip.", "it rains in Rome", True),
        ("Cancel the trip if it rains in Rome.", "it rains in Rome", True),
        ("Cancel the trip only if it rains.", "it rains", True),
        ("Cancel the trip unless it is sunny.", "it is sunny", False),
        ("Unless it is sunny, cancel the trip.", "it is sunny", False),
        ("Could you cancel the trip if it rains?", "it rains", True),
        ("If it rains, I want you to cancel the trip.", "it rains", True),
    ],
)
def test_a_condition_is_read(said: str, looks: str, wanted: bool) -> None:
    found = condition_of(said)
    assert found is not None and (found.looks, found.wanted) == (looks, wanted)


@pytest.mark.parametrize(
    "said",
    [
        "Cancel the trip, if possible.",
        "Tell me if it rains.",
        "Cancel the trip if you can.",
        "Please check if room 4 is free.",
        "Cancel the trip.",
        # said out of politeness
        "Cancel the trip if that's okay.",
        "Please cancel the trip if you would.",
        "I'd appreciate it if you would cancel the trip.",
        "If I remember correctly, I booked the trip; cancel it.",
        "Cancel the trip if it isn't too much trouble.",
        # either way
        "Cancel the trip even if it rains.",
        "Even if it rains, cancel the trip.",
        "Book a trip, doesn't matter if it rains.",
        # questions and statements
        "What if I cancel the trip?",
        "What happens if I cancel the trip?",
        "Do I get a refund if I return the shoes?",
        "Would it cost anything if I cancel the trip?",
        "The buyer may cancel the trip if it rains.",
        # of a part of it only
        "Book a room, even better if it has a balcony.",
        "Order a pizza, with olives if you have them.",
    ],
)
def test_what_is_no_condition_is_none(said: str) -> None:
    assert condition_of(said) is None


def acting(effects: list[str], found: Any) -> tuple[Tool, Tool]:
    """A tool that tells something, and one that changes something."""

    @tool
    def look() -> Any:
        """Look at how things are."""
        return found

    @tool
    async def cancel_trip(reason: str = "") -> str:
        """Cancel the trip."""
        effects.append("cancelled")
        return "cancelled"

    return look, cancel_trip


FIRST, THEN = call("look", "c1"), call("cancel_trip", "c2")
CASES: list[tuple[str, Any, bool]] = [
    ("If it rains, cancel the trip.", {"rain": False}, False),
    ("If it rains, cancel the trip.", {"rain": True}, True),
    ("Cancel the trip unless it rains.", {"rain": True}, False),
    ("Cancel the trip unless it rains.", {"rain": False}, True),
    ("Cancel the trip if it does not rain.", {"rain": True}, False),
    ("If there are fewer than 10 chairs, cancel the trip.", {"chairs": 40}, False),
    ("If there are fewer than ten chairs, cancel the trip.", {"chairs": 4}, True),
    ("Cancel the trip if account A-1 has less than 100.", {"account": "A-1", "balance": 40}, True),
    ("Cancel the trip if there are at least 3 guests.", "[1, 2]", True),
    ("If 10:00 is free, cancel the trip.", [], False),
    ("If 10:00 is free, cancel the trip.", ["09:00", "11:30"], False),
    ("If 10:00 is free, cancel the trip.", ["09:00", "10:00"], True),
    ("If it looks bad, cancel the trip.", "Clouds, and more to come.", True),
    ("If it rains, cancel the trip, otherwise cancel the dinner.", {"rain": False}, True),
    ("If it rains, call off the trip.", {"rain": False}, False),
    ("Cancel the trip. But only if it rains.", {"rain": False}, False),
    # what somebody says
    ("If it rains in Rome, cancel the trip.", "It does not rain in Rome, but in Milan.", False),
    ("If it rains in Rome, cancel the trip.", "Expect heavy rain all day in Rome.", True),
    ("If it rains in Rome, cancel the trip.", "It never rains in Milan.", True),
    ("Cancel the trip unless it rains.", "No rain today.", True),
    ("If there are fewer than ten guests, cancel the trip.", "12 guests have come.", False),
    ("If there are fewer than ten guests, cancel the trip.", "Nine guests have come.", True),
    ("If it rains in Rome, cancel the trip.", "It may not rain in Rome.", True),
]


def played(said: str, found: Any, *steps: Reply | str) -> tuple[list[str], Any]:
    effects: list[str] = []
    agent = Agent(name="desk", tools=acting(effects, found))
    left = list(steps)
    client = connect(Scripted(lambda request: left.pop(0)))
    return effects, clock.simulate(run(agent, said, client=client))


@pytest.mark.parametrize(("said", "found", "done"), CASES)
def test_what_hangs_on_a_condition_is_done_when_it_holds(said: str, found: Any, done: bool) -> None:
    effects, result = played(said, found, calls(FIRST), calls(THEN), "That is how it is.")
    assert effects == ["cancelled"] * done
    [step] = [each for each in result.trace.spans if each.operation == "condition"]
    assert (step.status == "ok") is done


def test_nothing_is_done_before_the_look_nor_beside_it() -> None:
    said = "If it rains, cancel the trip."
    for first in (calls(THEN), calls(FIRST, THEN)):
        effects, result = played(said, {"rain": True}, first, "I did nothing.")
        assert effects == []
        assert "look first whether it rains" in str(result.context.messages)
    effects, _ = played(said, {"rain": True}, calls(THEN), calls(FIRST), calls(THEN), "Done.")
    assert effects == ["cancelled"]


def test_a_look_at_what_is_named_after_a_deed_is_a_look() -> None:
    """`order_status` changes nothing, though "order" is a deed; the only look must not wait."""
    effects: list[str] = []

    @tool
    def order_status(order: str) -> dict[str, bool]:
        """How far an order is."""
        return {"shipped": False}

    @tool
    def cancel_order(order: str) -> str:
        """Cancel an order."""
        effects.append(order)
        return "cancelled"

    steps: list[Reply | str] = [
        calls(call("order_status", "c1", order="12")),
        calls(call("cancel_order", "c2", order="12")),
        "Cancelled.",
    ]
    agent = Agent(name="desk", tools=(order_status, cancel_order))
    client = connect(Scripted(lambda request: steps.pop(0)))
    clock.simulate(run(agent, "Cancel order 12 if it has not shipped.", client=client))
    assert effects == ["12"]


def test_a_number_that_names_something_is_under_no_bound() -> None:
    looks = Condition("it costs less than 100", "cancel it", wanted=True, both=False)
    assert holds(looks, ['{"trip_id": 4711}']) is None
    assert holds(looks, ['{"trip_id": 4711, "price": 40}']) is True


def test_what_does_not_hang_on_it_is_free() -> None:
    effects, _ = played("If it rains, book a taxi.", {}, calls(THEN), "Done.")
    assert effects == ["cancelled"]
    tools = acting([], {})
    assert gate(tools, [{"role": "user", "content": "Cancel the trip."}]) == tools


def test_it_holds_in_teams_and_on_livekit() -> None:
    effects: list[str] = []
    agent = Agent(name="desk", tools=acting(effects, {"rain": False}))
    said = "If it rains, cancel the trip."

    def client() -> Any:
        left: list[Reply | str] = [calls(FIRST), calls(THEN), "It is dry."]
        return connect(Scripted(lambda request: left.pop(0)))

    clock.simulate(run(Team(name="team", agents=(agent,)), said, client=client()))

    async def main() -> None:
        answers = client()
        live = live_agent(agent, client=answers)
        async with typed_session(live, client=answers) as session:
            await session.run(user_input=said)

    clock.simulate(main())
    assert effects == []


def test_another_deed_is_no_look() -> None:
    effects: list[str] = []
    said = "If it rains, cancel the trip. And book a taxi."

    @tool
    def book_taxi() -> str:
        """Book a taxi."""
        effects.append("booked")
        return "booked, whether it rains or not"

    desk = Agent(name="desk", tools=(*acting(effects, {"rain": True}), book_taxi))

    def client() -> Any:
        left: list[Reply | str] = [calls(call("book_taxi", "c3")), calls(THEN), "Booked."]
        return connect(Scripted(lambda request: left.pop(0)))

    clock.simulate(run(desk, said, client=client()))

    async def main() -> None:
        answers = client()
        async with typed_session(live_agent(desk, client=answers), client=answers) as session:
            await session.run(user_input=said)

    clock.simulate(main())
    assert effects == ["booked", "booked"]


def test_a_condition_stands_while_the_person_only_answers_questions() -> None:
    effects: list[str] = []
    look, cancel = acting(effects, {"rain": False})
    asked: list[dict[str, Any]] = [
        {"role": "user", "content": "If it rains, cancel the trip."},
        {"role": "assistant", "content": "In which town?"},
        {"role": "user", "content": "In Rome."},
    ]
    refused = gate((look, cancel), asked)[1]
    assert refused is not cancel
    seen: list[dict[str, Any]] = [
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "function": {"name": "look", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"rain": false}'},
    ]  # fmt: skip
    assert gate((look, cancel), [*asked, *seen])[1] is not cancel
    said: list[dict[str, Any]] = [{"role": "assistant", "content": "It is dry. Anything else?"}]
    for words in ("Well, do it all the same.", "Cancel it anyway."):
        said.append({"role": "user", "content": words})
        assert gate((look, cancel), [*asked, *seen, *said])[1] is cancel  # they know, and decide
    for told in ("I know. Now?", "Which one?"):
        plain = [*asked[:1], {"role": "assistant", "content": told}, said[-1]]
        assert gate((look, cancel), plain)[1] is cancel
    other = [*asked[:1], {"role": "assistant", "content": "All right."}, asked[2]]
    assert gate((look, cancel), other)[1] is cancel


def test_what_a_task_is_told_and_what_a_stage_is_shown_is_read() -> None:
    tools = acting([], {})
    given = {"t1": TaskResult(task_id="t1", worker="w", result="The forecast:\nno rain in Rome.")}
    for words in (
        words_for("If it rains in Rome, cancel the trip.", given, missing={}),
        words_for("Cancel the trip, only if it rains in Rome.", given, error="x", missing={}),
        words_for("Cancel the trip if it rains in Rome", {}, missing={"t1": "it broke"}),
        '{"request": "If it rains in Rome, cancel the trip.", "many": 3}',
        Order(Agent(name="a"), "Cancel the trip.", "only if it rains in Rome").words,
        f"Cancel the trip if it rains.\n\n{BEFORE}\nWhat if I am late?",
    ):
        assert gate(tools, [{"role": "user", "content": words}])[1] is not tools[1], words


def test_in_a_task_the_look_comes_first_and_the_deed_only_where_it_holds() -> None:
    for rain in (False, True):
        effects: list[str] = []
        said = ["If it rains, cancel the trip.", "In Rome."]

        async def person(_: str, said: list[str] = said) -> str:
            return said.pop(0)

        steps: list[Reply | str] = [
            "What shall I do?", "In which town?", calls(THEN), calls(FIRST), calls(THEN),
            calls(call("complete", "c3", result=True)),
        ]  # fmt: skip
        task = Task[bool](instructions="Do it.", tools=acting(effects, {"rain": rain}))
        client = by_agent({"bool": steps})
        result = clock.simulate(run(task, client=client, person=person))
        assert effects == ["cancelled"] * rain
        looked = [each for each in result.trace.spans if each.operation == "condition"]
        told = [each.attributes["switchboard.condition.holds"] for each in looked]
        assert told == ["untold", "yes" if rain else "no"]


def by_agent(left: Mapping[str, list[Any]]) -> Any:
    """A client whose model plays each agent by answers one after the other."""
    return connect(Scripted(lambda request: left[request.key.agent].pop(0)))


def test_a_task_at_whose_end_it_is_done_is_not_begun_where_the_condition_does_not_hold() -> None:
    for debts in ([], ["12 EUR"]):
        booked: list[bool] = []

        @tool
        def open_invoices(many: int = len(debts)) -> dict[str, int]:
            """List the open invoices."""
            return {"open_invoices": many}

        begin = start_tool(
            lambda context: Task[bool](instructions="Find a time.", context=context),
            name="start_scheduling", description="Find a time, and book it.", then=booked.append,
        )  # fmt: skip
        desk = Agent(name="desk", tools=(open_invoices, begin))
        steps: list[Any] = [
            calls(call("open_invoices", "c1")),
            calls(call("start_scheduling", "c2")),
        ]
        client = by_agent({"desk": [*steps, "So it is."],
                           "bool": [calls(call("complete", "c3", result=True))]})  # fmt: skip
        words = "If there are fewer than 1 open invoices, book me an appointment."

        async def talk(desk: Any = desk, client: Any = client, words: str = words) -> None:
            async with Conversation(desk, client=client) as line:
                await line.say(words)

        clock.simulate(talk())
        assert booked == [True] * (not debts)


def led(effects: list[str], found: str) -> Supervisor:
    """A supervisor over one who looks and one who acts."""
    look, cancel = acting(effects, found)
    looks = Agent(name="weather", description="looks", tools=(look,))
    acts = Agent(name="travel", description="acts", tools=(cancel,))
    return Supervisor(name="boss", workers=(looks, acts))


def order(worker: str, task: str, ident: str) -> Any:
    return call("delegate_to_agent", ident, worker_agent=worker, task=task)


@pytest.mark.parametrize("words", ["Cancel the trip.", "Please call off the trip, and say so."])
def test_a_supervisor_has_it_looked_at_before_it_gives_the_deed_to_anybody(words: str) -> None:
    for found in ("It is dry, no rain in Rome.", "It rains in Rome."):
        effects: list[str] = []
        left: dict[str, list[Any]] = {
            "boss": [
                calls(order("travel", words, "d1"), order("weather", "Is there rain?", "d2")),
                calls(order("travel", words, "d3")),
                "That is how it is.",
            ],
            "weather": [calls(FIRST), found],
            "travel": [calls(THEN), "Done."],
        }
        client = by_agent(left)
        boss = led(effects, found)
        result = clock.simulate(run(boss, "If it rains in Rome, cancel the trip.", client=client))
        holds = "dry" not in found
        assert effects == ["cancelled"] * holds
        first, looked, then = result.delegations.values()
        assert "look first whether it rains in Rome" in str(first.failure)
        assert looked.failure is None and (then.failure is None) is holds
        assert holds or "the condition does not hold" in str(then.failure)
        steps = [each for each in result.trace.spans if each.operation == "condition"]
        told = [each.attributes["switchboard.condition.holds"] for each in steps]
        assert told == ["untold", "yes" if holds else "no"]


def test_an_order_that_says_the_condition_is_its_workers_affair() -> None:
    effects: list[str] = []
    look, cancel = acting(effects, {"rain": False})
    boss = Supervisor(name="boss", workers=(
        Agent(name="both", description="does both", tools=(look, cancel)),
    ))  # fmt: skip
    words = "If it rains in Rome, cancel the trip."
    left: dict[str, list[Any]] = {
        "boss": [calls(order("both", words, "d1")), "It is dry."],
        "both": [calls(THEN), calls(FIRST), calls(THEN), "It is dry, so nothing was done."],
    }
    client = by_agent(left)
    result = clock.simulate(run(boss, words, client=client))
    assert effects == []
    [done] = result.delegations.values()
    assert (done.failure, done.result) == (None, "It is dry, so nothing was done.")


@pytest.mark.parametrize("said", [True, False])
@pytest.mark.parametrize("found", ["It is dry, no rain in Rome.", "It rains in Rome."])
def test_in_a_plan_the_deed_waits_for_the_look_and_is_done_where_it_holds(
    found: str, said: bool
) -> None:
    """Whether the planner says the condition in the task or not; it never names the dependency."""
    effects: list[str] = []
    look, cancel = acting(effects, found)
    workers = (
        Agent(name="weather", description="looks", tools=(look,)),
        Agent(name="travel", description="acts", tools=(cancel,)),
    )
    deed = "Cancel the trip if it rains in Rome" if said else "Cancel the trip"
    tasks = [
        {"id": "t1", "description": "Look up the weather in Rome", "worker": "weather"},
        {"id": "t2", "description": deed, "worker": "travel"},
    ]
    plan = json.dumps({"goal": "g", "tasks": tasks})
    left = {
        "weather": [calls(FIRST), found],
        "travel": [calls(THEN), "Nothing is due, or it is done."],
    }
    asked: list[str] = []

    def says(request: Any) -> Any:
        asked.append(request.key.agent)
        if request.schema_name == "plan":
            return plan
        return left[request.key.agent].pop(0) if request.key.agent in left else "So it is."

    boss = PlanningSupervisor(name="boss", workers=workers)
    words = "If it rains in Rome, cancel the trip."
    result = clock.simulate(run(boss, words, client=connect(Scripted(says))))
    assert effects == ["cancelled"] * ("dry" not in found)
    second = result.plan.by_id["t2"]
    assert second.dependencies == ("t1",) and "if it rains in Rome" in second.description
    assert result.results["t2"].status == "done" and asked.count("travel") == 2
    [step] = [each for each in result.trace.spans if each.operation == "condition"]
    assert step.attributes["switchboard.condition.holds"] == ("yes" if effects else "no")


def test_a_task_that_is_put_in_other_words_keeps_its_condition() -> None:
    request = "If it rains in Rome, cancel the trip."
    assert conditioned("Cancel the trip to Rome.", request) == (
        "Cancel the trip to Rome, only if it rains in Rome."
    )
    unless = "Cancel the trip unless it is sunny."
    assert conditioned("Please cancel the trip", unless) == (
        "Please cancel the trip, unless it is sunny."
    )
    for words in ("Look up the weather in Rome.", "Cancel the trip if it rains.", "Find out whether"
                  " the trip can be cancelled.", "Write that the trip is cancelled."):  # fmt: skip
        assert conditioned(words, request) == words
    assert conditioned("Cancel the trip.", "Cancel the trip.") == "Cancel the trip."
    effects: list[str] = []
    _, cancel = acting(effects, {})
    worker = Agent(name="travel", description="acts", tools=(cancel,))
    plan = Plan(goal="g", tasks=(PlanTask(id="t1", description=unless, worker="travel"),))

    def says(request: Any) -> Any:
        if request.key.agent == "boss refining":
            return "Cancel the trip."
        called = any(each["role"] == "tool" for each in request.messages)
        return "I did what I could." if called or request.key.agent != "travel" else calls(THEN)

    boss = PlanningSupervisor(name="boss", workers=(worker,))
    result = clock.simulate(run(boss, unless, plan=plan, client=connect(Scripted(says))))
    assert effects == [] and result.results["t1"].status == "failed"
