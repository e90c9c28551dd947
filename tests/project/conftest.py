"""The worlds of the project, opened once, and what is played in them as it is, once each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import pytest

from course.scenarios.domains import DOMAINS
from course.scenarios.world.domain import Domain
from course.scenarios.world.world import World
from tests.project.playing import (
    NAMED,
    SEED,
    WHOLE,
    Played,
    Plays,
    dead,
    play,
    rarest,
    storm,
)

Place = tuple[World, Domain[Any]]


@pytest.fixture(scope="session")
def worlds() -> Iterator[dict[str, World]]:
    """Each domain's world by its name; nobody changes one, or a test of bad input is red."""
    opened = {name: domain.open(seed=SEED) for name, domain in NAMED.items()}
    yield opened
    for world in opened.values():
        world.close()


@pytest.fixture(params=DOMAINS, ids=lambda domain: domain.name)
def place(request: pytest.FixtureRequest, worlds: dict[str, World]) -> Place:
    return worlds[request.param.name], request.param


@pytest.fixture(scope="session")
def played(worlds: dict[str, World]) -> Plays:
    """Play requests of a domain in one and by the reference system's own settings, once.

    Takes the domain's name, the levels, and the weather: `calm`, `storm`, or `dead`, in which the
    tools of the worker with the fewest tasks break every time.
    """

    @cache
    def once(name: str, levels: Sequence[int] = WHOLE, weather: str = "calm") -> Played:
        fault = storm(SEED) if weather == "storm" else None
        if weather == "dead":
            fault = dead(rarest(once(name, levels)))
        return play(worlds[name], NAMED[name], levels, fault=fault)

    return once
