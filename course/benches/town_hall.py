"""The town hall: 40 desks in eight departments, and two requests for each desk, as data."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from course.routing.choosers import Department
from course.routing.sentences import Sentence


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


@cache
def _read() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (files("course.benches") / "town_hall.json").read_text("utf-8")
    )
    return found
