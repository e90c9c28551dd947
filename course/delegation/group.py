"""Several tasks in sequence, with one shared conversation and results by id.

Source: LiveKit Agents 1.8, `TaskGroup`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import Field

from course.agent import Agent
from course.context import MAX_EXCHANGES, Context, condensed, new_in, summed_up
from course.delegation.dialogue import Channel, Floor, before
from course.delegation.results import OutOfScope, TaskFailed, TaskGroupResult
from course.delegation.task import Task
from course.errors import ConfigurationError, ModelError
from course.events import Event
from course.limits import Limits, Stop
from course.runs import emit
from course.tools import Tool, tool

GO_BACK = "Go back to earlier steps when the person changes what was settled there. Steps:"
MAX_REGRESSIONS = 10
"""How often the person may change their mind before a group gives up."""


@dataclass(frozen=True)
class TaskCompletedEvent(Event):
    """A step of a group is over: its task, id and result. Used in chapter 05."""

    agent_task: Task[Any]
    task_id: str
    result: Any


class Step(NamedTuple):
    """One step of a group: how to make its task, and what it is about."""

    factory: Callable[[], Task[Any]]
    description: str


class TaskGroup(Task[TaskGroupResult]):
    """Tasks that are carried out one after the other, and share one conversation.
    Used in chapter 05.

    Each begins with everything said and done before it. From the second on the model may call
    `out_of_scope` to go back: those steps are done again with new tasks, then the one that was
    left.

    Args:
        summarize_chat_ctx: leave a summary (one model call) instead of all that was said and done.
        return_exceptions: a step that fails has its exception as its result, and the next begins;
            otherwise the group fails with it.
        on_task_completed: awaited after each completed step.
        context: the conversation it begins with; where the person has spoken more often than
            `max_exchanges` in it, its older part is summarised first (one model call).
        max_regressions: how often the person may change their mind.
        limits: their `max_seconds` are those of all steps together, summaries included.
    """

    def __init__(
        self,
        *,
        summarize_chat_ctx: bool = True,
        return_exceptions: bool = False,
        on_task_completed: Callable[[TaskCompletedEvent], Awaitable[None]] | None = None,
        name: str = "group",
        context: Context | None = None,
        max_exchanges: int = MAX_EXCHANGES,
        max_regressions: int = MAX_REGRESSIONS,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(instructions="", name=name, context=context, limits=limits)
        self.summarize_chat_ctx = summarize_chat_ctx
        self.return_exceptions = return_exceptions
        self.on_task_completed = on_task_completed
        self.max_exchanges = max_exchanges
        self.max_regressions = max_regressions
        self.steps: dict[str, Step] = {}
        self._visited: set[str] = set()

    def add(self, factory: Callable[[], Task[Any]], *, id: str, description: str) -> Self:
        """Put a step at the end of the group: its result's id, and what it settles, for the model.

        `factory` makes its task, anew each time. ConfigurationError where one of them cannot be.
        """
        if not callable(factory):
            raise ConfigurationError(
                f"step '{id}' needs a function that makes its task anew each time: add(lambda: ...)"
            )
        if id in self.steps:
            raise ConfigurationError(f"two steps are called '{id}': give one of them another id")
        if not description.strip():
            raise ConfigurationError(f"step '{id}' has no description: say what it settles")
        self.steps[id] = Step(factory, description)
        return self

    def _take(self, channel: Channel) -> Floor:
        return Floor(channel=channel, speaker=Agent(name=self.name), context=self._context)

    async def work(self, here: Floor) -> None:
        """Carry out the steps one after the other; what is left of their history is a summary."""
        client, limit = here.channel.client, self.max_exchanges
        here.context = begun = await condensed(self._context, client, max_exchanges=limit)
        keep, most = self.return_exceptions, self.max_regressions
        play = partial(self._play, here)
        sequence = in_sequence(self.steps, play, return_exceptions=keep, max_regressions=most)
        try:
            results = await before(here.over, sequence)
        finally:
            new = new_in(here.context, begun)
            here.context = self._context.add(*new)
        if self.summarize_chat_ctx and new:
            with suppress(ModelError):  # then all of it stays
                here.context = self._context.add(await before(here.over, summed_up(new, client)))
        if not self.done():
            self.complete(TaskGroupResult(results))

    async def _play(self, here: Floor, id: str) -> Any:
        """Carry out one step with a new task."""
        task = self.steps[id].factory()
        task.begin_with(here.context)
        earlier = [each for each in self.steps if each in self._visited and each != id]
        if earlier:
            task.tools = (*task.tools, self._out_of_scope(task, earlier))
        self._visited.add(id)
        task.preserve_function_call_history = True  # within the group; the summary reads them
        result = await here.lend(task)
        event = TaskCompletedEvent(task, id, result, system=self.name)
        emit(event)
        if self.on_task_completed:
            await self.on_task_completed(event)
        return result

    def _out_of_scope(self, task: Task[Any], earlier: list[str]) -> Tool:
        def out_of_scope(task_ids: list[str]) -> str:
            task.check_open()
            task.complete(OutOfScope(task_ids))
            return f"Going back to {', '.join(task_ids)}."

        ids = Field(min_length=1, description="the ids of the steps, in the order of the wishes")
        chosen: Any = Literal[tuple(earlier)]
        out_of_scope.__annotations__["task_ids"] = Annotated[list[chosen], ids]
        steps = [f"- {each}: {self.steps[each].description}" for each in earlier]
        out_of_scope.__doc__ = "\n".join((GO_BACK, *steps))
        return tool(out_of_scope)


async def in_sequence(
    ids: Iterable[str],
    play: Callable[[str], Awaitable[Any]],
    *,
    return_exceptions: bool = False,
    max_regressions: int = MAX_REGRESSIONS,
) -> dict[str, Any]:
    """Carry out steps one after the other, and go back when one of them says so.
    Built in chapter 05, exercise 5.5.

    Args:
        ids: the steps in their order.
        play: carries out the step with this id and gives its result. It raises `OutOfScope` when
            the person wants to change earlier steps: those come next, in the order of its
            `task_ids`, then the step that was left, then the rest.
        return_exceptions: take an exception as the step's result, and go on.
        max_regressions: how often it may go back.

    Returns:
        Results by id, in the order of the steps; of a step that was done again, the last one.

    Raises:
        TaskFailed: it had to go back more often than that.
        Exception: what a step raised, unless `return_exceptions`.
    """
    order = list(ids)
    waiting, results, regressions = deque(order), dict[str, Any](), 0
    while waiting:
        id = waiting.popleft()
        try:
            results[id] = await play(id)
        except OutOfScope as change:
            regressions += 1
            if regressions > max_regressions:
                stop = Stop("max_regressions", max_regressions, regressions)
                raise TaskFailed(id, "limit", str(stop), stop=stop) from None
            waiting.extendleft(reversed([*change.task_ids, id]))
        except Exception as error:
            if not return_exceptions:
                raise
            results[id] = error
    return {id: results[id] for id in order}
