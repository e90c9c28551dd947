"""A pipeline as data: its stages, what each is shown and has to fill, and whether that adds up.

Most mistakes are seen before anything runs, such as a stage that reads what nobody has filled yet.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from course.agent import Agent, works_alone
from course.errors import CourseError, alone
from course.fallback import fallback_faults
from course.limits import Limits
from course.team.human import HumanQueue

State = TypeVar("State", bound=BaseModel)


class WiringError(CourseError):
    """A pipeline cannot work as it is put together; found when it is built. Used in chapter 02."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One step of a chain. Built in chapter 02.

    Attributes:
        name: unique within its pipeline.
        work: who fills the fields. An agent is shown what the stage reads as JSON, may use its
            tools, and answers with what the stage writes as JSON. A function, asynchronous or
            not, gets what the stage reads by name and returns a dictionary of what it writes.
        reads, writes: the fields of the state that it is shown, and those it has to fill.
        ends_on: one of the fields it writes. If it is filled with something (a text that is not
            empty, say), the chain ends after this stage, and this is its answer.
        check: says what is wrong with the state as it would be, or None: what no type can say,
            such as whether a total is the one in the till.
        attempts: answers an agent may give that do not fit; then the stage fails.
    """

    name: str
    work: Agent | Callable[..., Any]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    ends_on: str = ""
    check: Callable[[Any], str | None] | None = None
    attempts: int = 3

    @property
    def agent(self) -> Agent:
        """The agent at work; raises TypeError if it is a function."""
        if isinstance(self.work, Agent):
            return self.work
        raise TypeError(f"stage '{self.name}' is the work of a function, not of an agent")


@dataclass(frozen=True, kw_only=True)
class Pipeline(Generic[State]):
    """A fixed chain of stages over one typed state. Built in chapter 02.

    Attributes:
        name: what the chain is for.
        stages: in the order in which they run.
        state: a frozen pydantic model. Its required fields are given at the start; all others
            have a default, and count as filled only once a stage has filled them.
        answer: the field that is said to the person at the end; without it, the first field that
            the last stage writes.
        description: what it is for, in one line, where it works for a supervisor.
        limits: of the whole chain: model calls, tokens and seconds of all stages.
        fallback: who takes over where a stage fails or a limit stops the chain: an agent, which has
            the last quarter of the seconds, a `HumanQueue`, `HUMAN` or a sentence. Without one the
            answer says what was and was not done.

    Raises WiringError: it cannot work as it is put together.
    """

    name: str
    stages: tuple[Stage, ...]
    state: type[State]
    answer: str = ""
    description: str = ""
    limits: Limits = Limits(max_turns=None)
    fallback: Agent | HumanQueue | str | None = None

    def __post_init__(self) -> None:
        check_wiring(self)

    @property
    def given(self) -> tuple[str, ...]:
        """The fields that are there before the first stage: those without a default."""
        return tuple(k for k, field in self.state.model_fields.items() if field.is_required())

    @property
    def last_words(self) -> str:
        """The field that holds the answer when the whole chain has run."""
        return self.answer or self.stages[-1].writes[0]


def check_wiring(pipeline: Pipeline[Any]) -> None:
    """Refuse a chain that cannot work with a WiringError, in one line. Built in chapter 02."""
    for faults in (faults_of_the_whole, faults_of_stages, faults_of_the_flow):
        for fault in faults(pipeline):
            raise WiringError(f"pipeline '{pipeline.name}': {fault}")


def faults_of_the_whole(pipeline: Pipeline[Any]) -> Iterator[str]:
    """What is wrong with stages and state, before anybody looks at a single field."""
    if said := alone(pipeline.stages, "stages"):
        yield said
    if not pipeline.stages:
        yield "it has no stages: give it at least one"
    for each in pipeline.stages:
        if not hasattr(each, "writes"):  # chapter 02 writes a class of its own
            yield f"its stages are stages, not {each!r}: make one with Stage(...)"
    yield from fallback_faults(pipeline.fallback, "its fallback")
    if not pipeline.state.model_config.get("frozen"):
        yield (
            f"anybody could change its state: give {pipeline.state.__name__}"
            " model_config = ConfigDict(frozen=True)"
        )
    for name, times in Counter(stage.name for stage in pipeline.stages).items():
        if times > 1:
            yield f"{times} stages are called '{name}': rename all but one of them"


def faults_of_stages(pipeline: Pipeline[Any]) -> Iterator[str]:
    """What is wrong with what a stage says of itself, whatever the others do."""
    known = pipeline.state.model_fields
    for stage in pipeline.stages:
        says = f"stage '{stage.name}'"
        for kind, names in (("reads", stage.reads), ("writes", stage.writes)):
            if said := alone(names, kind):
                yield f"{says}: {said}"
        for field in (*stage.reads, *stage.writes):
            if field not in known:
                yield f"{says}: the state has no field '{field}'; it has: {', '.join(known)}"
        if not stage.writes:
            yield f"{says} writes nothing: say which fields of the state it fills"
        if stage.ends_on and stage.ends_on not in stage.writes:
            yield f"{says} ends on '{stage.ends_on}', which it does not write: add it to writes"
        if stage.attempts < 1:
            yield f"{says} has {stage.attempts} attempts: give it at least 1"
        yield from _of_the_work(stage)


def _of_the_work(stage: Stage) -> Iterator[str]:
    work, says = stage.work, f"stage '{stage.name}'"
    if isinstance(work, Agent):
        if work.handoffs:
            yield f"{says}: '{work.name}' hands over, a chain has a fixed order: use course.team"
        elif not works_alone(work):
            yield (
                f"{says}: '{work.name}' is a {type(work).__name__}, which answers in no form:"
                " let a function run it, with course.run"
            )
    elif not callable(work):
        yield f"{says}: its work is {work!r}, which is neither an Agent nor a function"
    else:
        try:
            inspect.signature(work).bind(**dict.fromkeys(stage.reads))
        except TypeError as error:
            yield f"{says}: its function does not fit what the stage reads: {error}"


def faults_of_the_flow(pipeline: Pipeline[Any]) -> Iterator[str]:
    """Who reads too early, or writes over what is unread. Built in chapter 02."""
    filled = dict.fromkeys(pipeline.given, "the start")
    for stage in pipeline.stages:
        for field in stage.reads:
            if field not in filled:
                yield f"stage '{stage.name}' reads '{field}', {too_early(pipeline, field)}"
        for field in stage.writes:
            if field in filled and field not in stage.reads:
                yield (
                    f"stage '{stage.name}' writes '{field}' over what {filled[field]} filled,"
                    " without reading it: let it read the field, or write another one"
                )
        filled |= dict.fromkeys(stage.writes, f"stage '{stage.name}'")
    if pipeline.answer and pipeline.answer not in filled:
        yield f"its answer is '{pipeline.answer}', which no stage writes: take one that is written"


def too_early(pipeline: Pipeline[Any], field: str) -> str:
    """What to do about a field that is read before it is filled. Built in chapter 02."""
    later = [stage.name for stage in pipeline.stages if field in stage.writes]
    if later:
        return f"but '{later[0]}', which writes it, has not run by then: change the order"
    return "which no stage before it writes: let one of them write it, or do not read it"
