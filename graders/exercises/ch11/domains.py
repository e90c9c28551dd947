"""The domains' worlds, opened once: what their tools give, and what there is to do in them."""

from __future__ import annotations

from functools import lru_cache

from course.agent import Agent
from course.scenarios.domains import DOMAINS
from course.scenarios.world.domain import Domain, toolbox
from course.scenarios.world.world import World
from course.tools import Tool
from graders.exercises.ch11.errands import Job, errands_of
from graders.exercises.kit import *

BY_NAME: Mapping[str, Domain[Any]] = {domain.name: domain for domain in DOMAINS}
WORLDS = 2  # of each domain; requests, what is done of them and what goes wrong vary beyond that


@dataclass(frozen=True)
class Setting:
    """A domain's opened world: who usually works there, and all tools by name."""

    domain: Domain[Any]
    world: World
    workers: tuple[Agent, ...]
    tools: Mapping[str, Tool]

    @property
    def owners(self) -> dict[str, str]:
        """Which of the usual workers has a tool."""
        return {tool.name: worker.name for worker in self.workers for tool in worker.tools}

    @property
    def needed(self) -> frozenset[str]:
        """The tools that the domain's requests call for; a world may have others."""
        places = range(len(self.domain.requests))
        jobs = [_job(self.domain.name, self.world.seed, place) for place in places]
        calls = [call for job in jobs for each in job.errands for call in (each.call, each.naive)]
        return frozenset(call.tool for call in calls if call)

    def jobs(self, draw: random.Random, many: int) -> list[Job]:
        """Some of the domain's requests, with what there is to do for each."""
        places = draw.sample(range(len(self.domain.requests)), many)
        return [_job(self.domain.name, self.world.seed, place) for place in places]


@lru_cache(maxsize=24)
def setting(name: str, seed: int) -> Setting:
    """A domain's world, opened once for all who need it: its tools only read."""
    domain = BY_NAME[name]
    world = domain.open(seed=seed)
    workers = domain.workers(world)
    return Setting(domain, world, workers, toolbox(workers))


@lru_cache(maxsize=120)
def _job(name: str, seed: int, place: int) -> Job:
    where = setting(name, seed)
    sample = where.domain.requests[place].on(where.world)
    return errands_of(sample.text, [sample], where.tools)


def drawn_setting(draw: random.Random, chosen: str, *, own: bool) -> Setting:
    """The world of the domain that was chosen, or of one that was not."""
    others = sorted(set(BY_NAME) - {chosen})
    name = chosen if own and chosen in BY_NAME else draw.choice(others)
    return setting(name, draw.randrange(1, WORLDS + 1))
