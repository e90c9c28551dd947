"""A supervisor with scripted models: each agent's answers are a function of what it is asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from openai import AsyncOpenAI

from course import connect
from course.agent import Agent
from course.models import Scripted
from course.models.wire import Call, ChatRequest, Reply
from course.supervisor import Supervisor

Script = Callable[[ChatRequest], Any]


def order(worker: str, task: str, *, id: str = "", **more: str) -> Call:
    """A call of delegate_to_agent."""
    arguments = {"worker_agent": worker, "task": task, **more}
    return Call("delegate_to_agent", json.dumps(arguments), id)


def turns(request: ChatRequest) -> int:
    """Answers of the assistant so far."""
    return sum(message["role"] == "assistant" for message in request.messages)


def results(request: ChatRequest) -> list[dict[str, Any]]:
    """What the tool messages say, oldest first."""
    tools = [m for m in request.messages if m["role"] == "tool"]
    return [json.loads(m["content"]) for m in tools]


def ordering(*rounds: Sequence[Call], answer: str = "all done") -> Script:
    """A supervisor's script: these calls, message by message, then the answer."""

    def script(request: ChatRequest) -> Reply:
        done = turns(request)
        return Reply(calls=tuple(rounds[done])) if done < len(rounds) else Reply(text=answer)

    return script


def models(**scripts: Script | str) -> Scripted:
    """One model for everybody: each agent's script by its name; a text is always the answer."""

    def answer(request: ChatRequest) -> Any:
        script = scripts[request.key.agent]
        return script if isinstance(script, str) else script(request)

    return Scripted(answer)


def workers(*names: str, **more: Any) -> tuple[Agent, ...]:
    return tuple(Agent(name=n, description=f"does {n}", instructions=f"You do {n}.", **more)
                 for n in names)  # fmt: skip


def boss(*names: str, **more: Any) -> Supervisor:
    """A supervisor called "boss" with a worker of each name."""
    return Supervisor(name="boss", instructions="You lead.", workers=workers(*names), **more)


def client(**scripts: Script | str) -> AsyncOpenAI:
    return connect(models(**scripts))
