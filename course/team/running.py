"""How a team is carried out: one turn of the person, from agent to agent until one has an answer.

A handoff is made between two agents' stretches: what a model is shown is a whole conversation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from textwrap import shorten
from typing import TYPE_CHECKING, cast

from course.answers import Usage
from course.budget import Budget
from course.context import Context, exchanges, groups
from course.errors import ConfigurationError, ModelError, refuse_empty
from course.events import Event
from course.handoff import Handoff, without_instructions
from course.limits import in_time
from course.models.wire import AsyncOpenAI, Message
from course.results import asks_back
from course.runs import current_work, emit, working_on
from course.session import OpenMatter, Session
from course.systems import Result, carry_out
from course.team.entering import enter
from course.team.human import HUMAN, PUT_THROUGH, STILL_WAITING
from course.team.matters import STILL_OPEN, take_down
from course.team.team import Team
from course.team.turn import Move, Turn, consult, give_back, unwind, wished_for, work
from course.trace import span

if TYPE_CHECKING:
    from course.trace import Recording


@dataclass(frozen=True, kw_only=True)
class HandedOver(Event):
    """The conversation has moved from one agent of a team to another, or to a person: by which kind
    of `Move`, and why. Used in chapter 03.
    """

    kind: str
    sender: str
    to: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class TeamResult(Result):
    """How a turn of the person ended: with whom (`HUMAN` for a person), in which session, to go on
    with, and what the person was told; `answer` is the last of it. Used in chapter 03.
    """

    agent: str
    session: Session = field(repr=False)
    heard: tuple[str, ...] = ()


@carry_out.register(Team)
async def run_team(
    team: Team,
    request: str,
    *,
    client: AsyncOpenAI,
    session: Session | None = None,
    on_text: Callable[[str], None] | None = None,
    attended: bool = True,
) -> TeamResult:
    """Let a team answer one turn of the person; the session is changed in place.

    Where nobody is there to answer a question (`attended`), the words of a consulted agent are its
    result; else they go to the person, and its result is what it calls `return_to_...` with.

    Reaching a limit is a result: `stop` says which, even where the fallback answered after it.
    After a ModelError the session can go on from where it was. Raises ConfigurationError: the
    session is of another team or none at all, or in another run; a context filter broke the rules.
    """
    refuse_empty(request)
    session = team.begin(session)
    turn = Turn(team=team, session=session, client=client, on_text=on_text, attended=attended)
    around, turns = current_work(), exchanges(Context(session.history))
    # what everybody works on: the person's turn, as a piece of the work around it
    about = f"{around.matter} {turns + 1}".strip() if turns else around.matter
    step = span("invoke_workflow", team.name)
    with session.changing(), working_on(about, role=around.role), step:
        step.set("gen_ai.workflow.name", team.name)
        step.set("switchboard.holder", session.active)
        await answer_turn(turn, request)
        step.set("switchboard.agent", session.active)
        step.set("switchboard.stop", str(turn.stop) if turn.stop else None)
    return TeamResult(
        answer="\n\n".join(turn.heard if team.matters else turn.heard[-1:]),
        context=session.context,
        usage=turn.usage,
        stop=turn.stop,
        agent=session.active,
        session=session,
        heard=tuple(turn.heard),
    )


async def answer_turn(turn: Turn, request: str) -> None:
    """Serve what the person says within the team's seconds; the fallback has what is left."""
    async with in_time(turn.time) as time:
        await serve_all(turn, request)
    if time.stop and (move := turn.rescue(time.stop)):
        async with in_time(turn.time) as rest:
            await _serve(turn, move)
        if rest.stop:
            turn.rescue(rest.stop)
    if time.stop and turn.session.open:
        turn.say(still_open(turn.session))


async def serve_all(turn: Turn, request: str) -> None:
    """Serve what the person says: as one matter, or as many as the team takes down."""
    session, said = turn.session, {"role": "user", "content": request}
    if session.active == HUMAN:
        session.add(said)
        turn.say(STILL_WAITING)
        return
    if move := wished_for(turn, request):
        session.add(said)
        await _serve(turn, move)
        return
    if not turn.team.matters or asked(session):  # what is open comes after what was asked
        session.add(said)
        await _serve(turn)
    else:
        session.note(said)
        try:
            session.open = (*await take_down(turn, request), *session.open)
        except asyncio.CancelledError:  # whoever takes over has to see what is wanted
            session.context = session.context.add(said)
            raise
    while session.open and session.active != HUMAN and not turn.stop:
        if turn.heard and asks_back(turn.heard[-1]):
            break  # the person has to answer before anything else
        matter, *rest = session.open
        session.open = tuple(rest)
        turn.begin_matter()
        known = session.context.copy(exclude_tool_calls=True)  # results of another matter mislead
        session.context = known.add({"role": "user", "content": matter.request})
        await _serve(turn, to_matter(turn, matter))
    if session.open:
        turn.say(still_open(session))


def still_open(session: Session) -> str:
    """What the person hears of the matters that were not served."""
    return STILL_OPEN.format(matters="; ".join(matter.request for matter in session.open))


def asked(session: Session) -> bool:
    """Whether an agent waits for the person's answer."""
    reminder, _, _ = STILL_OPEN.partition("{")
    said = [m for m in session.context.messages if not str(m.get("content")).startswith(reminder)]
    return bool(said) and said[-1]["role"] == "assistant" and asks_back(str(said[-1]["content"]))


def to_matter(turn: Turn, matter: OpenMatter) -> Move | None:
    """The move to whose matter it is, by way of the entry; None where it is there already."""
    session, hub = turn.session, turn.team.agent(turn.team.entry)
    unwind(session, "the person wants something else first")
    if session.active == matter.agent:
        return None
    way = Handoff(hub.name)
    if matter.agent != hub.name:
        way = next(each for each in hub.handoffs if each.to == matter.agent and not each.returns)
        session.active = hub.name
    return Move(kind="transfer", way=way, reason=matter.request)


async def _serve(turn: Turn, move: Move | None = None) -> None:
    """Agents work and hand over until one of them has an answer or a limit is reached."""
    while move or (move := await work(turn)):
        await make(turn, move)
        move = None


async def make(turn: Turn, move: Move) -> None:
    """Make a move, as a `handoff` span from one agent to the other."""
    sender = turn.session.active
    told = {"kind": move.kind, "from": sender, "to": move.way.to, "reason": move.reason}
    attributes = {f"switchboard.handoff.{key}": value for key, value in told.items()}
    with span("handoff", f"{sender} -> {move.way.to}", attributes) as step:
        if move.kind == "return":
            if move.message:
                turn.session.note(move.message, *move.answers)
            keep_result(turn.session, move.reason)
            give_back(turn.session, move.reason)
        elif move.kind == "consult":
            await _consult(turn, move, step)
        else:
            await _hand_over(turn, move, step)
        if move.kind != "consult":  # who is consulted works for the one who keeps the conversation
            step.set("switchboard.holder", turn.session.active)
    team, reason = turn.team, move.reason
    emit(HandedOver(system=team.name, kind=move.kind, sender=sender, to=move.way.to, reason=reason))
    if turn.session.active == HUMAN:
        team.queue.put(turn.session, sender=sender, reason=reason)
        return
    if move.way.greeting:
        turn.say(move.way.greeting)
    if move.way.on_enter is not None and (said := await enter(turn, move)):
        turn.say(said)


def keep_result(session: Session, result: str) -> None:
    """Keep a consulted agent's words in the state under its name, unless its tools wrote there."""
    name = session.frames[-1].asked
    told = (m["content"] for m in session.history if m["role"] == "tool")
    if name not in session.state or session.state[name] in told:  # words of an earlier one
        session.state[name] = result


async def _hand_over(turn: Turn, move: Move, step: Recording) -> None:
    session = turn.session
    if move.message:
        session.add(move.message, *move.answers)
    if session.active in turn.team.escalation_of:
        session.state["tried"] = [
            {"call": each.call, "outcome": shorten(each.outcome, 200, placeholder=" ...")}
            for each in session.attempts
        ]
    if move.way.to == HUMAN or move.kind != "transfer":
        unwind(session, move.reason)
    if move.way.to == HUMAN:
        turn.say(PUT_THROUGH)
    session.context = await passed_on(turn, session.context, move, step)
    session.active = move.way.to
    session.entered = len(session.attempts)


async def _consult(turn: Turn, move: Move, step: Recording) -> None:
    view, message = turn.session.context, cast(Message, move.message)
    others = [call for call in message["tool_calls"] if call["id"] != move.call_id]
    if others:  # what was found out with the same message is of use to who is asked
        results = (each for each in move.answers if each["tool_call_id"] != move.call_id)
        view = view.add({**message, "tool_calls": others}, *results)
    consult(turn.session, move, await passed_on(turn, view, move, step), move.reason)


async def passed_on(turn: Turn, context: Context, move: Move, step: Recording) -> Context:
    """What the next agent sees of a conversation: the move's filter decides, the turn pays.

    When a filter's model cannot be used the span says so, and the conversation travels whole.
    ConfigurationError where the filter separated a call from its result, or left nothing.
    """
    name = getattr(move.way.context, "__name__", "a filter")
    step.set("switchboard.handoff.context", name)
    if instructions := turn.agent.instructions:  # only `whole` lets them through
        context = Context(({"role": "system", "content": instructions}, *context.messages))
    spent = Budget()
    with spent.in_force():
        try:
            given = await move.way.context(context, turn.client)
        except ModelError as error:
            step.event("filter failed", {"switchboard.error": str(error)})
            given = await without_instructions(context, turn.client)
    turn.calls += spent.made
    turn.usage += Usage(spent.read, spent.written)
    if not given.messages or not all(map(is_whole, groups(given))):
        what = "separated a call from its result" if given.messages else "left nothing"
        raise ConfigurationError(f"the context filter '{name}' {what}: keep course.context.groups")
    return given


def is_whole(group: Sequence[Message]) -> bool:
    """Whether a group of messages holds all results of its calls, and no other result."""
    asked = sorted(call["id"] for call in group[0].get("tool_calls") or ())
    return asked == sorted(m["tool_call_id"] for m in group if m["role"] == "tool")
