"""The parts of a conversation in a fixed order: ask for something, read it back, finish.

A `Linear` is a pipeline that talks: its state is typed as a pipeline's, and each step fills some
fields from what the person answers. `course.run(linear, person=...)` holds the conversation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from course.agent import Agent
from course.answers import Usage
from course.context import Context
from course.corrections import corrected, correction_in
from course.delegation import Person, TaskFailed
from course.errors import ConfigurationError, ToolError
from course.going_back import steps_meant
from course.models.wire import AsyncOpenAI
from course.pipeline import Stage, StageError, fill
from course.pipeline.running import in_the_end
from course.systems import Result, carry_out
from course.trace import span

TRIES = 5
"""How often a step asks for the same thing."""

Back = tuple[int, str]
"""The place of a step that is asked again, and what was heard for it already, if anything."""

RIGHT = "Is that right?"
_YES = re.compile(r"\b(?:yes|yeah|yep|sure|right|correct|exactly|okay|ok|fine)\b", re.IGNORECASE)
_NO = re.compile(r"\b(?:no|not|nope|wrong|instead|change|actually|make that)\b", re.IGNORECASE)


class Heard(BaseModel):
    """The state of such a conversation, to which each kind adds its fields; None is not said."""

    model_config = ConfigDict(frozen=True)

    request: str = ""


@dataclass(frozen=True)
class Ask:
    """A step that asks a question, and fills fields of the state from the answer.

    Attributes:
        check: raises ToolError for fields that cannot be, in words for the person.
    """

    question: str
    fills: tuple[str, ...]
    check: Callable[[Any], object] | None = None


@dataclass(frozen=True)
class ReadBack:
    """A step that reads back what was settled, in code; a "no" goes back to the step before, and
    whoever names an earlier one ("back to the address") to that.
    """

    words: Callable[[Any], str]


@dataclass(frozen=True)
class Linear:
    """A conversation in a fixed order.

    Attributes:
        duty: what the model is told that fills in the fields.
        done: carries out what was settled, and says how it ended.
        greeting: is said before the first question.
    """

    name: str
    duty: str
    state: type[Heard]
    steps: tuple[Ask | ReadBack, ...]
    done: Callable[[Any], str]
    greeting: str = ""


@carry_out.register(Linear)
async def run_form(
    linear: Linear, request: str | None = None, *, client: AsyncOpenAI, person: Person | None = None
) -> Result:
    """Go through the steps with the person, and finish; `request` answers the first question. Who
    goes back to a step is asked that again, and only that.

    Raises TaskFailed where a step does not get what it asks for.
    """
    if person is None:
        raise ConfigurationError(
            f"'{linear.name}' has nobody to ask: give person=..., an asynchronous function that"
            " gets what is said and gives the answer"
        )
    talk = Talk(linear, client, person, linear.state(), greeting=linear.greeting)
    place, heard = 0, request
    while place < len(linear.steps):
        step = linear.steps[place]
        if isinstance(step, Ask) and heard is None and talk.has(step):
            place += 1
            continue
        with span("stage", f"step {place + 1}"):
            back = await (talk.fill(step, heard) if isinstance(step, Ask) else talk.agree(step))
        place, heard = back or (place + 1, None)
    answer = linear.done(talk.state)
    said = talk.said.add({"role": "assistant", "content": answer})
    return Result(answer=answer, context=said, usage=talk.usage, stop=None)


@dataclass
class Talk:
    """One conversation as it goes: what is settled, and what was said."""

    linear: Linear
    client: AsyncOpenAI
    person: Person
    state: Any
    said: Context = field(default_factory=Context)
    usage: Usage = field(default_factory=Usage)
    greeting: str = ""

    async def ask(self, words: str) -> str:
        """Say something, and hear the answer."""
        words, self.greeting = f"{self.greeting} {words}".strip(), ""
        reply = await self.person(words)
        for role, text in (("assistant", words), ("user", reply)):
            self.said = self.said.add({"role": role, "content": text})
        return reply

    def has(self, step: Ask) -> bool:
        """Whether all fields of a step are filled."""
        return all(getattr(self.state, each) for each in step.fills)

    def about(self, step: Ask) -> str:
        """What a step is about, in words: its question, and its fields with their descriptions."""
        fields = self.linear.state.model_fields
        told = (f"{each.replace('_', ' ')} {fields[each].description or ''}" for each in step.fills)
        return " ".join((step.question, *told))

    def back(self, reply: str, now: Ask | None = None) -> Back | None:
        """The earlier step that an answer goes back to, if it names a filled one."""
        steps = enumerate(self.linear.steps)
        asks = {n: s for n, s in steps if isinstance(s, Ask) and s != now and self.has(s)}
        earlier = {str(n): self.about(s) for n, s in asks.items()}
        meant = steps_meant(reply, earlier, self.about(now) if now else "")
        return (int(meant[0]), "") if meant else None

    async def fill(self, step: Ask, heard: str | None) -> Back | None:
        """Fill a step's fields from what was heard, or else from what is answered; gives the
        earlier step that the person goes back to instead.
        """
        lacking = ""
        for _ in range(TRIES):
            if not heard:
                heard = await self.ask(f"{lacking} {step.question}".strip())
                if self.put_right(heard):  # of what was settled before; the question stands
                    heard = None
                    continue
                if back := self.back(heard, step):
                    return back
            try:
                if await self.settle(step, heard):
                    return None
                lacking = ""
            except ToolError as error:
                lacking = f"{str(error)[:1].upper()}{str(error)[1:].rstrip('.')}."
            heard = None
        raise self.given_up(step.question)

    async def settle(self, step: Ask, heard: str) -> bool:
        """Whether what was heard fills all fields; ToolError where they cannot be so."""
        name, state = self.linear.name, self.state.model_copy(update={"request": heard})
        agent = Agent(name=name, instructions=self.linear.duty)
        stage = Stage(name=name, work=agent, reads=("request",), writes=step.fills, attempts=1)
        try:
            filled = in_the_end(stage, await fill(stage, state, client=self.client))
        except StageError:  # what was said does not fit the fields' types
            return False
        self.usage += filled.usage
        if not all(getattr(filled.state, each) for each in step.fills):
            return False
        if step.check:
            step.check(filled.state)
        self.state = filled.state
        return True

    async def agree(self, step: ReadBack) -> Back | None:
        """Read back until there is a yes; gives the step that is asked again, with what was said
        before and what was said instead.
        """
        words = f"{step.words(self.state).strip()} {RIGHT}"
        for _ in range(TRIES):
            reply = await self.ask(words)
            if self.put_right(reply):
                words = f"{step.words(self.state).strip()} {RIGHT}"
                continue
            if back := self.back(reply):
                return back
            if _NO.search(reply):
                changed = re.sub(r"^\W*(?:no|nope)\b\W*", "", reply, flags=re.IGNORECASE)
                said = f"{self.state.request.rstrip('.')}. {changed}" if changed else ""
                return max(0, self.linear.steps.index(step) - 1), said
            if _YES.search(reply):
                return None
        raise self.given_up(words)

    def put_right(self, reply: str) -> bool:
        """Whether an answer corrects something that is settled: the new value is in its place."""
        heard = [str(m["content"]) for m in self.said.messages if m["role"] == "user"]
        settled = self.state.model_dump(mode="json", exclude={"request"})
        right = corrected(settled, heard, type(self.state).model_json_schema())
        if right == settled or not correction_in([reply]):
            return False
        try:
            state = type(self.state).model_validate({**right, "request": self.state.request})
            for step in (each for each in self.linear.steps if isinstance(each, Ask)):
                if step.check and all(getattr(state, each) for each in step.fills):
                    step.check(state)
        except (ToolError, ValidationError):
            return False
        self.state = state
        return True

    def given_up(self, words: str) -> TaskFailed:
        """The end of a conversation that gets no further."""
        return TaskFailed(self.linear.name, "limit", f"asked {TRIES} times: {words}")
