"""Where the agents' work ends: a queue of tickets for people, and the way back from it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from course.agent import Agent
from course.errors import ConfigurationError
from course.session import Session, Ticket

HUMAN = "human"
"""The name under which agents hand over to a person: `Handoff(HUMAN)`, `fallback=HUMAN`."""

HUMAN_DESCRIPTION = "a person, for whatever none of the agents can settle"
PUT_THROUGH = (
    "I am putting you through to a colleague, who will see what you told me and what was tried."
)
STILL_WAITING = "Thank you, I have added that. A colleague will answer you here."


@dataclass(frozen=True, kw_only=True)
class WaitingRoom(Agent):
    """An agent that keeps somebody company who waits for a person. Used in chapter 03."""


class HumanQueue:
    """Conversations that wait for a person, in order of arrival: for `people` who need
    `seconds_each`, usually. Used in chapter 03.
    """

    def __init__(self, *, people: int = 1, seconds_each: float = 300.0) -> None:
        if people < 1:
            raise ConfigurationError(f"a queue needs people who answer, at least 1, not {people}")
        self.people = people
        self.seconds_each = seconds_each
        self._waiting: dict[str, tuple[Ticket, Session]] = {}
        self._count = 0

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def tickets(self) -> tuple[Ticket, ...]:
        """The tickets that nobody has taken yet."""
        return tuple(ticket for ticket, _ in self._waiting.values())

    def wait(self, number: str) -> float:
        """Seconds that a ticket waits, if all people had just begun; or ConfigurationError."""
        if number not in self._waiting:
            waiting = ", ".join(self._waiting) or "none"
            raise ConfigurationError(f"no ticket '{number}' waits; there are: {waiting}")
        ahead = list(self._waiting).index(number)
        return (ahead // self.people + 1) * self.seconds_each

    def put(self, session: Session, *, sender: str, reason: str, summary: str = "") -> Ticket:
        """Make a ticket of a conversation, and queue it; the session keeps it as well."""
        self._count += 1
        ticket = Ticket(
            number=f"T-{self._count}",
            sender=sender,
            reason=reason,
            request=session.request,
            tried=session.attempts,
            state=dict(session.state),
            transcript=session.history,
            summary=summary,
        )
        self._waiting[ticket.number] = (ticket, session)
        session.ticket = ticket
        return ticket

    def take(self) -> tuple[Ticket, Session]:
        """The ticket that has waited longest, with what was said and noted meanwhile, and its
        conversation, which is a person's from now. ConfigurationError for none.
        """
        if not self._waiting:
            raise ConfigurationError("the queue is empty: no ticket to take")
        ticket, session = self._waiting.pop(next(iter(self._waiting)))
        now = replace(ticket, state=dict(session.state), transcript=session.history)
        session.active, session.ticket = HUMAN, now
        return now, session


def answer_as_human(session: Session, text: str, *, back_to: str | None = None) -> None:
    """Say something to the person who waits, and perhaps give the conversation back to an agent,
    who goes on at the person's next turn. Used in chapter 03.

    Raises ConfigurationError: it is with an agent, not with a person (`HumanQueue.take`).
    """
    if session.active != HUMAN:
        raise ConfigurationError(f"the conversation is with '{session.active}', not with a person")
    session.add({"role": "assistant", "content": text})
    if back_to is not None:
        session.active = back_to
        session.entered = len(session.attempts)
        session.state.pop("severity", None)  # settled, or the tiers would hand on again at once
