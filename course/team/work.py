"""One agent's stretch of the conversation: until it answers, hands over or is stopped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json

from course import clock
from course.agent import Agent, ask, cut_off
from course.chat import Answer
from course.context import Context
from course.errors import ModelError
from course.handoff import Handoff
from course.models.wire import Message
from course.team.escalation import due
from course.team.moves import Move, carry_out, refused
from course.team.team import Offer, instructions_for
from course.team.turn import Turn
from course.trace import span


async def work(turn: Turn) -> Move | None:
    """One agent's stretch of the conversation, as an `invoke_agent` span.

    A tier whose criteria are met before it has begun is passed by.
    """
    if move := escalated(turn):
        return move
    agent = turn.agent
    attributes = {"gen_ai.agent.name": agent.name, "gen_ai.request.model": agent.model}
    before = turn.usage
    with span("invoke_agent", agent.name, attributes) as step:
        try:
            return await take_turns(turn, agent)
        except ModelError as error:
            error.context = turn.session.context
            raise
        finally:
            step.set("gen_ai.usage.input_tokens", turn.usage.input - before.input)
            step.set("gen_ai.usage.output_tokens", turn.usage.output - before.output)


async def take_turns(turn: Turn, agent: Agent) -> Move | None:
    """The agent loop of chapter 01, which may also end in a move to another agent.

    Returns:
        The move that is to be made, or None when the person has an answer.

    Built in chapter 03.
    """
    session, turns, begin, before = turn.session, 0, clock.now(), turn.usage.total
    while True:
        stop = turn.used_up(
            turns=turns, tokens=turn.usage.total - before, seconds=clock.now() - begin
        )
        if stop:
            return turn.rescue(stop)
        offer = turn.offer()
        answer = await ask_active(turn, offer)
        turns += 1
        calls = answer.message.get("tool_calls")
        if not calls:
            return answered(turn, answer)
        turn.hear(answer.message["content"])
        if stop := turn.goes_round(calls, offer):
            reason = f"this was asked for {stop.value:g} times and is not done again"
            session.add(answer.message, *(refused(call, reason) for call in calls))
            return turn.rescue(stop)
        answers, made = await carry_out(calls, offer.tools, offer.moves)
        turn.try_out(calls, answers, offer)
        if made:
            return move_of(turn, offer, made, answer.message, tuple(answers))
        session.add(answer.message, *answers)
        if move := escalated(turn):
            return move


async def ask_active(turn: Turn, offer: Offer) -> Answer:
    """Ask the active agent's model, with its instructions and what all agents know in front."""
    session = turn.session
    # who is consulted may be answering its asker: the person hears it when that is known
    on_text = None if session.frames else turn.on_text
    told = instructions_for(offer.agent, session.state)
    head = ({"role": "system", "content": told},) if told else ()
    answer = await ask(
        offer.agent,
        Context((*head, *session.context.messages)),
        client=turn.client,
        on_text=on_text,
    )
    turn.count(answer)
    return answer


def answered(turn: Turn, answer: Answer) -> Move | None:
    """An answer is for the person, or for the agent that waits for it."""
    session, text = turn.session, str(answer.message["content"])
    turn.stop = turn.stop or cut_off(answer)
    if session.frames and not (turn.attended and "?" in text):
        return Move(kind="return", to=session.frames[-1].agent, reason=text, message=answer.message)
    session.add(answer.message)
    turn.hear(text)
    if session.frames and turn.on_text is not None:
        turn.on_text(text)
    return None


def escalated(turn: Turn) -> Move | None:
    """The handoff that the active tier's criteria demand."""
    rule = turn.team.escalation_of.get(turn.session.active)
    if rule is None or turn.rescued:
        return None
    session = turn.session
    reason = due(rule.criteria, session.attempts[session.entered :], session.state)
    if reason is None:
        return None
    return Move(kind="escalate", to=rule.to, reason=reason, context=rule.context)


def move_of(
    turn: Turn,
    offer: Offer,
    call: Mapping[str, Any],
    message: Message,
    answers: tuple[Message, ...],
) -> Move:
    """The move that a call asks for."""
    handoff: Handoff | None = offer.handoffs[call["function"]["name"]]
    [said] = from_json(call["function"]["arguments"]).values()
    if handoff is None:
        to = turn.session.frames[-1].agent
        return Move(kind="return", to=to, reason=said, message=message, answers=answers)
    return Move(
        kind="consult" if handoff.returns else "transfer",
        to=handoff.to,
        reason=said,
        context=handoff.context,
        greeting=handoff.greeting,
        message=message,
        answers=answers,
        call_id=call["id"],
    )
