"""The same front desk in five frameworks when something goes wrong: `python -m
tests.benchmarks.mishaps` prints the tables of docs/frameworks.md.

A scripted model, which does the same whoever asks; virtual time; each framework as it is when
nobody sets anything.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openai import DEFAULT_MAX_RETRIES, DEFAULT_TIMEOUT

from course import clock, connect
from course.models import Scripted
from course.models.tokens import count_text
from course.models.wire import ApiError, Call, ChatRequest, Reply, ToolSpec
from course.trace import Trace

FOLDER = Path(__file__).parents[2] / "docs/frameworks"
FRAMEWORKS = ("course", "openai-agents", "pydantic-ai", "langgraph", "agent-framework")
REQUEST = "What is left to pay on bill 7?"
LEFT = "Bill 7: 40 EUR are left to pay."
A_DAY = 86_400.0
MOST = 60
"""Requests after which a run that has not ended is stopped from outside."""
LONGEST = 120
"""Characters of what was said that a table has room for."""

Mishap = Callable[[ChatRequest, int], "Reply | ApiError | float | None"]
"""What goes wrong with a request, which is the n-th of its agent: another answer, an error of the
service, seconds that it takes, or nothing."""


@dataclass
class Seen:
    """What came of it.

    Attributes:
        answer: what the person was told; "" where an exception came instead.
        error: the exception, by its class and first line.
        calls: of the model, those included that failed.
        tokens: read by the model.
        seconds: on the virtual clock.
        used: tools that were carried out, in their order.
        schemas: tokens of the tools on offer, call by call.
    """

    answer: str = ""
    error: str = ""
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    used: list[str] = field(default_factory=list)
    schemas: list[int] = field(default_factory=list)

    def told(self) -> str:
        if self.calls > MOST:
            return f"still going after {MOST} requests"
        said = f"“{self.answer}”" if self.answer else f"raises {self.error}"
        said = " ".join(said.split()).replace("|", "/")
        return said if len(said) <= LONGEST else said[: LONGEST - 3] + "..."


def path_of(framework: str) -> Path:
    """Where the framework's front desk stands."""
    return FOLDER / f"desk_in_{framework.replace('-', '_')}.py"


def program(framework: str) -> Callable[..., Awaitable[str]]:
    """`answer` of the framework's front desk."""
    path = path_of(framework)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[..., Awaitable[str]] = module.answer
    return found


def ways(request: ChatRequest) -> Iterator[Call]:
    """Calls that give the request away, by the schema of what is offered."""
    for each in request.tools:
        if "billing" in each.name:
            texts = dict.fromkeys(each.parameters.get("required", ()), REQUEST)
            yield Call(each.name, json.dumps(texts))


def good(request: ChatRequest) -> Reply:
    """What a good model does: give it away, look it up, say what came."""
    results = [m["content"] for m in request.messages if m["role"] == "tool"]
    if way := next(ways(request), None):
        if results:
            return Reply(text=str(results[-1]))
        return Reply(calls=(way,))
    if any("EUR" in str(each) or "went wrong" in str(each) for each in results):
        return Reply(text=f"{results[-1]}")
    if any(each.name == "find_bill" for each in request.tools) and not any(
        (m.get("tool_calls") or [{}])[0].get("function", {}).get("name") == "find_bill"
        for m in request.messages
    ):
        return Reply(calls=(Call("find_bill", json.dumps({"number": "7"})),))
    return Reply(text=str(results[-1]) if results else "Nothing.")


def is_billing(request: ChatRequest) -> bool:
    return any(each.name == "find_bill" for each in request.tools)


def size(tool: ToolSpec) -> int:
    """Tokens of a tool as a request carries it."""
    return count_text(f"{tool.name}{tool.description}{json.dumps(tool.parameters)}")


@dataclass
class Play:
    """A framework's front desk while something goes wrong.

    Attributes:
        framework: whose.
        mishap: what goes wrong with the model.
        broken: whether looking a bill up fails.
        seen: what came of it.
    """

    framework: str
    mishap: Mishap
    broken: bool = False
    seen: Seen = field(default_factory=Seen)
    asked: Counter[bool] = field(default_factory=Counter)

    def play(self) -> Seen:
        """Play it in virtual time, with the SDK's own settings where the framework has none."""
        client = connect(Scripted(self.model))
        if self.framework != "course":
            client = client.copy(max_retries=DEFAULT_MAX_RETRIES, timeout=DEFAULT_TIMEOUT)
        trace = Trace(self.framework)
        with trace.record():
            clock.simulate(self._answered(client))
        steps = [each for each in trace.spans if each.operation == "chat"]
        read = (each.attributes.get("gen_ai.usage.input_tokens", 0) for each in steps)
        self.seen.calls, self.seen.tokens = self.asked.total(), sum(read)
        return self.seen

    async def _answered(self, client: Any) -> None:
        loop, ask = asyncio.get_running_loop(), program(self.framework)
        begin = loop.time()
        try:
            self.seen.answer = await ask(client, self.opening_hours, self.find_bill, REQUEST)
        except Exception as error:
            self.seen.error = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
        self.seen.seconds = loop.time() - begin

    async def model(self, request: ChatRequest) -> Reply:
        who = is_billing(request)
        self.asked[who] += 1
        if self.asked.total() > MOST:
            raise ApiError(400, "stopped from outside")
        self.seen.schemas.append(sum(map(size, request.tools)))
        happens = self.mishap(request, self.asked[who])
        if isinstance(happens, ApiError):
            raise happens
        if isinstance(happens, float):
            await asyncio.sleep(happens)
            return good(request)
        return happens or good(request)

    async def opening_hours(self) -> str:
        """Tell the opening hours."""
        self.seen.used.append("opening_hours")
        return "8 to 17"

    async def find_bill(self, number: str) -> str:
        """Find a bill by its number."""
        self.seen.used.append("find_bill")
        if self.broken:
            raise ValueError("the archive is closed")
        return LEFT


def refused(times: int) -> Mishap:
    def mishap(request: ChatRequest, nth: int) -> ApiError | None:
        if is_billing(request) and nth <= times:
            return ApiError(429, "slow down", type="rate_limit_error")
        return None

    return mishap


def beside(request: ChatRequest, nth: int) -> Reply | None:
    """A call of a tool and one that gives the request away, in one message."""
    if not is_billing(request) and nth == 1:
        return Reply(calls=(Call("opening_hours", "{}"), *ways(request)))
    return None


def endless(request: ChatRequest, nth: int) -> Reply | None:
    """The same call again and again."""
    if is_billing(request):
        return Reply(calls=(Call("find_bill", json.dumps({"number": "7"})),))
    return None


def hangs(request: ChatRequest, nth: int) -> float | None:
    return A_DAY if is_billing(request) else None


def calm(request: ChatRequest, nth: int) -> None:
    return None


MISHAPS: Mapping[str, Callable[[str], Seen]] = {
    "nothing": lambda it: Play(it, calm).play(),
    "a tool raises ValueError": lambda it: Play(it, calm, broken=True).play(),
    "a tool call and a handoff in one message": lambda it: Play(it, beside).play(),
    "the service refuses billing twice (429)": lambda it: Play(it, refused(2)).play(),
    "it refuses billing always (429)": lambda it: Play(it, refused(1_000)).play(),
    "billing's model hangs for a day": lambda it: Play(it, hangs).play(),
    "billing looks the bill up for ever": lambda it: Play(it, endless).play(),
}


def sent() -> Iterator[str]:
    """What each framework sends where nothing goes wrong."""
    yield "| framework | calls | tokens in | of them tools, call by call | lines of the program |"
    yield "|---|---|---|---|---|"
    for framework in FRAMEWORKS:
        seen = MISHAPS["nothing"](framework)
        code = path_of(framework).read_text("utf-8").rstrip().splitlines()
        schemas = ", ".join(map(str, seen.schemas))
        yield f"| {framework} | {seen.calls} | {seen.tokens} | {schemas} | {len(code)} |"


def rows() -> Iterator[str]:
    """What comes of each mishap in each framework."""
    yield "| what goes wrong | framework | what the person gets | calls | tokens in | tools | s |"
    yield "|---|---|---|---|---|---|---|"
    for mishap, happens in MISHAPS.items():
        for framework in FRAMEWORKS:
            seen = happens(framework)
            yield (
                f"| {mishap} | {framework} | {seen.told()} | {seen.calls} | {seen.tokens} "
                f"| {len(seen.used)} | {seen.seconds:,.1f} |"
            )


def main() -> None:
    print("\n".join([*sent(), "", *rows()]))


if __name__ == "__main__":
    main()
