"""The measured requests: reading them, playing them against the policy, judging the outcome."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course.models.draws import Draws
from course.models.policy import respond
from course.models.wire import ChatRequest, Reply, ToolSpec

HERE = Path(__file__).parent
SETS = (
    "development",
    "development_2",
    "development_3",
    "development_4",
    "development_5",
    "development_6",
    "development_7",
)
MOST_TURNS = 6


@dataclass(frozen=True)
class Case:
    """One measured request: what is said, the tools on offer, and what should come of it.

    `calls` are the turns of expected calls; after the last of them the policy has to answer in
    text. `asks` are alternatives of words, one of which each the question must hold.
    """

    set: str
    domain: str
    id: str
    say: str
    instructions: str
    tools: tuple[ToolSpec, ...]
    calls: list[list[dict[str, Any]]]
    results: dict[str, Any] = field(default_factory=dict)
    says: tuple[str, ...] = ()
    asks: tuple[str, ...] | None = None


def load(name: str) -> Iterator[Case]:
    """The cases of one set."""
    for block in json.loads((HERE / f"{name}.json").read_text(encoding="utf-8")):
        tools = tuple(
            ToolSpec(t["name"], t["description"], t["parameters"]) for t in block["tools"]
        )
        for case in block["cases"]:
            asks = tuple(case["asks"]) if "asks" in case else None
            yield Case(
                name,
                block["domain"],
                case["id"],
                case["say"],
                block["instructions"],
                tools,
                case.get("calls", []),
                case.get("results", {}),
                tuple(case.get("says", ())),
                asks,
            )


ALL = [case for name in SETS for case in load(name)]


def same(expected: Any, got: Any) -> bool:
    """Exact equality, but for free text, where `any` lists good values and `contains` words."""
    if isinstance(expected, dict) and set(expected) == {"any"}:
        return got in expected["any"]
    if isinstance(expected, dict) and set(expected) == {"contains"}:
        return isinstance(got, str) and all(w.lower() in got.lower() for w in expected["contains"])
    if isinstance(expected, dict):
        return (
            isinstance(got, dict)
            and expected.keys() == got.keys()
            and all(same(v, got[k]) for k, v in expected.items())
        )
    if isinstance(expected, list):
        return (
            isinstance(got, list)
            and len(expected) == len(got)
            and all(same(e, g) for e, g in zip(expected, got, strict=True))
        )
    return type(expected) is type(got) and expected == got


def _matched(expected: list[dict[str, Any]], reply: Reply) -> str:
    """What is wrong with the calls of one turn; "" when they are as expected, in any order."""
    got = [(c.name, json.loads(c.arguments)) for c in reply.calls]
    left = list(got)
    for want in expected:
        hit = next(
            (g for g in left if g[0] == want["name"] and same(want["arguments"], g[1])), None
        )
        if hit is None:
            return f"expected {want['name']} {want['arguments']}, got {got or reply.text!r}"
        left.remove(hit)
    return f"called more than expected: {left}" if left else ""


def _result(case: Case, name: str) -> str:
    value = case.results.get(name, {"status": "ok"})
    return value if isinstance(value, str) else json.dumps(value)


def _judge_text(case: Case, reply: Reply) -> str:
    text = reply.text or ""
    if reply.calls:
        return f"expected an answer, got {[(c.name, c.arguments) for c in reply.calls]}"
    if case.asks is not None and not text.rstrip().endswith("?"):
        return f"expected a question, got {text!r}"
    wanted = [*case.says, *(case.asks or ())]
    missing = [w for w in wanted if not re.search(w if case.asks else re.escape(w), text, re.I)]
    return f"the answer lacks {missing}: {text!r}" if missing or not text.strip() else ""


def play(case: Case) -> str:
    """Play a case to its end; "" when everything was right, else what was not."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": case.instructions},
        {"role": "user", "content": case.say},
    ]
    for turn in range(MOST_TURNS):
        reply = respond(ChatRequest("test", tuple(messages), tools=case.tools), Draws())
        if turn >= len(case.calls):
            return _judge_text(case, reply)
        wrong = _matched(case.calls[turn], reply)
        if wrong:
            return wrong
        calls = [
            {
                "id": f"c{turn}-{n}",
                "type": "function",
                "function": {"name": c.name, "arguments": c.arguments},
            }
            for n, c in enumerate(reply.calls)
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        for call, spec in zip(reply.calls, calls, strict=True):
            result = _result(case, call.name)
            messages.append({"role": "tool", "tool_call_id": spec["id"], "content": result})
    return "no end after six turns"
