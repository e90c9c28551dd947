"""How a team is carried out: one turn of the person, from agent to agent until one has an answer.

A handoff is made between two agents' stretches, never within one, so what the next model is shown
is always a whole conversation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from course import clock
from course.budget import Budget
from course.chat import Usage
from course.context import Context
from course.errors import ConfigurationError
from course.events import Event
from course.limits import Stop
from course.models.wire import Message
from course.runs import current_work, emit, working_on
from course.session import Session
from course.systems import Result, carry_out
from course.team.human import HUMAN, PUT_THROUGH, STILL_WAITING
from course.team.moves import Move, consult, give_back, passed_on, unwind
from course.team.rules import tried
from course.team.team import Team
from course.team.turn import Turn, work
from course.trace import Trace, current, span

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from course.trace.record import Recording


@dataclass(frozen=True, kw_only=True)
class HandedOver(Event):
    """The conversation has moved from one agent of a team to another, or to a person.

    `kind` is "transfer", "consult", "return", "escalate" or "fallback".

    Used in chapter 03.
    """

    kind: str
    sender: str
    to: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class TeamResult(Result):
    """How a turn of the person ended.

    Attributes:
        agent: who has the conversation now, `HUMAN` when it is a person.
        session: the conversation, to go on with: `course.run(team, "...", session=result.session)`.
        heard: everything the person was told in this turn; `answer` is the last of it.

    Used in chapter 03.
    """

    agent: str
    session: Session = field(repr=False)
    heard: tuple[str, ...] = ()


@carry_out.register(Team)
async def _(
    team: Team,
    request: str,
    *,
    client: AsyncOpenAI,
    session: Session | None = None,
    on_text: Callable[[str], None] | None = None,
    attended: bool = True,
) -> TeamResult:
    """Let a team answer one turn of the person.

    Args:
        team: who may answer.
        request: what the person says.
        client: reaches the model.
        session: the conversation so far, changed in place; without it a new one begins.
        on_text: gets text as it is written.
        attended: whether somebody is there to answer a question. A consulted agent that answers
            instead of returning speaks to the person if it asks something (its answer holds a
            question mark) and somebody is there; otherwise its answer is the result.

    Returns:
        A `TeamResult`. Reaching a limit is a result, not an error: `stop` says which, even where
        the fallback answered after it.

    Raises:
        ModelError: the model cannot be used; `context` of the error is the conversation so far,
            and the session can go on from there.
        ValueError: the request is empty.
        ConfigurationError: the session is of another team or none at all, or a context filter
            broke the rules.
    """
    if session is not None and not isinstance(session, Session):
        raise ConfigurationError(
            f"session is a Session, not {session!r}: read one from a file with Session.load(path)"
        )
    if not request.strip():
        raise ValueError("the request is empty: say what you want, in a sentence")
    session = team.begin() if session is None else session
    turn = Turn(team=team, session=session, client=client, on_text=on_text, attended=attended)
    matter = working_on(matter_of(session), role=current_work().role)
    with matter, session.running(), span("invoke_workflow", team.name) as step:
        step.set("gen_ai.workflow.name", team.name)
        await answer_turn(turn, request)
        step.set("switchboard.agent", session.active)
        step.set("switchboard.stop", str(turn.stop) if turn.stop else None)
    return TeamResult(
        answer=turn.heard[-1] if turn.heard else "",
        context=session.context,
        usage=turn.usage,
        stop=turn.stop,
        trace=current() or Trace(team.name),
        agent=session.active,
        session=session,
        heard=tuple(turn.heard),
    )


def matter_of(session: Session) -> str:
    """What everybody in a team works on: the person's turn, as a piece of the work around it."""
    around = current_work().matter
    turns = sum(message["role"] == "user" for message in session.history)
    return f"{around} {turns + 1}".strip() if turns else around


async def answer_turn(turn: Turn, request: str) -> None:
    """Agents work and hand over until one of them has an answer or a limit is reached."""
    turn.team.check_session(turn.session)
    turn.session.add({"role": "user", "content": request})
    if turn.session.active == HUMAN:
        turn.say(STILL_WAITING)
        return
    move: Move | None = None
    while True:
        began = clock.now()
        try:
            async with asyncio.timeout(turn.team.guards.max_seconds) as patience:
                if move:
                    await make(turn, move)
                while turn.session.active != HUMAN and (move := await work(turn)):
                    await make(turn, move)
                return
        except TimeoutError:
            if not patience.expired():
                raise
        limit = turn.team.guards.max_seconds or 0.0
        move = turn.rescue(Stop("max_seconds", limit, clock.now() - began))
        if move is None:
            return


async def make(turn: Turn, move: Move) -> None:
    """Make a move, as a `handoff` span from one agent to the other."""
    sender = turn.session.active
    attributes = {
        "switchboard.handoff.kind": move.kind,
        "switchboard.handoff.from": sender,
        "switchboard.handoff.to": move.to,
        "switchboard.handoff.reason": move.reason,
    }
    with span("handoff", f"{sender} -> {move.to}", attributes) as step:
        if move.kind == "return":
            _return(turn, move)
        elif move.kind == "consult":
            await _consult(turn, move, step)
        else:
            await _hand_over(turn, move, step)
    name, reason = turn.team.name, move.reason
    emit(HandedOver(system=name, kind=move.kind, sender=sender, to=move.to, reason=reason))
    if turn.session.active == HUMAN:
        turn.team.queue.put(turn.session, sender=sender, reason=move.reason)
    elif move.greeting:
        turn.say(move.greeting)


async def _hand_over(turn: Turn, move: Move, step: Recording) -> None:
    """Move the conversation for good."""
    session = turn.session
    if move.message:
        session.add(move.message, *move.answers)
    if session.active in turn.team.escalation_of:
        session.state["tried"] = tried(session)
    if move.to == HUMAN or move.kind != "transfer":
        unwind(session, move.reason)
    if move.to == HUMAN:
        turn.say(PUT_THROUGH)
    session.context = await _passed_on(turn, session.context, move, step)
    session.active = move.to
    session.entered = len(session.attempts)


async def _consult(turn: Turn, move: Move, step: Recording) -> None:
    """Let the active agent wait for another one's result."""
    view, message = turn.session.context, cast(Message, move.message)
    others = [call for call in message["tool_calls"] if call["id"] != move.call_id]
    if others:  # what was found out with the same message is of use to who is asked
        results = (each for each in move.answers if each["tool_call_id"] != move.call_id)
        view = view.add({**message, "tool_calls": others}, *results)
    given = await _passed_on(turn, view, move, step)
    consult(turn.session, move, given, move.reason)


def _return(turn: Turn, move: Move) -> None:
    """Give control back, with the result in the waiting call's place and in the state."""
    session = turn.session
    asked = session.frames[-1].asked
    if move.message:
        session.note(move.message, *move.answers)
    give_back(session, move.reason)
    session.state[asked] = move.reason


async def _passed_on(turn: Turn, context: Context, move: Move, step: Recording) -> Context:
    """What the next agent sees; what its filter cost is charged to the turn."""
    spent = Budget()
    step.set("switchboard.handoff.context", getattr(move.context, "__name__", "a filter"))
    with spent.in_force():
        given = await passed_on(
            context,
            move,
            turn.client,
            instructions=turn.team.agent(turn.session.active).instructions,
            step=step,
        )
    turn.calls += spent.made
    turn.usage += Usage(spent.read, spent.written)
    return given
