"""The course's agents, tasks and groups on a LiveKit session: what they promise holds there."""

import asyncio
import json
from typing import Any

import pytest
from livekit.agents import Agent as LiveKitAgent
from livekit.agents import function_tool, llm
from pydantic import BaseModel

from course import Agent, Context, clock, connect
from course.delegation import (
    Task,
    TaskCancelled,
    TaskCompletedEvent,
    TaskFailed,
    TaskGroup,
    current_floor,
    start_tool,
)
from course.errors import ToolError
from course.limits import Limits
from course.scenarios.front_desk import Desk, visits
from course.scenarios.front_desk import state as standing
from course.scenarios.front_desk.callers import callers
from course.tools import tool
from course.trace import Trace
from course.voice.bridge import live_agent, live_group, live_task
from course.voice.history import chat_of, context_of
from course.voice.typed import typed_session, words
from tests.patterns.talking import RASH, Triage, gone, move, triage
from tests.voice.calling import answering, called, heard, runs, scripted, scripted_by, visit


def asking(made: list[Task[Any]], **settings: Any) -> Agent:
    """An agent with one tool, which awaits a triage task; the task is kept in `made`."""

    def make(context: Context) -> Task[Any]:
        made.append(triage(context=context, **settings))
        return made[-1]

    start = start_tool(make, name="start_triage", description="Find out what is wrong.")
    return Agent(name="desk", instructions="Start what is needed.", tools=(start,))


def outcome_of(*steps: Any, texts: tuple[str, ...] = ("Hello.",), **settings: Any) -> Any:
    """How a triage task ends whose model makes these moves, and what the person heard."""
    made: list[Task[Any]] = []
    client = scripted(("start_triage", {}), *steps)
    said = heard(lambda: live_agent(asking(made, **settings), client=client), *texts, client=client)
    return made[0].outcome(), said


def test_a_task_gives_its_typed_result_to_the_tool_that_awaits_it() -> None:
    result, said = outcome_of("What is wrong?", ("complete", RASH), "Noted.", texts=("Hi.", "Rash"))
    assert result == Triage(**RASH)
    assert said == ["What is wrong?", "Noted."]


def test_a_result_that_does_not_fit_goes_back_to_the_model_which_may_try_again() -> None:
    wrong = ("complete", {"complaint": "a rash", "severity": "awful"})
    result, _ = outcome_of(wrong, ("complete", RASH), "Noted.")
    assert result == Triage(**RASH)


def test_four_results_that_do_not_fit_fail_the_task() -> None:
    wrong = ("complete", {"severity": "awful"})
    result, said = outcome_of(wrong, wrong, wrong, wrong, "I could not find out.")
    assert isinstance(result, TaskFailed) and result.kind == "invalid"
    assert said == ["I could not find out."]


def test_a_silent_model_fails_the_task_and_the_agent_goes_on() -> None:
    result, said = outcome_of("", "", "", "Let me try something else.")
    assert isinstance(result, TaskFailed) and result.kind == "silent"
    assert said == ["Let me try something else."]


def test_a_task_ends_at_its_limit() -> None:
    limits = Limits(max_turns=2)
    steps = ("And?", "And now?", "I give up.")
    result, said = outcome_of(*steps, texts=("Hi.", "Hm.", "Hm."), limits=limits)
    assert isinstance(result, TaskFailed) and result.kind == "limit"
    assert said == ["And?", "And now?", "I give up."]


def test_a_model_that_cannot_be_used_fails_the_task() -> None:
    result, _ = outcome_of(gone(), "Something is broken.")
    assert isinstance(result, TaskFailed) and result.kind == "model"


def test_the_reason_of_a_cancelled_task_reaches_the_model_that_started_it() -> None:
    seen: list[str] = []
    steps = iter(
        [("start_triage", {}), ("cancel_task", {"reason": "no time"}), "Another day then."]
    )

    def script(request: Any) -> Any:
        seen.append(str(request.messages[-1].get("content")))
        return move(next(steps))

    made: list[Task[Any]] = []
    client = scripted_by(script)
    said = heard(lambda: live_agent(asking(made), client=client), "Hello.", client=client)
    assert isinstance(made[0].outcome(), TaskCancelled)
    assert json.loads(seen[-1]) == {"error": "task 'triage' is cancelled: no time"}
    assert said == ["Another day then."]


def test_code_outside_may_end_a_task() -> None:
    made: list[Task[Any]] = []

    async def main() -> list[str]:
        client = scripted(("start_triage", {}), "What is wrong?", "Then not.")
        async with typed_session(live_agent(asking(made), client=client), client=client) as session:
            said = [words(await session.run(user_input="Hello."))]
            made[0].cancel()
            await asyncio.sleep(5)
            return [*said, session.history.messages()[-1].text_content or ""]

    assert clock.simulate(main()) == ["What is wrong?", "Then not."]
    assert made[0].state == "cancelled"


def test_hanging_up_inside_a_task_ends_it_as_left() -> None:
    made: list[Task[Any]] = []

    async def main() -> None:
        client = scripted(("start_triage", {}), "What is wrong?")
        async with typed_session(live_agent(asking(made), client=client), client=client) as session:
            await session.run(user_input="Hello.")
            assert made[0].state == "running"

    clock.simulate(main())
    result = made[0].outcome()
    assert isinstance(result, TaskFailed) and result.kind == "left"


def test_a_task_within_a_task_has_the_floor_until_it_ends() -> None:
    names: list[tuple[str, ...]] = []

    async def check() -> str:
        """Check it with somebody."""
        inner = Task[bool](instructions="Ask whether it is so.", name="inner")
        answer = await inner
        names.append(current_floor().speakers)
        return str(answer)

    steps = (
        ("check", {}),
        "Is it so?",
        ("complete", {"result": True}),
        ("complete", RASH),
        "Done.",
    )
    result, said = outcome_of(*steps, texts=("Hi.", "Yes."), tools=(tool(check),))
    assert result == Triage(**RASH)
    assert said == ["Is it so?", "Done."]
    assert names == [("triage",)]


def test_an_agent_that_goes_round_says_which_limit_it_reached() -> None:
    @tool
    def look(place: str) -> str:
        """Look somewhere."""
        return "nothing"

    agent = Agent(name="desk", tools=(look,), limits=Limits(max_turns=3))
    client = scripted(("look", {"place": "here"}))
    said = heard(lambda: live_agent(agent, client=client), "Hello.", "Again.", client=client)
    assert said == ["No more could be done: max_turns is 3."] * 2  # a new turn counts from nought


def test_what_a_tool_refuses_reaches_the_model_in_its_words() -> None:
    @tool
    def book(day: str) -> str:
        """Book a day."""
        raise ToolError(f"{day} is full")

    agent = Agent(name="desk", tools=(book,))
    client = scripted(("book", {"day": "Monday"}), "Sorry.")
    [result] = runs(lambda: live_agent(agent, client=client), "Monday", client=client)
    result.expect.contains_function_call(name="book", arguments={"day": "Monday"})
    result.expect.contains_function_call_output(output='{"error":"Monday is full"}', is_error=True)


def test_a_bridged_task_serves_an_agent_that_is_written_for_livekit() -> None:
    client = scripted(("find_out", {}), ("cancel_task", {"reason": "no time"}), "I see.")

    class Desk(LiveKitAgent):
        def __init__(self) -> None:
            super().__init__(instructions="Find out.")

        @function_tool
        async def find_out(self) -> str:
            """Find out what is wrong."""
            found = await live_task(triage(), client=client)
            return str(found)

    [result] = runs(Desk, "Hello.", client=client)
    output = '{"error":"task \'triage\' is cancelled: no time"}'
    result.expect.contains_function_call_output(output=output, is_error=True)


def test_a_result_of_another_type_is_refused() -> None:
    async def main() -> None:
        task = triage()
        live = live_task(task, client=scripted("Hello."))
        with pytest.raises(TypeError, match="completes with Triage, not str"):
            live.complete("text")  # type: ignore[arg-type]
        with pytest.raises(RuntimeError, match="awaited before"):
            live_task(task, client=scripted("Hello."))
        assert not live.done() and not task.done()

    clock.simulate(main())


class Answer(BaseModel):
    """A number."""

    number: int


def group(order: list[str], **settings: Any) -> TaskGroup:
    """Three steps that each ask for a number."""
    made = TaskGroup(name="numbers", **settings)
    for id in ("one", "two", "three"):

        def make(id: str = id) -> Task[Answer]:
            order.append(id)
            return Task[Answer](instructions=f"Ask for number {id}.", name=id)

        made.add(make, id=id, description=f"number {id}")
    return made


def grouped(*steps: Any, **settings: Any) -> tuple[list[str], Any]:
    """The steps in the order in which they were begun, and the group's outcome."""
    order: list[str] = []
    made: list[TaskGroup] = []

    def make(context: Context) -> TaskGroup:
        made.append(group(order, **settings))
        return made[-1]

    start = start_tool(make, name="start", description="Ask for three numbers.")
    client = scripted(("start", {}), *steps)
    agent = Agent(name="desk", tools=(start,))
    heard(lambda: live_agent(agent, client=client), *["Well."] * 4, client=client)
    return order, made[0].outcome()


def number(value: int) -> tuple[str, Any]:
    return "complete", {"number": value}


BACK = ("out_of_scope", {"task_ids": ["one"]})
"""LiveKit does not offer it before the person has spoken in a step: it takes words first."""


def test_a_group_goes_back_to_the_step_that_the_person_changes() -> None:
    told: list[tuple[str, int]] = []

    async def keep(event: TaskCompletedEvent) -> None:
        told.append((event.task_id, event.result.number))

    steps = (number(1), "Two?", BACK, number(7), number(2), number(3), "A summary.", "Done.")
    order, outcome = grouped(*steps, on_task_completed=keep)
    assert order == ["one", "two", "one", "two", "three"]
    assert {id: each.number for id, each in outcome.task_results.items()} == {
        "one": 7,
        "two": 2,
        "three": 3,
    }
    assert told == [("one", 1), ("one", 7), ("two", 2), ("three", 3)]


def test_a_group_gives_up_when_the_person_goes_back_too_often() -> None:
    back = (number(1), "Two?", BACK)
    steps = (*back, *back, *back, "Sorry.")
    _, outcome = grouped(*steps, max_regressions=2)
    assert isinstance(outcome, TaskFailed) and outcome.stop and outcome.stop.limit == 2


def test_a_step_that_fails_is_a_result_where_the_group_says_so() -> None:
    steps = (("cancel_task", {"reason": "no"}), number(2), number(3), "A summary.", "Done.")
    _, outcome = grouped(*steps, return_exceptions=True)
    assert isinstance(outcome.task_results["one"], TaskCancelled)
    assert outcome.task_results["two"] == Answer(number=2)
    _, outcome = grouped(*steps)
    assert isinstance(outcome, TaskCancelled)


def test_a_long_history_is_summarised_before_a_group_begins() -> None:
    said = tuple(
        {"role": role, "content": f"{role} {n}"} for n in range(6) for role in ("user", "assistant")
    )
    asked: list[list[Any]] = []
    steps = iter(["They spoke of numbers.", number(1), number(2), number(3), "Summary.", "Done."])

    def script(request: Any) -> Any:
        asked.append(request.messages)
        return move(next(steps))

    client = scripted_by(script)

    class Desk(LiveKitAgent):
        async def on_enter(self) -> None:
            made = group([], context=Context(said), max_exchanges=5)
            await live_group(made, client=client)

    async def main() -> None:
        async with typed_session(Desk(instructions="-"), client=client):
            await asyncio.sleep(60)

    clock.simulate(main())
    assert "They spoke of numbers." in str(asked[1])
    assert "user 0" not in str(asked[1]) and "assistant 5" in str(asked[1])


def test_a_history_goes_to_livekit_and_back_unchanged() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    context = Context(
        (
            {"role": "user", "content": "Hi."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "nothing"},
            {"role": "assistant", "content": "Nothing there."},
        )
    )
    live = chat_of(context)
    assert context_of(live).messages == context.messages
    assert [each.id for each in chat_of(context_of(live)).items] == [each.id for each in live.items]
    live.items.append(llm.FunctionCall(call_id="c2", name="look", arguments="{}"))
    assert context_of(live).messages == context.messages  # a call that still runs is left out


@pytest.mark.parametrize("make", [visits.counter, visits.visit_counter])
@pytest.mark.parametrize("place", range(3))
def test_callers_get_the_visit_they_wish_for(make: Any, place: int) -> None:
    client = connect(profile="instant")
    with Desk(seed=7) as desk:
        caller = callers(desk, count=5, undecided=make is visits.visit_counter)[place]
        before = standing(desk)
        agent = make(desk)
        exchanged, _ = called(
            lambda: live_agent(agent, client=client),
            answering(caller),
            first=caller.first,
            client=client,
        )
        booked, after = visit(desk, caller), standing(desk)
    assert len(exchanged) < 14
    assert booked["starts"].startswith(str(caller.another_day or caller.day))
    assert booked["speciality"] == caller.speciality
    assert [entry[0] for entry in after.paid - before.paid] == [caller.invoice_id]


def test_a_call_is_one_trace_that_is_the_same_each_time_and_can_be_read_back() -> None:
    def trace() -> Trace:
        client = connect(profile="calm")
        with Desk(seed=7) as desk:
            caller, agent = callers(desk)[0], visits.counter(desk)
            return called(
                lambda: live_agent(agent, client=client),
                answering(caller),
                first=caller.first,
                client=client,
            )[1]

    one, again = trace(), trace()
    assert one.to_json() == again.to_json()
    read = Trace.from_json(one.to_json())
    assert read.spans == one.spans
    [root] = [each for each in one.spans if each.parent_id is None]
    assert root.operation == "invoke_workflow"
    tasks = {each.name for each in one.spans if each.operation == "invoke_agent"}
    assert tasks == {"front_desk", "triage", "scheduling", "billing"}
    assert sum(each.operation == "execute_tool" for each in one.spans) == 6
    assert one.total("gen_ai.usage.input_tokens") > 1000
