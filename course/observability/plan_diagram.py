"""A plan as a Mermaid diagram, with what became of its tasks and its critical path."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from textwrap import shorten

from course.observability.diagrams import LOOK
from course.supervisor_worker.plan import Plan, circles, critical_path

_FILL = {
    "done": "fill:#CCECE3,stroke:#009E73",
    "failed": "fill:#F7DFCC,stroke:#D55E00",
    "skipped": "fill:#EBEBEB,stroke:#777777,stroke-dasharray:4",
}
_CODES = (("&", "&amp;"), ('"', "&quot;"), ("<", "&lt;"), (">", "&gt;"), ("#", "&#35;"))
_SIGN = {"done": "✓ ", "failed": "✗ ", "skipped": "○ "}


def mermaid(
    plan: Plan,
    *,
    status: Mapping[str, str] | None = None,
    seconds: Mapping[str, float] | None = None,
    width: int = 32,
) -> str:
    """The plan as a Mermaid flowchart from left to right, the critical path in thick lines.
    Used in chapter 06.

    Args:
        plan: valid or not, so that one can see what is wrong with it.
        status: "done", "failed" or "skipped" by id, told by sign and colour.
        seconds: what each task takes, by id, for the critical path; 1 where it is not said.
        width: letters of a description that are shown.
    """
    names = {task.id: f"n{number}" for number, task in enumerate(plan.tasks)}
    needs = dict.fromkeys(need for task in plan.tasks for need in task.dependencies)
    strangers = {id: f"x{number}" for number, id in enumerate(needs) if id not in names}
    names |= strangers
    ordered = len(plan.by_id) == len(plan.tasks) and not circles(plan)
    critical = critical_path(plan, seconds)[0] if ordered else ()
    thick = set(pairwise(critical))
    told = status or {}
    lines = [LOOK, "flowchart LR"]
    for task in plan.tasks:
        what = _clean(shorten(task.description, width, placeholder=" ..."))
        sign = _SIGN.get(told.get(task.id, ""), "")
        title = f"{sign}{_clean(task.id)} · {_clean(task.worker)}"
        lines.append(f'    {names[task.id]}["<b>{title}</b><br/>{what}"]')
    lines += [f'    {name}["<b>{_clean(id)}</b><br/>is no task"]' for id, name in strangers.items()]
    for task in plan.tasks:
        for need in task.dependencies:
            arrow = "==>" if (need, task.id) in thick else "-->"
            lines.append(f"    {names[need]} {arrow} {names[task.id]}")
    for id, state in told.items():
        if state in _FILL and id in names:
            lines.append(f"    style {names[id]} {_FILL[state]}")
    return "\n".join(lines) + "\n"


def _clean(text: str) -> str:
    """Text that cannot end a label or begin markup in it."""
    for sign, code in _CODES:
        text = text.replace(sign, code)
    return " ".join(text.split())
