"""Requirement 2: three or more workers with prompts of their own and no shared tools."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from graders.checks.saying import count, listed, shown
from graders.checks.text import content_words, folded, words
from graders.judge.scenario import Exercise
from graders.judge.verdict import Verdict
from graders.project import stages
from graders.project.keeping import kept_to
from graders.project.seen import Done, Heard, Seen, functions_of, workers_in
from graders.project.staging import ALL, DEFINITIONS, HIDDEN, trial
from graders.project.verdicts import Troubles, wrong
from graders.project.worlds import ProjectWorld

CODES = {
    "project.workers_names": "two workers have the same name, or one has none",
    "project.workers_few": "fewer than three workers have tools",
    "project.tools_shared": "a tool belongs to two workers",
    "project.tools_left": "a tool that requests need belongs to nobody",
    "project.prompt_empty": "a worker's instructions say next to nothing",
    "project.prompts_same": "two workers are told the same",
    "project.offered_other": "a worker's request offers other tools than its own",
    "project.prompt_unsent": "a worker's request does not hold its instructions",
    "project.prompt_shared": "a worker's request holds another worker's instructions too",
    "project.result_withheld": "a worker does not see a result that its task depends on",
    "project.sees_result": "a worker sees a result that its task does not depend on",
    "project.sees_task": "a worker sees another task",
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
_SHORTEST = 4  # words of a prompt
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
    return {_really(world, str(name), str(told.get(name, ""))) for name in worker["tools"]}


def _really(world: ProjectWorld, name: str, description: str) -> str:
    """Which of the domain's tools this is, by its name or by what is said of it; else its name."""
    tools = world.script.setting.tools
    if name in tools or not description:
        return name
    like = (each for each, tool in tools.items() if folded(tool.description) == folded(description))
    return next(like, name)


def complete(world: ProjectWorld) -> Troubles:
    """The workers have the tools that requests need, and no strange ones."""

    def look(seen: Seen) -> Iterator[Verdict]:
        given = {tool for each in workers_in(seen) for tool in each["tools"]}
        lacking = sorted(set(world.script.setting.tools) - given - OPTIONAL)
        if lacking:
            yield wrong(
                "tools_left",
                expected="each of the domain's tools to belong to a worker",
                got=f"but nobody has {listed(lacking, 5)}",
                look="look at the names in `tools`",
            )

    return look


def distinct(seen: Seen) -> Iterator[Verdict]:
    """Each worker has instructions of its own, beyond its name."""
    workers = workers_in(seen)
    for each in workers:
        if len(words(str(each["instructions"]))) < _SHORTEST:
            yield wrong(
                "prompt_empty",
                expected=f"instructions for {shown(each['name'])} that say what it does and how,"
                f" in {count(_SHORTEST, 'word')} or more",
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


def as_planned(world: ProjectWorld) -> Troubles:
    """At work, each worker is told its own instructions alone, and offered its own tools."""

    def look(seen: Seen) -> Iterator[Verdict]:
        told = {str(each["name"]): each for each in workers_in(seen)}
        for ref, done, task in _tasks(seen):
            worker = told.get(str(task["worker"]), {})
            for heard in (each for one in done.tries for each in one.requests):
                yield from _tools_offered(world, seen, heard, worker)
                yield from _prompts_told(seen, heard, ref, worker)

    return look


def _tools_offered(
    world: ProjectWorld, seen: Seen, heard: Heard, worker: Mapping[str, Any]
) -> Iterator[Verdict]:
    own = set(worker.get("tools", ()))
    offered = {
        _really(world, str(each.get("name")), str(each.get("description") or ""))
        for each in functions_of(heard.exchange)
    }
    domain = set(world.script.setting.tools) | own
    more, fewer = sorted((offered & domain) - own), sorted(own - offered)
    if more or fewer:
        yield wrong(
            "offered_other",
            expected=f"{shown(worker.get('name'))} to be offered its own tools, all of them",
            got=f"but it was offered {more[0]}" if more else f"but not {fewer[0]}",
            look="look at which tools a worker's request carries",
            seen=seen,
            meant=[heard.exchange],
        )


def _prompts_told(
    seen: Seen, heard: Heard, ref: str, worker: Mapping[str, Any]
) -> Iterator[Verdict]:
    own, there = folded(str(worker.get("instructions"))), folded(heard.text)
    if own not in there:
        yield wrong(
            "prompt_unsent",
            expected=f"the request for {ref} to hold its worker's instructions",
            got="but they are not in it",
            look="look at the messages that a worker's model gets",
            seen=seen,
            meant=[heard.exchange],
        )
    for other in workers_in(seen):
        prompt = folded(str(other["instructions"]))
        if len(words(prompt)) >= _SHORTEST and prompt not in own and prompt in there:
            yield wrong(
                "prompt_shared",
                expected=f"the request for {ref} to hold its own worker's instructions alone",
                got=f"but those of {shown(other['name'])} are in it too",
                look="look at the messages that a worker's model gets",
                seen=seen,
                meant=[heard.exchange],
            )


def apart(world: ProjectWorld) -> Troubles:
    """A worker sees its task and the results that this depends on, and nothing else."""

    def look(seen: Seen) -> Iterator[Verdict]:
        by_id = {str(task["id"]): ref for ref, task in seen.planned.items()}
        for ref, done, task in _tasks(seen):
            needs = {by_id.get(str(each), "") for each in task.get("dependencies", ())}
            tries = [one for one in done.tries if one not in done.needless]
            for heard in (each for one in tries for each in one.requests):
                yield from _sees(world, seen, heard, ref, needs)

    return look


def _sees(
    world: ProjectWorld, seen: Seen, heard: Heard, ref: str, needs: set[str]
) -> Iterator[Verdict]:
    """What one request lacks, or shows beside its task and the results that it needs."""
    shows, name = set(heard.reading.results), shown(seen.planned[ref]["id"])
    own = [world.job.by_ref[each].says for each in {ref, *needs} if each in world.job.by_ref]
    given = [done.result for each in needs if (done := seen.tasks.get(each))]
    needed = folded("\n".join([*own, *given]))

    def told(text: str) -> bool:
        """Whether it stands in the request, and not because the task or a result says it."""
        said = folded(re.sub(r"\((ref|result) [^)]*\)", " ", text))
        return said not in needed and said in re.sub(r" +", " ", folded(heard.text))

    found = {each: done.result for each, done in seen.tasks.items() if done.result}
    strange = [each for each in seen.planned if each not in {ref, *needs}]
    for other in (each for each in needs if each in found and each not in shows):
        what = f"{name} to be given {shown(seen.planned[other]['id'])}'s result"
        yield _unlike(seen, heard, "result_withheld", what)
    for other in strange:
        what = shown(seen.planned[other]["id"])
        if other in shows or (other in found and told(found[other])):
            yield _unlike(seen, heard, "sees_result", f"{name} not to see {what}'s result")
    for other in [each for each in world.job.by_ref if each not in {ref, *needs}]:
        says = world.job.by_ref[other].says
        if other in heard.reading.refs or (other in strange and told(says)):
            expected = f"{name} not to see another task (“{says[:40]}”)"
            yield _unlike(seen, heard, "sees_task", expected)


def _unlike(seen: Seen, heard: Heard, code: str, expected: str) -> Verdict:
    got = "but its request does not hold it" if code == "result_withheld" else "but it does"
    return wrong(
        code,
        expected=expected,
        got=got,
        look="a worker sees its task and the results it depends on, nothing else",
        seen=seen,
        meant=[heard.exchange],
    )


def _tasks(seen: Seen) -> Iterator[tuple[str, Done, Mapping[str, Any]]]:
    for ref, task in seen.planned.items():
        if ref in seen.tasks:
            yield ref, seen.tasks[ref], task


WORKERS = Exercise(
    "11.2",
    DEFINITIONS,
    (
        trial(
            "has three workers with tools or more, and all tools are given out",
            stages.WORKERS,
            1.0,
            lambda world: [enough, complete(world)],
            own=True,
        ),
        trial(
            "no tool belongs to two", stages.WORKERS, 1.0, lambda world: [disjoint(world)], own=True
        ),
        trial(
            "each has a prompt of its own", stages.WORKERS, 1.0, lambda world: [distinct], own=True
        ),
        trial(
            "at work each is told its own prompt and offered its own tools",
            stages.WHOLE,
            1.0,
            lambda world: [kept_to(world), as_planned(world)],
            own=True,
        ),
        trial(
            "each sees its task and the results it depends on, nothing else",
            stages.EXECUTE,
            1.0,
            lambda world: [kept_to(world), apart(world)],
            given=True,
        ),
    ),
    cells=ALL[:1],
    choice="DOMAIN",
    hidden_seeds=HIDDEN,
)
