"""A team of the course on a LiveKit session: each member an agent, each handoff LiveKit's own.

The conversation moves as `course.team` moves it: by a model's call, by a tier's criteria, by a
guard; with the handoff's filter and greeting, into the queue where people wait. A handoff is
silent: whoever hands over says nothing more (`ToolResult(reply_required=False)`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any

from livekit.agents import Agent, ModelSettings, llm
from livekit.agents.llm import AgentHandoff

from course import clock
from course.agent import Agent as CourseAgent
from course.agent import works_alone
from course.chat import assistant_message
from course.context import Context
from course.errors import ConfigurationError, ToolError
from course.limits import Stop
from course.models.wire import AsyncOpenAI, Message
from course.routing import Chooser, route
from course.session import Session
from course.systems import answer_of
from course.team import HUMAN, Team
from course.team.human import PUT_THROUGH, STILL_WAITING
from course.team.rules import SORRY
from course.team.running import make
from course.team.team import instructions_for
from course.team.turn import (
    Move,
    Turn,
    answered,
    escalated,
    in_words,
    lowered,
    move_of,
    wished_for,
)
from course.tools import Tool, tool_message
from course.voice.behind import meanwhile
from course.voice.bridge import Heard, LiveAgent, refusal, session_of
from course.voice.history import chat_of, context_of, last_words


def live_team(
    team: Team, session: Session, *, client: AsyncOpenAI, chooser: Chooser | None = None
) -> LiveMember:
    """A team of the course on a LiveKit session, as the agent that has the conversation.

    Args:
        team: who is in it, and what guards a turn.
        session: the conversation, `team.begin()` for a new one. Give it to the LiveKit session as
            well: `AgentSession(userdata=session)`. Its state, its attempts and who is active are
            kept up to date, its history whenever the conversation moves.
        client: answers for all members, each by its own model's name.
        chooser: reads the person's words before the model of whoever begins is asked. Where it
            names one whom that agent may hand over to, the conversation goes there at once; a
            `HybridRouter` does so without a model call when its classifier is sure.
    """
    return LiveMember(person_turn(team, team.begin(session), client), chooser=chooser)


def person_turn(team: Team, session: Session, client: AsyncOpenAI) -> Turn:
    """What the team uses up from here until the person speaks again."""
    return LiveTurn(team=team, session=session, client=client, on_text=None, attended=True)


class LiveTurn(Turn):
    """A turn in which LiveKit tells the person what is said, and its session who said it."""

    def tell(self, text: str) -> None:
        """Leave it to the agent that takes over."""


class LiveMember(LiveAgent):
    """One agent of a team on a LiveKit session.

    Args:
        turn: the person's turn, in which it has the conversation.
        given: what it sees of the conversation when it takes over; None for who begins.
        greeting: what it says first.
        chooser: decides before its model, as `live_team` says.
    """

    def __init__(
        self,
        turn: Turn,
        *,
        given: llm.ChatContext | None = None,
        greeting: str = "",
        chooser: Chooser | None = None,
    ) -> None:
        self._offer = turn.offer()
        agent = self._offer.agent
        tools = (*agent.tools, *self._offer.handoff_tools)
        super().__init__(replace(agent, tools=tools), client=turn.client)
        self.turn = turn
        self._given = given
        self._heard = last_words(given) if given else ""
        self._began = clock.now()
        self._greeting = greeting
        self._gone = ""
        self._chooser = chooser

    async def on_enter(self) -> None:
        """Who takes over greets and goes on; who begins lets the person speak."""
        if self._given is None:
            return
        if self._greeting:
            self.session.say(self._greeting)
        if move := escalated(self.turn):  # its criteria are met already
            self.session.update_agent(await self.go(move, context_of(self.chat_ctx)))
        else:
            self.session.generate_reply()

    async def llm_node(
        self, chat_ctx: llm.ChatContext, tools: list[llm.Tool], model_settings: ModelSettings
    ) -> AsyncIterator[Heard]:
        """One model call, with what all agents know at the end of the instructions."""
        if session_of(self) is not self.turn.session:
            raise ConfigurationError(
                "a team shares its session with LiveKit's: AgentSession(userdata=session, ...)"
            )
        fresh = last_words(chat_ctx) != self._heard
        if fresh:
            self.turn, self._began = self._again(), clock.now()
        if fresh and (move := wished_for(self.turn, said_last(chat_ctx))):
            self.session.update_agent(await self.go(move, context_of(chat_ctx)))
            return
        if fresh and (move := await self.chosen(chat_ctx)):
            self.session.update_agent(await self.go(move, context_of(chat_ctx)))
            return
        told = instructions_for(self.speaker, self.turn.session.state)
        chat_ctx = instructed(chat_ctx, told)
        if self.turn.rescued and self.turn.calls_left() == 1:
            tools = []
        if works_alone(self.turn.agent):
            async for chunk in super().llm_node(chat_ctx, tools, model_settings):
                yield chunk
            return
        leader = replace(self.turn.agent, instructions=told)
        coming = aiter(self.lead(leader, context_of(chat_ctx)))
        while (heard := await self.in_time(coming)) is not None:
            yield heard
        if stop := self.late():
            yield await self.instead(stop, chat_ctx)

    async def lead(self, leader: CourseAgent, context: Context) -> AsyncIterator[Heard]:
        """What a member says that lets others work for it; who consults it gets its answer."""
        work = answer_of(leader, in_words(context), client=self.turn.client)
        if not self.turn.session.frames:
            async for chunk in meanwhile(work):
                yield chunk
            return
        message = assistant_message((await work).answer)
        if move := answered(self.turn, message, result=True):
            self.session.update_agent(await self.go(move, context))

    async def chosen(self, chat_ctx: llm.ChatContext) -> Move | None:
        """The handoff that the chooser decides on, if it names one of this agent's."""
        if self._chooser is None:
            return None
        found = await route(self._chooser, said_last(chat_ctx), client=self.turn.client)
        ways = {way.to: way for kind, way in self._offer.handoffs.values() if kind != "return"}
        [to, *others] = found.agents or ("",)
        if others or to not in ways or ways[to].returns:
            return None
        return Move(kind="transfer", way=replace(ways[to], on_enter=None), reason=found.by)

    def _again(self) -> Turn:
        return person_turn(self.turn.team, self.turn.session, self.turn.client)

    def stopped(self) -> Stop | None:
        """The limit that stands against another model call: the team's, or the agent's own."""
        here, turn, seconds = self.floor, self.turn, clock.now() - self._began
        most, end = turn.team.guards.max_seconds, turn.time.end
        if most is not None and end is not None and clock.now() >= end:
            return Stop("max_seconds", most, clock.now() - turn.begin)
        used = {"turns": here.turns, "tokens": here.usage.total, "seconds": seconds}
        if stop := turn.limit(**used):
            return stop
        turn.calls += 1
        turn.session.calls += 1
        return None

    def end(self) -> float | None:
        """When the team's seconds are over, or the agent's own."""
        ends = [each for each in (super().end(), self.turn.time.end) if each is not None]
        return min(ends, default=None)

    async def instead(self, stop: Stop, chat_ctx: llm.ChatContext) -> str:
        """Let the fallback take over, or apologise."""
        if move := self.turn.rescue(stop):
            self.session.update_agent(await self.go(move, context_of(chat_ctx)))
        return "" if move else self.turn.heard[-1]

    async def answer(self, tool: Tool, arguments: dict[str, object], call: llm.FunctionCall) -> Any:
        """Answer one call, and move on where it, a tier's criteria or a guard says so."""
        made = in_wire_form(call)
        if self._gone:
            raise refusal(ToolError(f"already {lowered(self._gone)}; nothing else is done"))
        if stop := self.turn.goes_round([made], self._offer):
            return await self.end_the_round(stop, made)
        moves = tool.name in self._offer.handoffs
        try:
            given, refused = await super().answer(tool, arguments, call), None
        except llm.ToolError as error:
            given, refused = error.message, error
        result = tool_message(made, str(given))
        result.outcome = "refused" if refused else "ok"
        self.turn.note_attempts([made], [result], self._offer)
        message: Message = {"role": "assistant", "content": None, "tool_calls": [made]}
        before, move = context_of(self.chat_ctx), None
        if moves and not refused:
            move = move_of(self._offer, made, message, (result,))
        elif move := escalated(self.turn):
            before = before.add(message, result)
        if move:
            return await self.go(move, before), silent(given)
        if refused:
            raise refused
        return given

    async def end_the_round(self, stop: Stop, call: Message) -> Any:
        """Refuse what was asked for too often, and let the fallback go on, or apologise."""
        reason = f"this was asked for {stop.value:g} times and is not done again"
        result = tool_message(call, reason, "refused")
        if move := self.turn.rescue(stop):
            message: Message = {"role": "assistant", "content": None, "tool_calls": [call]}
            context = context_of(self.chat_ctx).add(message, result)
            return await self.go(move, context), silent(result["content"])
        self.session.say(SORRY)
        return silent(result["content"])

    async def go(self, move: Move, context: Context) -> Agent:
        """Make a move, and give the agent that takes over."""
        turn, session = self.turn, self.turn.session
        self._gone = f"handed over to {move.way.to}."
        session.history = history_of(self, context)
        session.context = context.copy(exclude_instructions=True)
        said = len(turn.heard)
        await make(turn, move)
        if session.active == HUMAN:
            return Waiting()
        greeting = " ".join(turn.heard[said:])
        # the greeting is in the context already, and LiveKit puts it there when it is said
        given = chat_of(Context(session.context.messages[: -1 if greeting else None]))
        member = LiveMember(turn, given=given, greeting=greeting)
        await member.update_chat_ctx(given, exclude_invalid_function_calls=False)
        return member


class Waiting(Agent):
    """Who is on the line while a conversation waits in the queue for a person."""

    def __init__(self) -> None:
        super().__init__(id=HUMAN, instructions="")

    async def on_enter(self) -> None:
        """Say what happens now."""
        self.session.say(PUT_THROUGH)

    async def llm_node(
        self, chat_ctx: llm.ChatContext, tools: list[llm.Tool], model_settings: ModelSettings
    ) -> AsyncIterator[Heard]:
        """No model answers: what the person adds is kept for whoever takes the ticket."""
        if known := session_of(self):
            known.history = history_of(self, context_of(chat_ctx))
        yield STILL_WAITING


def said_last(chat_ctx: llm.ChatContext) -> str:
    """What the person said last; empty when they have said nothing."""
    said = [each for each in chat_ctx.messages() if each.role == "user"]
    return said[-1].text_content or "" if said else ""


def silent(text: str) -> llm.ToolResult:
    """A result after which nobody is asked for another sentence."""
    return llm.ToolResult(text, reply_required=False)


def in_wire_form(call: llm.FunctionCall) -> Message:
    """LiveKit's call as the course has it."""
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.call_id, "type": "function", "function": function}


def instructed(chat_ctx: llm.ChatContext, told: str) -> llm.ChatContext:
    """A request's history with these instructions in place of its first ones."""
    chat_ctx = chat_ctx.copy()
    for place, item in enumerate(chat_ctx.items):
        if item.type == "message" and item.role == "system":
            chat_ctx.items[place] = item.model_copy(update={"content": [told]})
            break
    return chat_ctx


def history_of(agent: Agent, context: Context) -> tuple[Message, ...]:
    """Everything that was said and done in a LiveKit session, each agent's under its name.

    Args:
        agent: who has the conversation.
        context: what it sees; its last words of the person may be news to the session.
    """
    items = agent.session.history.items
    name, names = "", dict[str, str]()
    for item in items:
        if isinstance(item, AgentHandoff):
            name = item.new_agent_id
        names[item.id] = name
    *_, last = ({}, *(each for each in context.messages if each["role"] == "user"))
    news = [each for each in getattr(last, "items_", ()) if each.id not in names]
    messages = context_of(llm.ChatContext([*items, *news])).messages
    return tuple(_named(message, names) for message in messages)


def _named(message: Message, names: Mapping[str, str]) -> Message:
    [item] = message.items_  # type: ignore[attr-defined]
    return dict(message) if message["role"] == "user" else {**message, "name": names[item.id]}
