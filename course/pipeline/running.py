"""A chain at work: stage after stage over one state, with an early way out and a way back in."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic

from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from course import clock
from course.agent import Agent, invoked
from course.chat import Usage
from course.context import Context
from course.errors import CourseError, refuse_empty
from course.events import Event
from course.models.wire import AsyncOpenAI
from course.pipeline.filling import Filled, Misfit, StageError, accepted, failed, fill, shown
from course.pipeline.stages import Pipeline, Stage, State
from course.runs import emit
from course.systems import Result, carry_out
from course.tools import misfits
from course.trace import span


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

    Attributes:
        state: what was filled, whatever happened; another run can start from it.
        stages: what each stage that ran has done, in order; skipped ones are not in it.
        ended: name of the stage that ended the chain early by its `ends_on`, or None.

    `context` is what the person saw, `stop` the limit that stopped a stage, and with it the chain.
    """

    state: State
    stages: tuple[StageResult, ...]
    ended: str | None


@carry_out.register(Pipeline)
async def _(
    pipeline: Pipeline[Any],
    request: str | Mapping[str, Any] | None,
    *,
    client: AsyncOpenAI,
    start: BaseModel | None = None,
    on_state: Callable[[Any], None] | None = None,
) -> PipelineResult[Any]:
    """Put a request through a chain, stage after stage.

    Args:
        request: what is given at the start: the fields by name, or the value of the only one.
        start: a state to go on from, instead of a request. Stages whose fields are filled in it
            are skipped.
        on_state: gets the state after each stage, for somebody who wants to keep it.

    That a stage ended the chain, or that a limit was reached, is a result. Raises StageError, which
    holds the state so far, and ValueError for a start that is not what the chain is given.
    """
    state = _opening(pipeline, request, start)
    with span("invoke_workflow", pipeline.name, {"gen_ai.workflow.name": pipeline.name}) as step:
        done: tuple[StageResult, ...] = ()
        ended = _ending(pipeline, state)
        for stage in pipeline.stages if ended is None else ():
            if is_done(pipeline, stage, state):
                continue
            result = await run_stage(stage, state, client=client)
            state, done = result.state, (*done, result)
            emit(StageCompleted(system=pipeline.name, stage=result))
            if on_state and result.stop is None:
                on_state(state)
            ended = _ending(pipeline, state)
            if ended or result.stop:
                break
        step.set("switchboard.pipeline.ended", ended)
    return _result(pipeline, state, done, ended)


async def run_stage(stage: Stage, state: BaseModel, *, client: AsyncOpenAI) -> StageResult:
    """Let one stage fill its fields, and record what it was shown and wrote; StageError where it
    could not.
    """
    begin = clock.now()
    saw = {"switchboard.stage.shown": shown(stage, state)}
    with span("stage", stage.name, saw) as step:
        try:
            filled = await _work(stage, state, client=client)
        except StageError:
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
    if not isinstance(stage.work, Agent):
        return await _call(stage.work, stage, state)
    with invoked(stage.work) as step:
        filled = await fill(stage, state, client=client)
        step.used(filled.usage.input, filled.usage.output, filled.stop)
        return filled


async def _call(work: Callable[..., Any], stage: Stage, state: BaseModel) -> Filled:
    """A stage that decides in code: its function gets what it reads, as it is."""
    values = work(**{field: getattr(state, field) for field in stage.reads})
    if inspect.isawaitable(values):
        values = await values
    try:
        return Filled(state=accepted(stage, state, values))
    except Misfit as misfit:
        raise failed(stage, state, misfit, 1) from misfit


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


def _ending(pipeline: Pipeline[Any], state: BaseModel) -> str | None:
    """The stage that has said that the chain ends with it, if one has."""
    for stage in pipeline.stages:
        if stage.ends_on in state.model_fields_set and getattr(state, stage.ends_on):
            return stage.name
    return None


def _opening(
    pipeline: Pipeline[State], request: str | Mapping[str, Any] | None, start: State | None
) -> State:
    """The state before the first stage."""
    if (request is None) == (start is None):
        raise ValueError("give either a request, or a state to start from")
    if start is not None:
        if not isinstance(start, pipeline.state):
            raise ValueError(
                f"the state to start from is of type {type(start).__name__};"
                f" pipeline '{pipeline.name}' has {pipeline.state.__name__}"
            )
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


def _text(value: Any) -> str:
    return value if isinstance(value, str) else to_json(value).decode()


def _result(
    pipeline: Pipeline[State], state: State, stages: tuple[StageResult, ...], ended: str | None
) -> PipelineResult[State]:
    asked = ", ".join(_text(getattr(state, field)) for field in pipeline.given)
    last = next((s.ends_on for s in pipeline.stages if s.name == ended), pipeline.last_words)
    answer = _text(getattr(state, last)) if last in state.model_fields_set else ""
    said = Context.of(asked) if asked else Context()
    return PipelineResult(
        answer=answer,
        context=said.add({"role": "assistant", "content": answer}) if answer else said,
        usage=sum((stage.usage for stage in stages), Usage()),
        stop=next((stage.stop for stage in stages if stage.stop), None),
        state=state,
        stages=stages,
        ended=ended,
    )
