"""A log as a trace: what the world saw of a run, in the form that the viewer draws.

It says what was asked of the world and when, whatever the judged code says of itself. The fresh
texts in replies are left out: they differ where nothing else does.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic_core import to_json

from course.trace import Span, Trace, Value
from course.trace_messages import as_json
from graders.records.log import Exchange, Log
from graders.records.wording import raised

MOST = 400
"""Requests that are drawn; two runs part before, or nobody would see where."""
ROOT = "f" * 16
FRESH = "…"
_ENDINGS = {"cancelled": "it was given up", "open": "it was still under way in the end"}


def trace_of(log: Log, code: str, asked: str) -> Trace:
    """The run as a trace.

    Args:
        log: of a stage that was played.
        code: who made the requests that name no agent, such as the function that is judged.
        asked: what was asked of it.

    The step of the n-th exchange has the id `span_id(n)`.
    """
    trace = Trace(f"{code}: {asked}", messages=True)
    trace.begin_ns = 0  # virtual seconds count from the start of the stage
    for span in _spans(log, code, asked):
        trace.add(span)
    return trace


def span_id(number: int) -> str:
    """The id of an exchange's step."""
    return f"{number + 1:016x}"


def _spans(log: Log, code: str, asked: str) -> Iterator[Span]:
    seen = log.exchanges[:MOST]
    end = max([log.ended, *(each.end or each.start for each in seen)])
    error = raised(log.failure) if log.failure else None
    status: Any = "error" if error else "ok"
    name = {"gen_ai.agent.name": code, "switchboard.request": asked}
    yield Span(code, "invoke_agent", ROOT, start=0.0, end=end, attributes=name, status=status,
               error=error)  # fmt: skip
    fresh = {each.token for each in log.exchanges}
    agents: dict[str, str] = {}
    tries: dict[tuple[str, str], int] = defaultdict(int)
    for each in seen:
        agent = asker(each)
        if agent not in ("", code, *agents):
            agents[agent] = f"a{len(agents):015x}"
            own = [one for one in seen if asker(one) == agent]
            last = max(end if one.end is None else one.end for one in own)
            name = {"gen_ai.agent.name": agent}
            yield Span(agent, "invoke_agent", agents[agent], parent_id=ROOT, start=each.start,
                       end=last, attributes=name)  # fmt: skip
        tries[each.name, agent] = tries[each.name, agent] + 1 if each.kind == "model" else 0
        yield _span(each, agents.get(agent, ROOT), end, fresh, tries[each.name, agent])
        if each.outcome == "answered":
            tries[each.name, agent] = 0


def asker(exchange: Exchange) -> str:
    """Who asked the model, where they say so; who doesn't is known by a number."""
    agent = exchange.key.agent
    return "" if re.fullmatch("[0-9a-f]{8}", agent) else agent


def _span(exchange: Exchange, above: str, end: float, fresh: set[str], attempt: int) -> Span:
    failed = exchange.outcome != "answered"
    tool = exchange.kind == "tool"
    attributes = _of_tool(exchange) if tool else _of_model(exchange, attempt)
    return Span(
        exchange.name or "model",
        "execute_tool" if tool else "chat",
        span_id(exchange.number),
        parent_id=above,
        start=exchange.start,
        end=end if exchange.end is None else exchange.end,
        attributes={key: _plain(value, fresh) for key, value in attributes.items()},
        status="error" if failed else "ok",
        error=str(_plain(_error(exchange), fresh)) if failed else None,
    )


def _of_tool(exchange: Exchange) -> Mapping[str, Value]:
    told = {"gen_ai.tool.call.arguments": _json(dict(exchange.request))}
    if exchange.outcome != "answered":
        return told
    reply = exchange.reply
    return {**told, "gen_ai.tool.call.result": reply if isinstance(reply, str) else _json(reply)}


def _of_model(exchange: Exchange, attempt: int) -> Mapping[str, Value]:
    given = exchange.request.get("messages")
    messages = [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
    # which id a call has says nothing of what was asked
    told: dict[str, Value] = {
        "gen_ai.input.messages": as_json({**m, "tool_call_id": None} for m in messages),
        "switchboard.attempt": attempt,
    }
    if exchange.outcome != "answered":
        return told
    reply = exchange.reply
    calls = [{"function": {"name": c["name"], "arguments": c["arguments"]}} for c in reply["calls"]]
    answer = {"role": "assistant", "content": reply["text"], "tool_calls": calls}
    return {**told, "gen_ai.output.messages": as_json([answer])}


def _error(exchange: Exchange) -> str:
    """Why a request has no answer."""
    if exchange.outcome != "failed":
        return _ENDINGS[exchange.outcome]
    error = exchange.reply["error"]
    return str(error.get("message")) if isinstance(error, dict) else str(error)


def _json(value: Any) -> str:
    return to_json(value, fallback=str).decode()


def _plain(value: Value, fresh: set[str]) -> Value:
    if not isinstance(value, str):
        return value
    return re.sub(r"[0-9a-f]{12}", lambda m: FRESH if m[0] in fresh else m[0], value)
