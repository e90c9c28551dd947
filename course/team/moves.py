"""The moves a conversation can make: over to another agent, to and back from one that is asked.

The rule that each of them keeps: whatever a model is shown next, every call in it has its result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from course.agent import answer_call, answer_calls
from course.context import Context
from course.handoff import ContextFilter, OnEnter, without_instructions
from course.models.wire import Message
from course.session import Frame, Session
from course.tools import Outcome, Tool, by_name, outcome_of, tool_message


@dataclass(frozen=True, kw_only=True)
class Move:
    """A step of the conversation from one agent to another, before it is made. Built in chapter 03.

    Attributes:
        kind: "transfer" and "consult" are asked for by a model; "return" ends a consultation;
            "escalate" and "fallback" happen by rule.
        to: who takes over.
        reason: why, in a sentence.
        context: what of the conversation travels along.
        greeting: what the agent that takes over says first.
        on_enter: what it does first.
        message: the message that asked for it, if one did, not in the session yet.
        answers: the results of that message's calls.
        call_id: the call that asked for it.
    """

    kind: Literal["transfer", "consult", "return", "escalate", "fallback"]
    to: str
    reason: str
    context: ContextFilter = without_instructions
    greeting: str = ""
    on_enter: OnEnter | None = None
    message: Message | None = None
    answers: tuple[Message, ...] = ()
    call_id: str = ""


async def answer_message(
    calls: Sequence[Mapping[str, Any]], tools: Iterable[Tool], handoffs: Iterable[Tool]
) -> tuple[list[Message], Mapping[str, Any] | None]:
    """Answer all calls of one message: its ordinary calls at once, and then one handoff.
    Built in chapter 03, exercise 3.2.

    Args:
        calls: the calls of the message, in wire form.
        tools: the ordinary tools.
        handoffs: the tools that hand the conversation over.

    Returns:
        One tool message for each call, in the order of the calls, and the call of the handoff
        that is to be made, or None. The first handoff whose arguments fit wins; one after it is
        answered with an error that says to whom the conversation went.
    """
    tools, handoffs = tuple(tools), tuple(handoffs)
    handing_over = by_name(handoffs)
    ordinary = [call for call in calls if call["function"]["name"] not in handing_over]
    results = iter(await answer_calls(ordinary, (*tools, *handoffs)))
    answers: list[Message] = []
    made, done = None, ""
    for call in calls:
        if call["function"]["name"] not in handing_over:
            answers.append(next(results))
        elif made is None:
            answers.append(await answer_call(call, handoffs))
            if outcome_of(answers[-1]) == "ok":
                made, done = call, answers[-1]["content"]
        else:
            reason = f"already {lowered(done)}; one handoff per message"
            answers.append(tool_message(call, reason, "refused"))
    return answers, made


def lowered(sentence: str) -> str:
    """A sentence as a part of another one: "Transferred to billing." is "transferred to billing".
    Built in chapter 03.
    """
    return sentence[:1].lower() + sentence[1:].rstrip(".")


def consult(session: Session, move: Move, given: Context, request: str) -> None:
    """Let the active agent wait, and another one work on what it asks for. Built in chapter 03."""
    assert move.message is not None
    answers = tuple(each for each in move.answers if each["tool_call_id"] != move.call_id)
    session.note(move.message, *answers)
    frame = Frame(
        agent=session.active,
        asked=move.to,
        context=session.context,
        message=move.message,
        answers=answers,
        call_id=move.call_id,
        since=len(session.history),
    )
    session.frames = (*session.frames, frame)
    session.active = move.to
    session.context = given.add({"role": "user", "content": request})


def give_back(session: Session, result: str, outcome: Outcome = "ok") -> None:
    """End the last consultation: its result answers the call that waits. Built in chapter 03.

    What the person said meanwhile is put before that call, each word after what it answered, so
    that the agent that goes on has heard it too.
    """
    frame = session.frames[-1]
    answer = tool_message({"id": frame.call_id}, result, outcome)
    answers = {each["tool_call_id"]: each for each in (*frame.answers, answer)}
    said = session.said_since(frame.since)
    session.frames = session.frames[:-1]
    session.active = frame.agent
    in_order = [answers[call["id"]] for call in frame.message["tool_calls"]]
    session.context = frame.context.add(*said, frame.message, *in_order)
    session.note(answer)


def unwind(session: Session, reason: str) -> None:
    """End all consultations without a result, because the conversation leaves for good."""
    while session.frames:
        give_back(session, f"no result: {reason}", "refused")
