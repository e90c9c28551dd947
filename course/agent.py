"""One agent: a model, some tools, and the loop between them.

The loop in five sentences. Send the conversation to the model. If the answer asks for no tools,
it is the final one. Otherwise run all the tools it asks for, at once, and add their results to
the conversation in the order of the calls. Whatever goes wrong with a tool is a result too, for
the model to read. Repeat until a limit is reached.

Built in chapter 01.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from course import clock
from course.answers import Answer, Usage
from course.chat import complete
from course.conditions import gate
from course.context import Context
from course.errors import ConfigurationError, ModelError, ToolBroken, ToolError, refuse_empty
from course.events import Said, ToolAnswered, ToolCalled
from course.going_back import going_back
from course.handoff import Handoff
from course.limits import Limits, Stop, in_time, reached
from course.models.line import guarded
from course.models.names import SMALL
from course.models.wire import AsyncOpenAI, Message
from course.person import from_a_person, put_through
from course.runs import current_work, emit, listened, note
from course.systems import Result, carrier_of, carry_out
from course.tools import Tool, by_name, call_tool, outcome_of, tool_message
from course.trace import span

if TYPE_CHECKING:
    from course.trace import Recording


@dataclass(frozen=True, kw_only=True)
class Agent:
    """Who answers: instructions, tools, model and limits. Built in chapter 01.

    Attributes:
        description: what it is for, in one line, for whoever chooses between agents.
        handoffs: to whom it may pass the conversation (chapter 03).
        settings: what goes into each of its requests besides, `{"temperature": 0.2}`.
        client: answers this agent; without one, whoever answers the run.
    """

    name: str
    instructions: str = ""
    tools: tuple[Tool, ...] = ()
    model: str = SMALL
    limits: Limits = Limits()
    description: str = ""
    handoffs: tuple[Handoff, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    client: AsyncOpenAI | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        by_name(self.tools)  # refuses two tools of the same name
        if self.client is not None:
            object.__setattr__(self, "client", guarded(self.client))


@carry_out.register(Agent)
async def run_agent(
    agent: Agent,
    request: str | Context,
    *,
    client: AsyncOpenAI,
    on_text: Callable[[str], None] | None = None,
) -> Result:
    """Let an agent answer, with its tools, within its limits; one `invoke_agent` span."""
    context = opening(agent, request)
    with invoked(agent) as step:
        begun = len(context.messages)
        context, usage, stop = await loop(agent, context, client=client, on_text=on_text)
        step.used(usage.input, usage.output, stop)
    answer = Context(context.messages[begun:]).answer
    if stop and stop.reason != "length":
        answer = f"{answer}\n{stop.told}".strip()
    return Result(answer=answer, context=context, usage=usage, stop=stop)


def invoked(agent: Agent) -> Recording:
    """An agent's work as a step of the trace."""
    attributes: dict[str, str | int | None] = {"gen_ai.agent.name": agent.name}
    attributes["gen_ai.request.model"] = agent.model
    attributes["switchboard.task.attempt"] = current_work().attempt or None
    return span("invoke_agent", agent.name, attributes)


def works_alone(agent: Agent) -> bool:
    """Whether an agent's own model does the work; a supervisor's lets others work for it."""
    return carrier_of(type(agent)) is carrier_of(Agent)


class Hooks:
    """The steps of `loop`, as an agent does them; a stage, a team or a supervisor has its own."""

    def limit(self, agent: Agent, context: Context, **used: Any) -> Stop | None:
        """The limit that stands against another model call, or None; `used` as for `reached`."""
        return reached(agent.limits, **used)

    def seconds(self, agent: Agent) -> float | None:
        """How long the loop may take, None where somebody else sees to it."""
        return agent.limits.max_seconds

    def late(self, stop: Stop) -> None:
        """What follows when these are over while something is under way."""

    def ask(self, agent: Agent, context: Context, **how: Any) -> Awaitable[Answer]:
        """One model call; `how` has the client and `on_text`, as for `ask`."""
        return answer_next(agent, context, **how)

    async def go_on(self, agent: Agent, context: Context, message: Message) -> Context | None:
        """The conversation with which the model is asked again; None when `message` ends it."""
        calls = message.get("tool_calls")
        if not calls:
            return None
        guarded = replace(agent, tools=gate(agent.tools, context.messages))
        return context.add(message, *await answers(guarded, calls))


async def loop(
    agent: Agent,
    context: Context,
    *,
    client: AsyncOpenAI,
    on_text: Callable[[str], None] | None = None,
    hooks: Hooks | None = None,
) -> tuple[Context, Usage, Stop | None]:
    """Model, tools, model, tools, until the model asks for no more tools or a limit is reached.
    Used from chapter 01 on; exercise 1.4 builds it without hooks.

    Args:
        agent: whose tools and limits count.
        context: the conversation, which ends with what the user said.
        on_text: gets text as it is written.
        hooks: does some of the steps in another way.

    Gives the conversation with all that was said and done, the tokens used, and the limit that
    ended it, or None; a call that was under way when the seconds were over is not in it. Raises
    ModelError, whose `context` is the conversation so far.
    """
    hooks, usage, turns = hooks or Hooks(), Usage(), 0
    async with in_time(hooks.seconds(agent)) as time:
        while True:
            seconds = clock.now() - time.begin
            stop = hooks.limit(agent, context, turns=turns, tokens=usage.total, seconds=seconds)
            if stop:
                return context, usage, stop
            begun = clock.now()
            try:
                answer = await hooks.ask(agent, context, client=client, on_text=on_text)
            except ModelError as error:
                error.context = context
                raise
            turns += 1
            usage += answer.usage
            if said := answer.message.get("content"):
                note(Said(system=agent.name, words=str(said), seconds=clock.now() - begun))
            grown = await hooks.go_on(agent, context, answer.message)
            if grown is None:
                return context.add(answer.message), usage, cut_off(answer)
            context = grown
    assert time.stop is not None  # nothing else leaves the block
    hooks.late(time.stop)
    return context, usage, time.stop


async def ask(
    agent: Agent,
    context: Context,
    *,
    client: AsyncOpenAI,
    on_text: Callable[[str], None] | None = None,
    **more: Any,
) -> Answer:
    """One model call with a conversation and the agent's tools. Built in chapter 01.

    `more` goes into the request, such as `tool_choice`. Raises ModelError.
    """
    asked = {"model": agent.model, "messages": context.messages}
    body = {**agent.settings, **asked, **more}
    if agent.tools:
        body.setdefault("tools", [tool.spec() for tool in agent.tools])
    return await complete(agent.client or client, body, agent=agent.name, on_text=on_text)


def answer_next(
    agent: Agent,
    context: Context,
    *,
    client: AsyncOpenAI,
    on_text: Callable[[str], None] | None = None,
) -> Awaitable[Answer]:
    """What comes next: as `ask`, but whoever wishes for a person is put through without a model,
    and who wishes to go back to an earlier step gets there.
    """
    found = None
    if from_a_person():
        tools, said = agent.tools, context.messages
        found = put_through(tools, said) or going_back(tools, said)
    if found is None:
        return ask(agent, context, client=client, on_text=on_text)
    return ready(found, on_text)


async def ready(answer: Answer, on_text: Callable[[str], None] | None) -> Answer:
    """An answer that no model has to make, with its text told."""
    if on_text and answer.message["content"]:
        on_text(answer.message["content"])
    return answer


async def answer_call(call: Mapping[str, Any], tools: Iterable[Tool]) -> Message:
    """Run one tool call and put its result, or what went wrong, into a tool message.
    Built in chapter 01, exercise 1.2.

    Args:
        call: a tool call in wire form: `id`, and `function` with `name` and `arguments` (text).
        tools: the tools that may be called.

    Returns:
        `{"role": "tool", "tool_call_id": ..., "content": ...}`. The content is the tool's result
        as text. If the tool is unknown, its arguments are not JSON or do not fit, or the tool
        fails, it is `{"error": "..."}` as JSON, in words that help the model to do better.

    The trace gets one span for the call, with its arguments and its result, failed if it failed.
    """
    name, arguments = call["function"]["name"], call["function"]["arguments"]
    attributes = {
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": call["id"],
        "gen_ai.tool.call.arguments": arguments,
    }
    with span("execute_tool", name, attributes) as step:
        try:
            named = by_name(tools)
            if name not in named:
                known = ", ".join(named) or "none"
                raise ToolError(f"there is no tool '{name}'; the tools are: {known}")
            answer = tool_message(call, await call_tool(named[name], arguments))
        except ToolError as error:
            step.fail(str(error), kind="ToolError")
            broke = isinstance(error, ToolBroken)
            answer = tool_message(call, str(error), "error" if broke else "refused")
        step.set("gen_ai.tool.call.result", answer["content"])
    return answer


async def answer_calls(calls: Iterable[Mapping[str, Any]], tools: Iterable[Tool]) -> list[Message]:
    """Run all tool calls of one message at the same time. Built in chapter 01, exercise 1.3.

    Args:
        calls: the tool calls in wire form.
        tools: the tools that may be called; an iterator will do.

    Returns:
        One tool message for each call, in the order of the calls, whichever finished first.
    """
    tools = tuple(tools)  # each call looks through them, and an iterator could be read only once
    return await asyncio.gather(*(answer_call(call, tools) for call in calls))


async def answers(agent: Agent, calls: Sequence[Mapping[str, Any]]) -> list[Message]:
    """What an agent's tools answer to the calls of one message, told to whoever follows the run."""
    tell_calls(agent, calls)
    messages = await answer_calls(calls, agent.tools)
    tell_answers(agent, calls, messages)
    return messages


def tell_calls(agent: Agent, calls: Iterable[Mapping[str, Any]]) -> None:
    """Tell whoever follows the run which tools an agent's model asks for."""
    for asked in (call["function"] for call in calls if listened()):  # an event costs time
        emit(ToolCalled(system=agent.name, tool=asked["name"], arguments=asked["arguments"]))


def tell_answers(
    agent: Agent, calls: Iterable[Mapping[str, Any]], messages: Iterable[Message]
) -> None:
    """Tell whoever follows the run what came of an agent's tool calls."""
    for call, each in zip(calls, messages, strict=True) if listened() else ():
        name, came, said = call["function"]["name"], outcome_of(each), str(each["content"])
        emit(ToolAnswered(system=agent.name, tool=name, outcome=came, content=said))


def cut_off(answer: Answer) -> Stop | None:
    """A stop named "length" for an answer cut off (tokens). Built in chapter 01."""
    if answer.finish_reason != "length":
        return None
    return Stop("length", answer.usage.output, answer.usage.output)


def opening(agent: Agent, request: str | Context) -> Context:
    """The conversation that the first model call sees: the agent's instructions come first.

    Raises ConfigurationError for handoffs without a team, ValueError for a request that is empty
    or no request.
    """
    if agent.handoffs:
        names = ", ".join(each.to for each in agent.handoffs)
        raise ConfigurationError(
            f"'{agent.name}' hands over to {names}: run the team that they are in,"
            " Team(name=..., agents=(...))"
        )
    if isinstance(request, str):
        refuse_empty(request)
        return Context.of(request, instructions=agent.instructions)
    if not isinstance(request, Context):
        raise ValueError(
            f"the request is a text or a conversation, not {type(request).__name__}:"
            " Context(tuple(messages)) makes one of messages"
        )
    said = request.copy(exclude_instructions=True).messages
    if not said:
        raise ValueError("the request is empty: the conversation holds nothing but instructions")
    if not agent.instructions:
        return request
    return Context(({"role": "system", "content": agent.instructions}, *said))
