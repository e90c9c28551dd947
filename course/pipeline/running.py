"""A chain at work, stage after stage over one state, with an early way out and a way back in."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Generic

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic_core import PydanticUndefined, from_json, to_json

from course import clock
from course.agent import Agent, Hooks, ask, cut_off, invoked, loop
from course.answers import Answer, Usage
from course.budget import Budget, BudgetExceeded
from course.context import Context
from course.corrections import corrected, correction_in
from course.errors import CourseError, refuse_empty
from course.events import Event
from course.fallback import Taken, Unsettled, kept_for, take_over
from course.limits import Stop, Time, in_time
from course.models.wire import AsyncOpenAI, Message
from course.pipeline.stages import Pipeline, Stage, State
from course.results import Failure
from course.runs import emit
from course.session import Ticket, ToolAttempt
from course.systems import Result, carry_out
from course.team.human import HUMAN
from course.tools import json_schema, misfits
from course.trace import span


class Misfit(CourseError):
    """What a stage came up with does not fit: `field`, and why. Used in chapter 02."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field


class StageError(CourseError):
    """A stage could not do its work, and the chain ends. Used in chapter 02.

    `field` is what it could not fill, empty when something else went wrong; from `state`, what is
    filled so far, `run(pipeline, start=state)` goes on.
    """

    def __init__(self, stage: str, field: str, state: BaseModel, reason: str) -> None:
        super().__init__(reason)
        self.stage, self.field, self.state = stage, field, state


@dataclass(frozen=True, kw_only=True)
class Filled:
    """What a stage's agent did: the state after it (as before, if a limit stopped it), its own
    conversation, which no other stage sees, and its tokens. Built in chapter 02.
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
    """A pydantic model of what a stage writes, all required. Built in chapter 02."""
    fields: dict[str, Any] = {}
    for name in writes:
        said = copy(state.model_fields[name])
        said.default, said.default_factory = PydanticUndefined, None
        fields[name] = (said.annotation, said)
    return create_model(state.__name__, __config__=ConfigDict(extra="forbid"), **fields)


@lru_cache(maxsize=256)
def answer_format(name: str, state: type[BaseModel], writes: tuple[str, ...]) -> dict[str, Any]:
    """The `response_format` of what a stage writes. Built in chapter 02.

    Source: structured outputs in the Chat Completions API.
    """
    said = re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64]
    schema = json_schema(answer_model(state, writes))
    return {"type": "json_schema", "json_schema": {"name": said, "schema": schema}}


def fitted(stage: Stage, state: State, answer: str) -> State:
    """The state with an agent's JSON answer filled in. Built in chapter 02.

    Raises Misfit: it is not JSON, does not fit the types, or the stage's check objects.
    """
    try:
        values = from_json(answer, allow_inf_nan=False)
    except ValueError as error:
        raise Misfit(stage.writes[0], f"it is not JSON: {error}") from None
    return accepted(stage, state, values)


def accepted(stage: Stage, state: State, values: Any) -> State:
    """The state with these values in it. Built in chapter 02.

    Raises Misfit: they do not fit what the stage writes, the state's own rules, or its check.
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
    """A stage's model call, answered with what it writes. Built in chapter 02."""
    form = answer_format(stage.name, type(state), stage.writes)
    return await ask(stage.agent, context, client=client, response_format=form)


class InForm(Hooks):
    """The steps of the agent loop at a stage: ask in the stage's form until an answer fits.
    Built in chapter 02.

    Attributes:
        filled: the state with the answer that fits; until there is one, the state as it
            was.
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
    """A stage gave up: which one, which field, why. Built in chapter 02."""
    tries = f"{answers} answer{'s' if answers > 1 else ''}"
    return StageError(
        stage.name,
        misfit.field,
        state,
        f"stage '{stage.name}' could not fill '{misfit.field}' in {tries} ({misfit}): look at what"
        f" it reads ({', '.join(stage.reads) or 'nothing'}) and at its instructions",
    )


@dataclass(frozen=True, kw_only=True)
class StageResult(Filled):
    """What one stage did; the conversation of a function is empty. Used in chapter 02.

    `wrote` are the fields it filled, none if a limit stopped it; `seconds` are the loop's.
    """

    name: str
    wrote: Mapping[str, Any]
    seconds: float


@dataclass(frozen=True, kw_only=True)
class StageCompleted(Event):
    """A stage of a pipeline is over, with what it wrote. Used in chapter 02."""

    stage: StageResult


@dataclass(frozen=True, kw_only=True)
class PipelineResult(Result, Generic[State]):
    """How a chain ended. Used in chapter 02.

    `state` is what was filled, whatever happened: another run can start from it. `stages` are those
    that ran, in order; `ended` names the one that ended the chain early by its `ends_on`, if any.
    `context` is what the person saw, `stop` the limit that stopped a stage, and with it the chain;
    `broken` is the error of the stage that failed; `escalated_to` who took over, if anybody did,
    and `ticket` what a person finds.
    """

    state: State
    stages: tuple[StageResult, ...]
    ended: str | None
    broken: StageError | None = None
    escalated_to: str | None = None
    ticket: Ticket | None = None

    @property
    def failure(self) -> Failure | None:
        """A stage failed."""
        return Failure("error", str(self.broken)) if self.broken else None


@carry_out.register(Pipeline)
async def run_pipeline(
    pipeline: Pipeline[Any],
    request: str | Mapping[str, Any] | None,
    *,
    client: AsyncOpenAI,
    start: BaseModel | None = None,
) -> PipelineResult[Any]:
    """Put a request through a chain, stage after stage.

    The request has the fields of the start by name, or is the value of the only one. `start` is a
    state to go on from instead: stages whose fields are filled in it are skipped.

    That a stage ended the chain, or a limit was reached, is a result, whose answer says what was
    and was not done, or the fallback takes over. Raises StageError where none does: it holds the
    state so far, and in `instead` what a person hears; and ValueError for a start that is not what
    the chain is given.
    """
    state, limits, done = _opening(pipeline, request, start), pipeline.limits, list[StageResult]()
    budget = Budget(calls=limits.max_turns, tokens=limits.max_tokens, calls_are="max_turns")
    ending, stop, broken, taken = _ending(pipeline, state), None, None, None
    time = Time(limits.max_seconds, kept=kept_for(pipeline.fallback))
    step = span("invoke_workflow", pipeline.name, {"gen_ai.workflow.name": pipeline.name})
    with step, budget.in_force():
        async with in_time(time):
            try:
                while not (ending or stop) and (stage := _next(pipeline, state, done)):
                    result = await run_stage(stage, state, client=client)
                    state, stop = result.state, result.stop
                    done.append(result)
                    emit(StageCompleted(system=pipeline.name, stage=result))
                    ending = _ending(pipeline, state)
            except BudgetExceeded as error:
                stop = error.stop
            except StageError as error:
                broken = error
        stop = time.stop or stop
        step.set("switchboard.pipeline.ended", ending.name if ending else None)
        last = ending.ends_on if ending else pipeline.last_words
        answer = _text(state, last) if last in state.model_fields_set else ""
        if broken or (stop and not ending):
            answer = _unfinished(pipeline, state, broken or stop)
            async with in_time(replace(time, kept=0.0)):
                taken = await _taken_over(pipeline, state, answer, done, client=client)
            if taken is None and pipeline.fallback is not None:  # it hangs too
                taken = Taken(to=getattr(pipeline.fallback, "name", HUMAN), answer=answer)
            answer = taken.answer if taken else answer
    asked = _asked(pipeline, state)
    said = Context.of(asked) if asked else Context()
    ended = PipelineResult(
        answer=answer,
        context=said.add({"role": "assistant", "content": answer}) if answer else said,
        usage=sum((each.usage for each in (*done, *([taken] if taken else ()))), Usage()),
        stop=stop,
        state=state,
        stages=tuple(done),
        ended=ending.name if ending else None,
        broken=broken,
        escalated_to=taken.to if taken else None,
        ticket=taken.ticket if taken else None,
    )
    if broken and not taken:
        broken.instead, broken.ended = ended, pipeline
        raise broken
    return ended


def _text(state: BaseModel, field: str) -> str:
    value = getattr(state, field)
    return value if isinstance(value, str) else to_json(value).decode()


def _asked(pipeline: Pipeline[Any], state: BaseModel) -> str:
    """What the chain was given, in words."""
    return ", ".join(_text(state, field) for field in pipeline.given)


def _unfinished(pipeline: Pipeline[Any], state: BaseModel, why: StageError | Stop | None) -> str:
    """What a person hears of a chain that did not come to its end: why, and how far it came."""
    left = _left(pipeline, state)
    done = [each.name for each in pipeline.stages if each.name not in left]
    told = why.told if isinstance(why, Stop) else f"No more could be done: {why}."
    had = f" Done: {', '.join(done)}." if done else ""
    return f"{told}{had} Not done: {', '.join(left)}."


async def _taken_over(
    pipeline: Pipeline[Any],
    state: BaseModel,
    found: str,
    done: Sequence[StageResult],
    *,
    client: AsyncOpenAI,
) -> Taken | None:
    """Let the fallback go on from what there is, if there is one."""
    if pipeline.fallback is None:
        return None
    to, wrote = pipeline.fallback, {s.name: to_json(s.wrote).decode() for s in done if s.wrote}
    fields = "" if isinstance(to, str) else "\n".join(f"{n}: {text}" for n, text in wrote.items())
    case = Unsettled(
        sender=pipeline.name, reason=found, asked=_asked(pipeline, state),
        found=f"{found}\n{fields}".strip(),
        tried=[ToolAttempt(pipeline.name, name, text) for name, text in wrote.items()],
    )  # fmt: skip
    return await take_over(to, case, client=client)


async def run_stage(stage: Stage, state: BaseModel, *, client: AsyncOpenAI) -> StageResult:
    """Let one stage fill its fields, and record what it was shown and wrote; or StageError."""
    begin = clock.now()
    saw: dict[str, str | None] = {"switchboard.stage.shown": shown(stage, state)}
    saw["switchboard.holder"] = stage.work.name if isinstance(stage.work, Agent) else None
    with span("stage", stage.name, saw) as step:
        try:
            filled = await _work(stage, state, client=client)
        except (StageError, BudgetExceeded):
            raise
        except CourseError as error:
            reason = f"stage '{stage.name}' could not go on: {error}"
            raise StageError(stage.name, "", state, reason) from error
        wrote = {} if filled.stop else {k: getattr(filled.state, k) for k in stage.writes}
        step.set("switchboard.stage.wrote", to_json(wrote).decode())
        step.set("switchboard.stop", str(filled.stop) if filled.stop else None)
    seconds = clock.now() - begin
    return StageResult(**vars(filled), name=stage.name, wrote=wrote, seconds=seconds)


async def _work(stage: Stage, state: State, *, client: AsyncOpenAI) -> Filled:
    if isinstance(stage.work, Agent):
        with invoked(stage.work) as step:
            filled = in_the_end(stage, await fill(stage, state, client=client))
            step.used(filled.usage.input, filled.usage.output, filled.stop)
            return filled
    values = stage.work(**{field: getattr(state, field) for field in stage.reads})
    if inspect.isawaitable(values):
        values = await values
    try:
        return Filled(state=accepted(stage, state, values))
    except Misfit as misfit:
        raise failed(stage, state, misfit, 1) from misfit


def in_the_end(stage: Stage, filled: Filled) -> Filled:
    """What an agent filled in, with what was corrected in the words that it was shown."""
    given = (getattr(filled.state, name) for name in stage.reads)
    said = [each for each in given if isinstance(each, str)]
    if filled.stop or not correction_in(said):
        return filled
    wrote = filled.state.model_dump(mode="json", include=set(stage.writes))
    kind: type[BaseModel] = type(filled.state)
    schema = answer_model(kind, stage.writes).model_json_schema()
    if (right := corrected(wrote, said, schema)) == wrote:
        return filled
    with suppress(Misfit):
        return replace(filled, state=accepted(stage, filled.state, right))
    return filled


def is_done(pipeline: Pipeline[State], stage: Stage, state: State) -> bool:
    """Whether a stage need not run, because what it writes is filled. Used in chapter 02.

    One that only rewrites what others wrote leaves no mark: it is done when a stage after it is.
    """
    filled = state.model_fields_set
    place = pipeline.stages.index(stage)
    before = {field for each in pipeline.stages[:place] for field in each.writes}
    own = {*stage.writes} - before - {*pipeline.given}
    if own:
        return own <= filled
    later = pipeline.stages[place + 1 :]
    return bool(later) and is_done(pipeline, later[0], state)


def _next(pipeline: Pipeline[State], state: State, done: Sequence[StageResult]) -> Stage | None:
    """The stage whose turn it is; each has one at the most."""
    begun = [stage.name for stage in pipeline.stages].index(done[-1].name) + 1 if done else 0
    waiting = (s for s in pipeline.stages[begun:] if not is_done(pipeline, s, state))
    return next(waiting, None)


def _left(pipeline: Pipeline[State], state: State) -> list[str]:
    """The stages that have not filled what they write."""
    return [each.name for each in pipeline.stages if not is_done(pipeline, each, state)]


def _ending(pipeline: Pipeline[Any], state: BaseModel) -> Stage | None:
    """The stage that has said that the chain ends with it, if one has."""
    filled = state.model_fields_set
    said = (s for s in pipeline.stages if s.ends_on in filled and getattr(state, s.ends_on))
    return next(said, None)


def _opening(
    pipeline: Pipeline[State], request: str | Mapping[str, Any] | None, start: State | None
) -> State:
    """The state before the first stage."""
    if (request is None) == (start is None):
        raise ValueError("give either a request, or a state to start from")
    if start is not None:
        if not isinstance(start, pipeline.state):
            kind, own = type(start).__name__, pipeline.state.__name__
            raise ValueError(f"start is of type {kind}; pipeline '{pipeline.name}' has {own}")
        return start
    if isinstance(request, str):
        refuse_empty(request)
        if len(pipeline.given) != 1:
            raise ValueError(
                f"pipeline '{pipeline.name}' is given {', '.join(pipeline.given) or 'nothing'}:"
                " give the fields by name, as a dictionary"
            )
        request = {pipeline.given[0]: request}
    try:
        return pipeline.state.model_validate(request)
    except ValidationError as error:
        raise ValueError(f"pipeline '{pipeline.name}' cannot start: {misfits(error)}") from None
