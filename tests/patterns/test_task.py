"""A task: its three ends, its result, its history, who may await it."""

import asyncio
import json
from collections.abc import Callable
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from course import Agent, Context, Limits, ToolError, clock, tool
from course.context import condensed, exchanges, merge
from course.delegation import Floor, Task, TaskCancelled, TaskFailed, current_floor, start_tool
from course.delegation.dialogue import Channel
from course.delegation.results import complete_tool, describe_completion, read_result
from course.errors import ConfigurationError, ToolDefinitionError
from course.models import Scripted, connect
from course.runner import run
from course.trace import Trace
from tests.patterns.talking import (
    RASH,
    Colour,
    Triage,
    client_of,
    gone,
    hanging,
    model,
    others,
    saying,
    triage,
    words,
)


def failure(*steps: Any, task: Task[Any] | None = None, **settings: Any) -> TaskFailed:
    """How a task fails with this model."""
    person = settings.pop("person", saying("hello", "hello", "hello", "hello"))
    with pytest.raises(TaskFailed) as caught:
        clock.simulate(run(task or triage(), person=person, client=client_of(*steps), **settings))
    return caught.value


def limited(*steps: Any, limits: Limits) -> Any:
    """How a task ends that reaches one of its limits: in a result that has none of its type."""
    task, person = triage(limits=limits), saying("hello", "hello", "hello", "hello")
    ended = clock.simulate(run(task, person=person, client=client_of(*steps)))
    assert (ended.result, task.state, task.outcome().kind) == (None, "failed", "limit")
    return ended


def test_a_task_talks_until_it_has_its_result() -> None:
    client = client_of("What is wrong?", "How bad is it?", ("complete", RASH))
    task = triage()
    ended = clock.simulate(run(task, person=saying("a rash", "mild"), client=client))
    assert ended.result == Triage(complaint="a rash", severity="mild")
    assert (task.done(), task.state, ended.stop) == (True, "completed", None)
    assert words(ended.context)[:5] == [
        ("system", "You are a nurse."),
        ("assistant", "What is wrong?"),
        ("user", "a rash"),
        ("assistant", "How bad is it?"),
        ("user", "mild"),
    ]
    assert json.loads(ended.context.messages[-1]["content"]) == RASH


@pytest.mark.parametrize(
    ("kind", "arguments", "result"),
    [
        (Triage, RASH, Triage(complaint="a rash", severity="mild")),
        (Colour, {"name": "red"}, Colour("red")),
        (bool, {"result": True}, True),
        (list[str], {"result": ["a", "b"]}, ["a", "b"]),
        (date, {"result": "2026-03-02"}, date(2026, 3, 2)),
        (Annotated[int, Field(ge=3)], {"result": 3}, 3),
        (Literal["yes", "no"], {"result": "no"}, "no"),
        (list[Colour], {"result": [{"name": "red"}]}, [Colour("red")]),
    ],
)
def test_any_type_that_json_can_hold_is_a_result(kind: Any, arguments: Any, result: Any) -> None:
    task = Task[kind](instructions="Ask.")
    ended = clock.simulate(run(task, person=saying(), client=client_of(("complete", arguments))))
    assert ended.result == result
    assert type(ended.result) is type(result)


def test_the_complete_tool_describes_the_fields_of_the_result() -> None:
    said = describe_completion(Triage)
    assert said["name"] == "complete"
    assert said["parameters"]["required"] == ["complaint", "severity"]
    assert said["parameters"]["properties"]["complaint"]["description"] == "what is wrong"
    assert "title" not in json.dumps(said)
    plain = describe_completion(list[Colour])["parameters"]
    assert plain["required"] == ["result"]
    assert plain["properties"]["result"]["items"] == {"$ref": "#/$defs/Colour"}
    assert "Colour" in plain["$defs"]


@pytest.mark.parametrize("kind", [object(), type("Plain", (), {}), Callable[[], int]])
def test_a_type_that_json_cannot_hold_is_refused(kind: Any) -> None:
    with pytest.raises(ToolDefinitionError, match="cannot be a task's result"):
        describe_completion(kind)


def test_a_result_that_does_not_fit_says_which_field_and_why() -> None:
    with pytest.raises(ToolError, match="complaint: Field required; severity: Input should be"):
        read_result(Triage, {"severity": "bad"})
    with pytest.raises(ToolError, match="one argument called result"):
        read_result(bool, {"value": True})
    with pytest.raises(ToolError, match="result: Input should be a valid integer"):
        read_result(int, {"result": "three"})


class Stay(BaseModel):
    """From one day to another."""

    first: date
    last: date

    def model_post_init(self, context: Any) -> None:
        if self.last < self.first:
            raise ValueError("the last day is before the first")


def test_a_type_checks_its_result_as_a_whole() -> None:
    days = {"first": "2026-03-03", "last": "2026-03-02"}
    with pytest.raises(ToolError, match="the last day is before the first"):
        read_result(Stay, days)
    assert complete_tool(Stay, str).spec()["function"]["name"] == "complete"


def test_a_wrong_result_goes_back_to_the_model_with_its_reason() -> None:
    scripted = model(("complete", {"severity": "bad"}), ("complete", RASH))
    ended = clock.simulate(run(triage(), person=saying(), client=connect(scripted)))
    told = json.loads(scripted.requests[1].messages[-1]["content"])
    assert "complaint: Field required" in told["error"]
    assert ended.result.severity == "mild"


def test_a_check_refuses_what_the_type_cannot_know() -> None:
    def check(found: Triage) -> None:
        if found.complaint == "a rash":
            raise ToolError("no rashes today")

    other = {"complaint": "a cough", "severity": "mild"}
    scripted = model(("complete", RASH), ("complete", other))
    ended = clock.simulate(run(triage(check=check), person=saying(), client=connect(scripted)))
    assert json.loads(scripted.requests[1].messages[-1]["content"]) == {"error": "no rashes today"}
    assert ended.result.complaint == "a cough"


@pytest.mark.parametrize("bound", [0, 1, 3])
def test_too_many_wrong_results_are_a_typed_failure(bound: int) -> None:
    scripted = model(("complete", {}), latency=1)
    with pytest.raises(TaskFailed, match="Field required") as caught:
        clock.simulate(run(triage(max_refusals=bound), person=saying(), client=connect(scripted)))
    assert caught.value.kind == "invalid"
    assert len(scripted.requests) == bound + 1


def test_arguments_that_are_no_json_end_at_the_limit() -> None:
    assert limited(("complete", "{no"), limits=Limits(max_turns=4)).stop.reason == "max_turns"


def test_a_silent_model_is_told_so_and_then_fails_the_task() -> None:
    scripted = model("", " ", "\n")
    with pytest.raises(TaskFailed, match="said nothing 3 times") as caught:
        clock.simulate(run(triage(), person=saying(), client=connect(scripted)))
    assert caught.value.kind == "silent"
    assert "You said nothing" in scripted.requests[1].messages[-1]["content"]


def test_words_after_a_silence_count_afresh() -> None:
    task = triage()
    client = client_of("", "", "What is wrong?", "", "", ("complete", RASH))
    assert (
        clock.simulate(run(task, person=saying("a rash"), client=client)).result.complaint
        == "a rash"
    )


def test_limits_count_over_the_whole_task() -> None:
    for limits in (Limits(max_turns=3), Limits(max_tokens=400), Limits(max_seconds=2.5)):
        ended = limited("What is wrong?", limits=limits)
        assert ended.stop.value >= ended.stop.limit
        assert ended.answer == ended.stop.told


def test_a_person_who_leaves_or_never_answers_fails_the_task() -> None:
    assert failure("What is wrong?", person=saying("hm")).kind == "left"
    assert failure("What is wrong?", person=hanging, reply_seconds=30).kind == "timeout"


def test_a_model_that_is_gone_fails_the_task() -> None:
    failed = failure("What is wrong?", gone())
    assert failed.kind == "model"
    assert "the model is gone" in str(failed)


def test_what_breaks_in_the_person_reaches_the_caller_as_it_is() -> None:
    async def broken(said: str) -> str:
        raise KeyError("no such line")

    task = triage()
    with pytest.raises(KeyError, match="no such line"):
        clock.simulate(run(task, person=broken, client=client_of("Hello?")))
    assert task.state == "failed"


def test_the_model_may_give_up() -> None:
    task = triage()
    steps = ("Well?", ("cancel_task", {"reason": "they changed their mind"}))
    with pytest.raises(TaskCancelled, match="changed their mind"):
        clock.simulate(run(task, person=saying("no"), client=client_of(*steps)))
    assert task.state == "cancelled"


@pytest.mark.parametrize("seconds", [0.5, 1.5], ids=["while the model", "while the person"])
@pytest.mark.parametrize("how", ["cancel", "complete", "fail"])
def test_code_may_end_a_task_at_any_time(how: str, seconds: float) -> None:
    async def main() -> tuple[Task[Triage], Any, float, int]:
        task = triage()
        found = Triage(complaint="a cough", severity="mild")
        ends = {
            "cancel": task.cancel,
            "complete": lambda: task.complete(found),
            "fail": lambda: task.complete(KeyError("stop")),
        }
        client = client_of("What is wrong?")
        waiting = asyncio.ensure_future(run(task, person=hanging, client=client))
        asyncio.get_running_loop().call_later(seconds, ends[how])
        [ended] = await asyncio.gather(waiting, return_exceptions=True)
        return task, ended, clock.now(), len(others())

    task, ended, now, left = clock.simulate(main())
    assert (now, left, task.done()) == (seconds, 0, True)
    if how == "complete":
        assert ended.result.complaint == "a cough"
    else:
        assert isinstance(ended, TaskCancelled if how == "cancel" else KeyError)


def test_cancelling_the_code_that_waits_cancels_the_task() -> None:
    async def main() -> tuple[Task[Triage], int]:
        task = triage()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(3):
                await run(task, person=hanging, client=client_of("What is wrong?"))
        return task, len(others())

    task, left = clock.simulate(main())
    assert (task.done(), task.state, left) == (True, "cancelled", 0)


def test_a_task_ends_once_and_is_awaited_once() -> None:
    task = triage()
    task.complete(Triage(complaint="a rash", severity="mild"))
    with pytest.raises(RuntimeError, match="already done"):
        task.complete(KeyError())
    task.cancel()
    assert task.state == "completed"
    assert (
        clock.simulate(run(task, person=saying(), client=client_of("?"))).result.complaint
        == "a rash"
    )
    with pytest.raises(RuntimeError, match="awaited before"):
        clock.simulate(run(task, person=saying(), client=client_of("?")))


def test_a_result_of_another_type_is_refused() -> None:
    with pytest.raises(TypeError, match="completes with Triage, not dict"):
        triage().complete(RASH)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="completes with int, not str"):
        Task[int](instructions="Count.").complete("3")  # type: ignore[arg-type]


def test_a_task_needs_a_type_a_floor_and_its_own_names() -> None:
    with pytest.raises(ToolDefinitionError, match="has no result type"):
        clock.simulate(run(Task(instructions="Ask."), person=saying(), client=client_of("?")))

    async def alone() -> Any:
        return await triage()

    with pytest.raises(RuntimeError, match="nobody can be asked"):
        clock.simulate(alone())

    @tool
    def complete() -> str:
        """Do it."""
        return ""

    with pytest.raises(ConfigurationError, match="cannot be called 'complete'"):
        triage(tools=(complete,))


class TriageTask(Task[Triage]):
    """A task as a class."""

    def __init__(self) -> None:
        super().__init__(instructions="You are a nurse.")


def test_a_task_may_be_a_class_and_is_named_after_it() -> None:
    assert TriageTask().result_type is Triage
    assert [TriageTask().name, triage().name, triage(name="nurse").name] == [
        "triage",
        "triage",
        "nurse",
    ]


def test_a_task_begins_with_the_context_it_is_given_without_instructions() -> None:
    context = Context.of("I have a rash.", instructions="You are the desk.")
    scripted = model(("complete", RASH))
    clock.simulate(run(triage(context=context), person=saying(), client=connect(scripted)))
    assert words(Context(scripted.requests[0].messages)) == [
        ("system", "You are a nurse."),
        ("user", "I have a rash."),
    ]


def test_a_task_s_own_tool_may_complete_it() -> None:
    task = triage()

    def note(complaint: str) -> str:
        """Note a complaint."""
        task.complete(Triage(complaint=complaint, severity="severe"))
        return "noted"

    task.tools = (tool(note),)
    ended = clock.simulate(
        run(task, person=saying(), client=client_of(("note", {"complaint": "a cut"})))
    )
    assert ended.result.complaint == "a cut"
    assert ended.context.messages[-1]["content"] == "noted"


def test_a_task_is_a_span_with_its_state_result_and_messages() -> None:
    trace = Trace("test")
    client = client_of("What is wrong?", ("complete", RASH))
    clock.simulate(run(triage(), person=saying("a rash"), client=client, trace=trace))
    [step] = [each for each in trace.spans if each.operation == "task"]
    assert (step.name, step.attributes["switchboard.task.state"]) == ("triage", "completed")
    assert json.loads(str(step.attributes["switchboard.task.result"])) == RASH
    assert json.loads(str(step.attributes["gen_ai.input.messages"])) == []
    added = json.loads(str(step.attributes["gen_ai.output.messages"]))
    assert [each["role"] for each in added] == ["assistant", "user", "assistant", "tool"]
    roots = [each.operation for each in trace.spans if each.parent_id is None]
    assert roots == ["invoke_workflow"]
    turns = [each for each in trace.spans if each.operation == "invoke_agent"]
    assert {each.parent_id for each in turns} == {step.span_id}


def test_a_failed_task_is_a_failed_span() -> None:
    trace = Trace("test")
    failure("Hello?", person=saying(), trace=trace)
    [step] = [each for each in trace.spans if each.operation == "task"]
    assert (step.status, step.attributes["error.type"]) == ("error", "left")


def test_merging_keeps_words_and_drops_calls_and_instructions() -> None:
    ask = {"role": "user", "content": "hello"}
    call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    context = Context.of("hello", instructions="Desk.").add(ask)
    other = Context(
        (
            {"role": "system", "content": "Nurse."},
            *context.messages[1:],
            {"role": "assistant", "content": "One moment.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": "found"},
            {"role": "user", "content": "hello"},
        )
    )
    assert words(merge(context, other))[3:] == [("assistant", "One moment."), ("user", "hello")]
    with_calls = merge(context, other, exclude_function_call=False)
    assert [role for role, _ in words(with_calls)[3:]] == ["assistant", "tool", "user"]
    assert merge(with_calls, other, exclude_function_call=False) == with_calls


def spoken(times: int) -> Context:
    messages: list[dict[str, Any]] = []
    for number in range(times):
        messages.append({"role": "user", "content": f"question {number}"})
        messages.append({"role": "assistant", "content": f"answer {number}"})
    return Context(tuple(messages))


def test_only_past_twenty_exchanges_is_a_history_summarised() -> None:
    scripted = Scripted(lambda request: "They asked many questions.")
    client = connect(scripted)
    assert clock.simulate(condensed(spoken(20), client)) == spoken(20)
    assert not scripted.requests
    short = clock.simulate(condensed(spoken(21), client))
    assert len(scripted.requests) == 1
    assert exchanges(short) == 3
    assert short.messages[1:] == spoken(21).messages[-4:]


def test_a_tool_that_starts_a_task_has_no_arguments_and_no_timeout() -> None:
    made = start_tool(lambda context: triage(), name="start_triage", description="Begin.")
    assert made.timeout is None
    assert made.spec()["function"]["parameters"]["properties"] == {}
    assert Agent(name="desk", tools=(made,)).tools == (made,)
    with pytest.raises(RuntimeError, match="nobody can be asked"):
        current_floor()


def test_a_floor_of_another_kind_carries_tasks_out_where_it_has_the_person() -> None:
    """What a voice session needs: one method to override, and the parts of a task in the open."""

    class Elsewhere(Floor):
        async def lend(self, task: Task[Any]) -> Any:
            complete, cancel = task.ending_tools
            assert (complete.name, cancel.name) == ("complete", "cancel_task")
            with pytest.raises(ToolError, match="severity"):
                complete.function({"complaint": "a rash"})
            with pytest.raises(RuntimeError, match="'triage' has not ended"):
                task.outcome()
            complete.function(RASH)
            return task.outcome()

    async def main() -> Any:
        channel = Channel(person=hanging, client=client_of("never asked"))
        floor = Elsewhere(channel=channel, speaker=Agent(name="voice"), context=Context())
        with floor.here():
            return await triage()

    assert clock.simulate(main()) == Triage(**RASH)


def test_a_stopped_task_tells_its_outcome_as_the_exception() -> None:
    task = triage()
    task.cancel()
    assert isinstance(task.outcome(), TaskCancelled)
