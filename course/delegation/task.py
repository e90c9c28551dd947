"""A task: a model talks with a person until it has a typed result, or until it ends otherwise.

It completes, is cancelled, or fails with a reason, whatever the others do who have part in it.

Source: LiveKit Agents 1.8, `AgentTask`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, cast, get_args

from pydantic import ValidationError
from pydantic_core import to_json

from course.agent import Agent
from course.answers import Usage
from course.context import Context, merge, new_in
from course.corrections import corrected
from course.delegation.dialogue import (
    MAX_SILENCES,
    NUDGE,
    Channel,
    Floor,
    Person,
    current_floor,
    in_words,
    listen,
    speak,
)
from course.delegation.results import (
    CANCEL,
    OutOfScope,
    TaskCancelled,
    TaskFailed,
    adapter,
    complete_tool,
    plain_result,
    read_result,
)
from course.errors import ConfigurationError, ModelError, ToolDefinitionError, ToolError, several
from course.limits import Limits, in_time
from course.models.names import SMALL
from course.models.wire import AsyncOpenAI, Message
from course.runs import next_matter, working_on
from course.systems import Result as SystemResult
from course.systems import carry_out
from course.tools import Tool, by_name, tool
from course.trace import Recording, span
from course.trace_messages import as_json

Result = TypeVar("Result")
State = Literal["new", "running", "completed", "cancelled", "failed"]

MAX_REFUSALS = 3
RESERVED = ("complete", "cancel_task", "out_of_scope")
_UNSET: Any = object()


class Task(Generic[Result]):
    """Something to find out from a person, or to do with them, with a typed result.
    Used in chapter 05.

    Write `Task[Triage](instructions=..., tools=...)`, or a class `TriageTask(Task[Triage])`. Await
    it once: in a tool of an agent in a `Conversation`, or through `course.run(task, person=...)`.

    Args:
        tools: what the model may use besides `complete` and `cancel_task`.
        name: in traces and messages; without one, the class's name or the result type's.
        context: the conversation it begins with, without anybody's instructions.
        limits: over the whole task: model calls, tokens, seconds; the person's are among them.
        check: asked last, raises ToolError, which the model reads, for a result that cannot be.
        max_refusals: results that do not fit before the next one fails the task.
        preserve_function_call_history: leave its tool calls in the asker's history as well.

    Awaiting it raises `TaskCancelled` or `TaskFailed` (both are `ToolError`), what was given to
    `complete`, or what broke.
    """

    def __init__(
        self,
        *,
        instructions: str,
        tools: Iterable[Tool] = (),
        name: str = "",
        context: Context | None = None,
        model: str = SMALL,
        limits: Limits | None = None,
        check: Callable[[Result], None] | None = None,
        max_refusals: int = MAX_REFUSALS,
        preserve_function_call_history: bool = False,
    ) -> None:
        self.instructions = instructions
        self.tools: tuple[Tool, ...] = several(tools, "tools")
        self.model = model
        self.limits = limits or Limits(max_turns=30)
        self.check = check
        self.max_refusals = max_refusals
        self.preserve_function_call_history = preserve_function_call_history
        self._name = name
        self._context = context or Context()
        self._floor: Floor | None = None
        self._awaited = False
        self._outcome: Any = _UNSET
        self._refused = 0
        for taken in by_name(self.tools).keys() & set(RESERVED):
            raise ConfigurationError(f"a task's own tool cannot be called '{taken}': rename it")

    @property
    def result_type(self) -> Any:
        """The type between the brackets of `Task[...]`; without one, ToolDefinitionError."""
        if (found := self._type()) is not _UNSET:
            return found
        raise ToolDefinitionError(
            f"{type(self).__name__} has no result type: write Task[Triage](...), with your type"
        )

    @property
    def name(self) -> str:
        """What the task is called."""
        own = type(self).__name__.removesuffix("Task")
        kind = own or getattr(self._type(), "__name__", "task")
        return self._name or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind).lower()

    @property
    def usage(self) -> Usage:
        """Tokens of the task's own turns and of the tasks within it; not those of summaries."""
        return self._floor.usage if self._floor else Usage()

    @property
    def speakers(self) -> tuple[str, ...]:
        """The task's name, and those of the tasks that have taken its floor."""
        return self._floor.speakers if self._floor else (self.name,)

    @property
    def context(self) -> Context:
        """What the task has in view: what it began with, and what was said and done since."""
        return self._floor.context if self._floor else self._context

    @property
    def state(self) -> State:
        """Where the task stands: the last three are ends."""
        if self._outcome is _UNSET:
            return "running" if self._floor else "new"
        if isinstance(self._outcome, TaskCancelled):
            return "cancelled"
        return "failed" if isinstance(self._outcome, Exception) else "completed"

    def done(self) -> bool:
        """Whether the task has ended, in whichever way."""
        return self._outcome is not _UNSET

    def outcome(self) -> Result | Exception:
        """How the task ended: its result, or what awaiting it raises. RuntimeError before that."""
        if not self.done():
            raise RuntimeError(f"task '{self.name}' has not ended: await it first")
        return cast("Result | Exception", self._outcome)

    @property
    def ending_tools(self) -> tuple[Tool, Tool]:
        """The tools by which the model ends the task: `complete` and `cancel_task`."""
        return complete_tool(self.result_type, self._settle), Tool(**CANCEL, function=self._give_up)

    @property
    def speaker(self) -> Agent:
        """Who has the floor while the task is carried out: an agent that can end it."""
        return Agent(
            name=self.name,
            instructions=self.instructions,
            tools=(*self.tools, *self.ending_tools),
            model=self.model,
            limits=self.limits,
        )

    def complete(self, result: Result | Exception) -> None:
        """End the task with its result, or with what went wrong.

        Raises RuntimeError when it has ended before, TypeError for a result of another type.
        """
        if self.done():
            raise RuntimeError(f"task '{self.name}' is already done: a task ends once")
        if not isinstance(result, Exception):
            self._check(result)
        self._outcome = result
        if self._floor:
            self._floor.over.set()
            if self._floor.child:
                self._floor.child.cancel()

    def cancel(self) -> None:
        """Give the task up; nothing happens when it has ended before."""
        self._end(TaskCancelled(f"task '{self.name}' is cancelled"))

    def begin(self, here: Floor | None = None) -> None:
        """Begin, at this place in somebody else's conversation; RuntimeError the second time."""
        if self._awaited:
            raise RuntimeError(f"task '{self.name}' was awaited before: make a new one")
        self._awaited, self._floor = True, here

    def begin_with(self, context: Context) -> None:
        """Replace the conversation that the task begins with. RuntimeError once it has begun."""
        if self._floor:
            raise RuntimeError(f"task '{self.name}' has begun: its context is its own now")
        self._context = context

    def __await__(self) -> Generator[Any, None, Result]:
        return current_floor().lend(self).__await__()

    async def talk(self, channel: Channel, *, asker: Floor | None = None) -> Result:
        """Talk with the person on this channel until the task has ended; recorded as a `task` span.

        `asker` gets what was said in its context, however it ends. Raises what awaiting it raises,
        and RuntimeError when it has been awaited before.
        """
        self.begin()
        with span("task", self.name) as step, working_on(next_matter(self.name), role="task"):
            step.set("switchboard.holder", self.name)
            try:
                here = self._floor = self._take(channel)
                step.set("gen_ai.input.messages", said(here.context.messages))
                async with in_time(self.limits.max_seconds) as time:
                    await self.work(here)
                if time.stop and not self.done():
                    raise TaskFailed(self.name, "limit", str(time.stop), stop=time.stop)
            except Exception as error:
                self._end(error)
            except BaseException:  # the code that waits is being cancelled, or the program ends
                self._end(TaskCancelled(f"task '{self.name}': nobody waits for it any more"))
                raise
            finally:
                self._leave(step, asker)
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return cast("Result", self._outcome)

    def _leave(self, step: Recording, asker: Floor | None) -> None:
        """Note how it ended, and leave behind what was said."""
        step.set("gen_ai.output.messages", said(new_in(self.context, self._context)))
        step.set("switchboard.task.state", self.state)
        if isinstance(self._outcome, OutOfScope):
            step.set("switchboard.task.out_of_scope", ", ".join(self._outcome.task_ids))
        elif isinstance(self._outcome, Exception):
            kind = getattr(self._outcome, "kind", type(self._outcome).__name__)
            step.fail(str(self._outcome), kind=str(kind))
        else:
            step.set("switchboard.task.result", to_json(self._outcome, fallback=str).decode())
        if asker:
            exclude = not self.preserve_function_call_history
            asker.context = merge(asker.context, self.context, exclude_function_call=exclude)
            asker.usage += self.usage

    async def work(self, here: Floor) -> None:
        """What the task does while it has the floor; a group carries out its steps instead."""
        await dialogue(self, here)

    def _take(self, channel: Channel) -> Floor:
        system: Message = {"role": "system", "content": self.instructions}
        kept = self._context.copy(exclude_instructions=True).messages
        return Floor(channel=channel, speaker=self.speaker, context=Context((system, *kept)))

    def check_open(self) -> None:
        """Refuse a tool's call that would end the task a second time; raises ToolError."""
        if self.done():
            raise ToolError(f"task '{self.name}' is already done")

    def _settle(self, arguments: Mapping[str, Any]) -> str:
        self.check_open()
        try:
            result = read_result(self.result_type, self._corrected(arguments))
            if self.check:
                self.check(result)
            self.complete(result)
        except ToolError as error:
            self._refused += 1
            if self._refused > self.max_refusals:
                reason = f"{self._refused} results did not fit; the last: {error}"
                self.complete(TaskFailed(self.name, "invalid", reason))
            raise
        return to_json(result, fallback=str).decode()

    def _corrected(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments, with what the person has corrected and the model has not."""
        said = [str(m.get("content")) for m in self.context.messages if m["role"] == "user"]
        return corrected(arguments, said, adapter(self.result_type).json_schema())

    def _give_up(self, reason: str) -> str:
        self.check_open()
        self.complete(TaskCancelled(f"task '{self.name}' is cancelled: {reason}"))
        return "cancelled"

    def _end(self, failure: Exception) -> None:
        """End the task with what broke, unless it has ended before."""
        if isinstance(failure, EOFError):
            failure = TaskFailed(self.name, "left", str(failure) or "the person has left")
        elif isinstance(failure, TimeoutError):
            failure = TaskFailed(self.name, "timeout", "the person did not answer in time")
        elif isinstance(failure, ModelError):
            stop = getattr(failure, "stop", None)
            failure = TaskFailed(self.name, "model", str(failure), stop=stop)
        if not self.done():
            self.complete(failure)

    def _type(self) -> Any:
        alias = getattr(self, "__orig_class__", None)  # of Task[Triage](...), set after __init__
        aliases = [alias] if alias else []
        for kind in type(self).__mro__:
            aliases += getattr(kind, "__orig_bases__", ())
        arguments = (argument for each in aliases for argument in get_args(each))
        return next((each for each in arguments if not isinstance(each, TypeVar)), _UNSET)

    def _check(self, result: Any) -> None:
        with suppress(ValidationError):
            read = adapter(self.result_type).validate_python(result, strict=True)
            if type(read) is type(result):  # a dictionary is no model, but can become one
                return
        name, came = getattr(self.result_type, "__name__", self.result_type), type(result).__name__
        raise TypeError(f"task '{self.name}' completes with {name}, not {came}")


@dataclass(frozen=True, kw_only=True)
class DialogueResult(SystemResult, Generic[Result]):
    """How a task that was run on its own ended: `result` is its typed result, None at a limit."""

    result: Result | None


@carry_out.register(Task)
async def run_task(
    task: Task[Any],
    request: str | Context | None = None,
    *,
    client: AsyncOpenAI,
    person: Person | None = None,
    reply_seconds: float | None = None,
) -> DialogueResult[Any]:
    """Carry out a task with a person, without an agent around it; `request` is what it begins with.

    The person has `reply_seconds` for each answer; None waits for ever. A limit that is reached is
    a result; raises what else awaiting it raises.
    """
    if person is None:
        raise ConfigurationError(
            f"task '{task.name}' has nobody to ask: give person=..., an asynchronous function that"
            " gets what is said and gives the answer"
        )
    if request is not None:
        task.begin_with(Context.of(request) if isinstance(request, str) else request)
    channel = Channel(person=in_words(person), client=client, reply_seconds=reply_seconds)
    result, stop = None, None
    with span("invoke_workflow", task.name, {"gen_ai.workflow.name": task.name}):
        try:
            result = await task.talk(channel)
        except TaskFailed as failed:
            if (stop := failed.stop) is None:
                raise
    talk, usage = task.context, task.usage
    answer = stop.told if stop else talk.answer
    return DialogueResult(answer=answer, context=talk, usage=usage, stop=stop, result=result)


async def dialogue(task: Task[Any], here: Floor) -> None:
    """Let the model and the person talk until the task has ended.
    Built in chapter 05, exercise 5.3.

    Args:
        task: ends through `complete`, which its tools call.
        here: its floor; `speak` gives words for the person, `listen` brings theirs.

    Raises:
        TaskFailed: a limit was reached, or the model said nothing, again and again.
        ModelError, PersonLeft, TimeoutError: as they come.
    """
    silences = 0
    while not task.done():
        words = await speak(here)
        if here.stop:
            raise TaskFailed(task.name, "limit", str(here.stop), stop=here.stop)
        if words.strip():
            silences = 0
            await listen(here, words)
        elif not task.done():
            silences += 1
            if silences > MAX_SILENCES:
                raise TaskFailed(task.name, "silent", f"the model said nothing {silences} times")
            here.context = here.context.add({"role": "system", "content": NUDGE})


def said(messages: Iterable[Message]) -> str:
    """Messages as a span carries them (`course.trace`), instructions left out."""
    return as_json(Context(tuple(messages)).copy(exclude_instructions=True).messages)


def start_tool(
    make: Callable[[Context], Task[Result]],
    *,
    name: str,
    description: str,
    then: Callable[[Result], Any] | None = None,
) -> Tool:
    """A tool that carries out a task, its result as JSON. Built in chapter 05.

    Args:
        make: makes a new task for the conversation so far, without instructions.
        description: when to start it, in words the model chooses by.
        then: what to do with the result; what it gives goes to the model instead.

    A task that is cancelled or fails is an error that the model reads, like any tool's.
    """

    async def start() -> Any:
        result = await make(current_floor().context.copy(exclude_instructions=True))
        return plain_result(then(result) if then else result)

    start.__doc__ = description
    return tool(name=name, timeout=None)(start)  # a person may take their time
