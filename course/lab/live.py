"""Runs that a real service answers: side by side, each kept when it ends, within the cap.

(seed, task) comes first and the arms of a pair within, in an order that is drawn: wherever it
stops there are whole pairs, and a service that drifts favours no arm.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from course import clock
from course.errors import ConfigurationError
from course.lab.kept import Answers, Service
from course.lab.one import Played, opened, played_in
from course.lab.spec import Cap, Cell
from course.models.draws import Draws
from course.models.endpoint import KEY, MODEL, settings
from course.models.places import Places
from course.models.rates import MINUTE, RateLimit
from course.models.wire import Key

LAG = 3.0
"""Seconds: a service begins to count when the first request reaches it, and that one is the slowest
to come, since there is no connection yet."""
_GONE = ("cannot be reached", "cannot reach", "refuses the key", "has no model",
         "sends requests on", "is no Chat Completions answer")  # fmt: skip


def service_of(folder: Path, cap: Cap) -> Service:
    """The service that the environment names, as a sweep asks it.

    Raises ConfigurationError: there is no key, or the address is none; FileFormatError: a file of
    kept answers is damaged.
    """
    found = settings() if os.environ.get(KEY, "").strip() else None
    if found is None:
        raise ConfigurationError(f"no key: set {KEY}, or take another model than endpoint")
    answers = Answers(folder, prices=(cap.input or 0.0, cap.output or 0.0), most=cap.usd,
                      secrets=found.secrets)  # fmt: skip
    return Service(answers, allowed(cap), Places(cap.in_flight))


def allowed(cap: Cap) -> RateLimit:
    """What the account allows in a minute, less what the service's count may lag behind ours."""
    rate = RateLimit(requests_per_minute=cap.rpm, tokens_per_minute=cap.tpm)
    calls = max(1, int((cap.rpm or 0) * LAG / MINUTE))
    for _ in range(calls):
        rate.take(int((cap.tpm or 0) * LAG / MINUTE / calls))
    return rate


def named(service: Service, before: Mapping[str, Any]) -> dict[str, Any]:
    """What a manifest says of the service: `addresses` (hosts and ports, without user and key),
    `models` by the course's names, and `served`, the models and fingerprints that answered.

    Raises ConfigurationError: the results so far are another model's.
    """
    found = settings()
    assert found is not None
    models = dict(found.models)
    if before.get("models", models) != models:
        raise ConfigurationError(
            f"these results were begun with {', '.join(set(before['models'].values()))}: set"
            f" {MODEL} as it was, or choose another folder"
        )
    return {
        "addresses": list(dict.fromkeys([*before.get("addresses", ()), found.place])),
        "models": models,
        "served": [list(each) for each in sorted(service.answers.served)],
    }


def in_order(cells: Sequence[Cell]) -> list[Cell]:
    """The runs in the order in which a service is asked for them."""
    tasks = {(cell.bench, cell.task): place for place, cell in enumerate(reversed(cells))}

    def place(cell: Cell) -> tuple[Any, ...]:
        luck = Draws(cell.seed, Key(f"{cell.task} {cell.epoch}")).uniform(cell.arm)
        return cell.epoch, cell.seed, -tasks[cell.bench, cell.task], luck

    return sorted(cells, key=place)


def play_live(
    cells: Sequence[Cell], service: Service, keep: Callable[[Cell, Played], None], *, in_flight: int
) -> None:
    """Run cells in real time, so many at once at the most.

    Args:
        cells: in the order in which they begin.
        service: who answers.
        keep: gets each run when it has ended by itself.
        in_flight: runs at the same time.

    Raises ConfigurationError: the cap is reached, or the service stopped answering.
    """
    answers, places, done = service.answers, asyncio.Semaphore(in_flight), 0

    async def one(cell: Cell) -> None:
        nonlocal done
        async with places:
            if answers.stop:
                return
            with opened(cell) as (task, case):
                played = await played_in(cell, task, case, service=service)
        why = played.row["why"]
        if service.refused(cell):
            return
        if any(sign in why for sign in _GONE):
            answers.stop = (
                f"the endpoint stopped answering after {done} runs ({why}): what has ended is"
                " kept, run the same again"
            )
            return
        done += 1
        played.row["model"] = os.environ.get(MODEL) or played.row["model"]
        keep(cell, played)

    async def all_of_them() -> None:
        await asyncio.gather(*map(one, cells))

    clock.simulate(all_of_them(), speed=1)
    if answers.stop:
        raise ConfigurationError(answers.stop)
