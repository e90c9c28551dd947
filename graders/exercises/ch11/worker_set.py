"""Requirement 2: three or more workers with prompts of their own and no shared tools."""

from __future__ import annotations

from itertools import combinations

from graders.checks.text import content_words, words
from graders.exercises.ch11 import stages
from graders.exercises.ch11.observed_run import Seen, workers_in
from graders.exercises.ch11.plan_adherence import kept_to
from graders.exercises.ch11.plan_shapes import Faults
from graders.exercises.ch11.shared import ALL, DEFINITIONS, HIDDEN, trial
from graders.exercises.ch11.verdicts import Troubles, wrong
from graders.exercises.ch11.worker_isolation import SHORTEST, apart, as_planned, really
from graders.exercises.ch11.worlds import ProjectWorld
from graders.exercises.kit import *
from graders.records.wording import count, listed, shown

CODES = {
    "project.workers_names": "two workers have the same name, or one has none",
    "project.workers_few": "fewer than three workers have tools",
    "project.tools_shared": "a tool belongs to two workers",
    "project.tools_left": "a tool that requests need belongs to nobody",
    "project.prompt_empty": "a worker's instructions say next to nothing",
    "project.prompts_same": "two workers are told the same",
}

LEAST = 3
OPTIONAL = frozenset(
    (
        "format_table",
        "format_bullets",
        "format_memo",
        "calculate",
        "describe_tables",
        "query_database",
    )
)
"""Tools that no request of the judge needs."""
_LIKE = 0.9
"""Share of two prompts' words that they may have in common, the workers' names aside."""


def enough(seen: Seen) -> Iterator[Verdict]:
    """There are three workers with names and tools of their own."""
    workers = workers_in(seen)
    names = [str(each.get("name", "")).strip() for each in workers]
    armed = [each for each in workers if each.get("tools")]
    needed = [each for each in armed if not OPTIONAL.issuperset(each["tools"])]
    if "" in names or len(set(names)) < len(names):
        yield wrong(
            "workers_names",
            expected="a name of its own for each worker",
            got=f"got {listed(map(repr, names), 6)}",
            look="look at the names",
        )
    if len(armed) < LEAST:
        yield wrong(
            "workers_few",
            expected=f"at least {count(LEAST, 'worker')} with tools",
            got=f"got {len(armed)} of {len(workers)}",
            look="look at what my_workers returns",
        )
    elif len(needed) < 2:
        yield wrong(
            "workers_few",
            expected="the tools that requests need to be divided among workers",
            got=f"but {shown(needed[0]['name']) if needed else 'nobody'} has them all",
            look="look at what the others have: nobody needs to use that",
        )


def disjoint(world: ProjectWorld) -> Troubles:
    """No tool belongs to two, whatever it is called, and there are two who have any."""

    def look(seen: Seen) -> Iterator[Verdict]:
        if sum(bool(each["tools"]) for each in workers_in(seen)) < 2:
            yield from enough(seen)
        owned = [(each["name"], _owned(world, each)) for each in workers_in(seen)]
        for (one, mine), (other, yours) in combinations(owned, 2):
            both = sorted(mine & yours)
            if both:
                yield wrong(
                    "tools_shared",
                    expected="no tool to belong to two workers",
                    got=f"but {shown(one)} and {shown(other)} both have {both[0]}",
                    look="give it to one of them",
                )

    return look


def _owned(world: ProjectWorld, worker: Mapping[str, Any]) -> set[str]:
    about = worker.get("about")
    told = about if isinstance(about, Mapping) else {}
    return {really(world, str(name), str(told.get(name, ""))) for name in worker["tools"]}


def complete(world: ProjectWorld) -> Troubles:
    """The workers have the tools that requests need."""

    def look(seen: Seen) -> Iterator[Verdict]:
        given = {tool for each in workers_in(seen) for tool in each["tools"]}
        lacking = sorted(world.script.setting.needed - given)
        if lacking:
            yield wrong(
                "tools_left",
                expected="each tool that the domain's requests need to belong to a worker",
                got=f"but nobody has {listed(lacking, 5)}",
                look="look at the names in `tools`",
            )

    return look


def distinct(seen: Seen) -> Iterator[Verdict]:
    """Each worker has instructions of its own, beyond its name."""
    workers = workers_in(seen)
    for each in workers:
        if len(words(str(each["instructions"]))) < SHORTEST:
            yield wrong(
                "prompt_empty",
                expected=f"instructions for {shown(each['name'])} that say what it does and how,"
                f" in {count(SHORTEST, 'word')} or more",
                got=f"got {shown(each['instructions'])}",
                look="look at its instructions",
            )
    for one, other in combinations(workers, 2):
        mine, yours = _own_words(one), _own_words(other)
        alike = len(mine & yours) / max(1, len(mine | yours))
        if alike > _LIKE:
            yield wrong(
                "prompts_same",
                expected="a prompt of its own for each worker",
                got=f"but {shown(one['name'])} and {shown(other['name'])} are told the same",
                look="say what is special about each one's work",
            )


def _own_words(worker: Mapping[str, Any]) -> set[str]:
    return content_words(str(worker["instructions"])) - content_words(str(worker["name"]))


WORKERS = Exercise(
    "11.2",
    DEFINITIONS,
    (
        trial("has three workers with tools or more, and all tools are given out", stages.WORKERS,
              1.0, lambda world: [enough, complete(world)], own=True),
        trial("no tool belongs to two", stages.WORKERS, 1.0, lambda world: [disjoint(world)],
              own=True),
        trial("each has a prompt of its own", stages.WORKERS, 1.0, lambda world: [distinct],
              own=True),
        trial("at work each is told its own prompt and offered its own tools", stages.WHOLE, 1.0,
              lambda world: [kept_to(world), as_planned(world)], own=True),
        trial("each sees its task and the results it depends on, nothing else", stages.EXECUTE, 1.0,
              lambda world: [kept_to(world), apart(world)], given=True,
              faults=Faults(trapped=("e",))),
    ),
    cells=ALL[:1],
    choice="DOMAIN",
    hidden_seeds=HIDDEN,
)  # fmt: skip
