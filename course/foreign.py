"""Systems of other frameworks: each agent on a seat in the run, so that they can be compared.

The framework's own loop, model class and handoffs run unchanged. What it asks of a model goes
through a seat: keyed for luck as the course's own calls, waiting in the run's line, on the trace
with its messages, tokens and cost. Tools of a bench are used through `use`, so that their faults
strike there too; what else happens, the framework's hooks tell.

    async def ask(seats, request):
        model = OpenAIChatCompletionsModel(model=SMALL, openai_client=seats.seat("desk"))
        desk = agents.Agent(name="desk", instructions=..., model=model, tools=[...])
        return (await Runner.run(desk, request)).final_output

    result = run_sync(Foreign(name="desk", ask=ask), "When is my next appointment?")
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from course.agent import answer_call
from course.answers import Usage
from course.budget import Budget, BudgetExceeded, on_account
from course.chat import tool_call
from course.context import Context
from course.limits import Limits, Stop, Time, in_time
from course.models.account import Making, charging
from course.models.heard import Seated
from course.models.line import Line, guarded
from course.models.wire import AsyncOpenAI
from course.runs import current_work, key_headers, next_matter, within, working_on
from course.systems import Result, carry_out
from course.tools import Tool
from course.trace import span

FOREIGN_LIMITS = Limits(max_turns=100, max_seconds=600.0)
"""What a system of another framework may use up where nobody says otherwise: some have no limit
of their own, and two agents that hand over to each other would go on for ever."""


class Seats:
    """The seats of one run of a system of another framework.

    Args:
        client: of the run, a `Line`.

    Attributes:
        stop: the limit for which a call was refused, None before; the run's own, or that of a
            `Budget` around it.
    """

    def __init__(self, client: Line) -> None:
        self._line = client
        self.stop: Stop | None = None
        self._seats: dict[str, AsyncOpenAI] = {}
        self._told: list[str] = []
        self._uses = 0

    def seat(self, agent: str) -> AsyncOpenAI:
        """The client of the agent of this name: give it to the framework's model class."""
        if agent not in self._seats:

            def key() -> tuple[Mapping[str, str], str]:
                return key_headers(agent), current_work().role

            seat = Seated(agent, key, self._line, self._charged, self._told)
            self._seats[agent] = self._line.client.copy(_extra_kwargs={"seat": seat})
        return self._seats[agent]

    async def use(self, tool: Tool, arguments: str) -> str:
        """Carry out a tool of the course with its span and the run's tool faults.

        Args:
            tool: the tool.
            arguments: JSON text.

        Returns:
            Its result as text; what went wrong as a JSON object with an `error`.
        """
        self._uses += 1
        self._told.append(tool.name)
        call = tool_call(f"call_{self._uses}", tool.name, arguments)
        return str((await answer_call(call, [tool]))["content"])

    def handed(self, one: str, other: str, reason: str = "") -> None:
        """Tell that one agent has handed the conversation over to another one."""
        self._told.append(other)
        told = {"kind": "transfer", "from": one, "to": other, "reason": reason or None}
        attributes = {f"switchboard.handoff.{key}": value for key, value in told.items()}
        with span("handoff", f"{one} -> {other}", attributes) as step:
            step.set("switchboard.holder", other)

    @contextmanager
    def given(self, worker: str, task: str = "") -> Iterator[None]:
        """Say that a worker has been given a task, which it works on within the block."""
        self._told.append(worker)
        about = {"switchboard.delegation.task": task or None}
        matter = working_on(next_matter(worker))
        with span("delegate", worker, about), span("invoke_agent", worker), matter:
            yield

    async def _charged(self, body: Mapping[str, Any], make: Making) -> Any:
        """Make a call of the run on all budgets in force around it, on a seat or without one."""
        try:
            return await on_account(body, make)
        except BudgetExceeded as error:
            self.stop = self.stop or error.stop
            raise


@dataclass(frozen=True, kw_only=True)
class Foreign:
    """A system of another framework, as one that `run` and the lab take.

    Attributes:
        name: of the system, for the trace.
        ask: lets it answer a request; it is given the run's seats and gives the answer.
        limits: of all model calls of a run together; whatever the framework does, the run ends
            with an answer that says so.
    """

    name: str
    ask: Callable[[Seats, str], Awaitable[Any]]
    limits: Limits = FOREIGN_LIMITS


@carry_out.register(Foreign)
async def carried(system: Foreign, request: str, *, client: Any) -> Result:
    """Let a system of another framework answer.

    Raises what the framework raises, in its own words.
    """
    seats, limits, answer = Seats(guarded(client)), system.limits, ""  # type: ignore[arg-type]
    budget = Budget(calls=limits.max_turns, tokens=limits.max_tokens, calls_are="max_turns")
    time = Time(limits.max_seconds)
    try:
        async with in_time(time):
            with budget.in_force(), within(charging, seats._charged):
                answer = str(await system.ask(seats, request))
    except Exception:
        if seats.stop is None:
            raise
    if stop := time.stop or seats.stop:
        answer = stop.told
    usage = Usage(budget.read, budget.written)
    return Result(answer=answer, context=Context.of(request), usage=usage, stop=stop)
