"""The domains' worlds, opened once: what their tools give, and what there is to do in them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from course.agent import Agent
from course.scenarios.domains import DOMAINS
from course.scenarios.world.domain import Domain, toolbox
from course.tools import Tool
from graders.project.errands import Job, errands_of

BY_NAME: Mapping[str, Domain[Any]] = {domain.name: domain for domain in DOMAINS}
WORLDS = 3  # of each domain; requests, what is done of them and what goes wrong vary beyond that


@dataclass(frozen=True)
class Setting:
    """A domain's opened world: who usually works there, and all tools by name."""

    domain: Domain[Any]
    workers: tuple[Agent, ...]
    tools: Mapping[str, Tool]
    jobs: tuple[Job, ...]

    @property
    def owners(self) -> dict[str, str]:
        """Which of the usual workers has a tool."""
        return {tool.name: worker.name for worker in self.workers for tool in worker.tools}


@lru_cache(maxsize=24)
def setting(name: str, seed: int) -> Setting:
    """A domain's world, opened once for all who need it: its tools only read."""
    domain = BY_NAME[name]
    world = domain.open(seed=seed)
    workers = domain.workers(world)
    tools = toolbox(workers)
    samples = [request.on(world) for request in domain.requests]
    jobs = tuple(errands_of(sample.text, [sample], tools) for sample in samples)
    return Setting(domain, workers, tools, jobs)


def drawn_setting(draw: random.Random, chosen: str, *, own: bool) -> Setting:
    """The world of the domain that was chosen, or of one that was not."""
    others = sorted(set(BY_NAME) - {chosen})
    name = chosen if own and chosen in BY_NAME else draw.choice(others)
    return setting(name, draw.randrange(1, WORLDS + 1))
