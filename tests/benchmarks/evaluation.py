"""Decomposition, outputs and aggregation scored apart: `python -m tests.benchmarks.evaluation`.

Over the thirty requests of the six domains, with the simulated model. The second table is of a
*scripted* planner that knows what is needed and imitates the examples in its prompt: it runs tasks
side by side only if an example does, and names what a task is about only if an example does. That a
model imitates is an assumption; what imitation is worth is measured. No test.
"""

from __future__ import annotations

import re
import statistics

from course import Plan, PlanningSupervisor, clock, connect, run_sync
from course.evaluation.labelled import NAMES, Labelled, labelled
from course.evaluation.scores import evaluate, score_plan
from course.models.scripted import Scripted
from course.models.wire import ChatRequest
from course.supervisor_worker import critical_path, make_plan
from course.supervisor_worker.examples import EXAMPLES, worked_examples

_SHOWN = re.compile(r"^Request: (.+)\nPlan: (\{.+\})$", re.MULTILINE)
_NAME = re.compile(r"(?<=[a-z] )[A-Z][a-z]+")


def imitated(prompt: str, good: Plan) -> Plan:
    """The plan of a model that needs to be shown: see above."""
    shown = [(said, Plan.from_json(text)) for said, text in _SHOWN.findall(prompt)]
    concurrently = any(sum(not t.dependencies for t in plan.tasks) > 1 for _, plan in shown)
    names = any(
        all(any(n in t.description for n in _NAME.findall(said)) for t in plan.tasks)
        for said, plan in shown if _NAME.search(said)
    )  # fmt: skip
    tasks, before = [], tuple[str, ...]()
    for task in good.tasks:
        words = task.description if names else re.sub(r"[A-Z][\w-]+", "it", task.description)
        needs = task.dependencies if concurrently else before
        tasks.append(task.model_copy(update={"description": words, "dependencies": needs}))
        before = (task.id,)
    return good.model_copy(update={"tasks": tuple(tasks)})


def planned(each: Labelled, examples: int) -> Plan:
    """The scripted planner's plan with so many examples in its prompt."""

    def script(request: ChatRequest) -> str:
        return imitated(str(request.messages[0]["content"]), each.good).model_dump_json()

    told = worked_examples(EXAMPLES[:examples])
    client = connect(Scripted(script))
    return clock.simulate(
        make_plan(each.wanted.request, each.registry, client=client, instructions=told)
    )


def main() -> None:
    """Print both tables."""
    print("domain | decomposition | outputs | aggregation")
    every = {name: labelled(name) for name in NAMES}
    for name, labels in every.items():
        found = []
        for each in labels:
            boss = PlanningSupervisor(name="boss", workers=each.registry.workers)
            scored = evaluate(run_sync(boss, each.wanted.request), each.registry, each.wanted)
            found.append((scored.decomposition, scored.output, scored.aggregation))
        shares = [statistics.mean(s.share for s in column) for column in zip(*found, strict=True)]
        print(f"{name.replace('_', ' ')} | " + " | ".join(f"{each:.0%}" for each in shares))
    print("examples | decomposition | tasks in a row")
    for count in range(len(EXAMPLES) + 1):
        plans = [(e, planned(e, count)) for labels in every.values() for e in labels]
        share = statistics.mean(score_plan(p, e.registry, e.wanted).share for e, p in plans)
        row = statistics.mean(len(critical_path(plan)[0]) for _, plan in plans)
        print(f"{count} | {share:.0%} | {row:.2f}")


if __name__ == "__main__":
    main()
