"""One answer out of many results, whatever happens: merged, reduced first where they are too long.

The model writes the answer. What an answer must not hide is not left to it: contradictions are
found before it is asked, and if its answer does not state them, or does not say what is missing,
that is added.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from course.budget import BudgetExceeded
from course.errors import ModelError
from course.models.names import SMALL
from course.supervisor_worker.claims import Contradiction
from course.supervisor_worker.material import Material
from course.supervisor_worker.merging import completed, listing, merge
from course.supervisor_worker.reducing import reduce
from course.supervisor_worker.results import Failure
from course.trace import span

if TYPE_CHECKING:
    from openai import AsyncOpenAI


@dataclass(frozen=True)
class Aggregated:
    """An answer made of results.

    Attributes:
        method: "merge", "reduce", or "listing" where no model could be used.
        failure: why no model made it, or None.

    Built in chapter 09.
    """

    answer: str
    method: str
    contradictions: tuple[Contradiction, ...] = ()
    failure: Failure | None = None


async def aggregate(
    material: Material,
    *,
    client: AsyncOpenAI,
    model: str = SMALL,
    context_tokens: int = 8000,
    seconds: float | None = None,
    agent: str = "aggregator",
    run_id: str = "run",
) -> Aggregated:
    """Make one answer out of results.

    Args:
        material: what there is.
        context_tokens: of results that one request may hold; more are reduced step by step.
        seconds: how long it may take; 0 asks no model.

    Returns:
        An answer in any case: where no model makes one, what there is as a list.

    Built in chapter 09.
    """
    method, failure = "listing", None
    answer = listing(material)
    with span("aggregate", agent, {"switchboard.results": len(material.results)}) as step:
        if material.results and seconds != 0:
            try:
                async with asyncio.timeout(seconds):
                    shorter = await reduce(
                        material, client=client, context_tokens=context_tokens, model=model,
                        agent=agent, run_id=run_id,
                    )  # fmt: skip
                    merged = await merge(
                        shorter, client=client, model=model, agent=agent, run_id=run_id
                    )
                answer = completed(merged, material)
                method = "merge" if shorter is material else "reduce"
            except (ModelError, TimeoutError) as error:
                failure = why(error, seconds)
                step.fail(failure.error, kind=failure.kind)
        step.set("switchboard.aggregation.method", method)
        step.set("switchboard.aggregation.answer", answer)
        step.set("switchboard.gaps", "; ".join(map(str, material.gaps)) or None)
        said = " ".join(map(str, material.contradictions))
        step.set("switchboard.contradictions", said or None)
    return Aggregated(answer, method, material.contradictions, failure)


def why(error: Exception, seconds: float | None) -> Failure:
    """A failure to make an answer, in a line."""
    if isinstance(error, TimeoutError):
        return Failure("timeout", f"no answer was made of the results within {seconds:g} s")
    limited = isinstance(error, BudgetExceeded)
    return Failure("aggregation", str(error), "limit" if limited else "model")
