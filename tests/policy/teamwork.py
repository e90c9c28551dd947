"""Measured work in teams: reading the cases, playing them against the policy, judging them.

A block of cases shares a domain and one kind of work: `delegate` (a supervisor and its workers),
`team` (agents that hand over and consult), `task` (a typed result out of a conversation), `route`
(which agents a request needs) and `stage` (a step of a pipeline that answers as JSON).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from course.models.draws import Draws
from course.models.policy import respond
from course.models.wire import ChatRequest, Reply, ToolSpec
from tests.policy.cases import HERE, same

TEXT = {"type": "string"}
KINDS: dict[str, dict[str, Any]] = {
    "text": TEXT,
    "date": {"type": "string", "format": "date"},
    "int": {"type": "integer"},
    "number": {"type": "number"},
    "bool": {"type": "boolean"},
}
MOST = 14


@dataclass(frozen=True)
class Case:
    """One measured piece of teamwork: what all cases of its block share, and its own part."""

    set: str
    block: Mapping[str, Any]
    own: Mapping[str, Any]

    @property
    def id(self) -> str:
        """Domain, kind and number."""
        return f"{self.block['domain']}-{self.own['id']}"

    @property
    def kind(self) -> str:
        """The kind of work."""
        return str(self.block["kind"])


def load(name: str) -> list[Case]:
    """The cases of one file."""
    blocks = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return [Case(name, block, own) for block in blocks for own in block["cases"]]


def play(case: Case) -> str:
    """Play a case; "" when everything was right, else what was not."""
    return _PLAYERS[case.kind](case)


def schema_of(kinds: Mapping[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    """An object schema from names and kinds; a kind is a word of KINDS or a schema."""
    properties = {k: KINDS[v] if isinstance(v, str) else v for k, v in kinds.items()}
    return {
        "type": "object",
        "properties": properties,
        "required": list(kinds) if required is None else required,
    }


def tool_of(told: Mapping[str, Any]) -> ToolSpec:
    """A tool from its short form: name, about, args."""
    schema = schema_of(told.get("args", {}), told.get("required"))
    return ToolSpec(told["name"], told["about"], schema)


def ask(messages: list[dict[str, Any]], tools: tuple[ToolSpec, ...], **more: Any) -> Reply:
    """What the policy replies to a conversation."""
    return respond(ChatRequest("test", tuple(messages), tools=tools, **more), Draws())


def add(
    messages: list[dict[str, Any]], reply: Reply, results: Callable[[str, dict[str, Any]], Any]
) -> list[tuple[str, dict[str, Any]]]:
    """Add a reply's calls with their results to a conversation; gives the calls."""
    made = [(c.name, json.loads(c.arguments)) for c in reply.calls]
    ids = [f"c{len(messages)}-{n}" for n in range(len(made))]
    calls = [
        {
            "id": i,
            "type": "function",
            "function": {"name": c.name, "arguments": c.arguments},
        }
        for i, c in zip(ids, reply.calls, strict=True)
    ]
    messages.append({"role": "assistant", "content": reply.text, "tool_calls": calls})
    for i, (name, arguments) in zip(ids, made, strict=True):
        value = results(name, arguments)
        text = value if isinstance(value, str) else json.dumps(value)
        messages.append({"role": "tool", "tool_call_id": i, "content": text})
    return made


def lacking(words: list[str], text: str) -> str:
    """What a text should say and does not; a word after "!" is one that it must not say."""
    gone = [w for w in words if not w.startswith("!") and not re.search(w, text, re.I)]
    gone += [w for w in words if w.startswith("!") and re.search(w[1:], text, re.I)]
    return f"said {text!r}, which fails {gone}" if gone else ""


def _delegate(case: Case) -> str:
    block, own = case.block, case.own
    workers = block["workers"]
    lines = "\n".join(f"- {k}: {v}" for k, v in workers.items())
    tool = ToolSpec(
        "delegate_to_agent",
        f"Give one worker a task; its result comes back to you. Workers:\n{lines}",
        schema_of(
            {"worker_agent": {"type": "string", "enum": [*workers]}, "task": TEXT}
            | {"constraints": {"type": "string", "default": ""}},
            ["worker_agent", "task"],
        ),
    )
    messages = [
        {"role": "system", "content": block["instructions"]},
        {"role": "user", "content": own["say"]},
    ]
    given = own.get("results", {})

    def result(name: str, arguments: dict[str, Any]) -> Any:
        worker = arguments["worker_agent"]
        value = given.get(worker, f"{worker} has done it")
        done = {"worker": worker, "status": "done", "result": value}
        return {"worker": worker, **value} if isinstance(value, dict) else done

    for wanted in own["turns"]:
        reply = ask(messages, (tool,))
        made = add(messages, reply, result)
        left = list(made)
        for want in wanted:
            hit = next((m for m in left if _is_delegation(want, m[1])), None)
            if hit is None:
                return f"expected {want}, got {made or reply.text!r}"
            left.remove(hit)
        if left:
            return f"delegated more than expected: {left}"
    reply = ask(messages, (tool,))
    if reply.calls:
        return f"expected an answer, got {[c.arguments for c in reply.calls]}"
    return lacking(own.get("says", []), reply.text or "")


def _is_delegation(want: list[Any], arguments: Mapping[str, Any]) -> bool:
    worker, words, limits = [*want, [], []][:3]
    task, bound = arguments.get("task", ""), arguments.get("constraints", "")
    return (
        arguments.get("worker_agent") == worker
        and not lacking(words, task)
        and not lacking(limits, bound)
    )


@dataclass
class _Frame:
    agent: str
    messages: list[dict[str, Any]]
    call: dict[str, Any]


class _Team:
    """Agents with their tools and ways out, carried on like a team's engine does it."""

    def __init__(self, case: Case) -> None:
        self.agents = case.block["agents"]
        self.results = {**case.block.get("results", {}), **case.own.get("results", {})}
        self.active = case.own.get("entry") or next(iter(self.agents))
        self.messages: list[dict[str, Any]] = []
        self.frames: list[_Frame] = []
        self.path = [self.active]
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def tools(self) -> tuple[ToolSpec, ...]:
        agent = self.agents[self.active]
        found = [tool_of(t) for t in agent.get("tools", [])]
        for way, verb in (("to", "transfer_to"), ("asks", "consult")):
            for name in agent.get(way, []):
                about = self.agents[name]["about"]
                said = "Hand the conversation over to" if way == "to" else "Ask"
                more = "" if way == "to" else " and get its result back"
                field = "reason" if way == "to" else "request"
                told = f"{said} {name}{more}: {about}"
                found.append(ToolSpec(f"{verb}_{name}", told, schema_of({field: "text"})))
        if self.frames:
            back = f"return_to_{self.frames[-1].agent}"
            told = "Give control back with your result, once what was asked is done."
            found.append(ToolSpec(back, told, schema_of({"result": "text"})))
        return tuple(found)

    def say(self, text: str) -> str:
        """Let the person say something; gives what the person hears in the end."""
        self.messages.append({"role": "user", "content": text})
        self.path, self.calls = [self.active], []
        heard: list[str] = []
        for _ in range(MOST):
            system = {"role": "system", "content": self.agents[self.active]["instructions"]}
            reply = ask([system, *self.messages], self.tools())
            heard += [reply.text] if reply.text else []
            if not reply.calls:
                self.messages.append({"role": "assistant", "content": reply.text})
                return "\n".join(heard)
            self._act(reply)
        return f"no end: {self.path}"

    def _act(self, reply: Reply) -> None:
        here = len(self.messages)
        moves = [c for c in reply.calls if _moves(c.name)]
        made = add(self.messages, reply, self._result)
        self.calls += [m for m in made if not _moves(m[0])]
        if not moves:
            return
        arguments = json.loads(moves[0].arguments)
        name = moves[0].name
        if name.startswith("consult_"):
            rest = self.messages[here:]
            self.frames.append(_Frame(self.active, [*self.messages[:here]], rest[0]))
            self.messages = [
                *self.messages[:here],
                {"role": "user", "content": arguments["request"]},
            ]
            self.active = name.removeprefix("consult_")
        elif name.startswith("return_to_"):
            frame = self.frames.pop()
            answers = [
                {"role": "tool", "tool_call_id": c["id"], "content": arguments["result"]}
                for c in frame.call["tool_calls"]
            ]
            self.messages = [*frame.messages, frame.call, *answers]
            self.active = frame.agent
        else:
            self.active = name.removeprefix("transfer_to_")
        self.path.append(self.active)

    def _result(self, name: str, arguments: dict[str, Any]) -> Any:
        if name.startswith("transfer_to_"):
            return f"Transferred to {name.removeprefix('transfer_to_')}."
        return self.results.get(name, {"status": "ok"})


def _moves(name: str) -> bool:
    return name.startswith(("transfer_to_", "consult_", "return_to_"))


def _team(case: Case) -> str:
    team, own = _Team(case), case.own
    heard = ""
    for text in own["say"]:
        heard = team.say(text)
    if own.get("endless"):
        return "" if heard.startswith("no end") else f"ended on {team.path}"
    if team.path != own["path"]:
        return f"expected the path {own['path']}, got {team.path}: {heard!r}"
    wanted = own.get("calls")
    if wanted is not None:
        left = list(team.calls)
        for name, arguments in wanted:
            hit = next((m for m in left if m[0] == name and same(arguments, m[1])), None)
            if hit is None:
                return f"expected {name} {arguments}, got {team.calls}"
            left.remove(hit)
        if left:
            return f"called more than expected: {left}"
    return lacking(own.get("says", []), heard)


def _task(case: Case) -> str:
    block, own = case.block, case.own
    tools = [tool_of(t) for t in block.get("tools", [])]
    about = "Finish the task with its result, once everything it asks for is known."
    schema = schema_of(block["fields"], block.get("required"))
    tools.append(ToolSpec("complete", about, schema))
    gone = "Give up the task because the person does not want it any more."
    tools.append(ToolSpec("cancel_task", gone, schema_of({"reason": "text"})))
    if block.get("steps"):
        lines = "\n".join(f"- {k}: {v}" for k, v in block["steps"].items())
        ids = {"type": "array", "items": {"type": "string", "enum": [*block["steps"]]}}
        told = "Go back to earlier steps when the person changes what was settled there. Steps:"
        tools.append(ToolSpec("out_of_scope", f"{told}\n{lines}", schema_of({"task_ids": ids})))
    messages: list[dict[str, Any]] = [{"role": "system", "content": block["instructions"]}]
    messages += [{"role": "user", "content": own["before"]}] if "before" in own else []
    lines, asks = list(own["lines"]), list(own.get("asks", []))
    errors = list(own.get("errors", []))
    results = {**block.get("results", {}), **own.get("results", {})}
    for _ in range(MOST):
        reply = ask(messages, tuple(tools))
        if not reply.calls:
            missing = lacking([asks.pop(0)], reply.text or "") if asks else ""
            if missing or not lines:
                return missing or f"asks once more: {reply.text!r}"
            messages.append({"role": "assistant", "content": reply.text})
            messages.append({"role": "user", "content": lines.pop(0)})
            continue
        name, arguments = reply.calls[0].name, json.loads(reply.calls[0].arguments)
        ends = name in ("complete", "cancel_task", "out_of_scope")
        if ends and not (name == "complete" and errors):
            return _ended(own, name, arguments, lines)
        add(
            messages,
            reply,
            lambda n, a: {"error": errors.pop(0)} if n == "complete" else results[n],
        )
    return "no end"


def _ended(own: Mapping[str, Any], name: str, arguments: dict[str, Any], lines: list[str]) -> str:
    wanted, values = own["end"]
    if name != wanted or lines:
        return f"expected {wanted}, got {name} {arguments} with {len(lines)} lines to go"
    right = name == "cancel_task" or same(values, arguments)
    return "" if right else f"expected {values}, got {arguments}"


def _route(case: Case) -> str:
    block, own = case.block, case.own
    agents = block["agents"]
    lines = "\n".join(f"- {k}: {v}" for k, v in agents.items())
    system = f"Route requests to specialists:\n{lines}\nName those whose work is needed, in order."
    several = {"type": "array", "items": {"type": "string", "enum": [*agents]}}
    one = {"type": "string", "enum": [*agents, *block.get("rest", [])]}
    field = {"agent": one} if "rest" in block else {"agents": several}
    reply = ask(
        [{"role": "system", "content": system}, {"role": "user", "content": own["say"]}],
        (),
        response_format="json_schema",
        schema=schema_of(field),
    )
    got = next(iter(json.loads(reply.text or "{}").values()), None)
    return "" if got == own["agents"] else f"expected {own['agents']}, got {got}"


def _stage(case: Case) -> str:
    block, own = case.block, case.own
    compact = json.dumps(own["input"], separators=(",", ":"))
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": block["instructions"]},
        {"role": "user", "content": compact},
    ]
    tools = tuple(tool_of(t) for t in block.get("tools", []))
    made: list[tuple[str, dict[str, Any]]] = []
    for _ in range(6):
        schema = block["schema"]
        reply = ask(messages, tools, response_format="json_schema", schema=schema)
        if not reply.calls:
            break
        made += add(messages, reply, lambda n, a: block.get("results", {}).get(n, {"ok": True}))
    wanted = [(n, a) for n, a in own.get("calls", [])]
    if sorted(map(str, wanted)) != sorted(map(str, made)):
        return f"expected the calls {wanted}, got {made}"
    got = json.loads(reply.text or "{}")
    bad = {k: got.get(k) for k, v in own["wanted"].items() if not same(v, got.get(k))}
    return f"expected {own['wanted']}, got {bad}" if bad else ""


_PLAYERS: dict[str, Callable[[Case], str]] = {
    "delegate": _delegate,
    "team": _team,
    "task": _task,
    "route": _route,
    "stage": _stage,
}


def rates(played: list[tuple[Case, str]]) -> Iterator[tuple[str, int, int]]:
    """Right and all, by kind of work."""
    for kind in _PLAYERS:
        own = [wrong for case, wrong in played if case.kind == kind]
        if own:
            yield kind, sum(not w for w in own), len(own)
