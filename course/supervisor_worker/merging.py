"""Merging: a model writes one answer out of all results, and rules complete what it hides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from course.chat import complete
from course.errors import ModelError
from course.models.names import SMALL
from course.supervisor_worker.material import Material

if TYPE_CHECKING:
    from openai import AsyncOpenAI


async def merge(
    material: Material,
    *,
    client: AsyncOpenAI,
    model: str = SMALL,
    agent: str = "aggregator",
    call: int = 0,
    run_id: str = "run",
) -> str:
    """Let a model make one answer out of all results: one model call.

    Raises:
        ModelError: the model cannot be used, or says nothing.

    Built in chapter 09.
    """
    headers = {
        "x-switchboard-run": run_id,
        "x-switchboard-agent": agent,
        "x-switchboard-call": str(call),
    }
    body = {"model": model, "messages": material.messages()}
    answer = await complete(client, body, headers=headers)
    said = str(answer.message.get("content") or "").strip()
    if not said:
        raise ModelError("the model made an empty answer of the results: try again")
    return said


def completed(answer: str, material: Material) -> str:
    """An answer with what it does not say: contradictions, with all figures, and gaps.

    Built in chapter 09, exercise 9.3.
    """
    blocks = [answer.strip()]
    blocks += [str(each) for each in material.contradictions if not each.stated_in(answer)]
    unsaid = [gap for gap in material.gaps if gap.task_id not in answer or gap.why not in answer]
    if unsaid:
        blocks.append("Missing:\n" + "\n".join(f"- {gap}" for gap in unsaid))
    return "\n\n".join(block for block in blocks if block)


def listing(material: Material) -> str:
    """What there is, where no model can be asked any more: each result under its task.

    Built in chapter 09.
    """
    told = [f"- {label}: {text}" for label, text in material.results.items()]
    opening = "No answer could be written; this is what the tasks found:" if told else ""
    return completed("\n".join([opening, *told]) if told else "No task has a result.", material)
