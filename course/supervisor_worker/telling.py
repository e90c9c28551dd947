"""What an answer owes to whoever reads it, added where it does not say so itself.

Figures that no result holds are marked. Tasks that were never begun are named with what they
waited for. One sentence says what is missing, so that the rest is unsure (how much, is in the
result's `confidence`: a figure in the answer would be one that no source has); one names the limit.
"""

from __future__ import annotations

from course.figures import marked
from course.supervisor_worker.aggregate import Aggregated, Material
from course.supervisor_worker.supervisor import PlanRun


def told(made: Aggregated, run: PlanRun, material: Material) -> str:
    """The answer of a run with all it owes to its reader."""
    blocks = [made.answer if made.failure else marked(made.answer, held(run, material))]
    blocks += [each for each in (not_begun(run, made.answer), unsure(made, run)) if each]
    if run.stop:
        blocks.append(run.stop.told)
    return "\n\n".join(blocks)


def held(run: PlanRun, material: Material) -> list[str]:
    """All the texts that an answer may have its figures from."""
    said = [str(message["content"]) for message in material.messages()]
    return [*said, run.plan.goal, *(task.description for task in run.plan.tasks)]


def not_begun(run: PlanRun, answer: str) -> str:
    """The tasks that wait for ever, with what each waited for; none where the answer has it."""
    skipped = [
        (task, each.without)
        for task in run.plan.tasks
        if (each := run.results[task.id]).without and each.status == "skipped"
    ]
    lines = [
        f"- {task.id} ({task.description}): it waited for {', '.join(without)}."
        for task, without in skipped
        if not (task.description in answer and all(id in answer for id in without))
    ]
    return "\n".join(["Not begun:", *lines]) if lines else ""


def unsure(made: Aggregated, run: PlanRun) -> str:
    """One sentence on what is missing or disputed."""
    results = {task.id: run.results[task.id] for task in run.plan.tasks}
    missing = [id for id, each in results.items() if not each.done]
    short = [id for id, each in results.items() if each.done and each.without]
    parts = [
        f"{len(missing)} of {len(results)} results are missing ({', '.join(missing)})"
        if missing
        else "",
        f"{', '.join(short)} had to do without some" if short else "",
        f"results disagree ({len(made.contradictions)})" if made.contradictions else "",
    ]
    if not any(parts):
        return ""
    said = ", and ".join(part for part in parts if part)
    return f"This answer is unsure: {said}."
