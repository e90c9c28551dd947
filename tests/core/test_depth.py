"""How deep a run goes: each layer between the front door and the client has to earn its place."""

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CoroutineType
from typing import Any

import pytest

import course
from course import Agent, PlanningSupervisor, Worker, clock, connect, run
from course.models import ChatRequest, Scripted
from course.models.client import CourseClient

OURS = Path(course.__file__).parent
WORKERS = tuple(
    Worker(name=name, description=f"does {name}", instructions=f"You do {name}.") for name in "ab"
)
Seen = dict[str, list[str]]


def script(request: ChatRequest) -> Any:
    """Plans a task for each worker, and answers."""
    if request.key.agent.endswith("planning"):
        tasks = [{"id": w, "description": f"Find figure {w}.", "worker": w} for w in "ab"]
        return json.dumps({"goal": "Find figures.", "tasks": tasks})
    return "The figure is 12."


def running() -> Iterator[str]:
    """The functions of `course` that run here in this task, the innermost first."""
    frame = sys._getframe(1)
    while frame.f_back:
        frame = frame.f_back
        yield from named(frame.f_code)


def waiting(work: Any) -> Iterator[str]:
    """The functions of `course` in a chain of coroutines that wait, the outermost first."""
    while isinstance(work, CoroutineType):
        yield from named(work.cr_code)
        work = work.cr_await


def named(code: Any) -> Iterator[str]:
    path = Path(code.co_filename)
    if path.is_relative_to(OURS) and path.stem != "clock":
        yield f"{path.stem}.{code.co_name}"


def depths(system: Any, monkeypatch: pytest.MonkeyPatch) -> Seen:
    """For each agent: the functions between `course.run` and the client's `post`.

    A task that a function starts and waits for belongs to its chain.
    """
    seen: Seen = {}
    tasks: list[asyncio.Task[Any]] = []
    usual = CourseClient.post

    async def post(client: Any, path: str, **more: Any) -> Any:
        chain = list(running())[::-1]
        if asyncio.current_task() is not tasks[0]:
            chain = [*waiting(tasks[0].get_coro()), *chain]
        seen[more["options"]["headers"]["x-switchboard-agent"]] = chain[
            chain.index("runner.run") + 1 :
        ]
        return await usual(client, path, **more)

    async def main() -> None:
        tasks.append(asyncio.ensure_future(run(system, "Find.", client=connect(Scripted(script)))))
        await tasks[0]

    monkeypatch.setattr(CourseClient, "post", post)
    clock.simulate(main())
    return seen


def test_a_plans_worker_is_asked_through_fourteen_functions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = depths(PlanningSupervisor(name="chief", workers=WORKERS), monkeypatch)
    assert set(seen) == {"chief planning", "a", "b", "chief answering"}
    assert len(seen["a"]) <= 14, seen["a"]
    assert seen["a"] == seen["b"]


def test_an_agent_is_asked_through_seven_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    [chain] = depths(Agent(name="ann"), monkeypatch).values()
    assert len(chain) <= 7, chain
