"""Small conversations with the policy for tests: a made-up harbour office and its tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from course.models.draws import Draws
from course.models.policy import respond
from course.models.wire import ChatRequest, Reply, ToolSpec

TEXT = {"type": "string"}
DAY = {"type": "string", "format": "date"}
SYSTEM = "You are Nora, the harbour office of Westhaven. Today is 2026-03-02."


def tool(name: str, about: str, required: Sequence[str] = (), /, **properties: Any) -> ToolSpec:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return ToolSpec(name, about, schema)


FIND_BOAT = tool("find_boat", "Find boats by name; gives their ids.", ["name"], name=TEXT)
LIST_STAYS = tool("list_stays", "List the stays of a boat.", ["boat_id"], boat_id=TEXT)
BOOK_BERTH = tool(
    "book_berth", "Book a berth for a boat.", ["boat_id", "arrival"], boat_id=TEXT, arrival=DAY
)
CANCEL_STAY = tool("cancel_stay", "Cancel a stay.", ["stay_id"], stay_id=TEXT)
GET_TIDES = tool("get_tides", "Tides on a day.", ["date"], date=DAY)
HARBOUR = (FIND_BOAT, LIST_STAYS, BOOK_BERTH, CANCEL_STAY, GET_TIDES)


def ask(*texts: str, system: str = SYSTEM, history: Sequence[Any] = (), **more: Any) -> ChatRequest:
    users = [{"role": "user", "content": t} for t in texts]
    messages = ({"role": "system", "content": system}, *history, *users)
    return ChatRequest("test", tuple(messages), **more)


def reply(*texts: str, **more: Any) -> Reply:
    return respond(ask(*texts, **more), Draws())


def say(*texts: str, **more: Any) -> str:
    answer = reply(*texts, **more)
    assert not answer.calls, answer.calls
    return answer.text or ""


def calls(answer: Reply) -> list[tuple[str, dict[str, Any]]]:
    return [(c.name, json.loads(c.arguments)) for c in answer.calls]


class Talk:
    """A conversation that is carried on; `results` maps a tool's name to a value or a function."""

    def __init__(self, results: dict[str, Any], tools: tuple[ToolSpec, ...] = HARBOUR) -> None:
        self.results, self.tools = results, tools
        self.messages: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}]
        self.turns: list[list[tuple[str, dict[str, Any]]]] = []

    def say(self, text: str, **more: Any) -> str:
        """Put a message, answer the tool calls that follow, and give back the final text."""
        self.messages.append({"role": "user", "content": text})
        self.turns = []
        for _ in range(8):
            request = ChatRequest("test", tuple(self.messages), tools=self.tools, **more)
            answer = respond(request, Draws())
            if not answer.calls:
                self.messages.append({"role": "assistant", "content": answer.text})
                return answer.text or ""
            self._call(calls(answer))
        raise AssertionError(f"no end: {self.turns}")

    def _call(self, wanted: list[tuple[str, dict[str, Any]]]) -> None:
        base = len(self.messages)
        self.turns.append(wanted)
        made = [
            {
                "id": f"{base}.{n}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(a)},
            }
            for n, (name, a) in enumerate(wanted)
        ]
        self.messages.append({"role": "assistant", "content": None, "tool_calls": made})
        for call, (name, arguments) in zip(made, wanted, strict=True):
            result: Any = self.results[name]
            value = result(**arguments) if isinstance(result, Callable) else result  # type: ignore[arg-type]
            text = value if isinstance(value, str) else json.dumps(value)
            self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
