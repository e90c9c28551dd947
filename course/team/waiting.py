"""The handoff to a person who is not there yet: somebody says so, and stays with the caller.

`human_handoff(queue, needs=("your contract number",))` is one way out of an agent, like any other.
Who takes over says that a person will join, in how long, and what will be needed; keeps the caller
company until then; and the person finds a summary, with all that was noted meanwhile.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from course.agent import Agent
from course.errors import ModelError, several
from course.handoff import Handoff
from course.session import state
from course.team.entering import Entry
from course.team.human import HumanQueue
from course.tools import tool

WAITING_ROOM = "waiting room"
ANNOUNCED = "I am calling a colleague, who will join you here in about {minutes}."
NEEDED = "Please have ready: {needs}."
INSTRUCTIONS = """\
You keep somebody company who waits for a person. Say how long it will take when you are asked, \
and write down for the person whatever you are told. Settle nothing yourself, promise nothing."""


def human_handoff(
    queue: HumanQueue, *, needs: Sequence[str] = (), name: str = WAITING_ROOM
) -> Handoff:
    """The way out of an agent to a person, by way of one who waits with the caller.
    Used in chapter 03.

    Args:
        queue: where the conversation waits.
        needs: what the person will ask for, such as "your contract number".
        name: of the agent that waits; a `Team` is given it as `handoff.agent`.
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

    agent = Agent(
        name=name,
        description="a person, for whatever none of the agents can settle",
        instructions=INSTRUCTIONS,
        tools=(estimated_wait, take_note),
    )
    return Handoff(agent, on_enter=announce)  # type: ignore[arg-type]


def minutes(queue: HumanQueue, ticket: str) -> str:
    """How long a ticket will wait, in words: whole minutes, upwards."""
    number = math.ceil(queue.wait(ticket) / 60)
    return f"{number} minute{'s' if number != 1 else ''}"
