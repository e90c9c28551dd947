"""A conversation: who has the floor, what flows back, and that nothing stays when it is over."""

import asyncio
import json
from typing import Any

import pytest

from course import Agent, Context, Limits, clock, tool
from course.conversation import Conversation, ConversationError
from course.delegation import PersonLeft, Task, TaskGroup, current_floor, start_tool
from course.models import Call, Reply, Scripted, connect
from course.models.wire import ChatRequest
from tests.patterns.talking import (
    RASH,
    Triage,
    gone,
    model,
    move,
    others,
    saying,
    triage,
    users,
    words,
)


def desk(*tools: Any, **settings: Any) -> Agent:
    return Agent(name="desk", instructions="You are the desk.", tools=tools, **settings)


def start(make: Any = None, **settings: Any) -> Any:
    made = make or (lambda context: triage(context=context, **settings))
    return start_tool(made, name="start_triage", description="Begin triage.")


def nurse(request: ChatRequest) -> Reply | str:
    """The desk starts a triage at once; the nurse asks twice; the desk tells the result."""
    names = {each.name for each in request.tools}
    last = request.messages[-1]
    if "complete" in names:
        complaint, *replies = [each for each in users(request) if each != "Thanks."]
        if not replies:
            return "How bad is it?"
        found = {"complaint": complaint.removeprefix("I have "), "severity": replies[-1]}
        return move(("complete", found))
    if last["role"] == "tool":
        return f"Noted: {last['content']}"
    if last["content"] == "Thanks.":
        return "Goodbye."
    return move(("start_triage", {}))


def client_of(script: Any = nurse, latency: float = 1.0) -> Any:
    return connect(Scripted(script, latency=latency))


def test_what_the_person_says_reaches_whoever_has_the_floor() -> None:
    async def main() -> list[Any]:
        heard: list[Any] = []
        async with Conversation(desk(start()), client=client_of()) as talk:
            heard.append(talk.floor)
            for text in ("I have a rash", "mild", "Thanks."):
                heard += [await talk.say(text), talk.floor]
            heard += [clock.now(), len(others())]
        return [*heard, len(others())]

    assert clock.simulate(main()) == [
        ("desk",),
        "How bad is it?",
        ("desk", "triage"),
        f"Noted: {json.dumps(RASH, separators=(',', ':'))}",
        ("desk",),
        "Goodbye.",
        ("desk",),
        5.0,
        1,
        0,
    ]


@pytest.mark.parametrize("kept", [False, True])
def test_a_task_s_dialogue_comes_before_the_call_that_awaited_it(kept: bool) -> None:
    async def main() -> Context:
        made = start(preserve_function_call_history=kept)
        async with Conversation(desk(made), client=client_of()) as talk:
            for text in ("I have a rash", "mild"):
                await talk.say(text)
            return talk.context

    context = clock.simulate(main())
    dialogue = [("assistant", "How bad is it?"), ("user", "mild")]
    calls = [("assistant", None), ("tool", json.dumps(RASH, separators=(",", ":")))]
    assert words(context) == [
        ("system", "You are the desk."),
        ("user", "I have a rash"),
        *dialogue,
        *(calls if kept else []),
        *calls,
        ("assistant", f"Noted: {calls[1][1]}"),
    ]


def test_a_failed_task_is_a_result_that_the_agent_reads() -> None:
    def script(request: ChatRequest) -> Reply | str:
        if "complete" in {each.name for each in request.tools}:
            return move(("complete", {}))
        last = request.messages[-1]
        return str(last["content"]) if last["role"] == "tool" else move(("start_triage", {}))

    async def main() -> str:
        made = start(max_refusals=1)
        async with Conversation(desk(made), client=client_of(script)) as talk:
            return await talk.say("I have a rash")

    assert json.loads(clock.simulate(main()))["error"].startswith("task 'triage' failed (invalid)")


def test_a_task_within_a_task_has_the_floor_until_it_is_done() -> None:
    def script(request: ChatRequest) -> Reply | str:
        who, last = request.messages[0]["content"], request.messages[-1]
        if who == "inner":
            said = users(request)
            return move(("complete", {"result": said[-1]})) if said else "Which day?"
        if last["role"] == "tool":
            told = str(last["content"])
            return told if who != "outer" else move(("complete", {"result": told}))
        return move(("start", {}))

    def begin(make: Any) -> Any:
        return start_tool(make, name="start", description="Begin.")

    def inner(context: Context) -> Task[str]:
        return Task[str](instructions="inner", name="inner")

    def outer(context: Context) -> Task[str]:
        return Task[str](instructions="outer", name="outer", tools=(begin(inner),))

    async def main() -> list[Any]:
        async with Conversation(desk(begin(outer)), client=client_of(script)) as talk:
            first = await talk.say("hello")
            floor = talk.floor
            return [first, floor, await talk.say("Monday"), talk.floor]

    assert clock.simulate(main()) == [
        "Which day?", ("desk", "outer", "inner"), "Monday", ("desk",),
    ]  # fmt: skip


def test_two_tasks_in_one_message_have_the_floor_one_after_the_other() -> None:
    def script(request: ChatRequest) -> Reply | str:
        who, last = request.messages[0]["content"], request.messages[-1]
        if who in ("first", "second"):
            said = users(request)
            return move(("complete", {"result": said[-1]})) if said else f"{who}?"
        if last["role"] == "tool":
            return " ".join(str(m["content"]) for m in request.messages if m["role"] == "tool")
        return Reply(calls=(Call("first", "{}"), Call("second", "{}")))

    def begin(name: str) -> Any:
        def make(context: Context) -> Task[str]:
            return Task[str](instructions=name, name=name)

        return start_tool(make, name=name, description="Begin.")

    async def main() -> list[Any]:
        agent = desk(begin("first"), begin("second"))
        async with Conversation(agent, client=client_of(script)) as talk:
            said = [await talk.say(text) for text in ("hello", "one", "two")]
            return [*said, [role for role, _ in words(talk.context)]]

    *said, roles = clock.simulate(main())
    assert said == ["first?", "second?", "one two"]
    assert roles == [
        "system", "user", "assistant", "user", "assistant", "user", "assistant", "tool", "tool",
        "assistant",
    ]  # fmt: skip


def test_a_group_in_a_tool_leaves_one_summary_behind() -> None:
    def script(request: ChatRequest) -> Reply | str:
        who, last = str(request.messages[0]["content"]), request.messages[-1]
        if "Summarise" in who:
            return "They told us all."
        if who in ("name", "day"):
            asked = last["role"] == "user" and last["content"] not in ("hello",)
            return move(("complete", {"result": last["content"]})) if asked else f"{who}?"
        return "Done." if last["role"] == "tool" else move(("start_triage", {}))

    def make(context: Context) -> TaskGroup:
        made = TaskGroup(context=context)
        for name in ("name", "day"):
            made.add(
                lambda name=name: Task[str](instructions=name, name=name),
                id=name,
                description=f"the {name}",
            )
        return made

    async def main() -> tuple[tuple[str, ...], Context]:
        async with Conversation(desk(start(make)), client=client_of(script)) as talk:
            await talk.say("hello")
            floor = talk.floor
            for text in ("Ada", "Monday"):
                await talk.say(text)
            return floor, talk.context

    floor, context = clock.simulate(main())
    assert floor == ("desk", "group", "name")
    assert [role for role, _ in words(context)] == [
        "system", "user", "assistant", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert "They told us all." in str(context.messages[2]["content"])
    assert json.loads(str(context.messages[4]["content"])) == {"name": "Ada", "day": "Monday"}


@pytest.mark.parametrize("moment", [0, 1, 2], ids=["unused", "the desk's turn over", "in a task"])
def test_closing_leaves_nothing_running(moment: int) -> None:
    tasks: list[Task[Triage]] = []

    def make(context: Context) -> Task[Triage]:
        tasks.append(triage(context=context))
        return tasks[-1]

    async def main() -> int:
        talk = Conversation(desk(start(make)), client=client_of())
        for text in ("Thanks.", "I have a rash")[:moment]:
            await talk.say(text)
        await talk.close()
        await talk.close()
        with pytest.raises(ConversationError, match="is closed"):
            await talk.say("hello")
        return len(others())

    assert clock.simulate(main()) == 0
    assert [each.state for each in tasks] == ["cancelled"] * (moment == 2)


def test_an_answer_that_takes_too_long_closes_the_conversation() -> None:
    async def main() -> tuple[float, int]:
        client = client_of(latency=50)
        talk = Conversation(desk(start()), client=client, answer_seconds=20)
        with pytest.raises(ConversationError, match="no answer within 20 s"):
            await talk.say("I have a rash")
        return clock.now(), len(others())

    assert clock.simulate(main()) == (20, 0)


def test_a_task_waits_only_so_long_for_the_person() -> None:
    async def main() -> list[Any]:
        def script(request: ChatRequest) -> Reply | str:
            last = request.messages[-1]
            return "Are you there?" if "timeout" in str(last["content"]) else nurse(request)

        client = client_of(script)
        async with Conversation(desk(start()), client=client, reply_seconds=30) as talk:
            await talk.say("I have a rash")
            await asyncio.sleep(60)
            floor = talk.floor
            answer = await talk.say("Thanks.")
            return [floor, answer, "Are you there?" in str(talk.context.messages)]

    assert clock.simulate(main()) == [("desk",), "Goodbye.", True]


def test_a_model_that_fails_once_does_not_end_the_conversation() -> None:
    async def main() -> list[Any]:
        client = connect(model(gone(), "Hello."))
        async with Conversation(desk(), client=client) as talk:
            with pytest.raises(Exception, match="the model is gone"):
                await talk.say("Hello?")
            return [await talk.say("Hello??"), words(talk.context)]

    answer, said = clock.simulate(main())
    assert answer == "Hello."
    assert [text for _, text in said][1:] == ["Hello?", "Hello??", "Hello."]


def test_what_breaks_in_a_script_reaches_whoever_speaks() -> None:
    async def main() -> int:
        def broken(request: ChatRequest) -> str:
            raise KeyError("no such page")

        talk = Conversation(desk(), client=client_of(broken))
        with pytest.raises(KeyError):
            await talk.say("hello")
        with pytest.raises(ConversationError, match="is closed"):
            await talk.say("hello")
        return len(others())

    assert clock.simulate(main()) == 0


def test_an_agent_that_reaches_its_limit_says_so_and_begins_afresh() -> None:
    @tool
    def again() -> str:
        """Do it again."""
        return "again"

    async def main() -> list[str]:
        agent = desk(again, limits=Limits(max_turns=2))
        async with Conversation(agent, client=connect(model(("again", {})))) as talk:
            return [await talk.say("go"), await talk.say("go")]

    assert clock.simulate(main()) == ["No more could be done: max_turns is 2."] * 2


def test_one_thing_is_said_at_a_time_and_something_is_said() -> None:
    async def main() -> None:
        async with Conversation(desk(), client=connect(model("Hello."))) as talk:
            waiting = asyncio.ensure_future(talk.say("hello"))
            await asyncio.sleep(0)
            with pytest.raises(ConversationError, match="one thing at a time"):
                await talk.say("hello")
            assert await waiting == "Hello."
            with pytest.raises(ValueError, match="nothing to say"):
                await talk.say(" ")

    clock.simulate(main())


def test_a_person_who_stops_waiting_closes_the_conversation() -> None:
    async def main() -> int:
        talk = Conversation(desk(), client=connect(model("Hello.", latency=10)))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(3):
                await talk.say("hello")
        with pytest.raises(ConversationError, match="is closed"):
            await talk.say("hello")
        return len(others())

    assert clock.simulate(main()) == 0


def test_a_function_can_speak_for_the_person_until_they_leave() -> None:
    async def main() -> Any:
        async with Conversation(desk(start()), client=client_of()) as talk:
            return await talk.hold(saying("mild", "Thanks."), first="I have a rash")

    exchanged = clock.simulate(main())
    assert [text for text, _ in exchanged] == ["I have a rash", "mild", "Thanks."]
    assert exchanged[-1][1] == "Goodbye."


def test_it_works_in_real_time_too() -> None:
    async def main() -> str:
        async with Conversation(desk(start()), client=client_of(latency=0.001)) as talk:
            await talk.say("I have a rash")
            return await talk.say("mild")

    assert asyncio.run(main()).startswith("Noted: ")


def test_a_task_awaited_after_its_asker_has_ended_is_refused() -> None:
    kept: list[Any] = []

    async def later() -> str:
        """Begin a task when nobody waits any more."""
        here = current_floor()

        async def begin() -> Any:
            await asyncio.sleep(5)
            return await triage()

        kept.append((here, asyncio.ensure_future(begin())))
        return "soon"

    async def main() -> Any:
        steps = (("later", {}), "Yes.")
        async with Conversation(desk(tool(later)), client=connect(model(*steps))) as talk:
            await talk.say("hello")
        [result] = await asyncio.gather(kept[0][1], return_exceptions=True)
        return result

    assert "has ended: nobody waits" in str(clock.simulate(main()))


def test_the_trace_of_a_conversation_has_one_root_and_no_failure() -> None:
    async def main() -> Any:
        async with Conversation(desk(start()), client=client_of()) as talk:
            for text in ("I have a rash", "mild"):
                await talk.say(text)
        return talk.trace, talk.usage

    trace, usage = clock.simulate(main())
    [root] = [each for each in trace.spans if each.parent_id is None]
    assert (root.operation, root.status) == ("invoke_workflow", "ok")
    assert [each.name for each in trace.spans if each.operation == "task"] == ["triage"]
    read = trace.total("gen_ai.usage.input_tokens")
    assert usage.input == read > 0


def test_a_person_who_leaves_in_a_task_is_told_to_the_agent() -> None:
    async def main() -> Any:
        async with Conversation(desk(start()), client=client_of()) as talk:

            async def person(said: str) -> str:
                raise PersonLeft("gone")

            exchanged = await talk.hold(person, first="I have a rash")
            return exchanged, talk.floor

    exchanged, floor = clock.simulate(main())
    assert len(exchanged) == 1
    assert floor == ("desk", "triage")  # the line is open until it is closed


def test_a_conversation_stays_on_the_loop_where_it_began() -> None:
    """As in a notebook, where each click may be handled in another thread, on another loop."""

    def elsewhere(talk: Conversation, text: str) -> str:
        return asyncio.run(talk.say(text))

    async def main() -> list[str]:
        async with Conversation(desk(start()), client=client_of(latency=0.001)) as talk:
            first = await talk.say("I have a rash")
            second = await asyncio.to_thread(elsewhere, talk, "mild")
            return [first, second, await talk.say("Thanks.")]

    said = asyncio.run(main())
    assert said[0] == "How bad is it?"
    assert said[1].startswith("Noted: ")
    assert said[2] == "Goodbye."


def test_a_conversation_of_another_run_is_refused() -> None:
    talk = Conversation(desk(), client=connect(model("Hello.")))

    async def closed_after() -> str:
        async with talk:
            return await talk.say("hello")

    assert clock.simulate(closed_after()) == "Hello."
    with pytest.raises(ConversationError, match="belongs to another run"):
        clock.simulate(talk.say("hello"))
