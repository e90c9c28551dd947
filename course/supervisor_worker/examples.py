"""Worked examples of decompositions, as data, for a planner's prompt: they show the shape alone.

`PlanningSupervisor(..., instructions=worked_examples(EXAMPLES))` shows them.

Source: in-context examples of decomposition, least-to-most prompting (Zhou et al., ICLR 2023).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from course.supervisor_worker.plan import Plan, PlanTask


@dataclass(frozen=True)
class Example:
    """A request, how it was taken apart, and what to see in it."""

    request: str
    plan: Plan
    shows: str


def _task(id: str, worker: str, description: str, *after: str) -> PlanTask:
    return PlanTask(id=id, worker=worker, description=description, dependencies=after)


EXAMPLES: tuple[Example, ...] = (
    Example(
        "What did oak and ash cost in 2024, and which of them grew more expensive?",
        Plan(goal="Prices of two woods", tasks=(
            _task("t1", "market", "Find the price of oak in EUR in 2023 and in 2024"),
            _task("t2", "market", "Find the price of ash in EUR in 2023 and in 2024"),
            _task("t3", "analyst", "Calculate the growth of the prices of oak and ash in percent",
                  "t1", "t2"),
        )),
        "what does not need each other runs at once, and what needs both waits for both",
    ),
    Example(
        "Is the lease of Mill Street 4 still valid, and what does it say about subletting?",
        Plan(goal="The lease of Mill Street 4", tasks=(
            _task("t1", "register", "Find the last day of the lease of Mill Street 4"),
            _task("t2", "archive", "Search the lease of Mill Street 4 for subletting"),
        )),
        "each task names what it is about, since its worker sees nothing else",
    ),
    Example(
        "Write a report on last year's accidents at the Harbour works.",
        Plan(goal="Report on accidents", tasks=(
            _task("t1", "records", "Count the accidents at the Harbour works in the last year"),
            _task("t2", "writer", "Write a report on the accidents at the Harbour works", "t1"),
        ), final_instruction="Give the report as it is. Strategy: merge."),
        "who writes waits for who finds",
    ),
)  # fmt: skip


def worked_examples(examples: Iterable[Example] = EXAMPLES) -> str:
    """Examples as text for a planner's prompt: request, plan as JSON, and what it shows."""
    told = [
        f"Request: {each.request}\nPlan: {each.plan.model_dump_json()}\nNote: {each.shows}."
        for each in examples
    ]
    return "\n\n".join(["Examples of other requests, for other workers:", *told]) if told else ""
