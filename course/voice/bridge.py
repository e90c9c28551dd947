"""The course's agents, tasks and groups on a LiveKit session, as they are.

LiveKit has the conversation: it asks the models, runs the tools, and moves the floor. What the
course promises beside that is kept here: limits, checked results and refusals, an end for every
task with its reason, a floor that tools can see.

Source: LiveKit Agents 1.8.9, `Agent`, `AgentTask` and the beta `TaskGroup`.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
from collections.abc import AsyncIterator, Callable
from contextlib import nullcontext
from functools import partial
from typing import Any, TypeVar, cast

from livekit.agents import (
    Agent,
    AgentTask,
    APIError,
    FlushSentinel,
    ModelSettings,
    RunContext,
    function_tool,
    llm,
)
from livekit.agents.beta import workflows
from pydantic_core import to_json

from course import clock
from course.agent import Agent as CourseAgent
from course.answers import Usage
from course.conditions import gate
from course.context import condensed
from course.delegation import (
    Floor,
    OutOfScope,
    Task,
    TaskCancelled,
    TaskCompletedEvent,
    TaskFailed,
    TaskGroup,
    TaskGroupResult,
)
from course.delegation.dialogue import MAX_SILENCES, NUDGE, Channel, Taker
from course.errors import ConfigurationError, ToolError
from course.limits import Stop, Time, in_time
from course.models.wire import AsyncOpenAI
from course.runs import emit
from course.session import Session
from course.tools import Tool, by_name, call_tool
from course.voice.history import chat_of, context_of, last_words
from course.voice.model import live_model

Result = TypeVar("Result")
Heard = llm.ChatChunk | str | FlushSentinel

SETTLING_SECONDS = 0.01
"""How long a group waits after its last step: without it LiveKit 1.8.9 loses what follows it."""


def live_agent(agent: CourseAgent, *, client: AsyncOpenAI) -> LiveAgent:
    """An agent of the course as LiveKit's, with its tools; those may await tasks.

    What its tools know through `state()` is the course `Session` that the LiveKit session has as
    its `userdata`.

    Args:
        agent: its limits count from each time that the person speaks.
        client: answers for it, by its own model's name, and for the tasks that its tools await.

    Raises ConfigurationError: it hands over, and there is no team.
    """
    if agent.handoffs:
        raise ConfigurationError(
            f"'{agent.name}' hands over: let live_team have the team that it is in"
        )
    return LiveAgent(agent, client=client)


def live_task(task: Task[Result], *, client: AsyncOpenAI) -> AgentTask[Result]:
    """A task of the course as LiveKit's: await it in a tool or `on_enter` of a LiveKit agent.

    It gives the typed result. A task that is cancelled or fails raises LiveKit's `ToolError` with
    the reason; `task.outcome()` has the course's own. For a group, `live_group` does the same.

    Raises RuntimeError: the task was awaited before.
    """
    if isinstance(task, TaskGroup):
        return cast("AgentTask[Result]", LiveGroup(task, client=client))
    return cast("AgentTask[Result]", LiveTask(task, client=client))


def live_group(group: TaskGroup, *, client: AsyncOpenAI) -> workflows.TaskGroup:
    """A group of the course as LiveKit's `TaskGroup`, which carries out its steps.

    The session needs an `llm` of its own, which writes the summary.
    """
    return LiveGroup(group, client=client)


class LiveFloor(Floor):
    """The floor of a conversation in a LiveKit session: tasks take it as its AgentTasks."""

    async def lend(self, taker: Taker[Result]) -> Result:
        """Let a task have the floor as an AgentTask of the LiveKit session; see `Floor.lend`."""
        task = cast("Task[Result]", taker)
        async with self._free:
            live = live_task(task, client=self.channel.client)
            await live.update_chat_ctx(live_history(task), exclude_invalid_function_calls=False)
            self.child = task
            try:
                await live
            except Exception:
                if not task.done():
                    raise
            finally:
                self.child = None
        outcome = task.outcome()
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def live_history(task: Task[Any]) -> llm.ChatContext:
    """The history that a task begins with, as LiveKit's."""
    return chat_of(task.context.copy(exclude_instructions=True))


async def nobody(said: str) -> str:
    """The person of a floor that LiveKit has: it alone asks them."""
    raise RuntimeError("LiveKit asks the person: await a task instead")


class LiveSpeaker(Agent):
    """What an agent and a task of the course have in common on a LiveKit session.

    Attributes:
        speaker: the agent of the course.
        floor: its place, which its tools see; it counts what the speaker has used.
    """

    def take(self, speaker: CourseAgent, client: AsyncOpenAI) -> None:
        """Make its place for the agent of the course."""
        self.speaker = speaker
        channel = Channel(person=nobody, client=client)
        context = context_of(self.chat_ctx)
        self.floor = LiveFloor(channel=channel, speaker=speaker, context=context)

    def offered(self, tool: Tool) -> llm.Tool:
        """A tool as LiveKit offers it, with the course's own schema."""

        async def call(raw_arguments: dict[str, object], context: RunContext[Any]) -> Any:
            return await self.answer(tool, raw_arguments, context.function_call)

        function = tool.spec()["function"]
        return function_tool(call, raw_schema=function)

    async def answer(self, tool: Tool, arguments: dict[str, object], call: llm.FunctionCall) -> Any:
        """Answer one call: what the tool gives as text, or LiveKit's ToolError for the model."""
        self.look()
        known = session_of(self)
        try:
            with self.floor.here(), known.running() if known else nullcontext():
                guarded = by_name(gate(self.speaker.tools, self.floor.context.messages))[tool.name]
                async with asyncio.timeout_at(self.end()) as deadline:
                    return await call_tool(guarded, json.dumps(arguments))
        except ToolError as error:
            raise refusal(error) from error
        except TimeoutError as error:
            if not deadline.expired():
                raise
            raise refusal(ToolError(f"{tool.name} was cut off: the time is over")) from error

    def look(self) -> None:
        """Let the floor show the history as it stands."""
        self.floor.context = context_of(self.chat_ctx)

    def stopped(self) -> Stop | None:
        """The limit that stands against another model call, or None."""
        return self.floor.limit()

    def end(self) -> float | None:
        """When its seconds are over, on the loop's clock; None if it has no limit."""
        return Time(self.speaker.limits.max_seconds, self.floor.begin).end

    def late(self) -> Stop | None:
        """The limit of seconds that has broken something off."""
        end = self.end()
        return self.stopped() if end is not None and clock.now() >= end else None

    async def ask(
        self, chat_ctx: llm.ChatContext, tools: list[llm.Tool], settings: ModelSettings
    ) -> AsyncIterator[Heard]:
        """One model call, which the floor counts; broken off when its seconds are over."""
        self.floor.turns += 1
        coming = aiter(Agent.default.llm_node(self, chat_ctx, tools, settings))
        while (chunk := await self.in_time(coming)) is not None:
            if isinstance(chunk, llm.ChatChunk) and chunk.usage:
                used = chunk.usage
                self.floor.usage += Usage(used.prompt_tokens, used.completion_tokens)
            yield chunk

    async def in_time(self, coming: AsyncIterator[Heard]) -> Heard | None:
        """What comes next of a model's answer; None at its end, or when the time is over."""
        try:
            async with asyncio.timeout_at(self.end()) as deadline:
                return await anext(coming, None)
        except TimeoutError:
            if not deadline.expired():
                raise
            return None


class LiveAgent(LiveSpeaker):
    """An agent of the course on a LiveKit session; `live_agent` makes one."""

    def __init__(self, agent: CourseAgent, *, client: AsyncOpenAI) -> None:
        super().__init__(
            id=agent.name,
            instructions=agent.instructions,
            tools=[self.offered(tool) for tool in agent.tools],
            llm=live_model(client, agent.model, agent.name),
        )
        self.take(agent, client)
        self._heard = ""

    async def llm_node(
        self, chat_ctx: llm.ChatContext, tools: list[llm.Tool], model_settings: ModelSettings
    ) -> AsyncIterator[Heard]:
        """One model call, unless a limit stands against it: then the person hears which."""
        if (heard := last_words(chat_ctx)) != self._heard:
            self._heard = heard
            self.floor.count_anew()
        if stop := self.stopped():
            yield await self.instead(stop, chat_ctx)
            return
        async for chunk in self.ask(chat_ctx, tools, model_settings):
            yield chunk
        if stop := self.late():
            yield await self.instead(stop, chat_ctx)

    async def instead(self, stop: Stop, chat_ctx: llm.ChatContext) -> str:
        """What the person hears when a limit stands against a model call."""
        return stop.told


class LiveTask(LiveSpeaker, AgentTask[Any]):
    """A task of the course on a LiveKit session; `live_task` makes one."""

    def __init__(self, task: Task[Any], *, client: AsyncOpenAI) -> None:
        speaker = task.speaker
        super().__init__(
            instructions=task.instructions,
            chat_ctx=live_history(task),
            tools=[self.offered(tool) for tool in speaker.tools],
            llm=live_model(client, speaker.model, speaker.name),
            preserve_function_call_history=task.preserve_function_call_history,
        )
        self._id = task.name
        self.task = task
        self.take(speaker, client)
        task.begin(self.floor)

    async def on_enter(self) -> None:
        """The model speaks first."""
        self._watch = asyncio.create_task(follow(self, self.task))
        self.session.generate_reply()

    async def answer(self, tool: Tool, arguments: dict[str, object], call: llm.FunctionCall) -> Any:
        """Answer one call; once the task has ended nobody is asked for another sentence."""
        try:
            given = await super().answer(tool, arguments, call)
        finally:
            if self.task.done():
                _finish(self, self.task)
        return llm.ToolResult(given, reply_required=not self.task.done())

    async def llm_node(
        self, chat_ctx: llm.ChatContext, tools: list[llm.Tool], model_settings: ModelSettings
    ) -> AsyncIterator[Heard]:
        """One model call, and another one when the model said nothing; or the task fails."""
        for _ in range(MAX_SILENCES + 1):
            if self.task.done():
                return
            if stop := self.stopped():
                self.fail("limit", str(stop), stop=stop)
                return
            said = False
            try:
                async for chunk in self.ask(chat_ctx, tools, model_settings):
                    said = said or says(chunk)
                    yield chunk
                if stop := self.late():
                    self.fail("limit", str(stop), stop=stop)
                    return
            except APIError as error:
                self.fail("model", str(error))
                return
            if said:
                return
            chat_ctx = chat_ctx.copy()
            chat_ctx.add_message(role="system", content=NUDGE)
        self.fail("silent", f"the model said nothing {MAX_SILENCES + 1} times")

    def fail(self, kind: Any, reason: str, *, stop: Stop | None = None) -> None:
        """End the task without a result."""
        if not self.task.done():
            self.task.complete(TaskFailed(self.task.name, kind, reason, stop=stop))
        _finish(self, self.task)

    def complete(self, result: Any) -> None:
        """End the task, here and in the course; TypeError if the result is not of its type."""
        self.look()
        if not self.task.done():
            self.task.complete(reason_of(self.task, result))
        going_back = isinstance(self.task.outcome(), OutOfScope)
        end_with(super().complete, result if going_back else for_livekit(self.task))

    def cancel(self, reason: str = "") -> None:
        """Give the task up and say why; without a reason the call has ended, as LiveKit has it."""
        give_up(self.task, reason)
        super().cancel()


class LiveGroup(workflows.TaskGroup):
    """A group of the course on a LiveKit session; `live_group` makes one."""

    def __init__(self, group: TaskGroup, *, client: AsyncOpenAI) -> None:
        super().__init__(
            summarize_chat_ctx=group.summarize_chat_ctx,
            return_exceptions=group.return_exceptions,
            chat_ctx=live_history(group),
            on_task_completed=self._tell,
        )
        self._id = group.name
        self.task = group
        self._client = client
        self._regressions = 0
        channel = Channel(person=nobody, client=client)
        speaker = CourseAgent(name=group.name)
        self._begun = group.context
        self.floor = LiveFloor(channel=channel, speaker=speaker, context=group.context)
        group.begin(self.floor)
        for id, step in group.steps.items():
            self.add(partial(self._step, id), id=id, description=step.description)

    async def on_enter(self) -> None:
        """Carry out the steps, with the older part of a long history as a summary."""
        self._watch = asyncio.create_task(follow(self, self.task))
        limit = self.task.max_exchanges
        try:
            context = await condensed(self._begun, self._client, max_exchanges=limit)
            if context is not self._begun:
                await self.update_chat_ctx(chat_of(context))
            await super().on_enter()
        except Exception as error:
            if not self.done():
                self.complete(error)
        await asyncio.sleep(SETTLING_SECONDS)

    def _step(self, id: str) -> AgentTask[Any]:
        if isinstance(outcome := self.task.done() and self.task.outcome(), Exception):
            raise outcome  # it has ended before its steps have
        last = cast("Task[Any] | None", self.floor.child)
        if last and last.done() and isinstance(last.outcome(), OutOfScope):
            self._regressions += 1
        if self._regressions > self.task.max_regressions:
            stop = Stop("max_regressions", self.task.max_regressions, self._regressions)
            raise TaskFailed(id, "limit", str(stop), stop=stop)
        task = self.floor.child = self.task.steps[id].factory()
        return live_task(task, client=self._client)

    async def _tell(self, event: workflows.TaskCompletedEvent) -> None:
        task = cast("LiveTask", event.agent_task).task
        told = TaskCompletedEvent(task, event.task_id, event.result, system=self.task.name)
        emit(told)
        if self.task.on_task_completed:
            await self.task.on_task_completed(told)

    def complete(self, result: Any) -> None:
        """End the group, here and in the course."""
        if isinstance(result, workflows.TaskGroupResult):
            results = {id: outcome_in(each) for id, each in result.task_results.items()}
            result = TaskGroupResult({id: results[id] for id in self.task.steps})
        self.floor.context = context_of(self.chat_ctx)
        if not self.task.done():
            self.task.complete(reason_of(self.task, result))
        end_with(super().complete, for_livekit(self.task))

    def cancel(self, reason: str = "") -> None:
        """Give the group up and say why."""
        give_up(self.task, reason)
        super().cancel()


async def follow(live: LiveTask | LiveGroup, task: Task[Any]) -> None:
    """End the LiveKit task when its task ends, whoever ends it, or when its seconds are over."""
    async with in_time(Time(task.limits.max_seconds, live.floor.begin)) as time:
        await live.floor.over.wait()
    if time.stop and not task.done():
        task.complete(TaskFailed(task.name, "limit", str(time.stop), stop=time.stop))
    _finish(live, task)


def _finish(live: AgentTask[Any], task: Task[Any]) -> None:
    """End the LiveKit task as its task has ended; twice does no harm."""
    if not live.done():
        live.complete(for_livekit(task))


def give_up(task: Task[Any], reason: str) -> None:
    """Cancel a task that has not ended, if there is a reason."""
    if reason and not task.done():
        task.complete(TaskCancelled(f"task '{task.name}' is cancelled: {reason}"))


def end_with(complete: Callable[[Any], None], outcome: Any) -> None:
    """End a LiveKit task.

    One that fails is its asker's affair: told within the speech of its last call, as LiveKit would
    have it, `session.run` raised the exception although the conversation goes on.
    """
    if isinstance(outcome, Exception):
        contextvars.Context().run(complete, outcome)
    else:
        complete(outcome)


def for_livekit(task: Task[Any]) -> Any:
    """A task's outcome; a ToolError of the course as LiveKit's, so that a model reads it."""
    outcome = task.outcome()
    return refusal(outcome) if isinstance(outcome, ToolError) else outcome


def reason_of(task: Task[Any], result: Any) -> Any:
    """What LiveKit ends a task with, in the course's words."""
    if not isinstance(result, llm.ToolError):
        return result
    if ids := getattr(result, "target_task_ids", None):
        return OutOfScope(list(ids))
    if isinstance(cause := result.__cause__, ToolError):
        return cause
    return TaskFailed(task.name, "left", "the call has ended")


def outcome_in(result: Any) -> Any:
    """A step's result, or the exception of the course that LiveKit's stands for."""
    if isinstance(result, llm.ToolError) and isinstance(result.__cause__, ToolError):
        return result.__cause__
    return result


def refusal(error: ToolError) -> llm.ToolError:
    """What a tool refuses, as LiveKit gives it to the model: in the course's own words."""
    told = llm.ToolError(to_json({"error": str(error)}).decode())
    told.__cause__ = error
    return told


def says(chunk: Heard) -> bool:
    """Whether a piece of an answer holds words or a call."""
    if isinstance(chunk, llm.ChatChunk):
        delta = chunk.delta
        return bool(delta and ((delta.content or "").strip() or delta.tool_calls))
    return isinstance(chunk, str) and bool(chunk.strip())


def session_of(agent: Agent) -> Session | None:
    """The course's session that a LiveKit session has as its `userdata`, if it has one."""
    try:
        userdata = agent.session.userdata
    except ValueError:  # LiveKit's word for none
        return None
    return userdata if isinstance(userdata, Session) else None
