"""A supervisor delegates, looks at the results, delegates again, and answers."""

import asyncio
import json
from typing import Any

import pytest

from course import Agent, Context, ToolError, Trace, clock, connect, supervisor, tool
from course.errors import ModelError
from course.models.wire import Call, ChatRequest, Reply
from course.results import Failure
from course.runner import run
from course.supervisor import SupervisorResult
from tests.patterns.bosses import boss, client, models, order, ordering, results, turns, workers


def answer(thing: Any, *, request: str = "Do it all.", **scripts: Any) -> SupervisorResult:
    result: SupervisorResult = clock.simulate(run(thing, request, client=client(**scripts)))
    return result


def slowly(text: str, seconds: float) -> Any:
    async def script(request: ChatRequest) -> str:
        await asyncio.sleep(seconds)
        return text

    return script


def test_the_worker_sees_its_instructions_and_the_task_and_nothing_else() -> None:
    model = models(boss=ordering([order("a", "Count.", constraints="by Friday")]), a="42")
    clock.simulate(run(boss("a", "b"), "How many?", client=connect(model)))
    (asked,) = [r for r in model.requests if r.key.agent == "a"]
    assert list(asked.messages) == [
        {"role": "system", "content": "You do a."},
        {"role": "user", "content": "Count.\nConstraints: by Friday"},
    ]
    assert asked.tools == ()


def test_the_supervisor_is_told_its_workers_and_gets_their_results() -> None:
    seen: list[ChatRequest] = []

    def script(request: ChatRequest) -> Reply:
        seen.append(request)
        if turns(request):
            return Reply(text=f"a says {results(request)[0]['result']}")
        return Reply(calls=(order("a", "Count.", id="c1"),))

    result = answer(boss("a", "b"), boss=script, a="42")
    assert result.answer == "a says 42"
    (offered,) = seen[0].tools
    assert offered.name == "delegate_to_agent"
    assert "- a: does a\n- b: does b" in offered.description
    assert offered.parameters["properties"]["worker_agent"]["enum"] == ["a", "b"]
    assert results(seen[1]) == [{"worker": "a", "status": "done", "result": "42"}]
    done = result.delegations["c1"]
    assert (done.worker, done.task, done.result, done.status) == ("a", "Count.", "42", "done")
    assert result.stop is None
    assert result.failures == {}


def test_it_keeps_control_and_delegates_again_with_what_it_learned() -> None:
    def script(request: ChatRequest) -> Reply:
        known = results(request)
        if not known:
            return Reply(calls=(order("a", "Who is it?"),))
        if len(known) == 1:
            return Reply(calls=(order("b", f"Write to {known[0]['result']}."),))
        return Reply(text=known[1]["result"])

    def b(request: ChatRequest) -> str:
        return f"done: {request.messages[-1]['content']}"

    assert answer(boss("a", "b"), boss=script, a="Ada", b=b).answer == "done: Write to Ada."


def test_delegations_of_one_message_run_at_once_and_come_back_in_the_order_of_the_calls() -> None:
    calls = [order("a", "1", id="x"), order("b", "2", id="y"), order("c", "3", id="z")]
    result = answer(
        boss("a", "b", "c"),
        boss=ordering(calls),
        a=slowly("slow", 3.0), b=slowly("quick", 1.0), c=slowly("middling", 2.0),
    )  # fmt: skip
    told = [m["tool_call_id"] for m in result.context.messages if m["role"] == "tool"]
    assert told == ["x", "y", "z"] == list(result.delegations)
    assert [d.result for d in result.delegations.values()] == ["slow", "quick", "middling"]
    assert [d.seconds for d in result.delegations.values()] == [3.0, 1.0, 2.0]
    assert max(s.end for s in result.trace.spans) == 3.0


def test_two_delegations_to_one_worker_share_nothing() -> None:
    """Each has a conversation of its own, and luck of its own from the simulated model."""
    model = models(
        boss=ordering([order("a", "secret of Ada", id="x"), order("a", "secret of Ben", id="y")]),
        a=lambda request: f"heard {request.messages[-1]['content']}",
    )
    result = clock.simulate(run(boss("a"), "go", client=connect(model)))
    assert [d.result for d in result.delegations.values()] == [
        "heard secret of Ada", "heard secret of Ben",
    ]  # fmt: skip
    mine = [r for r in model.requests if r.key.agent == "a"]
    assert all(len(r.messages) == 2 for r in mine)
    assert len({(r.key.run, r.key.matter) for r in mine}) == 2


def test_the_supervisors_own_tools_run_beside_the_delegations() -> None:
    @tool
    async def look_up(name: str) -> str:
        """Look a name up."""
        await asyncio.sleep(2.0)
        return f"{name} is here"

    calls = [order("a", "work", id="x"), Call("look_up", '{"name": "Ada"}', "y")]
    result = answer(boss("a", tools=(look_up,)), boss=ordering(calls), a=slowly("ok", 2.0))
    contents = [m["content"] for m in result.context.messages if m["role"] == "tool"]
    assert json.loads(contents[0])["result"] == "ok"
    assert contents[1] == "Ada is here"
    assert max(s.end for s in result.trace.spans) == 2.0
    assert list(result.delegations) == ["x"]


def test_call_ids_that_a_service_uses_again_do_not_lose_a_delegation() -> None:
    rounds = [order("a", "1", id="call_0")], [order("a", "2", id="call_0")]
    result = answer(boss("a"), boss=ordering(*rounds), a="ok")
    assert [(id, d.task) for id, d in result.delegations.items()] == [
        ("call_0", "1"), ("call_0/2", "2"),
    ]  # fmt: skip


def test_a_conversation_can_be_the_request() -> None:
    said = Context.of("Do it.", instructions="Of somebody else.")
    result = clock.simulate(run(boss("a"), said, client=client(boss="fine")))
    assert [m["content"] for m in result.context.messages] == ["You lead.", "Do it.", "fine"]


def test_everybodys_tokens_are_counted() -> None:
    model = models(boss=ordering([order("a", "1"), order("b", "2")]), a="one", b="two")
    result = clock.simulate(run(boss("a", "b"), "go", client=connect(model)))
    chats = [s for s in result.trace.spans if s.operation == "chat"]
    assert len(chats) == 4
    assert result.usage.input == sum(s.attributes["gen_ai.usage.input_tokens"] for s in chats)
    assert result.usage.output == sum(s.attributes["gen_ai.usage.output_tokens"] for s in chats)
    assert sum(d.tokens for d in result.delegations.values()) < result.usage.total


@pytest.mark.parametrize("request_", ["", "  \n", Context(({"role": "system", "content": "x"},))])
def test_an_empty_request_is_refused(request_: Any) -> None:
    with pytest.raises(ValueError, match="the request is empty"):
        clock.simulate(run(boss("a"), request_, client=client()))


# What goes wrong


def broken_tool() -> Any:
    @tool
    def look(name: str) -> str:
        """Look."""
        raise ZeroDivisionError("division by zero")

    return look


async def refusing(request: ChatRequest) -> Reply:
    from course.models.wire import ApiError

    raise ApiError(400, "the model is on strike")


def test_one_worker_fails_and_its_siblings_results_stay() -> None:
    calls = [order("a", "1", id="x"), order("b", "2", id="y"), order("c", "3", id="z")]
    result = answer(boss("a", "b", "c"), boss=ordering(calls), a="one", b=refusing, c="three")
    assert result.answer == "all done"
    assert [d.result for d in result.delegations.values()] == ["one", "", "three"]
    failure = result.failures["y"]
    assert (failure.kind, list(result.failures)) == ("model", ["y"])
    assert failure.error == "b: the model refused the request (400): the model is on strike"
    told = [json.loads(m["content"]) for m in result.context.messages if m["role"] == "tool"]
    assert told[1] == {"worker": "b", "status": "failed", "kind": "model", "error": failure.error}


def test_a_worker_that_takes_too_long_is_cancelled_and_leaves_nothing_running() -> None:
    ended: list[str] = []

    async def slow(request: ChatRequest) -> str:
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        return "late"

    async def main() -> tuple[SupervisorResult, int]:
        script = ordering([order("a", "1", id="x"), order("b", "2")])
        team = boss("a", "b", delegation_seconds=5.0)
        result = await run(team, "go", client=client(boss=script, a=slow, b="ok"))
        return result, len(asyncio.all_tasks())

    result, tasks = clock.simulate(main())
    assert result.failures == {"x": Failure("timeout", "a gave no answer within 5 s")}
    assert result.delegations["x"].seconds == 5.0
    assert ended == ["cancelled"]
    assert tasks == 1


def test_a_tool_bug_is_the_workers_to_handle() -> None:
    def a(request: ChatRequest) -> Reply:
        if turns(request):
            return Reply(text=f"it broke: {results(request)[0]['error']}")
        return Reply(calls=(Call("look", '{"name": "x"}'),))

    team = supervisor.Supervisor(name="boss", workers=workers("a", tools=(broken_tool(),)))
    result = answer(team, boss=ordering([order("a", "1", id="x")]), a=a)
    assert (
        result.delegations["x"].result
        == "it broke: look failed: ZeroDivisionError: division by zero"
    )


def test_a_worker_that_breaks_in_any_other_way_is_a_typed_failure() -> None:
    class Broken(Agent):
        @property
        def model(self) -> str:
            raise KeyError("no model")

        @model.setter
        def model(self, value: str) -> None: ...

    # A property of a frozen dataclass' subclass is read when the worker's first call is made.
    worker = Broken(name="a", description="breaks")
    team = supervisor.Supervisor(name="boss", workers=(worker, *workers("b")))
    result = answer(team, boss=ordering([order("a", "1", id="x"), order("b", "2")]), b="fine")
    assert result.failures["x"] == Failure("error", "a failed: KeyError: 'no model'")
    assert [d.result for d in result.delegations.values()] == ["", "fine"]


def test_a_worker_stopped_by_its_own_limit_says_so_with_what_it_said() -> None:
    from course import Limits

    def a(request: ChatRequest) -> Reply:
        return Reply(text=f"so far {turns(request)}", calls=(Call("look", '{"name": "x"}'),))

    team = supervisor.Supervisor(
        name="boss", workers=workers("a", tools=(broken_tool(),), limits=Limits(max_turns=2))
    )
    result = answer(team, boss=ordering([order("a", "1", id="x")]), a=a)
    done = result.delegations["x"]
    assert done.failure == Failure(
        "limit", "a was stopped before it was done: max_turns is 2, reached 2"
    )
    assert done.result == "so far 1\nNo more could be done: max_turns is 2."
    assert (
        json.loads(done.content())["result"] == "so far 1\nNo more could be done: max_turns is 2."
    )
    assert result.stop is None


def test_an_empty_answer_of_a_worker_is_a_failure() -> None:
    result = answer(boss("a"), boss=ordering([order("a", "1", id="x")]), a="  ")
    assert result.failures["x"].error == "a gave an empty answer"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"worker_agent": "z", "task": "t"}, "there is no worker 'z'; the workers: a, b"),
        ({"worker_agent": "boss", "task": "t"},
         "you are 'boss' and cannot delegate to yourself; the workers: a, b"),
        ({"worker_agent": "a", "task": " "},
         "the task for 'a' is empty: say what is to be done, in a sentence"),
        ({"worker_agent": "a"}, "the arguments do not fit: task: Field required"),
    ],
)  # fmt: skip
def test_a_call_that_is_no_delegation_comes_back_with_the_way_out(
    arguments: dict[str, str], error: str
) -> None:
    call = Call("delegate_to_agent", json.dumps(arguments))
    result = answer(boss("a", "b"), boss=ordering([call]))
    (told,) = [json.loads(m["content"]) for m in result.context.messages if m["role"] == "tool"]
    assert told == {"error": error}
    assert result.delegations == {}
    (failed,) = [s for s in result.trace.spans if s.operation == "delegate"]
    assert failed.error == error


def test_the_supervisors_own_model_error_keeps_the_results_in_its_context() -> None:
    async def script(request: ChatRequest) -> Reply:
        if turns(request):
            return await refusing(request)
        return Reply(calls=(order("a", "1"),))

    with pytest.raises(ModelError) as caught:
        answer(boss("a"), boss=script, a="the result of a")
    assert "the result of a" in repr(caught.value.context)


def test_a_run_set_up_wrongly_ends_and_its_other_delegations_with_it() -> None:
    ended: list[str] = []

    async def slow(request: ChatRequest) -> str:
        try:
            await asyncio.sleep(100)
        finally:
            ended.append("a")
        return "late"

    from course.errors import UnexpectedRequest

    with pytest.raises(UnexpectedRequest, match="the script has no answer"):
        answer(boss("a", "b"), boss=ordering([order("a", "1"), order("b", "2")]), a=slow,
               b=lambda _: None)  # fmt: skip
    assert ended == ["a"]


# The trace


def test_the_five_steps_stand_in_the_trace() -> None:
    calls = [order("a", "1"), order("b", "2")]
    result = answer(boss("a", "b"), boss=ordering(calls, calls[:1]), a="one", b="two")
    spans = result.trace.spans
    by_id = {s.span_id: s for s in spans}
    root, run_ = spans[:2]
    assert (root.operation, root.name, root.parent_id) == ("invoke_workflow", "boss", None)
    assert root.attributes["gen_ai.workflow.name"] == "boss"
    assert (run_.operation, run_.name, run_.parent_id) == ("invoke_agent", "boss", root.span_id)
    steps = [s.operation for s in spans if s.parent_id == run_.span_id]
    assert steps == [
        "receive", "decompose", "monitor", "delegate", "delegate",
        "decompose", "monitor", "delegate", "synthesise",
    ]  # fmt: skip
    for inner in spans:
        above = by_id.get(inner.parent_id or "")
        if inner.operation == "invoke_agent" and inner.name in "ab":
            assert above and (above.operation, above.name) == ("delegate", inner.name)
        if inner.operation == "chat":
            assert above and above.operation in ("decompose", "synthesise", "invoke_agent")


def test_the_monitor_notes_when_each_delegation_began_and_ended() -> None:
    calls = [order("a", "1", id="x"), order("b", "2", id="y")]
    result = answer(boss("a", "b"), boss=ordering(calls), a=slowly("1", 2.0), b=slowly("2", 1.0))
    (monitor,) = [s for s in result.trace.spans if s.operation == "monitor"]
    assert [(e.name, e.time, e.attributes["call"]) for e in monitor.events] == [
        ("started", 0.0, "x"), ("started", 0.0, "y"),
        ("completed", 1.0, "y"), ("completed", 2.0, "x"),
    ]  # fmt: skip
    assert monitor.seconds == 2.0


def test_it_records_into_the_trace_it_is_given() -> None:
    trace = Trace("mine")
    result = clock.simulate(run(boss("a"), "go", client=client(boss="x"), trace=trace))
    assert result.trace is trace
    assert trace.spans


# A person's decision


def approving(decide: Any, **more: Any) -> Any:
    guarded = supervisor.Worker(name="pay", description="pays", policy="needs approval")
    return supervisor.Supervisor(
        name="boss", workers=(guarded, *workers("a")), approve=decide, **more
    )


def test_an_approval_pauses_only_the_delegation_that_needs_it() -> None:
    asked: list[Any] = []

    async def decide(question: Any) -> bool:
        asked.append(question)
        await asyncio.sleep(30)
        return True

    calls = [order("pay", "80 EUR", id="x", constraints="today"), order("a", "1", id="y")]
    result = answer(
        approving(decide, delegation_seconds=10.0), boss=ordering(calls), pay=slowly("paid", 9.0),
        a=slowly("one", 2.0),
    )  # fmt: skip
    assert [d.result for d in result.delegations.values()] == ["paid", "one"]
    assert [d.seconds for d in result.delegations.values()] == [39.0, 2.0]  # the pause apart
    assert asked[0].what == "delegate to pay: 80 EUR"
    assert asked[0].details == {"task": "80 EUR", "constraints": "today"}
    (approve,) = [s for s in result.trace.spans if s.operation == "approve"]
    assert approve.seconds == 30.0


def test_a_refusal_is_a_typed_failure_and_the_worker_never_runs() -> None:
    model = models(boss=ordering([order("pay", "80 EUR", id="x"), order("a", "1")]), a="one")
    team = approving(lambda question: False)
    result = clock.simulate(run(team, "go", client=connect(model)))
    assert result.failures["x"].kind == "refused"
    assert "refused by a person" in result.failures["x"].error
    assert {r.key.agent for r in model.requests} == {"boss", "a"}


def test_no_decision_in_time_is_a_refusal() -> None:
    async def never(question: Any) -> bool:
        await asyncio.sleep(10_000)
        return True

    team = approving(never, approval_seconds=20.0)
    result = answer(team, boss=ordering([order("pay", "1", id="x")]))
    assert "nobody decided within 20 s" in result.failures["x"].error
    assert result.delegations["x"].seconds == 20.0


def test_a_worker_that_may_never_be_asked_is_not_shown_and_not_run() -> None:
    never = supervisor.Worker(name="delete", description="deletes", policy="never")
    team = supervisor.Supervisor(name="boss", workers=(never, *workers("a")))
    assert team.specs[0]["function"]["parameters"]["properties"]["worker_agent"]["enum"] == ["a"]
    assert "delete" not in team.specs[0]["function"]["description"]
    result = answer(team, boss=ordering([order("delete", "it", id="x")]))
    assert result.failures["x"] == Failure(
        "policy", "'delete' may never be given a task; go on without it"
    )


def test_a_tool_error_of_the_supervisors_own_tool_is_a_tool_result() -> None:
    @tool
    def look(name: str) -> str:
        """Look."""
        raise ToolError("not today")

    result = answer(boss("a", tools=(look,)), boss=ordering([Call("look", '{"name": "x"}')]))
    assert result.answer == "all done"
