"""What langgraph tells its callbacks, in the course's trace.

    await graph.ainvoke(state, {"callbacks": [GraphHooks()]})

Source: langchain-core 1.7, docs on callbacks; agents are known by what `create_agent` of langchain
1.4 notes of them.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langgraph.errors import GraphBubbleUp, ParentCommand

from course.joining.steps import Hooked, handed


class GraphHooks(BaseCallbackHandler):  # type: ignore[misc]
    """Agents and tools become steps; model calls are heard at the client."""

    run_inline = True  # in its order with what it tells of

    def __init__(self) -> None:
        self._open: dict[UUID, tuple[Hooked, dict[str, Any]]] = {}

    def on_chain_start(self, serialized: Any, inputs: Any, *, run_id: UUID, **about: Any) -> None:
        """Begin an agent's step; any other node is a matter of the graph."""
        name = about.get("name")
        if name and name == (about.get("metadata") or {}).get("lc_agent_name"):
            self._open[run_id] = Hooked("invoke_agent", name), {"gen_ai.agent.name": name}

    def on_tool_start(
        self, serialized: dict[str, Any], input_str: str, *, run_id: UUID, **about: Any
    ) -> None:
        """Begin a tool's step."""
        name = serialized["name"]
        told = {"gen_ai.tool.name": name, "gen_ai.tool.call.id": about.get("tool_call_id"),
                "gen_ai.tool.call.arguments": input_str}  # fmt: skip
        self._open[run_id] = Hooked("execute_tool", name), told

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:
        """End it."""
        self._end(run_id)

    def on_tool_end(self, output: Any, *, run_id: UUID, **_: Any) -> None:
        """End it with what it gave; a command to the graph has ids that no other run has."""
        self._end(run_id, result=getattr(output, "content", None))

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """End it with what went wrong; a command to the graph around is no error, but a move."""
        moved = isinstance(error, GraphBubbleUp)
        opened = self._end(run_id, error=None if moved else f"{type(error).__name__}: {error}")
        to = getattr(error.args[0], "goto", None) if isinstance(error, ParentCommand) else None
        if opened and to and isinstance(to, str):
            handed(opened["gen_ai.agent.name"], to)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """End it with what went wrong."""
        self._end(run_id, error=f"{type(error).__name__}: {error}")

    def _end(
        self, run: UUID, *, result: str | None = None, error: str | None = None
    ) -> dict[str, Any] | None:
        """End a step, if it was begun; gives what is known of it."""
        if (opened := self._open.pop(run, None)) is None:
            return None
        step, about = opened
        step.end({**about, "gen_ai.tool.call.result": result}, error)
        return about
