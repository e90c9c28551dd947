"""What happens in a LiveKit session, as events of the course: each word, call, result and move.

So `course.events.audit` and `transcript` have them as those of any other run, whoever wrote the
agents: those of the course, and those that are written for LiveKit itself. The trace gets what it
says of any run besides LiveKit's own steps: what the caller said and heard, if it keeps messages,
and each move of the conversation.
"""

from __future__ import annotations

from typing import Any

from livekit.agents import (
    AgentSession,
    ConversationItemAddedEvent,
    FunctionToolsExecutedEvent,
    ToolCallStarted,
    ToolExecutionUpdatedEvent,
)
from livekit.agents.llm import AgentHandoff, ChatMessage

from course import clock
from course.events import PERSON, Event, Said, ToolAnswered, ToolCalled
from course.runs import Run, current_run, emit
from course.team.running import HandedOver
from course.trace import current, span


class Observer:
    """Tells what happens in one session to the run that is going on where it is made.

    What a system of the course tells itself, such as a team its moves with their reasons, is not
    told twice.

    Args:
        session: what it has told before is not told again.
        name: of the session, for its moves.

    Attributes:
        run: let the session start within it, so that what works inside its tools is told as well.
    """

    def __init__(self, session: AgentSession[Any], name: str) -> None:
        self.run = Run(outer=current_run(), listener=self._told)
        self._name, self._speaker = name, started_with(session)
        self._moved: list[tuple[str, str]] = []
        self._callers: dict[str, str] = {}
        self._lent: dict[str, str] = {}
        self._last: Event | None = None
        self._quiet = clock.now()
        session.on("conversation_item_added", self._item)
        session.on("tool_execution_updated", self._begins)
        session.on("function_tools_executed", self._ended)

    def _told(self, event: Event) -> None:
        if isinstance(event, HandedOver):
            self._moved.append((event.sender, event.to))

    def _emit(self, event: Event) -> None:
        with self.run.active():
            emit(event)
        self._last, self._quiet = event, event.at

    def _item(self, event: ConversationItemAddedEvent) -> None:
        item = event.item
        if isinstance(item, AgentHandoff):
            self._hand_over(item)
        elif isinstance(item, ChatMessage) and item.text_content and item.role == "user":
            _note("request", item.text_content)
            self._emit(Said(system=PERSON, words=item.text_content))
        elif isinstance(item, ChatMessage) and item.text_content and item.role == "assistant":
            _note("answer", item.text_content)
            seconds = clock.now() - self._quiet
            told = Said(system=self._speaker, words=item.text_content, seconds=seconds)
            if not self._is_told(told):
                self._emit(told)

    def _is_told(self, said: Said) -> bool:
        """Whether a system of the course that works behind the agent has told it already."""
        last = self.run.latest
        known = isinstance(last, Said) and (last.system, last.words) == (said.system, said.words)
        return known and last is not self._last

    def _hand_over(self, item: AgentHandoff) -> None:
        """The first agent takes over from nobody."""
        sender, self._speaker = item.old_agent_id or "", item.new_agent_id
        if (sender, item.new_agent_id) in self._moved:
            self._moved.remove((sender, item.new_agent_id))
        elif sender:
            to = item.new_agent_id
            self._move(sender, to)
            told = HandedOver(system=self._name, kind="transfer", sender=sender, to=to, reason="")
            self._emit(told)

    def _move(self, sender: str, to: str) -> None:
        """Note a move in the trace: back to who handed over before, or on to somebody else."""
        back = self._lent.pop(sender, "") == to
        if not back:
            self._lent[to] = sender
        moved = {"from": sender, "to": to, "kind": "return" if back else "transfer"}
        about = {f"switchboard.handoff.{key}": value for key, value in moved.items()}
        with span("handoff", f"{sender} -> {to}", {**about, "switchboard.holder": to}):
            pass

    def _begins(self, event: ToolExecutionUpdatedEvent) -> None:
        if isinstance(event.update, ToolCallStarted):
            call = event.update.function_call
            self._callers[call.call_id] = self._speaker
            told = ToolCalled(system=self._speaker, tool=call.name, arguments=call.arguments)
            self._emit(told)

    def _ended(self, event: FunctionToolsExecutedEvent) -> None:
        """LiveKit tells what came of a message's calls when all of them are over."""
        for call, output in event.zipped():
            name = self._callers.pop(call.call_id, self._speaker)
            if output is not None:
                came = "refused" if output.is_error else "ok"
                said = output.output
                self._emit(ToolAnswered(system=name, tool=call.name, outcome=came, content=said))


def _note(key: str, words: str) -> None:
    """What the caller said or heard, as a step of no length, if the trace keeps messages."""
    trace = current()
    if trace is not None and trace.messages:
        with span("said", "caller", {f"switchboard.{key}": words}):
            pass


def started_with(session: AgentSession[Any]) -> str:
    """Who has the conversation of a session that has begun; "" before that."""
    try:
        return session.current_agent.id
    except RuntimeError:
        return ""
