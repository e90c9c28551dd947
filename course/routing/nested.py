"""Routing in two levels: first the department, then the specialist in it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from course.errors import ConfigurationError
from course.models.names import SMALL
from course.routing.dynamic import ModelRouter
from course.routing.route import Route

if TYPE_CHECKING:
    from openai import AsyncOpenAI


@dataclass(frozen=True)
class Department:
    """Some specialists under one name and one line.

    Attributes:
        name: what the first level chooses.
        description: what its specialists do between them.
        choices: what each specialist is for, by its name.

    Built in chapter 02.
    """

    name: str
    description: str
    choices: Mapping[str, str]


@dataclass(frozen=True)
class NestedRouter:
    """Routes in two steps: a model chooses departments, then specialists within each of them.

    Every step chooses from a short list, and short lists are read rightly more often; the price is
    a second call. Where there is only one to choose from, nobody is asked.

    Attributes:
        departments: the first level.
        model: who decides, on both levels.

    Raises:
        ConfigurationError: a name is used twice, or a department has nobody in it.

    Built in chapter 02.
    """

    departments: tuple[Department, ...]
    model: str = SMALL

    def __post_init__(self) -> None:
        _once("department", (each.name for each in self.departments))
        _once("specialist", (name for each in self.departments for name in each.choices))
        if not self.departments:
            raise ConfigurationError("a nested router needs departments: add some")
        for each in self.departments:
            if not each.choices:
                raise ConfigurationError(f"department '{each.name}' has no specialists: add some")

    @property
    def names(self) -> Collection[str]:
        """Every specialist of every department."""
        return dict.fromkeys(n for each in self.departments for n in each.choices).keys()

    @cached_property
    def _top(self) -> ModelRouter:
        listed = {each.name: each.description for each in self.departments}
        return ModelRouter(listed, self.model)

    @cached_property
    def _inner(self) -> dict[str, ModelRouter]:
        return {
            each.name: ModelRouter(each.choices, self.model, f"router {each.name}")
            for each in self.departments
        }

    async def choose(self, request: str, *, client: AsyncOpenAI) -> Route:
        """Ask for the departments, then ask each of them at once.

        Raises:
            ModelError: the model cannot be used.
        """
        top = await _step(self._top, request, client=client)
        found = await asyncio.gather(
            *(_step(self._inner[n], request, client=client) for n in top.agents)
        )
        agents = tuple(dict.fromkeys(name for each in found for name in each.agents))
        return Route(agents=agents, by="model", usage=sum((e.usage for e in found), top.usage))


async def _step(router: ModelRouter, request: str, *, client: AsyncOpenAI) -> Route:
    """One choice; a list of one is not asked about."""
    if len(router.names) == 1:
        return Route(agents=tuple(router.names), by="model")
    return await router.choose(request, client=client)


def _once(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ConfigurationError(f"two of them are called {what} '{name}': rename one of them")
        seen.add(name)
