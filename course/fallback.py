"""Who takes over where a system cannot go on: an agent, a person's queue, or a sentence.

An agent starts from a fresh context that holds the request and what was found; a queue gets a
ticket with all of it; a sentence is said, with what there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from course.answers import Usage
from course.context import Context
from course.errors import ModelError
from course.limits import KEPT_SHARE
from course.models.wire import AsyncOpenAI
from course.person import way_out, wishes_person
from course.session import Session, Ticket, ToolAttempt
from course.systems import answer_of, carrier_of
from course.team.human import HUMAN, PUT_THROUGH, HumanQueue
from course.trace import span

SENTENCE = "sentence"
"""Who has taken over where a sentence was said."""
NO_PERSON = "I cannot put you through: there is no person behind me. I can go on helping myself."


@dataclass(frozen=True, kw_only=True)
class Unsettled:
    """What whoever takes over gets: who `sender` is, why it cannot go on, what was `asked`, what
    was `found` in words, the calls behind it, and the conversation.
    """

    sender: str
    reason: str
    asked: str
    found: str = ""
    tried: Sequence[ToolAttempt] = ()
    context: Context | None = None


@dataclass(frozen=True, kw_only=True)
class Taken:
    """Who has taken over (`HUMAN` for a person), what is said then, its tokens, and the ticket that
    a person finds.
    """

    to: str
    answer: str
    usage: Usage = field(default_factory=Usage)
    ticket: Ticket | None = None


def fallback_faults(to: Any, name: str) -> Iterator[str]:
    """The line for what cannot take over, given as `name`."""
    if to is None or is_person(to) or (isinstance(to, str) and to.strip()):
        return
    if carrier_of(type(to)) is None:
        yield f"{name} is an agent, a HumanQueue, HUMAN or a sentence, not {to!r}"


def is_person(to: Any) -> bool:
    """Whether a person takes over."""
    return isinstance(to, HumanQueue) or to == HUMAN


def leads_to_person(system: Any) -> bool:
    """Whether a wish for a person reaches one there: by a tool of its own, or by who takes over."""
    takes_over = (getattr(system, name, None) for name in ("escalate_to", "fallback"))
    return way_out(getattr(system, "tools", ())) is not None or any(map(is_person, takes_over))


async def reach_person(
    to: Any, asked: str, *, sender: str, client: AsyncOpenAI, context: Context | None = None
) -> Taken | None:
    """Who takes over from `sender` where these words, which are a person's own, ask for a person;
    without a model. None where they do not; where no person is behind `to`, that is what is said.
    """
    if not wishes_person(asked):
        return None
    if not is_person(to):
        return Taken(to="", answer=NO_PERSON)
    why = f"asks for a person: {asked}"
    case = Unsettled(sender=sender, reason=why, asked=asked, context=context)
    return await take_over(to, case, client=client)


def kept_for(to: Any) -> float:
    """The share of the seconds that is kept back for whoever takes over, if it asks a model."""
    return 0.0 if to is None or isinstance(to, str | HumanQueue) else KEPT_SHARE


async def take_over(to: Any, case: Unsettled, *, client: AsyncOpenAI) -> Taken:
    """Let it go on; an agent whose model cannot be used leaves what was found."""
    person = is_person(to)
    name = HUMAN if person else SENTENCE if isinstance(to, str) else str(to.name)
    with span("escalate", f"{case.sender} -> {name}") as step:
        step.set("switchboard.escalation.reason", case.reason)
        if person:
            queue = to if isinstance(to, HumanQueue) else HumanQueue()
            return Taken(to=HUMAN, answer=PUT_THROUGH, ticket=_queued(queue, case))
        if isinstance(to, str):
            return Taken(to=SENTENCE, answer=f"{to}\n\n{case.found}".strip())
        told = f"{case.asked}\n\nWhat others found before you:\n{case.found}"
        try:
            result = await answer_of(to, told if case.found else case.asked, client=client)
        except ModelError:
            return Taken(to=name, answer=case.found)
        return Taken(to=name, answer=result.answer or case.found, usage=result.usage)


def _queued(queue: HumanQueue, case: Unsettled) -> Ticket:
    """A ticket with the request, what was tried and the whole conversation."""
    context = case.context or Context.of(case.asked)
    session = Session(active=case.sender, context=context)
    session.note(*context.copy(exclude_instructions=True).messages)
    session.attempts = tuple(case.tried)
    ticket = queue.put(session, sender=case.sender, reason=case.reason)
    session.active = HUMAN
    return ticket
