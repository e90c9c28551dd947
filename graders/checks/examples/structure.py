"""Examples: plans, disjoint tools, traces."""

from __future__ import annotations

import json
from typing import Any

from course.clock import EPOCH_NS
from graders.checks.disjoint import tools_disjoint
from graders.checks.examples.play import (
    Example,
    ask,
    call,
    cancelled,
    failed,
    seen,
    span,
    system,
    user,
)
from graders.checks.keys import by_argument, by_text
from graders.checks.plans import planned
from graders.checks.traces import trace_agrees
from graders.records.log import Exchange, Log

WORKERS = ["finder", "writer"]
TASK = by_argument("task_id")
ROLES = by_text({"finder": "you find", "writer": "you write"}, part="system")


def task(ident: str, worker: str, *needs: str, text: str = "do what is asked") -> dict[str, Any]:
    """A task of a plan."""
    return {"id": ident, "worker": worker, "depends_on": list(needs), "task": text}


def plan(*tasks: Any, sent: str = "ab", begin: float = 2.0) -> Log:
    """A plan in a model's reply, ready at 1, and its tasks sent from `begin` on."""
    reply = json.dumps({"tasks": list(tasks)})
    return told(reply, sent=sent, begin=begin)


def told(reply: str, sent: str = "ab", begin: float = 2.0) -> Log:
    """What a model replies when it is asked for a plan."""
    calls = [call("work", begin + n, begin + n + 1, task_id=each) for n, each in enumerate(sent)]
    return seen(ask(0, 1, user("plan it"), reply=reply), *calls)


def offers(finder: str, writer: str) -> Log:
    """Two workers and the tools that they are offered."""
    return seen(
        ask(0, 1, system("You find."), tools=finder.split()),
        ask(0, 1, system("You write."), tools=writer.split()),
    )


def traced(*spans: dict[str, Any] | None, exchanges: tuple[Exchange, ...] = ()) -> Log:
    """A model request from 0 to 1 and a tool call from 1 to 3, with a trace of these spans."""
    usual = (ask(0, 1, user("hi"), model="small"), call("weather", 1, 3, city="Rome"))
    kept = [each for each in spans if each]
    return seen(*(exchanges or usual), trace={"begin_ns": EPOCH_NS, "spans": kept})


ROOT = span("invoke_agent", "desk", 0, 3, "a")
CHAT = span("chat", "small", 0, 1, "b<a")
TOOL = span("execute_tool", "weather", 1, 3, "c<a")
_GOOD = plan(task("a", "finder"), task("b", "writer", "a"))
_PLAN = planned(WORKERS, dispatch=TASK)
_TOOLS = tools_disjoint(ROLES)
_TRACE = trace_agrees(parents={"execute_tool": ["invoke_agent"], "chat": ["invoke_agent"]})


def _changed(base: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**base, **fields}


_ARGUMENTS = {"gen_ai.tool.call.arguments": '{"city": "Oslo"}'}
_BROKE = (ask(0, 1, user("hi"), model="small"), failed("weather", 1, 3, city="Rome"))

EXAMPLES = [
    Example("planned", "plan.none", _PLAN, told("I will do it.")),
    Example("planned", "plan.not_json", _PLAN, told("{tasks: a then b}")),
    Example("planned", "plan.late", _PLAN, plan(task("a", "finder"), begin=0.5)),
    Example("planned", "plan.not_dispatched", _PLAN, plan(task("a", "finder"), sent="")),
    Example("planned", "plan.empty", _PLAN, plan()),
    Example("planned", "plan.shape", _PLAN, plan({"id": "a", "task": "find"})),
    Example("planned", "plan.duplicate_id", _PLAN, plan(task("a", "finder"), task("a", "writer"))),
    Example("planned", "plan.unknown_worker", _PLAN, plan(task("a", "cook"))),
    Example("planned", "plan.unknown_dependency", _PLAN, plan(task("a", "finder", "z"))),
    Example(
        "planned",
        "plan.cycle",
        _PLAN,
        plan(task("a", "finder", "b"), task("b", "writer", "c"), task("c", "finder", "a")),
    ),
    Example(
        "planned",
        "plan.vague",
        planned(WORKERS, dispatch=TASK, words_each=3),
        plan(task("a", "finder", text="do it")),
    ),
    Example(
        "planned",
        "plan.not_followed",
        planned(WORKERS, dispatch=TASK, followed=True),
        plan(task("a", "finder"), task("c", "writer")),
    ),
    Example("tools_disjoint", "tools.too_few", tools_disjoint(ROLES, at_least=3), offers("a", "b")),
    Example("tools_disjoint", "tools.none", _TOOLS, offers("search", "")),
    Example("tools_disjoint", "tools.shared", _TOOLS, offers("search write", "write")),
    Example(
        "tools_disjoint",
        "tools.forbidden",
        tools_disjoint(ROLES, forbidden=["delegate"]),
        offers("search", "write delegate"),
    ),
    Example(
        "tools_disjoint",
        "tools.unknown",
        tools_disjoint(ROLES, known=["search", "write"]),
        offers("search", "print"),
    ),
    Example("trace_agrees", "trace.none", _TRACE, seen(call("weather", 0, 1))),
    Example("trace_agrees", "trace.malformed", _TRACE, traced(ROOT, _changed(CHAT, end="1"))),
    Example("trace_agrees", "trace.duplicate_id", _TRACE, traced(ROOT, CHAT, CHAT)),
    Example("trace_agrees", "trace.thinned", _TRACE, traced(ROOT, CHAT)),
    Example(
        "trace_agrees",
        "trace.faked",
        _TRACE,
        traced(ROOT, CHAT, TOOL, span("execute_tool", "weather", 1, 2, "d<a")),
    ),
    Example("trace_agrees", "trace.shifted", _TRACE, traced(ROOT, CHAT, _changed(TOOL, start=2))),
    Example(
        "trace_agrees",
        "trace.wrong_arguments",
        _TRACE,
        traced(ROOT, CHAT, _changed(TOOL, attributes=_ARGUMENTS)),
    ),
    Example(
        "trace_agrees", "trace.hides_failure", _TRACE, traced(ROOT, CHAT, TOOL, exchanges=_BROKE)
    ),
    Example("trace_agrees", "trace.orphaned", _TRACE, traced(CHAT, TOOL)),
    Example(
        "trace_agrees",
        "trace.circle",
        _TRACE,
        traced(_changed(ROOT, parent_id="c"), CHAT, TOOL),
    ),
    Example(
        "trace_agrees",
        "trace.wrong_parent",
        _TRACE,
        traced(ROOT, CHAT, span("plan", "", 1, 3, "p<a"), _changed(TOOL, parent_id="p")),
    ),
    Example(
        "trace_agrees", "trace.outside_parent", _TRACE, traced(_changed(ROOT, end=2), CHAT, TOOL)
    ),
    Example(
        "trace_agrees",
        "trace.step_missing",
        trace_agrees(steps={"plan": 1}),
        traced(ROOT, CHAT, TOOL),
    ),
]

_AGAIN = (
    Exchange(0, "model", "small", {"messages": []}, 0, 1, "failed"),
    Exchange(0, "model", "small", {"messages": []}, 1.5, 2, "failed"),
    Exchange(0, "model", "small", {"messages": []}, 3, 4, "answered"),
)
_REFUSED = span("execute_tool", "weather", 3, 3, "d<a", failed=True)

PASSES = [
    (_PLAN, _GOOD),
    (planned(WORKERS, dispatch=TASK, followed=True, at_least=2, words_each=3), _GOOD),
    (_PLAN, told('Here it is:\n```json\n[{"id": 1, "worker": "finder", "needs": []}]\n```')),
    (_PLAN, told('So: {"steps": [{"task_id": "a", "agent": "writer", "after": null}]} Good luck.')),
    (planned(WORKERS, source="result", at="plan"), seen(result={"plan": [task("a", "finder")]})),
    (
        planned(WORKERS, source="request", dispatch=TASK),
        seen(
            call("submit", 0, 1, plan={"tasks": [task("a", "finder")]}),
            call("work", 1, 2, task_id="a"),
        ),
    ),
    (
        _PLAN,
        seen(
            ask(0, 1, user("plan it"), reply=json.dumps({"tasks": [task("a", "cook")]})),
            ask(1, 2, user("no cook"), reply=json.dumps({"tasks": [task("a", "finder")]})),
            call("work", 2, 3, task_id="a"),
        ),
    ),
    (_TOOLS, offers("search read", "write print")),
    (tools_disjoint(ROLES, common=["clock"]), offers("search clock", "write clock")),
    (tools_disjoint(at="tools"), seen(result={"tools": {"a": ["x"], "b": ["y"]}})),
    (_TRACE, traced(ROOT, CHAT, TOOL)),
    (_TRACE, traced(TOOL, CHAT, ROOT)),
    (_TRACE, traced(ROOT, CHAT, TOOL, _REFUSED)),
    (_TRACE, traced(ROOT, CHAT, _changed(TOOL, status="error"), exchanges=_BROKE)),
    (
        trace_agrees(),
        seen(
            *_AGAIN,
            trace={"spans": [span("chat", "small", 0, 4, "a")]},
        ),
    ),
    (
        trace_agrees(),
        seen(
            call("weather", 2, 4),
            cancelled("weather", 2, 5),
            trace={
                "begin_ns": EPOCH_NS + 2_000_000_000,
                "spans": [
                    span("execute_tool", "weather", 0, 3, "1"),
                    span("execute_tool", "weather", 0, 2, "2"),
                ],
            },
        ),
    ),
    (
        trace_agrees(slack=0.5),
        traced(_changed(ROOT, end=4), CHAT, _changed(TOOL, start=0.8, end=3.2)),
    ),
    (trace_agrees(models=False), traced(ROOT, TOOL)),
]
