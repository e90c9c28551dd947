"""Models and persons for the tests of tasks: scripts, and nothing that knows a scenario."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from openai import AsyncOpenAI
from pydantic import BaseModel, Field

from course.context import Context
from course.delegation import Person, PersonLeft, Task
from course.models import ApiError, Call, Reply, Scripted, connect
from course.models.wire import ChatRequest


class Triage(BaseModel):
    """What brings somebody in."""

    complaint: str = Field(description="what is wrong")
    severity: Literal["mild", "severe"]


@dataclass
class Colour:
    """A colour."""

    name: str


RASH = {"complaint": "a rash", "severity": "mild"}
Move = str | tuple[str, Any] | Exception


def move(step: Move) -> Reply | str:
    """A reply: words, a call as (name, arguments), or an error to raise."""
    if isinstance(step, Exception):
        raise step
    if isinstance(step, str):
        return step
    name, arguments = step
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return Reply(calls=(Call(name, text),))


def model(*steps: Move, latency: float = 1.0) -> Scripted:
    """A model that makes these moves, and then repeats the last one for ever."""
    left = list(steps)

    def script(request: ChatRequest) -> Reply | str:
        return move(left.pop(0) if len(left) > 1 else left[0])

    return Scripted(script, latency=latency)


def client_of(*steps: Move, latency: float = 1.0) -> AsyncOpenAI:
    """A client of such a model."""
    return connect(model(*steps, latency=latency))


def saying(*replies: str, seconds: float = 0.0) -> Person:
    """A person who gives these answers and then leaves."""
    left = list(replies)

    async def person(said: str) -> str:
        await asyncio.sleep(seconds)
        if not left:
            raise PersonLeft("the person hung up")
        return left.pop(0)

    return person


async def hanging(said: str) -> str:
    """A person who never answers."""
    await asyncio.Event().wait()
    return ""


def triage(**settings: Any) -> Task[Triage]:
    """A task that results in a Triage."""
    return Task[Triage](instructions="You are a nurse.", **settings)


def words(context: Context) -> list[tuple[str, Any]]:
    """A conversation as (role, content)."""
    return [(each["role"], each.get("content")) for each in context.messages]


def others() -> set[asyncio.Task[Any]]:
    """The tasks of the loop besides the one that asks."""
    return {each for each in asyncio.all_tasks() if each is not asyncio.current_task()}


def gone() -> ApiError:
    """What a server says that doesn't have the model."""
    return ApiError(404, "the model is gone", code="model_not_found")


def users(request: ChatRequest) -> list[str]:
    """What the person said, as a request has it."""
    return [str(each["content"]) for each in request.messages if each["role"] == "user"]


Script = Callable[[ChatRequest], Reply | str]
