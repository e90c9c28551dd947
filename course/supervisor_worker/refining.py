"""Retry with refinement: a task that failed is put differently, by the error it met.

Asking the same thing again helps when luck was bad. It does not help when a search found 240
documents because no year was named. Then the task itself has to change, and the error says how.

Source: verbal feedback instead of repetition, Reflexion (Shinn et al., NeurIPS 2023).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from course.agent import Agent
from course.chat import complete
from course.context import Context
from course.errors import ModelError
from course.models.names import SMALL
from course.results import Failure
from course.trace import span

if TYPE_CHECKING:
    from openai import AsyncOpenAI

Retry = Literal["refine", "repeat", "never"]
"""What becomes of a task that failed: rewritten from its error, sent again word for word, or not
tried again."""

INSTRUCTIONS = """\
A worker could not do the task below. Rewrite the task so that it can: keep what is asked for, and
change what the error says is wrong, missing or too wide. The worker sees nothing but the task.
Answer with the new task alone."""


async def refine(
    words: str,
    failure: Failure,
    worker: Agent,
    *,
    client: AsyncOpenAI,
    model: str = SMALL,
    agent: str = "refiner",
) -> str:
    """Let a model rewrite a task that failed.

    Args:
        words: the task as it was put.
        failure: what went wrong; its error is in the request.
        worker: who is to do it.
        client: reaches the model.
        model: rewrites.
        agent: in whose name it is asked.

    Returns:
        Other words than before. If the model cannot be used or repeats them, the old
        ones with the error added.

    Built in chapter 08, exercise 8.2.
    """
    told = f"Task: {words}\n\nError: {failure.error}\n\nWorker: {worker.name}, {worker.description}"
    body = {"model": model, "messages": Context.of(told, instructions=INSTRUCTIONS).messages}
    with span("refine", worker.name, {"switchboard.error": failure.error}) as step:
        try:
            answer = await complete(client, body, agent=agent, role="refine")
        except ModelError as error:
            step.fail(str(error), kind="ModelError")
            return by_hand(words, failure)
        new = str(answer.message.get("content") or "").strip().removeprefix("Task:").strip()
        step.set("switchboard.task.words", new)
    return new if new and new != words else by_hand(words, failure)


def by_hand(words: str, failure: Failure) -> str:
    """The task with its error added, where no model rewrites it."""
    return f"{words.rstrip('.')}. Avoid what went wrong before: {failure.error}"
