"""Carrying out a task on its own, and tools that start one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

from course.context import Context
from course.delegation.floor import Line, Person, current_floor, in_words
from course.delegation.group import TaskGroupResult
from course.delegation.task import Result, Task
from course.errors import ConfigurationError
from course.systems import Result as RunResult
from course.systems import carry_out
from course.tools import Tool, tool
from course.trace import Trace, current, span

if TYPE_CHECKING:
    from openai import AsyncOpenAI


@dataclass(frozen=True, kw_only=True)
class TaskResult(RunResult, Generic[Result]):
    """How a task that was run on its own ended: `result` is its typed result.

    `answer`, `context`, `usage`, `stop` and `trace` are those of an agent's run.

    Chapter 05 uses it.
    """

    result: Result


@carry_out.register(Task)
async def _(
    task: Task[Any],
    request: str | Context | None = None,
    *,
    client: AsyncOpenAI,
    person: Person | None = None,
    reply_seconds: float | None = None,
) -> TaskResult[Any]:
    """Carry out a task with a person, without an agent around it.

    Args:
        task: a new one; it is awaited here.
        request: the conversation it begins with, if there is one.
        client: reaches the model.
        person: gets what the task says, gives what they answer.
        reply_seconds: how long the task waits for the person (seconds); None waits for ever.

    Raises:
        TaskCancelled, TaskFailed: the task has no result.
        ConfigurationError: nobody is there to be asked.
        RuntimeError: it was awaited before.
        TypeError: the person is no asynchronous function, or answers with something else than text.
    """
    if person is None:
        raise ConfigurationError(
            f"task '{task.name}' has nobody to ask: give person=..., an asynchronous function that"
            " gets what is said and gives the answer"
        )
    if request is not None:
        task.begin_with(Context.of(request) if isinstance(request, str) else request)
    line = Line(person=in_words(person), client=client, reply_seconds=reply_seconds)
    with span("invoke_workflow", task.name, {"gen_ai.workflow.name": task.name}):
        result = await task.carry_out(line)
    context = task.context
    return TaskResult(
        answer=context.answer,
        context=context,
        usage=task.usage,
        stop=None,
        trace=current() or Trace(task.name),
        result=result,
    )


def start_tool(
    make: Callable[[Context], Task[Result]],
    *,
    name: str,
    description: str,
    then: Callable[[Result], Any] | None = None,
) -> Tool:
    """A tool without arguments that carries out a task and gives its result.

    Args:
        make: makes a new task for the conversation so far, without anybody's instructions.
        name: what the model calls, such as "start_triage".
        description: when to start it, in words the model chooses by.
        then: what to do with the result, such as booking; what it gives goes to the model instead.

    The result is the typed result as JSON. A task that is cancelled or fails is an error that the
    model reads, like any tool's.

    Built in chapter 05.
    """

    async def start() -> Any:
        result = await make(current_floor().context.copy(exclude_instructions=True))
        return plain_result(then(result) if then else result)

    start.__doc__ = description
    return tool(name=name, timeout=None)(start)  # a person may take their time


def plain_result(result: Any) -> Any:
    """A result as JSON can hold it: of a group, each step's, and a failure as `{"error": ...}`.

    Built in chapter 05.
    """
    if not isinstance(result, TaskGroupResult):
        return result
    return {
        id: {"error": str(each)} if isinstance(each, Exception) else plain_result(each)
        for id, each in result.task_results.items()
    }
