"""A group of tasks: in sequence, with shared context, and back again."""

import asyncio
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course import Context, ToolError, clock
from course.delegation import (
    OutOfScope,
    Task,
    TaskCancelled,
    TaskCompletedEvent,
    TaskFailed,
    TaskGroup,
    TaskGroupResult,
    in_sequence,
)
from course.errors import ConfigurationError
from course.events import Finished
from course.models import Reply, Scripted, connect
from course.models.wire import ChatRequest
from course.runner import run, stream
from course.trace import Trace
from tests.patterns.talking import Colour, client_of, gone, hanging, move, others, saying, words

Day = Literal["Monday", "Tuesday"]


def asks(request: ChatRequest) -> Reply | str:
    """Asks what its instructions name, completes with the newest answer, goes back for 'no'."""
    system, *rest = request.messages
    if "Summarise" in system["content"]:
        return "a summary"
    name = str(system["content"])
    last = rest[-1] if rest else {"role": "none"}
    if last["role"] == "user" and last["content"].startswith("no, "):
        return move(("out_of_scope", {"task_ids": last["content"][4:].split(" and ")}))
    if last["role"] == "user":
        return move(("complete", {"result": last["content"]}))
    return f"{name}?"


def step(name: str, kind: Any = str) -> Any:
    return lambda: Task[kind](instructions=name, name=name)


def group(*names: str, **settings: Any) -> TaskGroup:
    made = TaskGroup(**settings)
    for name in names or ("name", "day", "time"):
        made.add(step(name), id=name, description=f"the {name}")
    return made


def played(made: TaskGroup, *replies: str, **settings: Any) -> Any:
    return clock.simulate(
        run(made, person=saying(*replies), client=connect(Scripted(asks)), **settings)
    )


def test_tasks_run_in_sequence_with_results_by_id() -> None:
    ended = played(group(), "Ada", "Monday", "ten")
    assert ended.result == TaskGroupResult({"name": "Ada", "day": "Monday", "time": "ten"})


def test_each_task_has_what_was_said_and_done_before_in_view() -> None:
    scripted = Scripted(asks)
    clock.simulate(run(group(), person=saying("Ada", "Monday", "ten"), client=connect(scripted)))
    last = [each for each in scripted.requests if each.messages[0]["content"] == "time"][-1]
    said = words(Context(last.messages))
    assert [role for role, _ in said] == [
        "system", "assistant", "user", "assistant", "tool", "assistant", "user", "assistant",
        "tool", "assistant", "user",
    ]  # fmt: skip
    assert said[4] == ("tool", '"Ada"')


def test_the_person_may_go_back_to_an_earlier_step() -> None:
    trace = Trace("test")
    made = group(summarize_chat_ctx=False)
    ended = played(made, "Ada", "Monday", "no, name", "Bea", "ten", trace=trace)
    assert ended.result.task_results == {"name": "Bea", "day": "Monday", "time": "ten"}
    steps = [(each.name, each.status) for each in trace.spans if each.operation == "task"]
    assert [name for name, _ in steps] == ["group", "name", "day", "time", "name", "time"]
    assert {status for _, status in steps} == {"ok"}
    [left] = [s for s in trace.spans if "switchboard.task.out_of_scope" in s.attributes]
    assert left.attributes["switchboard.task.out_of_scope"] == "name"


def test_several_steps_are_done_again_in_the_order_of_the_wishes() -> None:
    ended = played(group(), "Ada", "Monday", "no, day and name", "Tuesday", "Bea", "ten")
    assert ended.result.task_results == {"name": "Bea", "day": "Tuesday", "time": "ten"}


def test_only_steps_that_were_begun_can_be_gone_back_to() -> None:
    offered = []

    def script(request: ChatRequest) -> Reply | str:
        tools = {each.name: each for each in request.tools}
        back = tools.get("out_of_scope")
        items = back.parameters["properties"]["task_ids"]["items"] if back else {}
        offered.append(items.get("enum", [items["const"]] if "const" in items else []))
        return asks(request)

    clock.simulate(
        run(group(), person=saying("Ada", "Monday", "ten"), client=connect(Scripted(script)))
    )
    assert offered[::2][:3] == [[], ["name"], ["name", "day"]]


def test_a_step_that_does_not_exist_is_answered_with_an_error() -> None:
    scripted = Scripted(asks)
    person = saying("Ada", "no, time", "Monday", "ten")
    clock.simulate(run(group(), person=person, client=connect(scripted)))
    last = [each.messages[-1] for each in scripted.requests]
    errors = [m["content"] for m in last if m["role"] == "tool" and "error" in m["content"]]
    assert len(errors) == 1
    assert "task_ids.0" in errors[0]


def test_changing_their_mind_for_ever_ends_in_a_typed_failure() -> None:
    changing = group(max_regressions=2)
    played(changing, "Ada", *["no, name", "Bea"] * 9)
    failed = changing.outcome()
    assert isinstance(failed, TaskFailed)
    assert failed.stop is not None
    assert (failed.kind, failed.stop.reason, failed.stop.limit) == ("limit", "max_regressions", 2)


@pytest.mark.parametrize("kept", [False, True])
def test_a_failing_step_fails_the_group_or_is_its_result(kept: bool) -> None:
    made = TaskGroup(return_exceptions=kept)
    made.add(lambda: Task[Day](instructions="day", max_refusals=0), id="day", description="a day")
    made.add(step("name"), id="name", description="a name")
    if not kept:
        with pytest.raises(TaskFailed, match="Input should be"):
            played(made, "Sunday", "Ada")
        return
    results = played(made, "Sunday", "Ada").result.task_results
    assert isinstance(results["day"], TaskFailed)
    assert results["name"] == "Ada"


@pytest.mark.parametrize("summary", [True, False])
def test_a_group_leaves_a_summary_or_all_that_was_said(summary: bool) -> None:
    before = Context.of("Book me in.")
    made = group(context=before, summarize_chat_ctx=summary)
    person = saying("Ada", "Monday", "ten")

    def script(request: ChatRequest) -> Reply | str:
        return "name?" if request.messages[-1].get("content") == "Book me in." else asks(request)

    context = clock.simulate(run(made, person=person, client=connect(Scripted(script)))).context
    assert context.messages[0] is before.messages[0]
    new = words(context)[1:]
    if summary:
        assert new == [("assistant", "<chat_history_summary>\na summary\n</chat_history_summary>")]
    else:
        assert [role for role, _ in new] == ["assistant", "user", "assistant", "tool"] * 3


def test_results_survive_when_the_summary_cannot_be_written() -> None:
    def script(request: ChatRequest) -> Reply | str:
        if "Summarise" in str(request.messages[0]["content"]):
            raise gone()
        return asks(request)

    ended = clock.simulate(
        run(group("name"), person=saying("Ada"), client=connect(Scripted(script)))
    )
    assert ended.result.task_results == {"name": "Ada"}
    assert [role for role, _ in words(ended.context)] == ["assistant", "user", "assistant", "tool"]


def test_past_twenty_exchanges_the_history_is_summarised_before_the_group() -> None:
    messages = [{"role": "user", "content": f"number {n}"} for n in range(21)]
    long = Context(tuple(messages)).add({"role": "assistant", "content": "Yes."})
    scripted = Scripted(asks)
    made = group("name", context=long, summarize_chat_ctx=False)
    ended = clock.simulate(run(made, person=saying("Ada"), client=connect(scripted)))
    assert "number 0" in str(scripted.requests[0].messages)
    assert "number 0" not in str(scripted.requests[1].messages)
    assert "a summary" in str(scripted.requests[1].messages)
    assert ended.context.messages[:22] == long.messages  # whoever awaits it keeps the whole
    assert "a summary" not in str(ended.context.messages)


def test_a_callback_hears_of_each_completed_step() -> None:
    heard: list[tuple[str, Any, str]] = []

    async def note(event: TaskCompletedEvent) -> None:
        heard.append((event.task_id, event.result, event.agent_task.state))

    played(group("name", "day", on_task_completed=note), "Ada", "no, name", "Bea", "Monday")
    assert [(id, result) for id, result, _ in heard] == [
        ("name", "Ada"), ("name", "Bea"), ("day", "Monday"),
    ]  # fmt: skip
    assert {state for *_, state in heard} == {"completed"}


def test_cancelling_a_group_cancels_the_task_that_has_the_floor() -> None:
    async def main() -> tuple[list[Any], int]:
        tasks: list[Task[Any]] = []

        def make() -> Task[str]:
            tasks.append(Task[str](instructions="name", name="name"))
            return tasks[-1]

        made = TaskGroup(return_exceptions=True).add(make, id="name", description="a name")
        made.add(make, id="day", description="a day")
        asyncio.get_running_loop().call_later(2, made.cancel)
        with pytest.raises(TaskCancelled, match="'group'"):
            await run(made, person=hanging, client=connect(Scripted(asks)))
        return [made.state, *(each.state for each in tasks)], len(others())

    assert clock.simulate(main()) == (["cancelled", "cancelled"], 0)


def test_a_group_may_be_a_step_and_an_empty_one_is_done_at_once() -> None:
    inner = group("day", "time")
    outer = group("name").add(lambda: inner, id="when", description="day and time")
    found = played(outer, "Ada", "Monday", "ten").result.task_results
    assert found["name"] == "Ada"
    assert found["when"].task_results == {"day": "Monday", "time": "ten"}
    assert played(TaskGroup()).result == TaskGroupResult({})


def test_bad_steps_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="two steps are called 'name'"):
        group("name", "name")
    with pytest.raises(ConfigurationError, match="step 'x' has no description"):
        TaskGroup().add(step("x"), id="x", description=" ")


def test_a_group_has_typed_results() -> None:
    made = TaskGroup().add(step("colour", Colour), id="colour", description="a colour")
    steps = (("complete", {"name": "red"}), "a summary")
    ended = clock.simulate(run(made, person=saying(), client=client_of(*steps)))
    assert ended.result.task_results == {"colour": Colour("red")}
    assert made.result_type is TaskGroupResult


IDS = ("a", "b", "c", "d")


@given(
    wishes=st.lists(
        st.one_of(
            st.none(),
            st.just("fails"),
            st.lists(st.sampled_from(IDS), min_size=1, max_size=3),
        ),
        max_size=8,
    ),
    kept=st.booleans(),
)
def test_a_sequence_comes_to_its_end_with_a_result_for_each_step(
    wishes: list[Any], kept: bool
) -> None:
    left, seen = list(wishes), list[str]()

    async def play(id: str) -> int:
        seen.append(id)
        wish = left.pop(0) if left else None
        if wish == "fails":
            raise ToolError(id)
        if wish:
            raise OutOfScope(wish)
        return len(seen)

    changes = sum(isinstance(wish, list) for wish in wishes)
    ended = clock.simulate(
        outcome(in_sequence(IDS, play, return_exceptions=kept, max_regressions=5))
    )
    if isinstance(ended, TaskFailed):
        assert changes > 5
        assert ended.kind == "limit"
    elif isinstance(ended, ToolError):
        assert not kept
        assert str(ended) == seen[-1]
    else:
        assert list(ended) == list(IDS)
        last = {id: place for place, id in enumerate(seen, start=1)}
        for id, result in ended.items():
            assert str(result) == id if isinstance(result, ToolError) else result == last[id]


async def outcome(coroutine: Any) -> Any:
    """What a coroutine gives or raises."""
    [ended] = await asyncio.gather(coroutine, return_exceptions=True)
    return ended


def test_a_group_streams_its_completed_steps_and_then_its_end() -> None:
    async def main() -> list[Any]:
        person, client = saying("Ada", "Monday"), connect(Scripted(asks))
        return [each async for each in stream(group("name", "day"), person=person, client=client)]

    *steps, last = clock.simulate(main())
    told = [(each.system, each.task_id, each.result) for each in steps
            if isinstance(each, TaskCompletedEvent)]  # fmt: skip
    assert told == [("group", "name", "Ada"), ("group", "day", "Monday")]
    assert isinstance(last, Finished)
    assert last.result.result.task_results == {"name": "Ada", "day": "Monday"}
