"""One turn of the person: the moves a conversation can make in it, what it has used up, and one
agent's stretch of it, until it answers, hands over or is stopped.

The rule of every move: whatever a model is shown next, every call in it has its result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

from pydantic_core import from_json

from course.agent import (
    Agent,
    Hooks,
    answer_call,
    answer_calls,
    answer_next,
    cut_off,
    invoked,
    loop,
    tell_answers,
    tell_calls,
    works_alone,
)
from course.answers import Answer, Usage
from course.budget import BudgetExceeded
from course.chat import assistant_message
from course.conditions import gate
from course.context import Context, transcript
from course.errors import CourseError, ModelError
from course.events import Said
from course.handoff import Handoff, handoff_tool, return_tool
from course.limits import KEPT_SHARE, Stop, Time, asked, reached
from course.models.wire import AsyncOpenAI, Message
from course.person import BEFORE, from_a_person, way_out, wishes_person
from course.runs import note
from course.session import Frame, Session, ToolAttempt
from course.systems import carry_out
from course.team.human import HUMAN, WaitingRoom
from course.team.rules import SORRY, TOO_LATE, due, repeats
from course.team.team import Team, instructions_for
from course.tools import Outcome, Tool, by_name, outcome_of, tool_message


@dataclass(frozen=True, kw_only=True)
class Move:
    """A step of the conversation from one agent to another, before it is made. Built in chapter 03.

    Attributes:
        kind: "transfer" and "consult" are asked for by a model; "return" ends a consultation;
            "escalate" and "fallback" happen by rule.
        way: to whom, what of the conversation travels along, and what is done on entry.
        reason: why, in a sentence.
        message, answers: what asked for it, not in the session yet, and its calls' results.
        call_id: the call that asked for it.
    """

    kind: Literal["transfer", "consult", "return", "escalate", "fallback"]
    way: Handoff
    reason: str
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
    """ "Transferred to it." as "transferred to it". Built in chapter 03."""
    return sentence[:1].lower() + sentence[1:].rstrip(".")


def consult(session: Session, move: Move, given: Context, request: str) -> None:
    """Let the active agent wait, and another one work on what it asks for. Built in chapter 03."""
    assert move.message is not None
    answers = tuple(each for each in move.answers if each["tool_call_id"] != move.call_id)
    session.note(move.message, *answers)
    frame = Frame(
        agent=session.active,
        asked=move.way.to,
        context=session.context,
        message=move.message,
        answers=answers,
        call_id=move.call_id,
        since=len(session.history),
    )
    session.frames = (*session.frames, frame)
    session.active = move.way.to
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


GRACE = 2
"""Model calls that the fallback gets beyond `Guards.max_turns`."""


@lru_cache(maxsize=256)  # with each tool comes a pydantic model of its arguments
def _way_out(to: str, returns: bool, description: str) -> Tool:
    return handoff_tool(Handoff(to, returns=returns), description)


_way_back = lru_cache(maxsize=256)(return_tool)


@dataclass(frozen=True)
class Offer:
    """What the active agent may do where it stands: use its tools, or make one of the `handoffs`,
    each with its kind by its tool's name.
    """

    agent: Agent
    handoff_tools: tuple[Tool, ...] = ()
    handoffs: Mapping[str, tuple[Any, Handoff]] = field(default_factory=dict)


@dataclass(kw_only=True)
class Turn:
    """What happens between something the person says and what the person is told.

    Attributes:
        attended: whether somebody is there to answer a question.
        usage, calls, failures: tokens and model calls so far, those of filters included.
        heard: what the person was told so far.
        stop: the limit that was reached first, if any.
        rescued: whether the fallback has taken over.
        answered: whether the person is to speak next, though no model answered.
        begin: when the person spoke, on the loop's clock.
    """

    team: Team
    session: Session
    client: AsyncOpenAI
    on_text: Callable[[str], None] | None
    attended: bool
    usage: Usage = field(default_factory=Usage)
    calls: int = 0
    heard: list[str] = field(default_factory=list)
    stop: Stop | None = None
    rescued: bool = False
    failures: int = 0
    answered: bool = False
    begin: float = field(default_factory=asked)
    _seen: Counter[str] = field(default_factory=Counter)

    @property
    def agent(self) -> Agent:
        """Who has the conversation."""
        return self.team.agent(self.session.active)

    @property
    def time(self) -> Time:
        """The seconds it has; those that are kept back are the fallback's, if that is an agent."""
        waits = self.team.fallback not in (None, HUMAN) and not self.rescued
        return Time(self.team.guards.max_seconds, self.begin, KEPT_SHARE if waits else 0.0)

    def calls_left(self) -> int | None:
        """Model calls that the team's guards still allow; None for any number."""
        most = self.team.guards.max_turns
        return None if most is None else most + (GRACE if self.rescued else 0) - self.calls

    def offer(self) -> Offer:
        """What the active agent is offered. To who waits for a result the conversation is given
        back, not handed over. The fallback hands over to nobody, and has no tools on the last
        call.
        """
        if self.rescued:
            return Offer(replace(self.agent, tools=()) if self.calls_left() == 1 else self.agent)
        agent = replace(self.agent, tools=gate(self.agent.tools, self.session.context.messages))
        waiting = [frame.agent for frame in self.session.frames]
        ways = [each for each in self.agent.handoffs if each.to not in waiting]
        tools = [
            _way_out(each.to, each.returns, self.team.description_of(each.to)) for each in ways
        ]
        made = [("consult" if each.returns else "transfer", each) for each in ways]
        if waiting:
            tools.append(_way_back(waiting[-1]))
            made.append(("return", Handoff(waiting[-1])))
        names = (tool.name for tool in tools)
        return Offer(agent, tuple(tools), dict(zip(names, made, strict=True)))

    def begin_matter(self) -> None:
        """Let the guards count from here: each matter of the person has the same room."""
        self.calls, self.failures, self.answered = 0, 0, False
        self._seen.clear()

    def count(self, usage: Usage) -> None:
        """Add a model call and its tokens to what the turn and its session have used."""
        self.calls += 1
        self.session.calls += 1
        self.usage += usage

    def say(self, text: str) -> None:
        """Let the active agent say something that no model wrote."""
        self.session.add({"role": "assistant", "content": text})
        self.heard.append(text)
        self.tell(text)

    def tell(self, text: str) -> None:
        """Tell the person what the active agent says."""
        note(Said(system=self.session.active, words=text))
        if self.on_text is not None:
            self.on_text(text)

    def limit(self, **used: Any) -> Stop | None:
        """The limit that stands against another model call: the team's, or the active agent's."""
        left = self.calls_left()
        if left is not None and left <= 0:
            return Stop("max_turns", self.team.guards.max_turns or 0, self.calls)
        return reached(self.agent.limits, **used)

    def goes_round(self, calls: Sequence[Any], offer: Offer) -> Stop | None:
        """A stop when the same was asked for in the same state too often."""
        session, most = self.session, self.team.guards.max_repeats
        if most is None:
            return None
        times = repeats(self._seen, session.active, calls, session.state, offer.handoffs)
        return Stop("max_repeats", most, times) if times >= most else None

    def rescue(self, stop: Stop) -> Move | None:
        """What follows a limit: the move to the fallback, or an apology and the end of the turn."""
        self.stop = self.stop or stop
        to = self.team.fallback
        if self.rescued or to is None or to == self.session.active:
            self.say(TOO_LATE if stop.reason == "max_seconds" else SORRY)
            return None
        self.rescued = True
        self._seen.clear()
        return Move(kind="fallback", way=Handoff(to), reason=str(stop))

    def note_attempts(self, calls: Sequence[Any], answers: Sequence[Message], offer: Offer) -> None:
        """Keep in mind which tools were called and what came of it."""
        for call, answer in zip(calls, answers, strict=True):
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            if name not in offer.handoffs:
                made, came = f"{name}({arguments})", str(answer["content"])
                failed = outcome_of(answer) != "ok"
                self.session.attempts += (ToolAttempt(self.session.active, made, came, failed),)


async def work(turn: Turn) -> Move | None:
    """One agent's stretch of the conversation: the move that is to be made, or None for an answer.
    A model that cannot be used is asked again as often as the guards allow; or ModelError.
    """
    while not turn.answered and turn.session.active != HUMAN:
        if move := escalated(turn):
            return move
        try:
            return await (stretch if works_alone(turn.agent) else lead)(turn)
        except ModelError as error:
            turn.failures += 1
            most = turn.team.guards.max_failures
            if turn.team.fallback is None or isinstance(error, BudgetExceeded):
                raise
            if turn.failures >= most:
                return turn.rescue(Stop("max_failures", most, turn.failures))
    return None


async def stretch(turn: Turn) -> Move | None:
    """As `work`, for an agent that works by itself; a step of the trace."""
    before = turn.usage
    with invoked(turn.agent) as step:
        try:
            return await take_turns(turn)
        finally:
            now = turn.usage
            step.used(now.input - before.input, now.output - before.output)


async def take_turns(turn: Turn) -> Move | None:
    """The agent loop, which may also end in a move. Built in chapter 03."""
    stretch = Stretch(turn)
    await loop(turn.agent, turn.session.context, client=turn.client, hooks=stretch)
    return stretch.move


class Stretch(Hooks):
    """The loop in a team, which may end in a `move` instead of an answer. Built in chapter 03."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.move: Move | None = None

    def limit(self, agent: Agent, context: Context, **used: Any) -> Stop | None:
        """The team's limit or the agent's own; what follows it is a move, too."""
        stop = self.turn.limit(**used)
        if stop:
            self.move = self.turn.rescue(stop)
        return stop

    def late(self, stop: Stop) -> None:
        """The agent's own seconds are over."""
        self.move = self.turn.rescue(stop)

    async def ask(self, agent: Agent, context: Context, **how: Any) -> Answer:
        """One model call, with the tools and the handoffs that the agent is offered now."""
        self.offer = self.turn.offer()
        self.answer = await ask_active(self.turn, self.offer)
        return self.answer

    async def go_on(self, agent: Agent, context: Context, message: Message) -> Context | None:
        """Answer the calls, and go on unless one of them, a rule or a guard moves on."""
        turn, session, calls = self.turn, self.turn.session, message.get("tool_calls")
        if not calls:
            turn.stop = turn.stop or cut_off(self.answer)
            self.move = answered(turn, message)
            return None
        if message["content"]:
            turn.heard.append(message["content"])
        if stop := turn.goes_round(calls, self.offer):
            reason = f"this was asked for {stop.value:g} times and is not done again"
            session.add(message, *(tool_message(call, reason, "refused") for call in calls))
            self.move = turn.rescue(stop)
            return None
        tell_calls(agent, calls)
        tools = self.offer.agent.tools
        answers, made = await answer_message(calls, tools, self.offer.handoff_tools)
        tell_answers(agent, calls, answers)
        turn.note_attempts(calls, answers, self.offer)
        if made:
            self.move = move_of(self.offer, made, message, tuple(answers))
            return None
        session.add(message, *answers)
        self.move = escalated(turn)
        return None if self.move else session.context


async def lead(turn: Turn) -> Move | None:
    """The stretch of a member that lets others work for it, such as a supervisor.

    It is carried out as what it is and always ends in an answer. For the guards it is one call.
    """
    session = turn.session
    leader = replace(turn.agent, instructions=instructions_for(turn.agent, session.state))
    try:
        result = await carry_out(leader, in_words(session.context), client=turn.client)
    except ModelError as error:
        error.context = session.context
        raise
    except CourseError as error:
        if error.ended is not leader:
            raise
        result = error.instead
    turn.count(result.usage)
    turn.stop = turn.stop or result.stop
    if turn.on_text is not None and not session.frames:
        turn.on_text(result.answer)
    return answered(turn, assistant_message(result.answer), result=True)


def in_words(context: Context) -> str:
    """A conversation as one request, for who takes no conversation: what was asked last leads."""
    *before, last = context.copy(exclude_instructions=True, exclude_tool_calls=True).messages
    if not before:
        return str(last["content"])
    return f"{last['content']}\n\n{BEFORE}\n{transcript(tuple(before))}"


async def ask_active(turn: Turn, offer: Offer) -> Answer:
    """Ask the active agent's model, with its instructions and what all agents know in front."""
    session, agent = turn.session, offer.agent
    on_text = turn.on_text if turn.attended or not session.frames else None
    told = instructions_for(agent, session.state)
    head = ({"role": "system", "content": told},) if told else ()
    context = Context((*head, *session.context.messages))
    equipped = replace(agent, tools=(*agent.tools, *offer.handoff_tools))
    answer = await answer_next(equipped, context, client=turn.client, on_text=on_text)
    turn.count(answer.usage)
    return answer


def answered(turn: Turn, message: Message, *, result: bool = False) -> Move | None:
    """Words are for the person: who is consulted gives its result by a call, `return_to_...`.

    Where nobody hears them, or who says them has no such call (`result`), they are the result.
    """
    session, text = turn.session, str(message["content"])
    if session.frames and (result or not turn.attended):
        way = Handoff(session.frames[-1].agent)
        return Move(kind="return", way=way, reason=text, message=message)
    session.add(message)
    if text:
        turn.heard.append(text)
    return None


def escalated(turn: Turn) -> Move | None:
    """The handoff that the active tier's criteria demand."""
    session = turn.session
    rule = turn.team.escalation_of.get(session.active)
    if rule is None or turn.rescued:
        return None
    reason = due(rule.criteria, session.attempts[session.entered :], session.state)
    way = Handoff(rule.to, rule.context)
    return Move(kind="escalate", way=way, reason=reason) if reason else None


def wished_for(turn: Turn, words: str) -> Move | None:
    """The move to a person that somebody asks for, by way of a waiting room where there is one.

    None where it is asked in an agent's words, where the active agent has a tool of its own that
    leads to people, and where it waits with whom it was asked by.
    """
    agent, team = turn.agent, turn.team
    if not from_a_person() or isinstance(agent, WaitingRoom) or not wishes_person(words):
        return None
    if way_out(agent.tools):
        return None
    ways = (way for each in (agent, *team.agents) for way in each.handoffs)
    rooms = (way for way in ways if isinstance(team.named.get(way.to), WaitingRoom))
    reason = f"asks for a person: {words}"
    return Move(kind="escalate", way=next(rooms, Handoff(HUMAN)), reason=reason)


def move_of(
    offer: Offer, call: Mapping[str, Any], message: Message, answers: tuple[Message, ...]
) -> Move:
    """The move that a call of the message asks for."""
    kind, way = offer.handoffs[call["function"]["name"]]
    given = from_json(call["function"]["arguments"]).values()
    said = "; ".join(map(str, given))
    made_by = {"message": message, "answers": answers, "call_id": call["id"]}
    return Move(kind=kind, way=way, reason=said, **made_by)
