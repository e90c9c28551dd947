"""Benches that are made up, by a seed: the shape of the work is the variable, nothing else is.

`calls:1-5` has callers with one to five matters, `dag:2-8x3` graphs of tasks by width and depth,
`routing:2-40` one matter among so many specialists, `crowd:40x30` a chain of thirty steps among
forty tools. Each matter is a figure that a specialist's tool tells; a figure that rests on others
comes out wrong where those are wrong.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from pydantic import Field

from course.agent import Agent
from course.benches.bench import Bench, Case, Named, bench, span_of
from course.benches.oracle import Errand
from course.benches.outcome import Scored, counted
from course.errors import ConfigurationError
from course.models.draws import Draws
from course.models.wire import Key
from course.tools import Tool, tool

TOOL_MEDIAN, TOOL_SIGMA = 0.61, 0.48
"""Seconds that a tool takes, lognormal: a web search's in LLMCompiler (arXiv 2312.04511, app. E),
mean 0.61 s and slowest of eight 1.13 s."""

FIELDS = ("prices", "stock", "staff", "law", "weather", "traffic", "energy", "health")
_ITEM = r"^[A-Z]-\d{4}$"
Figure = Annotated[str, Field(pattern=r"^\d{5}$")]

Shape = tuple[tuple[int, tuple[int, ...]], ...]
"""Matters: for each the number of its specialist, and the numbers of the matters it rests on."""


@dataclass(frozen=True)
class Generated:
    """A bench whose tasks are made by a seed.

    Attributes:
        name: of its kind, such as "calls:3".
        levels: for each level its shapes are made of: (level, specialists).
        shape: the matters of the n-th task of a level.
        count: tasks of each level.
        world_seed: another one is another set of figures.
        each: tools of a specialist; `levels` then counts tools, and a matter names one.
    """

    name: str
    levels: tuple[tuple[int, int], ...]
    shape: Callable[[int, int, Draws], Shape]
    count: int
    world_seed: int
    each: int = 1
    licence: str = "Apache-2.0"
    tuned: str = ""

    def tasks(self) -> Sequence[Named]:
        """The tasks, level by level."""
        return tuple(
            Named(f"{self.name}/{level}/{number}", f"{self.name}/{level}", level)
            for level, _ in self.levels
            for number in range(self.count)
        )

    @contextmanager
    def open(self, task: Named) -> Iterator[Case]:
        """Open a task; there is no state, so the same case serves every run."""
        yield _case(self, task)


@cache
def _case(of: Generated, task: Named) -> Case:
    """A task with its specialists, its matters and their true figures."""
    specialists = dict(of.levels)[task.level]
    draws = Draws(of.world_seed, Key(task.id))
    shape = of.shape(task.level, specialists, draws)
    agents = _staff(specialists, of.each, of.world_seed)
    tools = [tool for agent in agents for tool in agent.tools]
    errands: list[Errand] = []
    truth: dict[str, str] = {}
    for number, (who, needs) in enumerate(shape):
        id, letter = f"m{number + 1}", chr(ord("A") + number % 26)
        item = f"{letter}-{int(draws.uniform(f'item {number}') * 9000) + 1000}"
        needed = tuple(f"m{need + 1}" for need in needs)
        tool = tools[who]
        says = f"Find the figure of {_trades(specialists)[who][0]} for {item}"
        errands.append(
            Errand(id, tool.name, {"item": item}, says, needed, "given" if needs else "")
        )
        truth[id] = figure_of(of.world_seed, tool.name, item, [truth[need] for need in needed])
    return Case(
        request=_wording(errands),
        agents=agents,
        said=lambda answer: _figures(answer, truth),
        errands=tuple(errands),
        truth=truth,
    )


def figure_of(seed: int, tool: str, item: str, given: Sequence[str]) -> str:
    """The figure that a tool tells: five digits that hang on all it is given."""
    label = repr((seed, tool, item, sorted(map(str, given))))
    return str(
        10_000 + int.from_bytes(hashlib.blake2b(label.encode(), digest_size=4).digest()) % 90_000
    )


def _wording(errands: Sequence[Errand]) -> str:
    """A request that names every matter, and which ones rest on which."""
    told = []
    for each in errands:
        rests = " and ".join(errands[int(need[1:]) - 1].arguments["item"] for need in each.needs)
        told.append(f"{each.says}{f', given the figure of {rests}' if rests else ''}.")
    return " ".join(told)


def _figures(answer: str, truth: dict[str, str]) -> Scored:
    """Which of the true figures an answer of any model states."""
    said = set(re.findall(r"\d+", answer.replace(",", "")))
    return counted({id: value in said for id, value in truth.items()})


@cache
def _staff(count: int, each: int, seed: int) -> tuple[Agent, ...]:
    """Specialists with so many tools each; the last one has the rest."""
    trades = _trades(count)
    return tuple(_specialist(trades[n : n + each], seed) for n in range(0, count, each))


@cache
def _trades(count: int) -> tuple[tuple[str, str], ...]:
    """Names and descriptions: short ones up to eight, the desks of a town hall beyond."""
    if count <= len(FIELDS):
        return tuple((name, f"knows the figures of {name}") for name in FIELDS[:count])
    from course.benches.town_hall import town_hall  # it brings routing along

    departments, _ = town_hall(count)
    return tuple((n, about) for each in departments for n, about in each.choices.items())


def _specialist(trades: Sequence[tuple[str, str]], seed: int) -> Agent:
    names = [name for name, _ in trades]
    known = ", ".join(names)
    return Agent(
        name=names[0] if len(names) == 1 else f"{names[0]}_desk",
        description="; ".join(about for _, about in trades),
        instructions=f"You know the figures of {known}. Say only what your tool told you.",
        tools=tuple(figure_tool(name, seed) for name in names),
    )


def figure_tool(name: str, seed: int, *, items: str = _ITEM) -> Tool:
    """A tool that takes a moment and tells the figure of an item.

    Args:
        name: whose figures.
        seed: of the world.
        items: what an item looks like, a regular expression.
    """
    own = "find_figure_of_" + re.sub(r"\W+", "_", name.lower())
    item_id = Annotated[str, Field(pattern=items, description="the item's id, such as A-1234")]
    figures = Annotated[list[Figure], Field(description="figures it rests on, if there are any")]

    async def find_figure(item: item_id, given: figures = []) -> dict[str, Any]:  # noqa: B006
        draws = Draws(seed, Key(own, item))
        await asyncio.sleep(draws.lognormal("seconds", TOOL_MEDIAN, TOOL_SIGMA))
        return {"item": item, "figure": int(figure_of(seed, own, item, given))}

    find_figure.__annotations__ |= {"item": item_id, "given": figures}  # names of this function
    find_figure.__doc__ = f"Find the figure of {name} for an item."
    return tool(name=own)(find_figure)


def _calls(level: int, specialists: int, draws: Draws) -> Shape:
    """So many matters, each with another specialist, none resting on another."""
    order = sorted(range(specialists), key=lambda n: draws.uniform(f"who {n}"))
    return tuple((who, ()) for who in order[:level])


def _one(level: int, specialists: int, draws: Draws) -> Shape:
    """One matter of one specialist."""
    return ((draws.choice("who", range(specialists)), ()),)


@bench("calls")
def calls(argument: str, tasks: int, world_seed: int) -> Bench:
    """Calls with one to five matters: "calls:1-5"."""
    levels = span_of(argument, of="matters", default="1-5", most=5)
    return Generated("calls", tuple((n, 5) for n in levels), _calls, tasks, world_seed)


@bench("routing")
def routing(argument: str, tasks: int, world_seed: int) -> Bench:
    """One matter among 2 to 40 specialists: "routing:10"; the level is their number."""
    levels = span_of(argument, of="specialists", default="2-40", most=40)
    picked = [
        n for n in levels if n > 1 and (len(levels) == 1 or n in (2, 3, 5, 8, 13, 20, 30, 40))
    ]
    if not picked:
        raise ConfigurationError(f"'{argument}': routing needs 2 to 40 specialists")
    return Generated("routing", tuple((n, n) for n in picked), _one, tasks, world_seed)


@bench("dag")
def dag(argument: str, tasks: int, world_seed: int) -> Bench:
    """Graphs of tasks, wide and deep: "dag:2-8x3" is two to eight wide (the level), three deep."""
    wide, _, deep = (argument or "2-8x2").partition("x")
    depth = span_of(deep, of="layers", default="1", most=6)[-1]
    widths = span_of(wide, of="widths", default="2-8", most=16)

    def layers(width: int, specialists: int, draws: Draws) -> Shape:
        """Each matter rests on one or two of the layer before it."""
        matters: list[tuple[int, tuple[int, ...]]] = []
        for layer in range(depth):
            before = range((layer - 1) * width, layer * width)
            for place in range(width):
                rests = {
                    draws.choice(f"needs {layer} {place} {n}", before) for n in (0, 1) if layer
                }
                matters.append(((layer * width + place) % specialists, tuple(sorted(rests))))
        return tuple(matters)

    name = f"dag_{depth}_deep"
    return Generated(name, tuple((n, min(8, max(2, n))) for n in widths), layers, tasks, world_seed)


@bench("crowd")
def crowd(argument: str, tasks: int, world_seed: int) -> Bench:
    """A chain of steps among many tools, five to a specialist: "crowd:40x30" is 40 and 30."""
    many, _, steps = (argument or "20x5").partition("x")
    tools = span_of(many, of="tools", default="20", most=40)
    length = span_of(steps, of="steps", default="5", most=30)[-1]

    def chain(level: int, count: int, draws: Draws) -> Shape:
        """Each step rests on the one before it."""
        whose = [draws.choice(f"who {n}", range(count)) for n in range(length)]
        return tuple((who, (n - 1,) if n else ()) for n, who in enumerate(whose))

    levels = tuple((n, n) for n in tools)
    return Generated(f"crowd_{length}_steps", levels, chain, tasks, world_seed, each=5)
