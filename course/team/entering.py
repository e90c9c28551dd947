"""What an agent does when it takes over: look something up, greet in its own words, wait with you.

`Handoff(billing, on_enter=look_up_bill)`: the function gets an `Entry`, before the agent's model is
asked what to answer, and what it gives is said first; nothing where a model cannot be used.

`human_handoff(queue, needs=("your contract number",))` is the handoff to a person who is not there
yet. Who takes over says that a person will join, in how long, and what will be needed, and keeps
the caller company; the person finds a summary, with all that was noted meanwhile.

Source: LiveKit Agents, `Agent.on_enter`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic_core import to_json

from course.agent import Agent, answer_call, ask
from course.chat import assistant_message, tool_call
from course.context import Context, summary_of
from course.errors import ModelError, several
from course.handoff import Handoff
from course.session import Session, state
from course.team.human import HumanQueue, WaitingRoom
from course.team.team import instructions_for
from course.team.turn import Move, Turn
from course.tools import outcome_of, tool
from course.trace import span

GREET = (
    "You have just been put through to the person. Greet them in one sentence, and say that you"
    " see to what they asked for; do not answer it yet."
)


@dataclass(frozen=True)
class Entry:
    """An agent that has just taken over a conversation, and why. Used in chapter 03."""

    turn: Turn
    agent: Agent
    session: Session
    reason: str

    async def write(self, instructions: str = GREET) -> str:
        """Let the agent's model write something, in a call that the turn pays; or ModelError."""
        told = f"{instructions_for(self.agent, self.session.state)}\n\n{instructions}".strip()
        said = self.session.context.copy(exclude_tool_calls=True).messages
        context = Context(({"role": "system", "content": told}, *said))
        answer = await ask(replace(self.agent, tools=()), context, client=self.turn.client)
        self.turn.count(answer.usage)
        return str(answer.message.get("content") or "")

    def wait(self) -> None:
        """Leave it at what is said on entry: the person speaks next."""
        self.turn.answered = True

    async def summary(self) -> str:
        """What was said and done so far in a few words; as `write` in all else."""
        who = {"model": self.agent.model, "agent": self.agent.name}
        answer = await summary_of(self.session.history, self.turn.client, **who)
        self.turn.count(answer.usage)
        return str(answer.message.get("content") or "")

    async def call(self, tool: str, **arguments: Any) -> str | None:
        """Call one of the agent's tools; the agent has the call and its result in view from then.

        Gives the result as text, or None where the tool refused or broke.
        """
        id = f"entry_{len(self.session.history)}"
        call = tool_call(id, tool, to_json(arguments).decode())
        answer = await answer_call(call, self.agent.tools)
        self.session.add(assistant_message(None, [call]), answer)
        return str(answer["content"]) if outcome_of(answer) == "ok" else None


async def enter(turn: Turn, move: Move) -> str:
    """Let the agent that has taken over do what its handoff says, as an `enter` step."""
    assert move.way.on_enter is not None
    with span("enter", turn.session.active) as step:
        try:
            entry = Entry(turn, turn.agent, turn.session, move.reason)
            return await move.way.on_enter(entry) or ""
        except ModelError as error:
            step.fail(str(error), kind="ModelError")
            return ""


async def greet(entry: Entry) -> str:
    """Greet in the agent's own words: `Handoff(billing, on_enter=greet)`. Used in chapter 03."""
    return await entry.write()


WAITING_ROOM = "waiting room"
ANNOUNCED = "I am calling a colleague, who will join you here in about {minutes}."
NEEDED = "Please have ready: {needs}."
INSTRUCTIONS = """\
You keep somebody company who waits for a person. Say how long it will take when you are asked, \
and write down for the person whatever you are told. Settle nothing yourself, promise nothing."""


def human_handoff(
    queue: HumanQueue, *, needs: Sequence[str] = (), name: str = WAITING_ROOM
) -> Handoff:
    """The way out to a person, by way of an agent who waits with you. Used in chapter 03.

    `needs` is what the person will ask for, such as "your contract number". `name` is the waiting
    agent's, whom a `Team` is given as `handoff.agent`.
    """
    wanted = several(needs, "needs")

    async def announce(entry: Entry) -> str:
        try:
            summary = await entry.summary()
        except ModelError:  # the person comes all the same
            summary = ""
        ticket = queue.put(entry.session, sender=name, reason=entry.reason, summary=summary)
        entry.wait()
        entry.session.state["ticket"] = ticket.number
        said = ANNOUNCED.format(minutes=minutes(queue, ticket.number))
        return f"{said} {NEEDED.format(needs=', '.join(wanted))}" if wanted else said

    @tool
    def estimated_wait() -> str:
        """Say how long it will take until a person joins, the time still to wait."""
        return f"about {minutes(queue, state()['ticket'])}"

    @tool
    def take_note(note: str) -> dict[str, str]:
        """Take a note for the person who takes over: what the caller says, or has ready."""
        state().setdefault("notes", []).append(note)
        return {"noted": note}

    agent = WaitingRoom(
        name=name,
        description="a person: a human colleague or operator, for whoever asks to speak to one and"
        " for whatever none of the agents can settle",
        instructions=INSTRUCTIONS,
        tools=(estimated_wait, take_note),
    )
    return Handoff(agent, on_enter=announce)  # type: ignore[arg-type]


def minutes(queue: HumanQueue, ticket: str) -> str:
    """How long a ticket will wait, in words: whole minutes, upwards."""
    number = math.ceil(queue.wait(ticket) / 60)
    return f"{number} minute{'s' if number != 1 else ''}"
