"""Whatever happens, a task has one of its three ends, and leaves nothing running."""

import asyncio
import json
from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from course import Agent, Context, Limits, ToolError, clock, tool
from course.conversation import Conversation
from course.delegation import PersonLeft, Task, TaskCancelled, TaskFailed, start_tool
from course.errors import ModelError
from course.models import connect
from course.runner import run
from tests.patterns.talking import RASH, Triage, gone, model, others, triage

MOVES = st.one_of(
    st.sampled_from(["What is wrong?", "", "  "]),
    st.sampled_from(
        [
            ("complete", RASH),
            ("complete", {}),
            ("complete", "{no json"),
            ("complete", {"complaint": 3, "severity": None}),
            ("cancel_task", {"reason": "they left"}),
            ("cancel_task", {}),
            ("look_up", {"word": "rash"}),
            ("no_such_tool", {}),
        ]
    ),
    st.builds(gone),
)
ANSWERS = st.sampled_from(["a rash", "mild", "leaves", "breaks", "is silent"])
DEEDS = st.sampled_from(["nothing", "cancel", "complete", "fail", "cancel the code"])


class Broken(Exception):
    """Something nobody planned for."""


def person(answers: list[str]) -> Any:
    left = list(answers)

    async def answer(said: str) -> str:
        await asyncio.sleep(0.7)
        told = left.pop(0) if left else "leaves"
        if told == "leaves":
            raise PersonLeft("gone")
        if told == "breaks":
            raise Broken("the line is broken")
        if told == "is silent":
            await asyncio.Event().wait()
        return told

    return answer


async def look_up(word: str) -> str:
    """Look up a word."""
    await asyncio.sleep(0.3)
    raise ToolError("nothing about it")


def consistent(task: Task[Triage], ended: Any) -> bool:
    """The state, and what whoever waited got, tell the same end."""
    if task.state == "completed":
        return isinstance(ended, Triage)
    if task.state == "cancelled":
        return isinstance(ended, TaskCancelled | asyncio.CancelledError)
    return task.state == "failed" and isinstance(ended, TaskFailed | Broken)


def accepted(context: Context) -> bool:
    """Every call is answered in its place, as the API demands."""
    waiting: set[str] = set()
    for message in context.messages:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            return False
        waiting = {call["id"] for call in message.get("tool_calls") or ()}
    return not waiting


@given(
    moves=st.lists(MOVES, min_size=1, max_size=6),
    answers=st.lists(ANSWERS, max_size=4),
    deed=DEEDS,
    when=st.sampled_from([0.0, 0.5, 1.2, 2.0, 3.1, 5.5]),
    turns=st.integers(1, 8),
)
def test_a_task_ends_in_one_of_three_ways(
    moves: list[Any], answers: list[str], deed: str, when: float, turns: int
) -> None:
    async def main() -> tuple[Task[Triage], Any, int]:
        task = triage(tools=(tool(look_up),), limits=Limits(max_turns=turns))
        client = connect(model(*moves))
        waiting = asyncio.ensure_future(
            run(task, person=person(answers), client=client, reply_seconds=9)
        )

        def interfere() -> None:
            if deed == "cancel the code":
                waiting.cancel()
            elif deed == "cancel":
                task.cancel()
            elif deed != "nothing" and not task.done():
                found = Triage(complaint="a cough", severity="mild")
                task.complete(found if deed == "complete" else Broken("on purpose"))

        asyncio.get_running_loop().call_later(when, interfere)
        [ended] = await asyncio.gather(waiting, return_exceptions=True)
        if getattr(ended, "stop", None):  # to a run a limit is a result
            ended = task.outcome()
        return task, getattr(ended, "result", ended), len(others())

    task, ended, left = clock.simulate(main())
    assert task.done()
    assert consistent(task, ended), (task.state, ended)
    assert left == 0
    assert accepted(task.context)


@given(
    moves=st.lists(MOVES, min_size=1, max_size=6),
    texts=st.lists(st.sampled_from(["a rash", "mild", "hello"]), min_size=1, max_size=4),
)
def test_a_conversation_keeps_a_history_that_the_api_accepts(
    moves: list[Any], texts: list[str]
) -> None:
    async def main() -> tuple[list[Task[Triage]], Context, int]:
        made: list[Task[Triage]] = []

        def make(context: Context) -> Task[Triage]:
            made.append(triage(context=context, limits=Limits(max_turns=6)))
            return made[-1]

        start = start_tool(make, name="start_triage", description="Begin.")
        client = connect(model(("start_triage", {}), *moves))
        desk = Agent(name="desk", instructions="Desk.", tools=(start,))
        async with Conversation(desk, client=client) as talk:
            for text in texts:
                with suppress(ModelError):  # the desk itself needs the model too
                    await talk.say(text)
            context = talk.context
        return made, context, len(others())

    made, context, left = clock.simulate(main())
    assert left == 0
    assert all(task.done() for task in made)
    assert accepted(context)
    assert json.dumps(context.messages)
