"""Flat against two levels: what happens to a router when specialists become many.

The world is a town hall with 40 desks in eight departments, two requests for each desk. Its words
are plain, so that the simulated model without routing errors puts every request through rightly;
under the profile "misrouting" it errs the more often the longer the list is that it chooses from.
That curve is an assumption, named in the profile. What follows from it is measured here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from course.routing.dynamic import ModelRouter
from course.routing.measure import Score, evaluate
from course.routing.nested import Department, NestedRouter
from course.routing.sentences import Sentence

if TYPE_CHECKING:
    from openai import AsyncOpenAI

COUNTS = (2, 5, 10, 20, 30, 40)


@dataclass(frozen=True)
class Levels:
    """One row of the comparison: so many specialists, chosen from in this way, and how it went.

    Built in chapter 02.
    """

    specialists: int
    way: Literal["flat", "two levels"]
    score: Score


def town_hall(specialists: int = 40) -> tuple[tuple[Department, ...], tuple[Sentence, ...]]:
    """The first so many desks of the town hall by department, and two requests for each desk.

    Raises:
        ValueError: there are 1 to 40 desks.
    """
    if not 1 <= specialists <= 40:
        raise ValueError(f"the town hall has 1 to 40 desks, not {specialists}")
    left, departments, sentences = specialists, [], []
    for name, department in _read().items():
        desks = dict(list(department["desks"].items())[:left])
        left -= len(desks)
        if desks:
            choices = {desk: about for desk, (about, *_) in desks.items()}
            departments.append(Department(name, department["description"], choices))
        sentences += [Sentence(text, (d,)) for d, (_, *texts) in desks.items() for text in texts]
    return tuple(departments), tuple(sentences)


async def flat_against_two_levels(
    counts: Iterable[int] = COUNTS, *, client: AsyncOpenAI, repeats: int = 5, run_id: str = "levels"
) -> list[Levels]:
    """Route the town hall's requests with one long list, and with departments first.

    Args:
        counts: numbers of specialists, 1 to 40 each.
        client: reaches the model; `connect(profile="misrouting")` makes long lists hard.
        repeats: how often each request is put, each time with another luck. More repeats tell the
            same assumption more exactly; they are no further evidence about the world.
        run_id: names the series for the simulated model's draws.

    Returns:
        Two rows for each count, "flat" before "two levels". Up to five specialists are a single
        department, so that both ways are the same.

    Raises:
        ModelError: the model cannot be used.

    Built in chapter 02.
    """
    rows = []
    for count in counts:
        departments, sentences = town_hall(count)
        listed = {name: about for each in departments for name, about in each.choices.items()}
        flat, nested = ModelRouter(listed), NestedRouter(departments)
        asked = sentences * repeats
        for way, chooser in (("flat", flat), ("two levels", nested)):
            score = await evaluate(chooser, asked, client=client, run_id=f"{run_id} {count}")
            rows.append(Levels(count, way, score))  # type: ignore[arg-type]
    return rows


@cache
def _read() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (files("course.routing") / "town_hall.json").read_text("utf-8")
    )
    return found
