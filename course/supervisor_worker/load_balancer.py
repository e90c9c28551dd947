"""A load balancer before several supervisors: the least busy that is well gets the request.

One that cannot reach its model is left alone for a while; a wrong request is told at once.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from course.chat import complete
from course.errors import ConfigurationError, ModelError, several
from course.models.breaker import Breaker, BreakerOpen
from course.models.wire import AsyncOpenAI
from course.supervisor_worker.plan import Plan, PlanError
from course.supervisor_worker.schedule import concurrently
from course.supervisor_worker.supervisor import PlanningSupervisor, PlanResult, helpless
from course.systems import carry_out
from course.trace import span


@dataclass(kw_only=True)
class Replica:
    """One of several supervisors that do the same, with the client it uses. Built in chapter 10.

    `under_way` and `served` count requests; the breaker keeps them away while it is unwell.
    """

    boss: PlanningSupervisor
    client: AsyncOpenAI
    breaker: Breaker = field(default_factory=Breaker)
    under_way: int = 0
    served: int = 0


class Unavailable(ModelError):
    """None of the supervisors could answer. Built in chapter 10."""


@dataclass(kw_only=True)
class LoadBalancer:
    """Where requests arrive; `course.run` hands each to a replica. Built in chapter 10.

    Raises ConfigurationError: nobody is behind it, or two supervisors have one name.
    """

    replicas: Sequence[Replica]
    name: str = "load balancer"

    def __post_init__(self) -> None:
        self.replicas = several(self.replicas, "replicas")
        if not self.replicas:
            raise ConfigurationError("there are no replicas: pass at least one Replica")
        for replica in self.replicas:
            if not hasattr(replica, "boss"):
                kind = type(replica).__name__
                raise ConfigurationError(
                    f"a load balancer has replicas, not {kind}: Replica(boss=..., client=...)"
                )
        for name, count in Counter(replica.boss.name for replica in self.replicas).items():
            if count > 1:
                raise ConfigurationError(f"{count} replicas are called '{name}': rename the bosses")


@carry_out.register(LoadBalancer)
async def run_balanced(
    balancer: LoadBalancer, request: str, *, client: AsyncOpenAI, plan: Plan | None = None
) -> PlanResult:
    """Have a request answered, as `serve` does; each replica asks its own client.

    It takes no store: what one replica failed at would be over for the next.
    """
    try:
        return await serve(balancer.replicas, request, plan=plan)
    except PlanError as error:
        error.ended = balancer  # a person hears the same, whichever replica it was
        raise


async def serve(replicas: Sequence[Replica], request: str, **more: Any) -> PlanResult:
    """Have the least busy supervisor that is well answer a request, or else the next.
    Built in chapter 10, exercise 10.4.

    Args:
        replicas: the supervisors; which of them are busy or unwell is noted there.
        request: what a person wants.
        more: passed on to `carry_out`, such as `plan`; no `store`, in which what one
            supervisor failed at would be over for the next one.

    Returns:
        What the first of them gave whose workers could be reached.

    Raises:
        Unavailable: all were asked or are left alone just now; each reason is told.
        PlanError, ValueError: about the request itself; nobody else is asked.
    """
    reasons = []
    for replica in sorted(replicas, key=lambda each: each.under_way):
        try:
            probe = replica.breaker.admit()
        except BreakerOpen as refusal:
            reasons.append(f"{replica.boss.name}: {refusal}")
            continue
        worked: bool | None = None  # when the request itself is to blame, or it is cancelled
        replica.under_way += 1
        try:
            result: PlanResult = await carry_out(
                replica.boss, request, client=replica.client, **more
            )
            worked = not helpless(result)
            if worked:
                replica.served += 1
                return result
            reasons.append(f"{replica.boss.name}: none of its workers could be reached")
        except ModelError as error:
            worked = False
            reasons.append(f"{replica.boss.name}: {error}")
        finally:
            replica.under_way -= 1
            replica.breaker.settle(worked, probe=probe)
    raise Unavailable(f"nobody could answer ({'; '.join(reasons)}): try again later")


async def check_up(replicas: Sequence[Replica], *, seconds: float = 5.0) -> dict[str, bool]:
    """Ask every supervisor's model for a sign of life, all at once. Built in chapter 10.

    Who does not answer in time is left alone, and let in again when it answers; gives who
    is well, by name.
    """
    well = await concurrently(alive(replica, seconds) for replica in replicas)
    for replica, fine in zip(replicas, well, strict=True):
        replica.breaker.settle(fine, probe=True)  # one failed check is enough to leave it alone
    return {replica.boss.name: fine for replica, fine in zip(replicas, well, strict=True)}


async def alive(replica: Replica, seconds: float) -> bool:
    """Whether a supervisor's model answers within seconds. Built in chapter 10."""
    asked = [{"role": "user", "content": "Are you there? Answer with yes."}]
    body = {"model": replica.boss.model, "messages": asked, "max_completion_tokens": 16}
    with span("check", replica.boss.name) as step:
        try:
            async with asyncio.timeout(seconds):
                await complete(replica.client, body, agent=replica.boss.name, role="check")
        except (ModelError, TimeoutError) as error:
            said = str(error) or f"no answer within {seconds:g} s"
            step.fail(said, kind=type(error).__name__)
            return False
    return True
