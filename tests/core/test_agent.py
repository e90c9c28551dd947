"""The loop: its limits, its tools whatever they do, cancelling, streaming, the trace of a run."""

import asyncio
import datetime as dt
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from openai import AsyncOpenAI
from pydantic import BaseModel

from course import clock
from course.agent import Agent, answer_call, answer_calls
from course.answers import Usage
from course.context import Context
from course.errors import (
    ConfigurationError,
    ModelError,
    ToolDefinitionError,
    ToolError,
    VirtualTimeError,
)
from course.limits import Limits, Stop
from course.models import ApiError, Call, ChatRequest, Reply, Scripted, connect
from course.models.wire import Message
from course.runner import run
from course.supervisor import Supervisor
from course.supervisor_worker import PlanningSupervisor
from course.systems import Result
from course.tools import Tool, tool
from course.trace import Trace, span
from tests.core import wire

Script = Callable[[ChatRequest], Any]


ASKED = json.dumps({"worker_agent": "coder", "task": "Work.", "constraints": ""})


def turns(request: ChatRequest) -> int:
    """How often the model has answered before in this conversation."""
    return sum(message["role"] == "assistant" for message in request.messages)


def first_calls(*calls: Call, then: str = "done") -> Script:
    """A model that asks for these calls and, when it has their results, is done."""
    return lambda request: then if turns(request) else Reply(calls=calls)


def endlessly(request: ChatRequest) -> Reply:
    """A model that never has enough."""
    return Reply(text=f"Turn {turns(request) + 1}.", calls=(Call("wait", '{"seconds": 1}'),))


@tool
async def wait(seconds: float) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return f"waited {seconds:g} s"


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def go(
    script: Script, *tools: Tool, limits: Limits | None = None, latency: float = 0, **more: Any
) -> Result:
    agent = Agent(name="tester", instructions="Test.", tools=tools, limits=limits or Limits())
    client = connect(Scripted(script, latency=latency))
    return clock.simulate(run(agent, more.pop("request", "Go."), client=client, **more))


def results(result: Result) -> list[str]:
    """What the tools answered, in the order of the conversation."""
    return [m["content"] for m in result.context.messages if m["role"] == "tool"]


def error_of(result: Result) -> str:
    [content] = results(result)
    return str(json.loads(content)["error"])


# the loop


def test_an_answer_without_calls_is_the_end() -> None:
    result = go(lambda request: "Hello.")
    assert (result.answer, result.stop) == ("Hello.", None)
    assert [m["role"] for m in result.context.messages] == ["system", "user", "assistant"]


def test_a_call_is_made_and_its_result_is_read() -> None:
    def script(request: ChatRequest) -> Any:
        if not turns(request):
            return Reply(calls=(Call("add", '{"a": 2, "b": 3}'),))
        return f"It is {request.messages[-1]['content']}."

    result = go(script, add)
    assert result.answer == "It is 5."
    call, answer = result.context.messages[2:4]
    assert answer == {"role": "tool", "tool_call_id": call["tool_calls"][0]["id"], "content": "5"}


def test_usage_is_the_sum_over_all_calls() -> None:
    result = go(first_calls(Call("add", '{"a": 1, "b": 1}')), add)
    chats = [s.attributes for s in result.trace.spans if s.operation == "chat"]
    assert len(chats) == 2
    assert result.usage.input == sum(int(a["gen_ai.usage.input_tokens"]) for a in chats)
    assert result.usage.output == sum(int(a["gen_ai.usage.output_tokens"]) for a in chats)
    assert result.usage.total > 0


def test_calls_of_one_message_overlap_and_answer_in_their_order() -> None:
    calls = [Call("wait", f'{{"seconds": {s}}}') for s in (3, 1, 2)]
    result = go(first_calls(*calls), wait)
    assert results(result) == ["waited 3 s", "waited 1 s", "waited 2 s"]
    steps = [s for s in result.trace.spans if s.operation == "execute_tool"]
    assert [(s.start, s.end) for s in steps] == [(0, 3), (0, 1), (0, 2)]


def test_synchronous_and_asynchronous_tools_go_together() -> None:
    calls = (Call("wait", '{"seconds": 1}'), Call("add", '{"a": 2, "b": 2}'))
    assert results(go(first_calls(*calls), wait, add)) == ["waited 1 s", "4"]


@dataclass
class Slot:
    day: dt.date


class Invoice(BaseModel):
    amount: float


@pytest.mark.parametrize(
    ("outcome", "content"),
    [
        (Slot(dt.date(2026, 1, 31)), '{"day":"2026-01-31"}'),
        (Invoice(amount=9.5), '{"amount":9.5}'),
        (dt.date(2026, 1, 31), '"2026-01-31"'),
        (None, "null"),
        ([], "[]"),
    ],
)
def test_whatever_a_tool_gives_is_text_in_the_conversation(outcome: Any, content: str) -> None:
    @tool
    def give() -> Any:
        """Give."""
        return outcome

    assert results(go(first_calls(Call("give", "{}")), give)) == [content]


def test_the_request_carries_instructions_tools_and_the_keys_of_the_draws() -> None:
    model = Scripted(first_calls(Call("add", '{"a": 1, "b": 1}')))
    agent = Agent(name="adder", instructions="Add.", tools=(add,))
    clock.simulate(run(agent, "Go.", client=connect(model), run_id="seven"))
    first, second = model.requests
    assert first.messages[0] == {"role": "system", "content": "Add."}
    assert [t.name for t in first.tools] == ["add"]
    assert (first.key.run, first.key.agent, first.key.call) == ("seven", "adder", 0)
    assert second.key.call == 1


def test_an_agent_without_tools_sends_none() -> None:
    model = Scripted(lambda request: "Hello.")
    clock.simulate(run(Agent(name="plain"), "Go.", client=connect(model)))
    assert "tools" not in model.requests[0].raw


# what goes wrong with a tool goes back to the model


def test_an_unknown_tool_is_answered_with_the_tools_there_are() -> None:
    script = first_calls(Call("subtract", "{}"))
    assert error_of(go(script, add, wait)) == (
        "there is no tool 'subtract'; the tools are: add, wait"
    )
    assert error_of(go(script)) == "there is no tool 'subtract'; the tools are: none"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ('{"a": 1', "the arguments are not JSON"),
        ("[1, 2]", "must be a JSON object, not list"),
        ('{"a": 1}', "do not fit: b: Field required"),
        ('{"a": "one", "b": 2}', "do not fit: a: "),
        ('{"a": 1, "b": 2, "c": 3}', "do not fit: c: Extra inputs"),
    ],
)
def test_arguments_that_do_not_fit_are_answered_with_the_reason(
    arguments: str, reason: str
) -> None:
    result = go(first_calls(Call("add", arguments)), add)
    assert reason in error_of(result)
    assert result.answer == "done"


def refuses() -> None:
    raise ToolError("the desk is closed")


def breaks() -> int:
    return {}["nobody"]  # type: ignore[no-any-return]


def gives_an_object() -> object:
    return object()


async def hangs() -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (refuses, "the desk is closed"),
        (breaks, "breaks failed: KeyError: 'nobody'"),
        (gives_an_object, "gives_an_object failed: PydanticSerializationError: "),
        (hangs, "hangs gave no answer within 30.0 s"),
    ],
)
def test_a_tool_that_fails_is_answered_with_its_reason(
    function: Callable[..., Any], reason: str
) -> None:
    schema = {"type": "object", "properties": {}}
    it = Tool(function.__name__, "Fail.", schema, function)
    result = go(first_calls(Call(it.name, "{}")), it)
    assert reason in error_of(result)
    assert result.answer == "done"
    [step] = [s for s in result.trace.spans if s.operation == "execute_tool"]
    assert (step.status, step.attributes["error.type"]) == ("error", "ToolError")
    assert reason in str(step.error)


def test_one_failing_call_leaves_its_neighbours_alone() -> None:
    calls = (Call("wait", '{"seconds": 1}'), Call("nope", "{}"), Call("add", '{"a": 1, "b": 1}'))
    first, failed, last = results(go(first_calls(*calls), wait, add))
    assert (first, last) == ("waited 1 s", "2")
    assert "there is no tool 'nope'" in failed


def test_answers_come_from_any_iterable_of_calls_and_tools() -> None:
    calls = [
        {"id": i, "type": "function", "function": {"name": "add", "arguments": '{"a": 1, "b": 1}'}}
        for i in ("x", "y")
    ]

    async def main() -> list[Message]:
        return await answer_calls(iter(calls), iter([add]))

    expected = [{"role": "tool", "tool_call_id": i, "content": "2"} for i in ("x", "y")]
    assert clock.simulate(main()) == expected
    assert clock.simulate(answer_call(calls[0], [add])) == expected[0]


def test_tools_of_one_name_and_plain_functions_are_refused_when_the_agent_is_made() -> None:
    with pytest.raises(ToolDefinitionError, match="two tools are called 'add'"):
        Agent(name="twice", tools=(add, add))
    with pytest.raises(ToolDefinitionError, match="make it one with @tool"):
        Agent(name="plain", tools=(len,))  # type: ignore[arg-type]


# limits


def test_ten_turns_are_the_most_and_the_conversation_is_kept() -> None:
    result = go(endlessly, wait)
    assert result.stop == Stop("max_turns", 10, 10)
    assert result.answer == "Turn 10.\nNo more could be done: max_turns is 10."
    assert len(results(result)) == 10
    assert result.context.messages[-1]["role"] == "tool"
    assert result.trace.spans[0].attributes["switchboard.stop"] == str(result.stop)


def test_a_kept_conversation_can_be_gone_on_with() -> None:
    stopped = go(endlessly, wait, limits=Limits(max_turns=2))
    result = go(lambda request: f"{turns(request)} turns later", wait, request=stopped.context)
    assert result.answer == "2 turns later"


def test_tokens_are_a_limit_looked_at_before_each_call() -> None:
    one = go(endlessly, wait, limits=Limits(max_turns=1)).usage.total
    result = go(endlessly, wait, limits=Limits(max_tokens=one + 1))
    assert result.stop is not None
    assert (result.stop.reason, result.stop.limit) == ("max_tokens", one + 1)
    assert result.stop.value == result.usage.total > one
    assert len(results(result)) == 2


def test_seconds_are_a_limit_and_what_is_under_way_is_cut_off() -> None:
    result = go(endlessly, wait, limits=Limits(max_seconds=4), latency=0.5)
    assert result.stop == Stop("max_seconds", 4, 4.0)
    assert len(results(result)) == 2


def test_no_turns_means_no_model_call() -> None:
    model = Scripted(endlessly)
    agent = Agent(name="idle", limits=Limits(max_turns=0))
    result = clock.simulate(run(agent, "Go.", client=connect(model)))
    assert (result.answer, result.stop) == (Stop("max_turns", 0, 0).told, Stop("max_turns", 0, 0))
    assert model.requests == []


def test_an_answer_that_was_cut_off_is_a_stop() -> None:
    result = go(lambda request: Reply(text="As I was say", finish_reason="length"))
    assert result.answer == "As I was say"
    assert result.stop is not None
    assert result.stop.reason == "length"


# the request


NOTHING_SAID = Context(({"role": "system", "content": "Test."},))


@pytest.mark.parametrize("request_", ["", "  \n ", Context(), NOTHING_SAID])
def test_an_empty_request_is_refused_before_any_call(request_: str | Context) -> None:
    model = Scripted(lambda request: "Hello.")
    with pytest.raises(ValueError, match="the request is empty"):
        clock.simulate(run(Agent(name="a", instructions="b"), request_, client=connect(model)))
    assert model.requests == []


def test_a_conversation_gets_the_agent_s_instructions_in_place_of_others() -> None:
    before = Context.of("Hello", instructions="Be somebody else.").add(
        {"role": "assistant", "content": "Hi"}, {"role": "user", "content": "And now?"}
    )
    result = go(lambda request: "Now.", request=before)
    assert result.context.messages[0] == {"role": "system", "content": "Test."}
    assert result.context.messages[1:4] == before.messages[1:]
    assert before.messages[0]["content"] == "Be somebody else."


def test_an_agent_without_instructions_leaves_those_of_the_conversation() -> None:
    before = Context.of("Hello", instructions="Be somebody else.")
    client = connect(Scripted(lambda request: "Hi"))
    result = clock.simulate(run(Agent(name="plain"), before, client=client))
    assert result.context.messages[:2] == before.messages


# errors and cancelling


def test_a_model_error_carries_the_conversation_so_far() -> None:
    def script(request: ChatRequest) -> Reply:
        if turns(request) == 2:
            raise ApiError(400, "enough")
        return endlessly(request)

    with pytest.raises(ModelError, match="enough") as caught:
        go(script, wait)
    assert isinstance(caught.value.context, Context)
    assert [m["role"] for m in caught.value.context.messages] == [
        "system",
        "user",
        *["assistant", "tool"] * 2,
    ]


def test_cancelling_a_run_leaves_no_task_running() -> None:
    cleaned: list[str] = []

    @tool
    async def linger() -> None:
        """Linger."""
        try:
            await asyncio.sleep(100)
        finally:
            cleaned.append("linger")

    async def main() -> set[asyncio.Task[Any]]:
        client = connect(Scripted(first_calls(Call("linger", "{}"), Call("linger", "{}"))))
        agent = Agent(name="tester", tools=(linger,))
        task = asyncio.create_task(run(agent, "Go.", client=client))
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return asyncio.all_tasks() - {asyncio.current_task()}  # type: ignore[arg-type]

    assert clock.simulate(main()) == set()
    assert cleaned == ["linger", "linger"]


def test_a_cancelled_run_has_a_trace_that_says_so() -> None:
    trace = Trace("cancelled")

    async def main() -> None:
        agent = Agent(name="tester", tools=(wait,))
        client = connect(Scripted(first_calls(Call("wait", '{"seconds": 20}'))))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(run(agent, "Go.", client=client, trace=trace), 5)

    clock.simulate(main())
    assert [(s.operation, s.status, s.end) for s in trace.spans] == [
        ("invoke_agent", "error", 5),
        ("chat", "ok", 0),
        ("execute_tool", "error", 5),
    ]
    assert trace.spans[0].attributes["error.type"] == "CancelledError"
    assert Trace.from_json(trace.to_json()).to_json() == trace.to_json()


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_is_no_exception_of_a_tool_ends_the_run(error: type[BaseException]) -> None:
    @tool
    def leaves() -> None:
        """Leave."""
        raise error

    with pytest.raises(error):
        go(first_calls(Call("leaves", "{}"), Call("wait", '{"seconds": 9}')), leaves, wait)


def test_a_blocking_tool_is_the_author_s_to_mend() -> None:
    @tool
    def blocks() -> None:
        """Block."""
        import time

        time.sleep(1)

    with pytest.raises(VirtualTimeError, match=r"time\.sleep blocks"):
        go(first_calls(Call("blocks", "{}")), blocks)


# malformed answers


@pytest.mark.parametrize("on_text", [None, lambda text: None])
def test_a_malformed_answer_is_a_model_error_with_the_conversation(
    on_text: Callable[[str], None] | None,
) -> None:
    def page(request: Any) -> Any:
        import httpx2

        return httpx2.Response(200, html="<h1>Welcome</h1>")

    with pytest.raises(ModelError) as caught:
        clock.simulate(run(Agent(name="a"), "Hello", client=wire.client(page), on_text=on_text))
    assert caught.value.context == Context.of("Hello")


def test_no_words_and_no_calls_are_an_empty_answer() -> None:
    client = wire.client(wire.saying(wire.completion({"role": "assistant", "content": None})))
    result = clock.simulate(run(Agent(name="a"), "Hello", client=client))
    assert (result.answer, result.stop, result.usage) == ("", None, Usage(12, 3))


# streaming


def conversation(request: ChatRequest) -> Any:
    """Text beside calls, then calls without text, then text."""
    both = (Call("add", '{"a": 1, "b": 2}', id="x"), Call("nope", "{}", id="y"))
    return [
        Reply(text="One moment.", calls=both),
        Reply(calls=(Call("wait", '{"seconds": 1.5}', id="z"),)),
        "It is three, and I waited.",
    ][turns(request)]


def test_streaming_gives_the_same_result_and_the_text_besides() -> None:
    heard: list[str] = []
    streamed = go(conversation, add, wait, on_text=heard.append)
    plain = go(conversation, add, wait)
    assert (streamed.answer, streamed.context, streamed.usage, streamed.stop) == (
        plain.answer,
        plain.context,
        plain.usage,
        plain.stop,
    )
    assert "".join(heard) == "One moment.It is three, and I waited."


# the trace


def spans_of(trace: Trace) -> list[tuple[str, str, str]]:
    names = {s.span_id: s.name for s in trace.spans}
    return [(s.operation, s.name, names.get(s.parent_id or "", "")) for s in trace.spans]


def test_a_run_has_a_trace_of_its_own() -> None:
    result = go(first_calls(Call("add", '{"a": 1, "b": 1}')), add)
    assert spans_of(result.trace) == [
        ("invoke_agent", "tester", ""),
        ("chat", "switchboard-small", "tester"),
        ("execute_tool", "add", "tester"),
        ("chat", "switchboard-small", "tester"),
    ]


def test_a_run_inside_a_trace_is_nested_in_it() -> None:
    trace = Trace("outer")
    with trace.record(), span("plan", "the day"):
        result = go(lambda request: "Hello.")
    assert result.trace is trace
    assert spans_of(trace)[:2] == [("plan", "the day", ""), ("invoke_agent", "tester", "the day")]


def test_an_agent_called_by_a_tool_is_nested_in_the_call() -> None:
    client = connect(Scripted(lambda r: "42" if r.key.agent == "helper" else outer(r)))

    def outer(request: ChatRequest) -> Any:
        return "done" if turns(request) else Reply(calls=(Call("consult", "{}"),))

    @tool
    async def consult() -> str:
        """Ask a colleague."""
        return (await run(Agent(name="helper"), "What is it?", client=client)).answer

    result = clock.simulate(run(Agent(name="boss", tools=(consult,)), "Go.", client=client))
    assert ("invoke_agent", "helper", "consult") in spans_of(result.trace)
    assert results(result) == ["42"]


def test_a_trace_that_is_given_takes_the_run_alone() -> None:
    outer, mine = Trace("outer"), Trace("mine")
    with outer.record(), span("plan", "the day"):
        result = go(lambda request: "Hello.", trace=mine)
    assert result.trace is mine
    assert spans_of(outer) == [("plan", "the day", "")]
    assert spans_of(mine)[0] == ("invoke_agent", "tester", "")
    assert Trace.from_json(mine.to_json()).to_json() == mine.to_json()


def test_attributes_follow_the_genai_conventions() -> None:
    result = go(first_calls(Call("add", '{"a": 1, "b": 1}', id="call-1")), add)
    agent, chat, step, _ = (s.attributes for s in result.trace.spans)
    assert agent == {
        "gen_ai.agent.name": "tester",
        "gen_ai.request.model": "switchboard-small",
        "gen_ai.usage.input_tokens": result.usage.input,
        "gen_ai.usage.output_tokens": result.usage.output,
    }
    assert chat["gen_ai.response.finish_reasons"] == "tool_calls"
    assert step == {
        "gen_ai.tool.name": "add",
        "gen_ai.tool.call.id": "call-1",
        "gen_ai.tool.call.arguments": '{"a": 1, "b": 1}',
        "gen_ai.tool.call.result": "2",
    }


@pytest.mark.parametrize("on_text", [None, lambda text: None])
def test_the_same_run_gives_the_same_trace_to_the_byte(
    on_text: Callable[[str], None] | None,
) -> None:
    first, second = (
        go(conversation, add, wait, latency=0.7, on_text=on_text).trace.to_json() for _ in range(2)
    )
    assert first == second


def test_no_key_is_in_any_trace() -> None:
    message = {"role": "assistant", "content": "Hi"}
    good = wire.client(wire.saying(wire.completion(message)))
    bad = wire.client(wire.saying({"error": {"message": f"not {wire.KEY}"}}, status=403))

    async def main(client: AsyncOpenAI, trace: Trace) -> None:
        await run(Agent(name="a"), "Hello", client=client, trace=trace)

    traces = Trace("good"), Trace("bad")
    clock.simulate(main(good, traces[0]))
    with pytest.raises(ModelError):
        clock.simulate(main(bad, traces[1]))
    for trace in traces:
        assert trace.spans
        assert wire.KEY not in trace.to_json()


def test_settings_and_a_client_of_ones_own_are_one_agents_and_nobody_elses() -> None:
    runs, own = Scripted(first_calls(Call("delegate_to_agent", ASKED))), Scripted(lambda _: "mine")
    coder = Agent(
        name="coder",
        description="writes code",
        client=connect(own),
        settings={"temperature": 0.2, "seed": 5},
    )
    boss = Supervisor(name="lead", workers=(coder,), settings={"model": "ours, not this"})
    result = clock.simulate(run(boss, "Go.", client=connect(runs)))
    [done] = result.delegations.values()
    assert (result.answer, done.result) == ("done", "mine")
    [asked] = own.requests
    assert (asked.temperature, asked.seed) == (0.2, 5)
    assert {(each.temperature, each.model) for each in runs.requests} == {(None, boss.model)}
    with pytest.raises(ConfigurationError, match="the client cannot send anything, it is str"):
        Agent(name="coder", client="gpt")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match=r"who plans has no tools.* give them to a worker"):
        PlanningSupervisor(name="lead", workers=(coder,), client=connect(own))
