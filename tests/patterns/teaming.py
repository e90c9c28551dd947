"""Small teams for the tests, and models that say what a test wants them to."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from course import Agent, clock, connect, tool
from course.errors import ToolError
from course.handoff import Handoff
from course.models import Call, ChatRequest, Reply, Scripted
from course.runner import run
from course.session import Session, state
from course.team import Team, TeamResult

Says = Callable[[ChatRequest], Reply | str]


@tool
def look_up(name: str) -> str:
    """Look somebody up."""
    return f"{name} is known"


@tool
def fails(what: str = "it") -> str:
    """Try something that does not work."""
    raise ToolError(f"{what} did not work")


@tool
def remember(what: str) -> str:
    """Keep something in mind for all."""
    state()["noted"] = what
    return "kept"


def agent(name: str, *handoffs: Handoff | str, **more: Any) -> Agent:
    """An agent that is known by its instructions; a name stands for a plain handoff."""
    made = tuple(Handoff(each) if isinstance(each, str) else each for each in handoffs)
    told = {"instructions": f"You are {name}.", "description": f"does {name}"}
    tools = (look_up, fails, remember)
    return Agent(**{"name": name, "handoffs": made, "tools": tools, **told, **more})


def call(tool: str, ident: str = "c1", /, **arguments: Any) -> Call:
    """A call in an answer."""
    return Call(tool, json.dumps(arguments), ident)


def calls(*made: Call, text: str | None = None) -> Reply:
    """An answer that asks for tools."""
    return Reply(text=text, calls=made)


def transfer(to: str, reason: str = "because", ident: str = "c1") -> Reply:
    """An answer that hands over and does nothing else."""
    return calls(call(f"transfer_to_{to}", ident, reason=reason))


def who(request: ChatRequest) -> str:
    """Which agent asks, by the instructions in front of the conversation; or "summary"."""
    first = request.messages[0]
    said = str(first.get("content")) if first["role"] == "system" else ""
    if said.startswith("Summarise"):
        return "summary"
    return said.removeprefix("You are ").partition(".")[0]


def acting(parts: Mapping[str, Says | list[Reply | str]]) -> Scripted:
    """A model that plays each agent by a function, or by answers one after the other."""
    left = {name: list(said) for name, said in parts.items() if isinstance(said, list)}

    def says(request: ChatRequest) -> Reply | str:
        name = who(request)
        part = parts[name]
        return left[name].pop(0) if isinstance(part, list) else part(request)

    return Scripted(says)


def talk(
    team: Team, model: Scripted, *turns: str, session: Session | None = None, **more: Any
) -> list[TeamResult]:
    """What a team says to each of a person's turns."""
    client = connect(model)

    async def all_turns() -> list[TeamResult]:
        current, results = session, []
        for number, request in enumerate(turns):
            run_id = f"run {number}"
            result = await run(
                team, request, client=client, session=current, **{"run_id": run_id, **more}
            )
            current = result.session
            results.append(result)
        return results

    return clock.simulate(all_turns())


def once(team: Team, model: Scripted, request: str = "Help me, please.", **more: Any) -> TeamResult:
    """What a team says to one turn."""
    [result] = talk(team, model, request, **more)
    return result


def spans(result: TeamResult, operation: str) -> list[Any]:
    """The spans of one kind, in order."""
    return [each for each in result.trace.spans if each.operation == operation]


def contents(request: ChatRequest) -> list[Any]:
    """The texts of a request, in order."""
    return [message.get("content") for message in request.messages]
