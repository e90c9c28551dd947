"""How results become one answer: merged, one of them selected, or reduced first.

The plan says it, in its final instruction: a model that plans may write "Strategy: select." there,
and where it names none, a rule does. Results that add up are merged. Where several tasks do the
same thing their results don't add up: a judge selects one. `Repeated` is the same inside one task:
a worker that tries more than once, and stops as soon as enough of its answers agree.

Source: agreement of several tries of one model, self-consistency (Wang et al., ICLR 2023).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Literal

from course.agent import Agent
from course.chat import Usage
from course.context import Context
from course.errors import ConfigurationError, ModelError
from course.results import TaskResult
from course.runs import current_work, next_matter, working_on
from course.supervisor.workers import Worker
from course.supervisor_worker.graph import dependants
from course.supervisor_worker.plan import Plan
from course.supervisor_worker.schedule import concurrently
from course.supervisor_worker.selecting import select
from course.systems import Result, carry_out
from course.trace import span

if TYPE_CHECKING:
    from openai import AsyncOpenAI

Strategy = Literal["merge", "select", "reduce"]
MANY = 20
"""Results from which on a plan's are reduced before they are merged, however short they are."""

_NAMED = re.compile(r"\bstrategy: (merge|select|reduce)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def strategy_of(plan: Plan) -> Strategy:
    """The strategy that a plan's final instruction names; "merge" where it names none."""
    named = _NAMED.search(plan.final_instruction)
    return named[1].lower() if named else "merge"  # type: ignore[return-value]


def with_strategy(plan: Plan) -> Plan:
    """A plan whose final instruction names its strategy, by rule where the model named none.

    The rule: tasks at the plan's end that do the same thing are selected from; more than `MANY`
    results are reduced; anything else is merged, which is what no name means.
    """
    if _NAMED.search(plan.final_instruction) or not plan.tasks:
        return plan
    strategy = "select" if rivals(plan) else "reduce" if len(plan.tasks) > MANY else ""
    told = f"{plan.final_instruction} Strategy: {strategy}.".strip()
    return plan.model_copy(update={"final_instruction": told}) if strategy else plan


def rivals(plan: Plan) -> list[tuple[str, ...]]:
    """The ids of tasks that do the same thing and that nothing waits for, group by group."""
    waiting, same = dependants(plan), defaultdict[str, list[str]](list)
    for task in plan.tasks:
        if not waiting[task.id]:
            same[" ".join(task.description.lower().split()).rstrip(".")].append(task.id)
    return [tuple(ids) for ids in same.values() if len(ids) > 1]


async def selected(
    plan: Plan, results: Mapping[str, TaskResult], *, client: AsyncOpenAI, model: str, agent: str
) -> tuple[str, ...]:
    """The ids of results that lost against one that does the same: a judge's choice.

    Raises ModelError: the judge cannot be used.
    """
    lost: list[str] = []
    for group in rivals(plan) if strategy_of(plan) == "select" else ():
        there = [id for id in group if results[id].done]
        if len(there) > 1:
            words = plan.by_id[there[0]].description
            said = [results[id].result for id in there]
            best = await select(words, said, client=client, model=model, agent=agent)
            lost += [id for n, id in enumerate(there) if n != best]
    return tuple(lost)


def agree(one: str, other: str) -> bool:
    """Whether two answers say the same: the same numbers, or without any the same words."""
    numbers = [sorted(_NUMBER.findall(text)) for text in (one, other)]
    if any(numbers):
        return numbers[0] == numbers[1]
    return one.lower().split() == other.lower().split()


@dataclass(frozen=True, kw_only=True)
class Repeated(Worker):
    """A worker that does each task several times, and answers what enough of its tries say.

    Attributes:
        attempts: at the most.
        agreeing: tries that must say the same; so many begin at once, and when they agree no
            other one is made. If too few ever do, a judge selects.

    Raises ConfigurationError: fewer than two must agree, or more than may be made.
    """

    attempts: int = 3
    agreeing: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 2 <= self.agreeing <= self.attempts:
            said = f"{self.agreeing} of {self.attempts} attempts cannot agree"
            raise ConfigurationError(f"'{self.name}': {said}: 2 <= agreeing <= attempts")

    @classmethod
    def of(cls, worker: Agent, *, attempts: int = 3, agreeing: int = 2) -> Repeated:
        """The same worker, repeated."""
        own = {each.name: getattr(worker, each.name) for each in fields(worker)}
        return cls(**{**own, "attempts": attempts, "agreeing": agreeing})


@carry_out.register(Repeated)
async def _(worker: Repeated, request: str, *, client: AsyncOpenAI) -> Result:
    """Let a worker try a task until enough of its answers agree, or let a judge select one."""
    own = {each.name: getattr(worker, each.name) for each in fields(Worker)}
    once, role = Worker(**own), current_work().role

    async def attempt(matter: str) -> Result:
        with working_on(matter, role=role):
            result: Result = await carry_out(once, request, client=client)
        return result

    first = [current_work().matter, *(next_matter(worker.name) for _ in range(1, worker.agreeing))]
    with span("select", worker.name) as step:
        tried: list[Result] = await concurrently(attempt(matter) for matter in first)
        while not (same := _agreeing(tried, worker.agreeing)) and len(tried) < worker.attempts:
            tried.append(await attempt(next_matter(worker.name)))
        if not same:
            said = [each.answer for each in tried]
            try:
                same = [tried[await select(request, said, client=client, agent=worker.name)]]
            except ModelError:
                same = tried[:1]
        step.set("switchboard.attempts", len(tried))
        step.set("switchboard.agreeing", len(same))
    rest = (each.context.copy(exclude_instructions=True).messages for each in same[1:])
    context = Context((*(m for each in rest for m in each), *same[0].context.messages))
    usage = sum((each.usage for each in tried), Usage())
    return replace(same[0], context=context, usage=usage)


def _agreeing(tried: list[Result], wanted: int) -> list[Result]:
    """The first tries of which enough say the same and none was stopped; else none."""
    for one in tried:
        same = [each for each in tried if agree(one.answer, each.answer) and not each.stop]
        if len(same) >= wanted:
            return same
    return []
