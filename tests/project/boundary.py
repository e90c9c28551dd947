"""Where the system meets its tools and its model: faults go in, what crosses is written down.

Every call takes virtual seconds that hang on what is asked and not on when, so that the same plan
in parallel and in sequence does the same work. What is judged is what was seen here, never what the
system says of itself.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from openai import AsyncOpenAI

from course import clock, connect
from course.agent import Agent
from course.errors import ToolError
from course.models import ApiError, Scripted
from course.models.wire import ChatRequest, Reply
from course.supervisor import Worker
from course.tools import Tool
from graders.records.log import Exchange, Log, Outcome

REF = re.compile(r"\(ref (\w+)\)")
CANNOT = "CANNOT:"


@dataclass(frozen=True)
class Asked:
    """One call, as a fault sees it: whose it is, what is asked, and how often it was already."""

    kind: str
    name: str
    text: str
    before: int


Fault = Callable[[Asked], Exception | float | None]
"""An error instead of the answer, seconds that it takes longer, or None."""


def drawn(*what: object) -> random.Random:
    """Luck that hangs on nothing but its arguments."""
    return random.Random(repr(what))


class Site:
    """One run's boundary.

    Args:
        reply: the model.
        seed: of the seconds that calls take.
        fault: what goes wrong.

    Attributes:
        exchanges: what crossed, in order of arrival.
    """

    def __init__(
        self, reply: Callable[[ChatRequest], Any], *, seed: int = 0, fault: Fault | None = None
    ) -> None:
        self.exchanges: list[Exchange] = []
        self._reply, self._seed = reply, seed
        self._fault = fault or (lambda asked: None)
        self._times: dict[tuple[str, str, str], int] = {}

    @property
    def client(self) -> AsyncOpenAI:
        return connect(Scripted(self._answer))

    def staff(self, agents: Iterable[Agent]) -> tuple[Worker, ...]:
        """A domain's agents as workers whose tool calls are seen."""
        return tuple(self._worker(agent) for agent in agents)

    def log(self, result: Any = None, *, trace: str | None = None, ended: float = 0.0) -> Log:
        """What the judge's checks read."""
        told = None if trace is None else json.loads(trace)
        return Log(tuple(self.exchanges), result=result, returned=True, ended=ended, trace=told)

    def _worker(self, agent: Agent) -> Worker:
        said = {each.name: getattr(agent, each.name) for each in fields(agent)}
        return Worker(**{**said, "tools": tuple(map(self._watched, agent.tools))})

    def _watched(self, tool: Tool) -> Tool:
        @functools.wraps(tool.function)
        async def call(**arguments: Any) -> Any:
            text = json.dumps(arguments, sort_keys=True, default=str)
            sent = {name: value for name, value in arguments.items() if value is not None}

            async def answer() -> Any:
                result = tool.function(**arguments)
                return await result if inspect.isawaitable(result) else result

            return await self._crossing("tool", tool.name, text, sent, answer)

        return replace(tool, function=call)

    async def _answer(self, request: ChatRequest) -> Reply | str:
        text = json.dumps(request.messages, default=str)

        async def answer() -> Any:
            return self._reply(request)

        said = await self._crossing("model", request.model, text, dict(request.raw), answer)
        assert isinstance(said, Reply | str)
        return said

    async def _crossing(
        self, kind: Any, name: str, text: str, sent: Mapping[str, Any], answer: Any
    ) -> Any:
        before = self._times.get((kind, name, text), 0)
        self._times[kind, name, text] = before + 1
        number = len(self.exchanges)
        self.exchanges.append(Exchange(number, kind, name, sent, clock.now()))
        fault = self._fault(Asked(kind, name, text, before))
        seconds = drawn(self._seed, kind, name, text, before).randint(50, 300) / 100
        try:
            await asyncio.sleep(seconds + (fault if isinstance(fault, float) else 0.0))
            if isinstance(fault, Exception):
                raise fault
            said = await answer()
        except asyncio.CancelledError:
            self._close(number, "cancelled", None)
            raise
        except ApiError as error:
            self._close(number, "failed", {"error": error.message, "status": error.status})
            raise
        except Exception as error:
            told = (
                str(error) if isinstance(error, ToolError) else f"{type(error).__name__}: {error}"
            )
            self._close(number, "failed", {"error": told})
            raise
        self._close(number, "answered", _plain(said))
        return said

    def _close(self, number: int, outcome: Outcome, reply: Any) -> None:
        self.exchanges[number] = replace(
            self.exchanges[number], end=clock.now(), outcome=outcome, reply=reply
        )


def _plain(said: Any) -> Any:
    """A reply as the log has it."""
    if not isinstance(said, Reply):
        return said
    calls = [{"name": call.name, "arguments": call.arguments} for call in said.calls]
    return {"calls": calls} if calls else said.text


# What is seen at the boundary, by task


def spoken(exchange: Exchange) -> list[str]:
    """What the messages of a model's request say, in their order."""
    return [str(message.get("content") or "") for message in exchange.request["messages"]]


def is_work(exchange: Exchange) -> bool:
    """A request to a worker: it is offered tools."""
    return exchange.kind == "model" and bool(exchange.request.get("tools"))


def begins_try(exchange: Exchange) -> bool:
    return is_work(exchange) and exchange.request["messages"][-1]["role"] != "tool"


def tries(log: Log, refs: Mapping[str, str]) -> Log:
    """One exchange for each try of a task, named by the task: its words, and how it ended.

    Args:
        refs: reference -> id of the task.
    """
    found: list[list[Exchange]] = []
    last: dict[str, int] = {}
    for exchange in filter(is_work, log.exchanges):
        task = refs[REF.findall(spoken(exchange)[1])[0]]
        if begins_try(exchange) and not _repeated(found[last[task]] if task in last else []):
            last[task] = len(found)
            found.append([])
        found[last[task]].append(exchange)
    return replace(log, exchanges=tuple(_as_one(n, each, refs) for n, each in enumerate(found)))


def _repeated(before: Sequence[Exchange]) -> bool:
    """Whether the way to the model failed before, so that the same request is made again."""
    return bool(before) and before[-1].outcome == "failed"


def _as_one(number: int, each: Sequence[Exchange], refs: Mapping[str, str]) -> Exchange:
    words, reply = spoken(each[0])[1], each[-1].reply
    failed = each[-1].outcome != "answered" or str(reply).startswith(CANNOT)
    request = {"id": refs[REF.findall(words)[0]], "task": words, "worker": spoken(each[0])[0]}
    return Exchange(
        number, "model", "worker", request, each[0].start, each[-1].end,
        "failed" if failed else "answered", {"error": str(reply)} if failed else reply,
    )  # fmt: skip


def by_id(exchange: Exchange) -> str | None:
    """The judge's key for a log of `tries` or of `spans`."""
    return str(exchange.request["id"])


def spans(log: Log) -> Log:
    """A log of tries with one exchange for each task, from first to last, however it ended."""
    whole: dict[str, Exchange] = {}
    for one in log.exchanges:
        first = whole.get(str(one.request["id"]), one)
        whole[str(one.request["id"])] = replace(first, end=one.end, outcome="answered", reply="")
    return replace(log, exchanges=tuple(whole.values()))


def refused(one: Exchange) -> bool:
    """Whether a try ended in the words that it cannot be done, not on the way to the model."""
    return one.outcome == "failed" and CANNOT in str(one.reply)
