"""Properties of every reply to a request with other agents or a task on offer: no exception, only
offered tools, arguments that validate, the demanded form, and the same reply again."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from course.models.draws import Draws
from course.models.policy import options, respond
from course.models.wire import ChatRequest, ToolSpec
from tests.policy.talks import DAY, HARBOUR, TEXT, tool

ABOUT = st.sampled_from(
    ["invoices and refunds", "", "passes people on", "repairs; broken things", "what others can't"]
)
NAMES = st.sampled_from(["billing", "hub", "tier2", "human", "a"])
COUNT = {"type": "integer", "minimum": 1}
TAGS = {"type": "array", "items": TEXT}


def _delegate(workers: list[str], about: str) -> ToolSpec:
    lines = "\n".join(f"- {w}: {about}" for w in workers)
    told = f"Give one worker a task; its result comes back to you. Workers:\n{lines}"
    who = {"type": "string", "enum": workers}
    must = ["worker_agent", "task"]
    return tool("delegate_to_agent", told, must, worker_agent=who, task=TEXT, constraints=TEXT)


def _complete(required: list[str]) -> ToolSpec:
    about = "Finish the task with its result, once everything it asks for is known."
    fields = {"day": DAY, "count": COUNT, "agreed": {"type": "boolean"}, "tags": TAGS}
    return tool("complete", about, required, **fields)


STEPS = {"type": "array", "items": {"type": "string", "enum": ["who", "when"]}, "minItems": 1}
LEVELS = {"type": "string", "enum": ["low", "medium", "high", "critical"]}
CONTROL = st.one_of(
    st.builds(
        lambda n, a: tool(f"transfer_to_{n}", f"Hand over to {n}: {a}", ["reason"], reason=TEXT),
        NAMES,
        ABOUT,
    ),
    st.builds(
        lambda n, a: tool(f"consult_{n}", f"Ask {n}: {a}", ["request"], request=TEXT), NAMES, ABOUT
    ),
    st.builds(
        lambda n: tool(f"return_to_{n}", "Give control back.", ["result"], result=TEXT), NAMES
    ),
    st.builds(_delegate, st.lists(NAMES, min_size=1, max_size=4, unique=True), ABOUT),
    st.builds(
        _complete, st.lists(st.sampled_from(["day", "count", "agreed", "tags"]), unique=True)
    ),
    st.just(tool("cancel_task", "Give up the task.", ["reason"], reason=TEXT)),
    st.just(
        tool(
            "out_of_scope", "Steps:\n- who: the name\n- when: the day", ["task_ids"], task_ids=STEPS
        )
    ),
    st.just(tool("rate_severity", "Rate it.", ["level", "reason"], level=LEVELS, reason=TEXT)),
    st.builds(lambda n: tool(f"start_{n}", f"Start {n}."), NAMES),
    st.sampled_from(HARBOUR),
)
SAID = st.sampled_from(
    [
        "Refund invoice I-7 and repair my broken engine, then tell me the tides on 5 March",
        "My engine is broken, this is dangerous!",
        "I want to talk to a human",
        "yes",
        "seven",
        "Never mind.",
        "Actually, my name is Ada Long",
        "Summary of the conversation so far: user: Cancel my stay",
        '{"request":"Two ropes, please","day":null}',
        "",
    ]
)
RESULTS = st.sampled_from(
    [
        "Transferred to hub.",
        '{"error": "already transferred to hub; one handoff per message"}',
        '{"worker": "hub", "status": "failed", "kind": "limit", "error": "max is 3"}',
        '{"worker": "hub", "status": "done", "result": null}',
        "null",
        "The port is stuck.",
    ]
)
ARGUMENTS = st.sampled_from(["{}", '{"reason": "x"}', '{"task": "y", "worker_agent": "hub"}', "no"])
SYSTEM = st.sampled_from(
    [
        "You are the desk. Today is 2026-03-02.",
        'You are the desk.\nKnown so far: {"boat": {"boat_id": "B-7"}, "tried": [{"call": "x("}]}',
        "If you cannot do it, answer with `CANNOT:` and the reason.",
    ]
)


@st.composite
def requests(draw: st.DrawFn) -> ChatRequest:
    tools = tuple({t.name: t for t in draw(st.lists(CONTROL, max_size=5))}.values())
    messages: list[dict[str, Any]] = [{"role": "system", "content": draw(SYSTEM)}]
    for n in range(draw(st.integers(0, 3))):
        messages.append({"role": "user", "content": draw(SAID)})
        if tools and draw(st.booleans()):
            called = {"name": draw(st.sampled_from(tools)).name, "arguments": draw(ARGUMENTS)}
            call = {"id": f"c{n}", "type": "function", "function": called}
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": draw(RESULTS)})
    choice: Any = draw(st.sampled_from(["auto", "auto", "none", "required"])) if tools else "auto"
    return ChatRequest("test", tuple(messages), tools=tools, tool_choice=choice)


@given(requests(), st.sampled_from([0.0, 1.0]))
def test_a_reply_keeps_to_what_is_offered(request: ChatRequest, rate: float) -> None:
    reply = respond(request, Draws(), error_rate=rate)
    offered = {t.name: t.parameters for t in request.tools}
    assert reply == respond(request, Draws(), error_rate=rate)
    assert reply.calls or reply.text
    assert not (reply.calls and request.tool_choice == "none")
    assert reply.calls or request.tool_choice != "required"
    for call in reply.calls:
        Draft202012Validator(offered[call.name]).validate(json.loads(call.arguments))


@given(requests())
def test_every_tool_is_an_option_and_a_delegation_tool_as_many_as_its_workers(
    request: ChatRequest,
) -> None:
    assert options(request) >= len(request.tools)
