"""One turn of the person: what it has used up, what the person heard, and when it has to end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from course import clock
from course.agent import Agent
from course.chat import Answer, Usage
from course.limits import Stop, reached
from course.models.wire import Message
from course.session import Attempt, Session
from course.team.guards import SORRY, repeats
from course.team.moves import Move, failed
from course.team.team import Offer, Team

if TYPE_CHECKING:
    from openai import AsyncOpenAI

GRACE = 2
"""Model calls that the fallback gets beyond `Guards.max_turns`."""


@dataclass(kw_only=True)
class Turn:
    """What happens between something the person says and what the person is told.

    Attributes:
        attended: whether somebody is there to answer a question.
        usage: tokens so far.
        calls: model calls so far, those of filters included.
        begin: when it began, on the loop's clock (seconds).
        heard: what the person was told so far.
        stop: the limit that was reached first, if any.
        rescued: whether the fallback has taken over.
    """

    team: Team
    session: Session
    client: AsyncOpenAI
    on_text: Callable[[str], None] | None
    attended: bool
    usage: Usage = field(default_factory=Usage)
    calls: int = 0
    begin: float = field(default_factory=clock.now)
    heard: list[str] = field(default_factory=list)
    stop: Stop | None = None
    rescued: bool = False
    _seen: Counter[str] = field(default_factory=Counter)

    @property
    def agent(self) -> Agent:
        """Who has the conversation."""
        return self.team.agent(self.session.active)

    def offer(self) -> Offer:
        """What the active agent is offered; on the last call there is, nothing: it has to answer.

        The fallback cannot hand over: it is there to end the round, not to join it.
        """
        offer = self.team.offer(self.session, moves=not self.rescued)
        if self.rescued and self._left() == 1:
            return Offer(_without_tools(offer.agent), (), (), {})
        return offer

    def count(self, answer: Answer) -> None:
        """Charge a model call to the turn."""
        self.calls += 1
        self.session.calls += 1
        self.usage += answer.usage

    def say(self, text: str) -> None:
        """Let the active agent say something that no model wrote."""
        self.session.add({"role": "assistant", "content": text})
        self.hear(text)
        if self.on_text is not None:
            self.on_text(text)

    def hear(self, text: str | None) -> None:
        """Note what reaches the person."""
        if text:
            self.heard.append(text)

    def used_up(self, *, turns: int, tokens: int, seconds: float) -> Stop | None:
        """The limit that stands against another model call: the team's, or the active agent's.

        Args:
            turns, tokens, seconds: what the agent has used since it took over.
        """
        left = self._left()
        if left is not None and left <= 0:
            return Stop("max_turns", self.team.guards.max_turns or 0, self.calls)
        return reached(self.agent.limits, turns=turns, tokens=tokens, seconds=seconds)

    def goes_round(self, calls: Sequence[Any], offer: Offer) -> Stop | None:
        """A stop when the same was asked for in the same state too often."""
        most = self.team.guards.max_repeats
        if most is None:
            return None
        session = self.session
        times = repeats(self._seen, session.active, calls, session.state, offer.handoffs)
        return Stop("max_repeats", most, times) if times >= most else None

    def rescue(self, stop: Stop) -> Move | None:
        """What follows a limit: the move to the fallback, or an apology and the end of the turn."""
        self.stop = self.stop or stop
        to = self.team.fallback
        if self.rescued or to is None or to == self.session.active:
            self.say(SORRY)
            return None
        self.rescued = True
        self._seen.clear()
        return Move(kind="fallback", to=to, reason=str(stop))

    def try_out(self, calls: Sequence[Any], answers: Sequence[Message], offer: Offer) -> None:
        """Keep in mind which tools were called and what came of it."""
        session = self.session
        session.attempts = (
            *session.attempts,
            *(
                Attempt(session.active, _text(call), str(answer["content"]), failed(answer))
                for call, answer in zip(calls, answers, strict=True)
                if call["function"]["name"] not in offer.handoffs
            ),
        )

    def _left(self) -> int | None:
        most = self.team.guards.max_turns
        return None if most is None else most + (GRACE if self.rescued else 0) - self.calls


def _text(call: Any) -> str:
    return f"{call['function']['name']}({call['function']['arguments']})"


def _without_tools(agent: Agent) -> Agent:
    return Agent(
        name=agent.name, instructions=agent.instructions, model=agent.model, limits=agent.limits
    )
