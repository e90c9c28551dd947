"""One stage at work: what its agent is shown, the form it answers in, and what becomes of it."""

from __future__ import annotations

import re
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic_core import PydanticUndefined, from_json, to_json

from course.agent import Agent, Hooks, ask, cut_off, loop
from course.chat import Answer, Usage
from course.context import Context
from course.errors import CourseError
from course.limits import Stop
from course.models.wire import AsyncOpenAI, Message
from course.pipeline.stages import Stage, State
from course.tools import json_schema, misfits


class Misfit(CourseError):
    """What a stage came up with does not fit: `field` says where, the message why. Used in chapter
    02.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field


class StageError(CourseError):
    """A stage could not do its work, and the chain ends. Used in chapter 02.

    Attributes:
        stage: its name.
        field: what it could not fill; empty when something else went wrong.
        state: what is filled so far; `run(pipeline, start=state, ...)` goes on from there.
    """

    def __init__(self, stage: str, field: str, state: BaseModel, reason: str) -> None:
        super().__init__(reason)
        self.stage, self.field, self.state = stage, field, state


@dataclass(frozen=True, kw_only=True)
class Filled:
    """What a stage's agent did. Built in chapter 02.

    Attributes:
        state: the state after it; the one before it, if a limit stopped the agent.
        context: the agent's own conversation; no other stage sees it.
        usage: tokens over all its model calls.
        stop: the limit that stopped it, or None.
    """

    state: Any
    context: Context = field(default_factory=Context)
    usage: Usage = field(default_factory=Usage)
    stop: Stop | None = None


def shown(stage: Stage, state: BaseModel) -> str:
    """What a stage's agent gets to see: the fields that the stage reads, as JSON, nothing else.
    Built in chapter 02, exercise 2.1.

    Args:
        stage: whose `reads` count.
        state: holds more than that.

    Returns:
        The text of a JSON object with the fields in the order of `reads`.
    """
    seen = state.model_dump(mode="json", include=set(stage.reads))
    return to_json({name: seen[name] for name in stage.reads}).decode()


@lru_cache(maxsize=256)
def answer_model(state: type[BaseModel], writes: tuple[str, ...]) -> type[BaseModel]:
    """A pydantic model of the fields that a stage writes, all required and no others allowed.
    Built in chapter 02.
    """
    fields: dict[str, Any] = {}
    for name in writes:
        said = copy(state.model_fields[name])
        said.default, said.default_factory = PydanticUndefined, None
        fields[name] = (said.annotation, said)
    return create_model(state.__name__, __config__=ConfigDict(extra="forbid"), **fields)


@lru_cache(maxsize=256)
def answer_format(name: str, state: type[BaseModel], writes: tuple[str, ...]) -> dict[str, Any]:
    """The `response_format` of a request whose answer fills the fields that a stage writes.
    Built in chapter 02.

    Source: structured outputs in the Chat Completions API.
    """
    said = re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64]
    schema = json_schema(answer_model(state, writes))
    return {"type": "json_schema", "json_schema": {"name": said, "schema": schema}}


def fitted(stage: Stage, state: State, answer: str) -> State:
    """The state with an agent's answer filled in: a JSON object of the fields to fill.
    Built in chapter 02.

    Raises Misfit: it is not JSON, does not fit the types, or the stage's check objects.
    """
    try:
        values = from_json(answer, allow_inf_nan=False)
    except ValueError as error:
        raise Misfit(stage.writes[0], f"it is not JSON: {error}") from None
    return accepted(stage, state, values)


def accepted(stage: Stage, state: State, values: Any) -> State:
    """The state with these values in it, if they fit. Built in chapter 02.

    Raises Misfit: they are not what the stage writes, the state's own rules forbid them, or the
    stage's check objects.
    """
    try:
        fits = answer_model(type(state), stage.writes).model_validate(values)
        filled = {name: getattr(state, name) for name in state.model_fields_set}
        filled |= {name: getattr(fits, name) for name in stage.writes}
        new = type(state).model_validate(filled, by_name=True)
    except ValidationError as error:
        place = error.errors()[0]["loc"]
        raise Misfit(str(place[0]) if place else stage.writes[0], misfits(error)) from None
    objection = stage.check(new) if stage.check else None
    if objection:
        raise Misfit(stage.writes[0], objection)
    return new


def correction(stage: Stage, misfit: Misfit) -> Message:
    """What an agent is told whose answer did not fit. Built in chapter 02."""
    wanted = ", ".join(stage.writes)
    return {
        "role": "user",
        "content": f"Your answer does not fit: {misfit}. Answer again with all of: {wanted}.",
    }


async def ask_in_form(
    stage: Stage, state: BaseModel, context: Context, *, client: AsyncOpenAI
) -> Answer:
    """One model call in the name of a stage's agent, to be answered with what the stage writes.
    Built in chapter 02.
    """
    form = answer_format(stage.name, type(state), stage.writes)
    return await ask(stage.agent, context, client=client, response_format=form)


class InForm(Hooks):
    """The steps of the agent loop at a stage: ask in the stage's form until an answer fits.
    Built in chapter 02.

    Attributes:
        filled: the state with the answer that fits; until there is one, the state as it was.
        misfits: how many answers did not fit.
    """

    def __init__(self, stage: Stage, state: BaseModel) -> None:
        self.stage, self.state = stage, state
        self.filled, self.misfits = state, 0

    async def ask(self, agent: Agent, context: Context, **how: Any) -> Answer:
        """One model call, to be answered with what the stage writes."""
        self.answer = await ask_in_form(self.stage, self.state, context, client=how["client"])
        return self.answer

    async def go_on(self, agent: Agent, context: Context, message: Message) -> Context | None:
        """Run the tools that are asked for; an answer is filled in, or given back for correction.

        Raises StageError: it was the last answer that was allowed.
        """
        if message.get("tool_calls") or cut_off(self.answer):
            return await Hooks.go_on(self, agent, context, message)
        try:
            self.filled = fitted(self.stage, self.state, message["content"])
            return None
        except Misfit as misfit:
            self.misfits += 1
            if self.misfits == self.stage.attempts:
                raise failed(self.stage, self.state, misfit, self.misfits) from misfit
            return context.add(message, correction(self.stage, misfit))


async def fill(stage: Stage, state: BaseModel, *, client: AsyncOpenAI) -> Filled:
    """Let a stage's agent work until its answer fits, within its limits and the stage's attempts.
    Built in chapter 02, exercise 2.2.

    Args:
        stage: its work is an agent.
        state: of which the agent is shown what the stage reads.
        client: reaches the model.

    Returns:
        The new state with the agent's conversation, or the old one and the limit that was reached.

    Raises:
        StageError: `stage.attempts` answers did not fit; the error names stage and field.
        ModelError: the model cannot be used.
    """
    steps = InForm(stage, state)
    context = Context.of(shown(stage, state), instructions=stage.agent.instructions)
    context, usage, stop = await loop(stage.agent, context, client=client, hooks=steps)
    return Filled(state=steps.filled, context=context, usage=usage, stop=stop)


def failed(stage: Stage, state: BaseModel, misfit: Misfit, answers: int) -> StageError:
    """The error of a stage that gave up: which stage, which field, why, and the way out.
    Built in chapter 02.
    """
    tries = f"{answers} answer{'s' if answers > 1 else ''}"
    return StageError(
        stage.name,
        misfit.field,
        state,
        f"stage '{stage.name}' could not fill '{misfit.field}' in {tries} ({misfit}): look at what"
        f" it reads ({', '.join(stage.reads) or 'nothing'}) and at its instructions",
    )
