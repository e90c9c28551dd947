"""Labelled plans: for each request of the six domains a good one, and bad ones of eight kinds.

What a request needs is what reaches its facts in its own world (the calls of its `walk`), so the
label is made and not told by hand: one task for each worker that is needed, who waits for whom by
what each call takes from others. Each bad plan breaks the good one in one way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from course.benches.bench import Case, make
from course.evaluation.scores import Wanted
from course.scenarios.domains import names
from course.supervisor_worker.plan import Plan, PlanTask
from course.supervisor_worker.workers import Registry

NAMES = tuple(name.replace(" ", "_") for name in names())
"""The benches that have labelled plans."""

_NAME = re.compile(r"(?<=[a-z,:] )[A-Z][a-z][\w-]+(?: [A-Z][\w-]+)*")
_MOST_NAMES = 4


@dataclass(frozen=True)
class Labelled:
    """A request with who can work on it, what a good plan of it does, and such a plan."""

    registry: Registry
    wanted: Wanted
    good: Plan

    def bad(self) -> Iterator[tuple[str, Plan]]:
        """Plans that break the good one, each with what is wrong with it."""
        tasks, first = self.good.tasks, self.good.tasks[0]
        used = {task.worker for task in tasks}
        other = next(name for name in self.registry.named if name not in used)
        elsewhere = first.model_copy(update={"worker": other})
        yield "wrong worker", self._with(elsewhere, *tasks[1:])
        yield "vague", self._with(first.model_copy(update={"description": "Handle it"}), *tasks[1:])
        idle = PlanTask(id="t9", description="Look up what else may be of interest", worker=other)
        yield "unneeded", self._with(*tasks, idle)
        if self.wanted.names:
            bare = [_without(task, self.wanted.names) for task in tasks]
            yield "not named", self._with(*bare)
        if len(tasks) > 1:
            yield "left out", self._with(*(t for t in tasks if t is not tasks[-1]))
            same = [t.model_copy(update={"description": self.wanted.request}) for t in tasks]
            yield "copied", self._with(*same)
        if any(task.dependencies for task in tasks):
            free = [task.model_copy(update={"dependencies": ()}) for task in tasks]
            yield "no order", self._with(*free)
        elif len(tasks) > 2:
            ids = [(), *((task.id,) for task in tasks)]
            chain = (
                t.model_copy(update={"dependencies": i}) for t, i in zip(tasks, ids, strict=False)
            )
            yield "chain", self._with(*chain)

    def _with(self, *tasks: PlanTask) -> Plan:
        return self.good.model_copy(update={"tasks": tasks})


def _without(task: PlanTask, names: tuple[str, ...]) -> PlanTask:
    text = task.description
    for name in names:
        text = re.sub(re.escape(name), "somebody", text, flags=re.IGNORECASE)
    return task.model_copy(update={"description": text})


def labelled(name: str) -> list[Labelled]:
    """The labelled requests of a domain, such as "contract_review".

    Raises ConfigurationError: there is no such bench.
    """
    bench = make(name)
    found = []
    for task in bench.tasks():
        with bench.open(task) as case:
            found.append(_label(case))
    return found


def _label(case: Case) -> Labelled:
    registry = Registry(case.agents, case.shared)
    owner = {tool: owners[0] for tool, owners in registry.owners.items()}
    by_id = {each.id: each for each in case.errands}
    names = tuple(dict.fromkeys(_NAME.findall(case.request)))[:_MOST_NAMES]
    order = list(dict.fromkeys(owner[each.tool] for each in case.errands))
    ids = {worker: f"t{n}" for n, worker in enumerate(order, 1)}
    about = f" about {', '.join(names)}" if names else ""
    before, pairs = set(), set[tuple[str, str]]()
    for each in case.errands:
        for need in each.needs:
            pair = owner[by_id[need].tool], owner[each.tool]
            if pair[0] != pair[1] and pair[::-1] not in pairs:  # each waits for the other: once
                pairs.add(pair)
                before.add((by_id[need].tool, each.tool))
    tasks = []
    for worker in order:
        said = dict.fromkeys(each.says for each in case.errands if owner[each.tool] == worker)
        waits = {ids[one] for one, other in pairs if other == worker}
        words = f"Find{about}: {'; '.join(said)}"
        tasks.append(PlanTask(id=ids[worker], description=words, worker=worker,
                              dependencies=tuple(sorted(waits))))  # fmt: skip
    needs = tuple(frozenset(tool.name for tool in registry.named[w].tools) for w in order)
    wanted = Wanted(request=case.request, needs=needs, before=tuple(sorted(before)), names=names)
    return Labelled(registry, wanted, Plan(goal=case.request, tasks=tuple(tasks)))
