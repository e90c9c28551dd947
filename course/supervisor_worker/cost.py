"""What a plan costs at the least, and how many of its results a budget pays for.

At the least: each task is tried once, a tool of its worker is used once, and nobody adds a word.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from course.budget import ENOUGH_CALLS, Budget
from course.models.tokens import prompt_tokens
from course.supervisor_worker.plan import Plan, PlanTask
from course.supervisor_worker.workers import Registry, tools_of

LEADING = 2
"""Calls of one who leads others: for the orders or the plan, and for the answer."""


@dataclass(frozen=True)
class Cost:
    """Model calls and tokens that something takes at the least."""

    calls: int = 0
    tokens: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.calls + other.calls, self.tokens + other.tokens)


def least_cost(plan: Plan, registry: Registry) -> Cost:
    """What a plan takes at the least, the answer included; nothing is asked."""
    return sum((task_cost(task, registry) for task in plan.tasks), Cost(1))


def task_cost(task: PlanTask, registry: Registry) -> Cost:
    """What one task takes at the least."""
    worker = registry.named[task.worker]
    told = f"{getattr(worker, 'instructions', '')}\n{task.description}"
    body = {"messages": [{"role": "user", "content": told}],
            "tools": [tool.spec() for tool in tools_of(worker)]}  # fmt: skip
    calls = calls_of(worker)
    return Cost(calls, calls * prompt_tokens(body))


def calls_of(worker: Any) -> int:
    """Model calls that a worker makes for a task at the least, those of others for it included."""
    if below := getattr(worker, "workers", ()):
        return LEADING + min(calls_of(each) for each in below)
    return ENOUGH_CALLS if tools_of(worker) else 1


def paid_for(costs: Iterable[Cost], budget: Budget) -> tuple[int, float]:
    """How many of these, one after the other, what is left of a budget pays for at the most, and
    the calls that it leaves over then.
    """
    calls = float("inf") if budget.calls is None else budget.calls - budget.made - budget.kept_calls
    tokens, count = budget.left(), 0
    for cost in costs:
        if cost.calls > calls or cost.tokens > tokens:
            break
        calls, tokens, count = calls - cost.calls, tokens - cost.tokens, count + 1
    return count, calls


def spare_answer(costs: list[Cost], budget: Budget) -> None:
    """Give up the call that is kept back for the answer, where one that would be left over and this
    one pay for another result together: a result is worth more than good words for the others.
    """
    count, over = paid_for(costs, budget)
    if budget.calls is None or count == len(costs) or over < 1:
        return
    kept, budget.kept_calls = budget.kept_calls, 0
    if paid_for(costs, budget)[0] <= count:
        budget.kept_calls = kept
