"""Dynamic routing: a model reads the request and a list of specialists, and names who is needed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json

from course.agent import Agent
from course.chat import complete
from course.errors import ConfigurationError, ModelError, several
from course.models.names import SMALL
from course.models.wire import Message
from course.routing.route import Route

if TYPE_CHECKING:
    from openai import AsyncOpenAI

INSTRUCTIONS = """\
You route requests to specialists:
{listed}
Name the specialists whose work the request needs, in the order in which they should act, and \
nobody else. If none of them is there for what is asked, name nobody."""


def descriptions(agents: Iterable[Agent]) -> dict[str, str]:
    """What each agent is for, by its name: what a router reads before it chooses.

    Raises:
        ConfigurationError: two agents share a name, or one has no description to choose it by.

    Built in chapter 02.
    """
    found: dict[str, str] = {}
    for agent in several(agents, "agents"):
        if agent.name in found:
            raise ConfigurationError(f"two agents are called '{agent.name}': rename one of them")
        if not agent.description.strip():
            raise ConfigurationError(
                f"agent '{agent.name}' has no description: say in one line what it is for"
            )
        found[agent.name] = agent.description
    return found


@dataclass(frozen=True)
class ModelRouter:
    """Routes by asking a model: one call, whose answer can only name specialists that exist.

    Attributes:
        choices: what each specialist is for, by its name.
        model: who decides; choosing from a list is work for a small one.
        name: keys the simulated model's draws, so that two routers have a luck each.

    Raises:
        ConfigurationError: there is nobody to choose from.

    Built in chapter 02.
    """

    choices: Mapping[str, str]
    model: str = SMALL
    name: str = "router"

    def __post_init__(self) -> None:
        if not self.choices:
            raise ConfigurationError("a router needs specialists to choose from: name: description")

    @property
    def names(self) -> Collection[str]:
        """Everybody it may choose."""
        return self.choices.keys()

    @cached_property
    def _instructions(self) -> Message:
        listed = "\n".join(f"- {name}: {about}" for name, about in self.choices.items())
        return {"role": "system", "content": INSTRUCTIONS.format(listed=listed)}

    @cached_property
    def _response_format(self) -> dict[str, Any]:
        return {"type": "json_schema", "json_schema": route_schema(self.names)}

    async def choose(self, request: str, *, client: AsyncOpenAI) -> Route:
        """Ask the model; one call.

        Raises:
            ModelError: the model cannot be used, or answers with something else than a route.
        """
        body = {
            "model": self.model,
            "messages": [self._instructions, {"role": "user", "content": request}],
            "response_format": self._response_format,
        }
        answer = await complete(client, body, agent=self.name, role="route")
        agents = named_agents(str(answer.message["content"]), self.names)
        return Route(agents=agents, by="model", usage=answer.usage)


def route_schema(names: Iterable[str]) -> dict[str, Any]:
    """The shape of a route as an API takes it: `{"agents": [one or more of the names]}`.

    Built in chapter 02.
    """
    agents = {"type": "array", "items": {"type": "string", "enum": list(names)}}
    schema = {
        "type": "object",
        "properties": {"agents": agents},
        "required": ["agents"],
        "additionalProperties": False,
    }
    return {"name": "route", "strict": True, "schema": schema}


def named_agents(content: str, names: Collection[str]) -> tuple[str, ...]:
    """Read a model's route: the names in it, each once, in order.

    A schema makes a wrong answer unlikely, not impossible: some endpoints ignore it, and an answer
    that is cut off is no JSON any more.

    Raises:
        ModelError: the text is no route, or names somebody who is not there.

    Built in chapter 02.
    """
    try:
        agents: list[str] = from_json(content)["agents"]
        unknown = [name for name in agents if name not in names]
        whole = isinstance(agents, list)
    except (ValueError, KeyError, TypeError):
        whole = False
    if not whole:
        raise ModelError(f"the router's answer is no route: {content[:80]!r}")
    if unknown:
        raise ModelError(f"the router chose '{unknown[0]}'; there are: {', '.join(names)}")
    return tuple(dict.fromkeys(agents))
