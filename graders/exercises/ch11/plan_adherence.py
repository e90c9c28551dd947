"""What was done is what was planned: its tasks, its workers, its order."""

from __future__ import annotations

from graders.checks.text import folded
from graders.exercises.ch11.observed_run import Seen, workers_in
from graders.exercises.ch11.verdicts import Troubles, wrong
from graders.exercises.ch11.worlds import ProjectWorld
from graders.exercises.kit import *
from graders.records.wording import listed, seconds, shown

CODES = {
    "project.no_tasks": "fewer than three tasks of the plan have their reference",
    "project.plan_ignored": "a task is done that a person has taken out of the plan",
    "project.task_not_done": "a task of the plan is never begun",
    "project.other_worker": "a task goes to another worker than the plan says",
    "project.too_early": "a task begins before what it depends on has ended",
}
_FEWEST = 3  # tasks, below which there is nothing to run side by side


def kept_to(world: ProjectWorld) -> Troubles:
    """What runs are the tasks of the plan as it was handed over, all of them and no others."""

    def look(seen: Seen) -> Iterator[Verdict]:
        planned = seen.planned
        for ref in [ref for ref in seen.tasks if ref not in planned]:
            says = world.job.by_ref[ref].says
            yield wrong(
                "plan_ignored",
                expected="only the tasks of the plan as it was handed over",
                got=f"but “{says[:60]}” was done, which had been taken out",
                look="does execute read the plan that it gets?",
                seen=seen,
                meant=seen.tasks[ref].exchanges,
            )
        yield from (never_begun(seen, ref) for ref in planned if ref not in seen.tasks)
        if not isinstance(seen.plan, Mapping):
            yield _no_plan(seen)
        if len(planned) < _FEWEST:
            yield wrong(
                "no_tasks",
                expected="the model's tasks to be carried out, each with its reference",
                got=f"but only {len(planned)} of the plan's tasks have one",
                look="look at what becomes of the model's plan",
                seen=seen,
            )

    return look


def never_begun(seen: Seen, ref: str) -> Verdict:
    """What is said of a task of the plan that no worker was asked to do."""
    if not isinstance(seen.plan, Mapping):
        return _no_plan(seen)
    return wrong(
        "task_not_done",
        expected=f"task {shown(seen.planned.get(ref, {}).get('id', ref))} to be done, as planned",
        got=f"but no worker was asked with its reference, (ref {ref}), in the request"
        if seen.idle
        else "but no worker was asked",
        look="does execute read the plan that it gets?",
        seen=seen,
        meant=seen.idle,
    )


def _no_plan(seen: Seen) -> Verdict:
    return wrong(
        "no_plan",
        expected="make_plan to return a plan as JSON values, a dict with its tasks",
        got=f"got {shown(seen.plan)}",
        look="look at what it returns",
        seen=seen,
    )


def by_whom(seen: Seen) -> Iterator[Verdict]:
    """Each task is done by the worker that the plan names, as its instructions show."""
    for ref, task in seen.planned.items():
        if ref in seen.tasks:
            asked = seen.tasks[ref].tries[0].requests[0]
            own = [name for name, prompt in _prompts(seen) if folded(prompt) in folded(asked.text)]
            if own and task["worker"] not in own:
                yield wrong(
                    "other_worker",
                    expected=f"task {shown(task['id'])} to go to {shown(task['worker'])}",
                    got=f"but it went to {listed(own)}",
                    look="look at how a task finds its worker",
                    seen=seen,
                    meant=seen.tasks[ref].exchanges,
                )


def _prompts(seen: Seen) -> list[tuple[str, str]]:
    return [(str(each["name"]), str(each["instructions"])) for each in workers_in(seen)]


def after_needs(world: ProjectWorld) -> Troubles:
    """No task begins before what it depends on has ended."""

    def look(seen: Seen) -> Iterator[Verdict]:
        by_id = {str(task["id"]): ref for ref, task in seen.planned.items()}
        for ref, task in seen.planned.items():
            for need in task.get("dependencies", ()):
                before = seen.tasks.get(by_id.get(str(need), ""))
                done = seen.tasks.get(ref)
                if before and done and done.start < before.end - 1e-6:
                    yield wrong(
                        "too_early",
                        expected=f"task {shown(task['id'])} after {shown(need)}, which it needs",
                        got=f"but it began at {seconds(done.start)}, before {seconds(before.end)}",
                        look="look at what is awaited before a task",
                        seen=seen,
                        meant=done.exchanges,
                    )

    return look
