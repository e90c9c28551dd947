"""Five ways to a faster supervisor, each alone, all together, and all but each.

A small furniture shop: three workers with a tool of one second each, and requests about one matter
or about three. The slow way has everything against it: a large model supervises, it gives one task
at a time, every request goes to it, workers begin when its message has ended, and a long handbook
and an old conversation stand in every prompt. Each way takes one of these away:

    small      a small model supervises
    fan out    it gives all tasks in one message, and they run at once (`parallel_tool_calls`)
    classify   a trained classifier sends what it is sure of straight to a worker
    stream     a delegation begins while the supervisor's message is still being written
    scope      each prompt has what its agent needs, and no more

Seconds are virtual and follow from the profile's assumptions (`course/models/profiles/calm.toml`).
"""

from __future__ import annotations

import asyncio
import itertools
import statistics
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from course import clock
from course.context import Context
from course.models.connect import connect
from course.models.names import LARGE, SMALL
from course.models.profile import load
from course.models.simulated import Simulated
from course.models.wire import ChatRequest
from course.routing.choosers import IntentClassifier
from course.routing.sentences import Sentence
from course.runner import run
from course.supervisor.supervisor import Supervisor, Worker
from course.tools import Tool, tool

WAYS = ("small", "fan out", "classify", "stream", "scope")
SURE = 0.6
"""From which confidence on the classifier decides."""

SINGLE = (
    "How many oak tables are in stock?",
    "What is the price of the pine shelf?",
    "When can the ash bench be delivered?",
)
SEVERAL = (
    "What is the price of the oak table, how many oak tables are in stock, and when can the oak"
    " table be delivered?",
    "What is the price of the pine shelf, how many pine shelves are in stock, and when can the pine"
    " shelf be delivered?",
)
REQUESTS = (*SINGLE, *SEVERAL)

_HEARD = (
    ("prices", "What does the chair cost?"), ("prices", "the price of a lamp"),
    ("prices", "How expensive is the sofa?"), ("prices", "Is the price of the desk 200 EUR?"),
    ("stock", "How many chairs are in stock?"), ("stock", "Do you still have lamps?"),
    ("stock", "count the sofas that are left"), ("stock", "How many desks are there?"),
    ("delivery", "When can the chair be delivered?"), ("delivery", "the day of delivery of a lamp"),
    ("delivery", "How long does delivery of the sofa take?"),
    ("delivery", "Can you deliver the desk next week?"),
)  # fmt: skip
_HANDBOOK = " ".join(
    f"Rule {n}: be polite, keep to the facts, note the day, and never promise what is not known."
    for n in range(1, 161)
)
_BEFORE = tuple(
    message
    for n in range(1, 21)
    for message in (
        {"role": "user", "content": f"Thank you for the letter number {n}, it came in good order."},
        {"role": "assistant", "content": "You are welcome. It is noted, and nothing is open here."},
    )
)


async def get_price(item: str) -> dict[str, Any]:
    """Get the price of an item of furniture in EUR."""
    await asyncio.sleep(1.0)
    return {"item": item, "price_eur": 240}


async def count_stock(item: str) -> dict[str, Any]:
    """Count how many of an item of furniture are in stock."""
    await asyncio.sleep(1.0)
    return {"item": item, "in_stock": 7}


async def find_delivery(item: str) -> dict[str, Any]:
    """Find the earliest day on which an item of furniture can be delivered."""
    await asyncio.sleep(1.0)
    return {"item": item, "delivery": "2026-03-09"}


_STAFF: tuple[tuple[str, str, Tool], ...] = (
    ("prices", "knows prices of furniture", tool(get_price)),
    ("stock", "counts furniture in stock", tool(count_stock)),
    ("delivery", "finds days of delivery of furniture", tool(find_delivery)),
)
ANSWERS = {"prices": "240", "stock": "7", "delivery": "2026-03-09"}


@cache
def classifier() -> IntentClassifier:
    """A classifier that has read twelve sentences of other furniture."""
    return IntentClassifier([Sentence(text, (name,)) for name, text in _HEARD])


def system(ways: Collection[str], request: str) -> tuple[Any, Context]:
    """Who answers a request in some of the ways, and the conversation it is asked in.

    Raises ValueError: there is no such way.
    """
    if unknown := next((way for way in ways if way not in WAYS), None):
        raise ValueError(f"there is no way '{unknown}'; there are: {', '.join(WAYS)}")
    more = "" if "scope" in ways else f"\n{_HANDBOOK}"
    staff = tuple(
        Worker(name=name, description=told, tools=(own,),
               instructions=f"Do the task with your tool.{more}")
        for name, told, own in _STAFF
    )  # fmt: skip
    before = () if "scope" in ways else _BEFORE
    context = Context(before).add({"role": "user", "content": request})
    if "classify" in ways:
        [guess] = classifier().guess([request])
        if guess.confidence >= SURE:
            return next(each for each in staff if each.name == guess.label), context
    told = "You lead a shop. Give every part of a request to whom it belongs, then answer with all."
    boss = Supervisor(
        name="lead",
        instructions=told + more,
        workers=staff,
        model=SMALL if "small" in ways else LARGE,
        start_early="stream" in ways,
        delegation_seconds=None,
    )
    return boss, context


@dataclass(frozen=True)
class Waited:
    """What some ways together come to, over all requests and seeds.

    Attributes:
        seconds: until the answer is there, on average.
        tokens: read and written for one request, on average.
        right: share of the answers that hold all that was asked.
    """

    name: str
    seconds: float
    tokens: float
    right: float


def measure(
    ways: Collection[str],
    *,
    name: str = "",
    seeds: int = 10,
    requests: Collection[str] = REQUESTS,
) -> Waited:
    """Ask requests, each with every seed, in some of the ways."""
    seconds, tokens, right = [], [], []
    for seed, request in itertools.product(range(seeds), requests):
        answering, context = system(ways, request)
        client = _client(seed, concurrently="fan out" in ways)
        result = clock.simulate(run(answering, context, client=client))
        seconds.append(result.seconds)
        tokens.append(result.usage.total)
        wanted = [v for k, v in ANSWERS.items() if request in SEVERAL or _about(request) == k]
        right.append(all(each in result.answer for each in wanted))
    mean = statistics.mean
    return Waited(name or ", ".join(ways), mean(seconds), mean(tokens), mean(right))


def _client(seed: int, *, concurrently: bool) -> Any:
    """The simulated model; one that is told to call one tool at a time, unless `concurrently`."""
    profile = load("calm")
    model = Simulated(profile, seed)

    def answer(request: ChatRequest) -> Any:
        return model(replace(request, parallel_tool_calls=concurrently))

    return connect(answer, seed=seed, profile=profile, wire=False)


def _about(request: str) -> str:
    return ("stock", "prices", "delivery")[SINGLE.index(request)]


def arms() -> Mapping[str, tuple[str, ...]]:
    """What is compared: nothing, each way alone, all of them, and all but each."""
    return {
        "none of them": (),
        **{way: (way,) for way in WAYS},
        "all five": WAYS,
        **{f"all but {way}": tuple(w for w in WAYS if w != way) for way in WAYS},
    }
