"""What a run's trace comes to in numbers: columns about the run, and a row for each of its steps.

The names and units of the columns are those of `course.lab.tables`.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from course.runs import COORDINATION
from course.trace import Span, Trace

IN, OUT = "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"
WORK = ("chat", "execute_tool")
"""The steps that take time: model calls and tool calls."""


def measures(steps: Sequence[Span], tools: Collection[str]) -> dict[str, Any]:
    """What a run's steps tell of it.

    Args:
        steps: of the trace.
        tools: names of those whose first result counts as the first answer.
    """
    counts = Counter(step.operation for step in steps)
    chats = [step for step in steps if step.operation == "chat"]
    used = [
        step for step in steps
        if step.operation == "execute_tool" and not step.name.startswith(COORDINATION)
    ]  # fmt: skip
    found = [step.end for step in used if step.status == "ok" and step.name in tools]
    retries = sum(int(step.attributes.get("switchboard.attempt", 1)) > 1 for step in chats)
    moves = [step.name.partition(" -> ")[2] for step in steps if step.operation == "handoff"]
    work = sorted((step for step in steps if step.operation in WORK), key=lambda step: step.end)
    path = critical_path([(step.start, step.end) for step in work])
    return {
        "critical_path_s": sum(work[place].seconds for place in path),
        "work_s": sum(step.seconds for step in steps if step.operation in WORK),
        "first_answer_s": min(found, default=None),
        "calls": len(chats) - retries,
        "requests": len(chats),
        "retries": retries,
        "tool_calls": len(used),
        "tool_errors": sum(step.status == "error" for step in used),
        "faults": counts["fault"],
        "handoffs": counts["handoff"],
        "delegations": counts["delegate"] + counts["dispatch"],
        "loops": len(moves) - len(set(moves)),
        "tokens_in": _total(chats, IN),
        "tokens_out": _total(chats, OUT),
        "tokens_waste": _total(waste(steps), IN, OUT),
        "cost_usd": sum(float(s.attributes.get("switchboard.cost_usd", 0)) for s in chats),
        "context_max": max((int(step.attributes.get(IN, 0)) for step in chats), default=0),
    }


PUT_OFF = ("rate limit", "turned away", "calls in flight")
"""Waits for a turn at the service, which are the account's and not the pattern's."""


def put_off(steps: Sequence[Span]) -> float:
    """Seconds of a run in which somebody waited for a turn, and no model or tool was at work."""
    waits = [(step.start, step.end) for step in steps
             if step.operation == "wait" and step.name in PUT_OFF]  # fmt: skip
    if not waits:
        return 0.0
    work = [(step.start, step.end) for step in steps if step.operation in WORK]
    return _covered([*waits, *work]) - _covered(work)


def _covered(times: Sequence[tuple[float, float]]) -> float:
    """Seconds that lie in one of these intervals or in several."""
    total, until = 0.0, float("-inf")
    for start, end in sorted(times):
        total += max(0.0, end - max(start, until))
        until = max(until, end)
    return total


def critical_path(times: Sequence[tuple[float, float]]) -> list[int]:
    """Places of the calls that decided when a run ended, from the last one back.

    Before each stands the one that ended last before it began; what overlaps with a call did not
    make it wait.

    Args:
        times: start and end of each call, sorted by their ends.
    """
    ends = [end for _, end in times]
    path, here = list[int](), len(times)
    while here:
        path.append(here - 1)
        here = min(here - 1, bisect_right(ends, times[here - 1][0] + 1e-9))
    return path


def waste(steps: Sequence[Span]) -> list[Span]:
    """Model calls whose work was done again or given up: those of a task's or delegation's
    failed tries."""
    parents = {step.span_id: step.parent_id for step in steps}
    until: dict[str, float] = {}
    for step in steps:
        if step.operation in ("dispatch", "delegate"):
            failed = [e.time for e in step.events if e.name == "attempt" and e.attributes["error"]]
            until[step.span_id] = step.end if step.status == "error" else max(failed, default=-1.0)
    found = []
    for step in steps:
        above = parents[step.span_id] if step.operation == "chat" else None
        while above is not None and above not in until:
            above = parents[above]
        if above is not None and step.end <= until[above]:
            found.append(step)
    return found


def step_rows(run_id: str, steps: Sequence[Span]) -> Iterator[dict[str, Any]]:
    """The steps of a run as rows."""
    number = {step.span_id: place for place, step in enumerate(steps)}
    agents: dict[str | None, str] = {None: ""}
    for step in steps:
        told, chat = step.attributes, step.operation == "chat"
        agent = str(told.get("gen_ai.agent.name") or agents.get(step.parent_id, ""))
        agents[step.span_id] = agent
        yield {
            "run_id": run_id, "span": number[step.span_id],
            "parent": number.get(step.parent_id or ""),
            "operation": step.operation, "name": step.name, "agent": agent,
            "role": str(told.get("switchboard.role", "")),
            "start_s": step.start, "end_s": step.end,
            "queue_s": step.seconds if step.operation == "wait" else 0.0,
            "ttft_s": told.get("gen_ai.response.time_to_first_chunk"),
            "attempt": told.get("switchboard.attempt"),
            "status": step.status, "error_type": str(told.get("error.type", "")),
            "fault": step.name if step.operation == "fault" else "",
            "tokens_in": int(told.get(IN, 0)) if chat else 0,
            "tokens_out": int(told.get(OUT, 0)) if chat else 0,
        }  # fmt: skip


def _total(steps: Sequence[Span], *attributes: str) -> int:
    return sum(int(step.attributes.get(each, 0)) for step in steps for each in attributes)


def digest(trace: Trace) -> str:
    """A hash of all steps of a trace, in their order: 16 hexadecimal digits."""
    told = [
        (s.operation, s.name, s.parent_id, s.start, s.end, s.status, s.error,
         sorted(s.attributes.items()), [(e.name, e.time) for e in s.events])
        for s in trace.spans
    ]  # fmt: skip
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]
