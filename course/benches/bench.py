"""Where tasks come from: benches, by name, each task opened with its agents, its needs, its scorer.

A bench is named in an experiment as "contract_review", with an argument as in "calls:1-5" or
"dag:2-8x3".
"""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

from course.agent import Agent
from course.benches.oracle import Errand
from course.benches.outcome import Scored, Scorer, excluded
from course.benches.outcome import by_marks as marked
from course.errors import ConfigurationError, CourseError
from course.limits import Limits

if TYPE_CHECKING:
    from course.pipeline import Pipeline


@dataclass(frozen=True, kw_only=True)
class Case:
    """A task that is open: all that a run of it takes.

    Attributes:
        request: what is asked.
        agents: the specialists, who may share the tools named in `shared`.
        errands: what the task needs, for the oracle.
        truth: each errand's right value.
        said: judges an answer of any model.
        state: whether the world is as it has to be afterwards; None where nothing changes.
        chain: the bench's own pipeline; where `only_chain`, no other pattern makes sense.
        excluded: why an oracle cannot do this task; "" where it can.
    """

    request: str
    agents: tuple[Agent, ...]
    said: Scorer
    errands: tuple[Errand, ...] = ()
    truth: Mapping[str, str] = field(default_factory=dict)
    shared: tuple[str, ...] = ()
    state: Callable[[], bool] | None = None
    chain: Pipeline[Any] | None = None
    only_chain: bool = False
    excluded: str = ""

    def judged(self, answer: str, *, by_marks: bool) -> Scored:
        """What an answer is worth: an oracle's by its marks, any other one by the bench. Where
        nothing is needed, it says nothing: any answer would do.
        """
        scored = marked(answer, self.truth) if by_marks else self.said(answer)
        scored = scored.with_state(self.state() if self.state else None)
        if scored.status == "scored" and not scored.needed:
            return excluded("the bench names nothing that is needed" + " of an oracle" * by_marks)
        return scored


@dataclass(frozen=True, slots=True)
class Named:
    """A task before it is opened: its id, the group it belongs to, and its level (from 1)."""

    id: str
    cluster: str
    level: int = 0


class Bench(Protocol):
    """Where tasks come from."""

    @property
    def licence(self) -> str:
        """Under which the tasks may be used."""

    @property
    def tuned(self) -> str:
        """What to say where the simulated model's rules were made with these tasks at hand."""

    def tasks(self) -> Sequence[Named]:
        """All tasks, in a fixed order."""

    def open(self, task: Named) -> AbstractContextManager[Case]:
        """Open a task: its world is there within the `with` block, fresh for each run."""


Maker = Callable[[str, int, int], Bench]
BENCHES: dict[str, Maker] = {}
"""Makes a bench of what stands behind its name, the number of tasks of a kind, the world's seed.

A bench of the course enters itself as its module is loaded, when it is first asked for.
"""

MODULES = {
    "calls": "generated",
    "routing": "generated",
    "dag": "generated",
    "crowd": "generated",
    "clinc150": "public",
    "banking77": "public",
    "parallelqa": "public",
    "front_desk": "visits",
    "support": "calls_for_help",
    "drive_through": "orders",
}
"""Which module has a bench of the course; those of the domains are made of their requests."""

MOST_TASKS = 10_000
"""Tasks of each kind or level that a bench is made with."""

ROUNDS = Limits(max_turns=40)
"""Model calls for one agent: so many that it is the task that ends a run and not the guard."""


def all_in_one(agents: Sequence[Agent]) -> Agent:
    """One agent with everybody's tools and instructions."""
    tools = {tool.name: tool for agent in agents for tool in agent.tools}
    told = "\n".join(dict.fromkeys(agent.instructions for agent in agents))
    return Agent(name="single", instructions=told, tools=tuple(tools.values()), limits=ROUNDS)


def bench(name: str) -> Callable[[Maker], Maker]:
    """Enter a maker of benches under this name."""

    def enter(maker: Maker) -> Maker:
        BENCHES[name] = maker
        return maker

    return enter


def known() -> tuple[str, ...]:
    """The names of all benches: of the course, of its domains and yours, and those entered."""
    domains = (name.replace(" ", "_") for name in _domains().names())
    return tuple(dict.fromkeys((*MODULES, *domains, *BENCHES)))


def _domains() -> ModuleType:
    """Loaded where a domain is asked for: what is made by a seed alone needs no world."""
    return importlib.import_module("course.scenarios.domains")


def _maker(name: str) -> Maker:
    """What makes the bench of this name, with no other one loaded."""
    if name not in BENCHES and name in MODULES:
        importlib.import_module(f"course.benches.{MODULES[name]}")
    if name not in BENCHES:
        told = name.replace("_", " ")
        if told not in _domains().names():
            raise ConfigurationError(f"there is no bench '{name}'{nearest(name, known())}")
        worlds = importlib.import_module("course.benches.worlds")
        BENCHES[name] = worlds.domain_bench(_domains().named(told))
    return BENCHES[name]


def make(text: str, *, tasks: int = 10, world_seed: int = 7) -> Bench:
    """The bench that a text such as "calls:1-5" names.

    Args:
        tasks: of each kind or level, 1 to `MOST_TASKS`.
        world_seed: of the world behind it.

    Raises ConfigurationError: there is no such bench, it does not take that argument, or it is one
    of your own that breaks as it is made.
    """
    if not 1 <= tasks <= MOST_TASKS:
        raise ConfigurationError(f"tasks is 1 to {MOST_TASKS:,} of each kind or level, not {tasks}")
    name, _, argument = text.partition(":")
    maker = _maker(name)
    try:
        return maker(argument, tasks, world_seed)
    except CourseError:
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}".splitlines()[0]
        raise ConfigurationError(f"bench '{text}' breaks as it is made: {said}") from error


def nearest(name: str, names: Sequence[str] | Mapping[str, Any]) -> str:
    """What may have been meant, and what there is, as the end of an error's line."""
    close = difflib.get_close_matches(name, list(names), n=1)
    return f": did you mean '{close[0]}'?" if close else f"; there are: {', '.join(names)}"


def span_of(text: str, *, of: str, default: str, most: int) -> range:
    """The numbers of "3" or "1-5", from 1 to `most`; ConfigurationError for anything else."""
    found = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", text or default)
    low, high = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 1 <= low <= high <= most:
        raise ConfigurationError(
            f"'{text:.40}' are no {of}: write one such as 2, or a range 1-{most}"
        )
    return range(low, high + 1)
