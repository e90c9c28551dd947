"""One door to several supervisors: the least busy one that is well gets the request.

When one fails because what it stands on fails (its model, its connection), the next one is asked
and the first is left alone for a while. What is wrong with the request itself is told at once: no
other supervisor would do better.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from course.chat import complete
from course.errors import ConfigurationError, ModelError, several
from course.models.breaker import Breaker, BreakerOpen
from course.supervisor_worker.schedule import abreast
from course.supervisor_worker.supervisor import PlanningSupervisor, PlanResult
from course.supervisor_worker.trying import helpless
from course.systems import carry_out
from course.trace import span

if TYPE_CHECKING:
    from openai import AsyncOpenAI


@dataclass(kw_only=True)
class Desk:
    """One supervisor behind the door, with the client it uses.

    Attributes:
        under_way: requests that it is working on.
        served: requests that it answered.
        breaker: keeps requests from it while it is not well.

    Built in chapter 10.
    """

    boss: PlanningSupervisor
    client: AsyncOpenAI
    breaker: Breaker = field(default_factory=Breaker)
    under_way: int = 0
    served: int = 0


class Unavailable(ModelError):
    """No supervisor behind the door could answer.

    Built in chapter 10.
    """


@dataclass(kw_only=True)
class Door:
    """Where requests arrive.

    Raises:
        ConfigurationError: nobody is behind it, or two supervisors have one name.

    Built in chapter 10.
    """

    desks: Sequence[Desk]

    def __post_init__(self) -> None:
        self.desks = several(self.desks, "desks")
        if not self.desks:
            raise ConfigurationError("nobody is behind the door: pass at least one Desk")
        for desk in self.desks:
            if not hasattr(desk, "boss"):
                kind = type(desk).__name__
                raise ConfigurationError(
                    f"a door has desks, not {kind}: Desk(boss=..., client=...)"
                )
        for name, count in Counter(desk.boss.name for desk in self.desks).items():
            if count > 1:
                raise ConfigurationError(f"{count} desks are called '{name}': rename their bosses")

    async def ask(self, request: str, **more: Any) -> PlanResult:
        """Have a request answered, as `serve` does.

        Raises:
            ConfigurationError: a store is given.
        """
        if more.get("store") is not None:
            raise ConfigurationError(
                "a door takes no store: what one desk failed at would be over for the next;"
                " give the store to `run`"
            )
        return await serve(self.desks, request, **more)

    async def check(self, *, seconds: float = 5.0) -> dict[str, bool]:
        """Who is well, by name, as `check_up` finds out."""
        return await check_up(self.desks, seconds=seconds)


async def serve(desks: Sequence[Desk], request: str, **more: Any) -> PlanResult:
    """Have the least busy supervisor that is well answer a request, or else the next.

    Args:
        desks: the supervisors; which of them are busy or unwell is noted there.
        request: what a person wants.
        more: passed on to `run`, such as `plan` and `run_id`; no `store`, in which what
            one supervisor failed at would be over for the next one.

    Returns:
        What the first of them gave whose workers could be reached.

    Raises:
        Unavailable: all were asked or are left alone just now; each reason is told.
        PlanError, ValueError: about the request itself, as `run`; nobody else is asked.

    Built in chapter 10, exercise 10.4.
    """
    reasons = []
    for desk in sorted(desks, key=lambda each: each.under_way):
        try:
            probe = desk.breaker.admit()
        except BreakerOpen as refusal:
            reasons.append(f"{desk.boss.name}: {refusal}")
            continue
        worked: bool | None = None  # when the request itself is to blame, or it is cancelled
        desk.under_way += 1
        try:
            result: PlanResult = await carry_out(desk.boss, request, client=desk.client, **more)
            worked = not helpless(result)
            if worked:
                desk.served += 1
                return result
            reasons.append(f"{desk.boss.name}: none of its workers could be reached")
        except ModelError as error:
            worked = False
            reasons.append(f"{desk.boss.name}: {error}")
        finally:
            desk.under_way -= 1
            desk.breaker.settle(worked, probe=probe)
    raise Unavailable(f"nobody could answer ({'; '.join(reasons)}): try again later")


async def check_up(desks: Sequence[Desk], *, seconds: float = 5.0) -> dict[str, bool]:
    """Ask every supervisor's model for a sign of life, all at once.

    Who does not answer in time is left alone, and who answers again is let in again.

    Returns:
        Who is well, by name.

    Built in chapter 10.
    """
    well = await abreast(alive(desk, seconds) for desk in desks)
    for desk, fine in zip(desks, well, strict=True):
        desk.breaker.settle(fine, probe=True)  # one failed check is enough to leave it alone
    return {desk.boss.name: fine for desk, fine in zip(desks, well, strict=True)}


async def alive(desk: Desk, seconds: float) -> bool:
    """Whether a supervisor's model answers a short question within some seconds.

    Built in chapter 10.
    """
    asked = [{"role": "user", "content": "Are you there? Answer with yes."}]
    body = {"model": desk.boss.model, "messages": asked, "max_completion_tokens": 16}
    with span("check", desk.boss.name) as step:
        try:
            async with asyncio.timeout(seconds):
                await complete(desk.client, body, agent=desk.boss.name, role="check")
        except (ModelError, TimeoutError) as error:
            said = str(error) or f"no answer within {seconds:g} s"
            step.fail(said, kind=type(error).__name__)
            return False
    return True
