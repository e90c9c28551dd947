"""Where LiveKit's tasks and the course's differ (docs/tasks.md), both libraries side by side."""

import asyncio
from typing import Any

import pytest
from livekit.agents import Agent, AgentTask, UnexpectedModelBehavior, function_tool
from livekit.agents.llm import ToolError as LiveKitToolError

from course import Agent as CourseAgent
from course import clock, run
from course.conversation import Conversation
from course.delegation import TaskFailed, start_tool
from course.models.wire import ChatRequest
from course.voice.bridge import live_agent
from course.voice.typed import typed_session, words
from tests.patterns.talking import RASH, Triage, move, triage
from tests.voice.calling import scripted_by

PENDING = "The tool call is still in progress."
STEPS = (("start_triage", {}), "What is wrong?", ("complete", RASH), "Noted.", "Bye.")


class NativeTriage(AgentTask[Triage]):
    """A triage task as one writes it for LiveKit."""

    def __init__(self) -> None:
        super().__init__(instructions="You are a nurse.")

    async def on_enter(self) -> None:
        self.session.generate_reply()

    @function_tool
    async def complete_it(self, complaint: str, severity: str) -> str:
        """Finish the task with its result."""
        self.complete(Triage.model_validate({"complaint": complaint, "severity": severity}))
        return "done"


class NativeDesk(Agent):
    """An agent as one writes it for LiveKit, with a tool that awaits the task."""

    def __init__(self) -> None:
        super().__init__(instructions="Start what is needed.")
        self.asked: list[NativeTriage] = []

    @function_tool
    async def start_triage(self) -> str:
        """Find out what is wrong."""
        self.asked.append(NativeTriage())
        try:
            return (await self.asked[-1]).model_dump_json()
        except LiveKitToolError as error:
            self.ended = str(error)
            raise


def desk() -> CourseAgent:
    start = start_tool(
        lambda context: triage(), name="start_triage", description="Find out what is wrong."
    )
    return CourseAgent(name="desk", instructions="Start what is needed.", tools=(start,))


def listening(*steps: Any, complete: str = "complete") -> tuple[list[ChatRequest], Any]:
    """The requests that come, and a client of a model that makes these moves."""
    asked: list[ChatRequest] = []
    left = [(complete, each[1]) if each[0] == "complete" else each for each in steps]

    def script(request: ChatRequest) -> Any:
        asked.append(request)
        return move(left.pop(0) if len(left) > 1 else left[0])

    return asked, scripted_by(script)


def here(*steps: Any) -> tuple[list[ChatRequest], list[str]]:
    """What the model is asked, and the person hears, in a conversation of the course."""
    asked, client = listening(*steps)

    async def main() -> list[str]:
        async with Conversation(desk(), client=client) as talk:
            return [await talk.say("Hello."), await talk.say("A rash, mild.")]

    return asked, clock.simulate(main())


def there(
    make: Any, *steps: Any, complete: str = "complete"
) -> tuple[list[ChatRequest], list[str]]:
    """The same on a LiveKit session."""
    asked, client = listening(*steps, complete=complete)

    async def main() -> list[str]:
        async with typed_session(make(client), client=client) as session:
            texts = ("Hello.", "A rash, mild.")
            return [words(await session.run(user_input=text)) for text in texts]

    return asked, clock.simulate(main())


def bridged(client: Any) -> Agent:
    return live_agent(desk(), client=client)


def native(client: Any) -> Agent:
    return NativeDesk()


def told(request: ChatRequest) -> list[str]:
    """A request's messages in short: who speaks, and what they call."""
    return [
        "call" if each.get("tool_calls") else str(each["role"])
        for each in request.messages
        if each["role"] != "system"
    ]


def test_the_dialogue_of_a_task_stands_before_its_call_here_and_after_it_there() -> None:
    asked, said = here(*STEPS)
    assert said == ["What is wrong?", "Noted."]
    assert told(asked[-1]) == ["user", "assistant", "user", "call", "tool"]
    for make, complete in ((bridged, "complete"), (native, "complete_it")):
        asked, said = there(make, *STEPS, complete=complete)
        last = next(each for each in asked if told(each)[:3] == ["user", "call", "tool"])
        assert told(last) == ["user", "call", "tool", "assistant", "user"]


def test_a_plain_text_completes_a_typed_task_there_and_raises_here_and_on_the_bridge() -> None:
    async def main() -> None:
        native = NativeTriage()
        native.complete("text")  # type: ignore[arg-type]
        assert native.done()
        with pytest.raises(TypeError, match="completes with Triage, not str"):
            triage().complete("text")  # type: ignore[arg-type]

    clock.simulate(main())


def test_only_a_run_with_an_output_type_ends_a_task_that_never_gets_a_result_there() -> None:
    steps = (("complete", {"complaint": "a rash", "severity": "awful"}), "Hm.")

    async def root(**settings: Any) -> Any:
        _, client = listening(*steps, complete="complete_it")
        async with typed_session(NativeTriage(), client=client) as session:
            return await session.run(user_input="Hello.", **settings)

    with pytest.raises(UnexpectedModelBehavior):
        clock.simulate(root(output_type=Triage))
    assert words(clock.simulate(root())) == "Hm."  # and it waits for ever
    made = triage()

    async def course() -> None:
        _, client = listening(*steps[:1])
        with pytest.raises(TaskFailed, match="invalid"):
            await run(made, person=nobody, client=client)

    clock.simulate(course())


async def nobody(said: str) -> str:
    raise AssertionError("nobody is asked")


def test_the_reason_of_a_cancelled_task_is_lost_there_and_told_here_and_on_the_bridge() -> None:
    quits = (("start_triage", {}), ("cancel_task", {"reason": "no time"}), "Another day.", "Bye.")
    for asked, _ in (here(*quits), there(bridged, *quits)):
        results = [
            str(each["content"]) for r in asked for each in r.messages if each["role"] == "tool"
        ]
        assert any("'triage' is cancelled: no time" in each for each in results)

    async def main() -> str:
        agent = NativeDesk()
        _, client = listening(*STEPS[:2], "Another day.", complete="complete_it")
        async with typed_session(agent, client=client) as session:
            await session.run(user_input="Hello.")
            agent.asked[0].cancel()
            await asyncio.sleep(5)
            return agent.ended

    assert clock.simulate(main()) == "AgentTask native_triage is cancelled"


def test_a_task_s_model_sees_its_asker_s_pending_call_there_and_nothing_of_it_here() -> None:
    def pending(asked: list[ChatRequest]) -> list[bool]:
        return [any(each.get("content") == PENDING for each in r.messages) for r in asked]

    asked, _ = here(*STEPS)
    assert pending(asked) == [False] * 4
    asked, _ = there(bridged, *STEPS)
    assert pending(asked) == [False, True, True, False]


def test_a_finished_task_s_model_is_asked_for_one_more_sentence_there_alone() -> None:
    assert len(here(*STEPS)[0]) == 4
    asked, said = there(bridged, *STEPS)
    assert len(asked) == 4 and said[-1] == "Noted."
    asked, said = there(native, *STEPS[:3], "I know all.", "Noted.", complete="complete_it")
    assert len(asked) == 5
    assert "I know all." in said[-1]
