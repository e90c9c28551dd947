"""A route: which specialists a request goes to, who said so, and what it cost to find out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Protocol

from course import clock
from course.chat import Usage
from course.trace import span

if TYPE_CHECKING:
    from openai import AsyncOpenAI


@dataclass(frozen=True, kw_only=True)
class Route:
    """Where a request goes.

    Attributes:
        agents: names of the specialists, in the order in which they should act; empty when the
            request is nobody's business here (out of scope).
        by: what decided: "table", "classifier" or "model".
        confidence: how sure it was, 0 to 1; None when it does not say.
        why: a remark for the reader of a trace, such as what went wrong on the way.
        usage: tokens that the decision took.
        seconds: how long it took on the loop's clock.

    Built in chapter 02.
    """

    agents: tuple[str, ...]
    by: Literal["table", "classifier", "model"]
    confidence: float | None = None
    why: str = ""
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0


class Chooser(Protocol):
    """What can route: a table, a model, a classifier with a model behind it, a tree of them.

    Built in chapter 02.
    """

    @property
    def names(self) -> Collection[str]:
        """Every specialist it may choose."""

    async def choose(self, request: str, *, client: AsyncOpenAI) -> Route:
        """Decide on one request.

        Raises:
            ModelError: the decision needs a model that cannot be used.
        """


async def route(chooser: Chooser, request: str, *, client: AsyncOpenAI) -> Route:
    """Decide where a request goes, as a `route` step of the trace, with the seconds it took.

    Args:
        chooser: decides.
        request: what the user says.
        client: reaches the model, if the chooser asks one.

    Raises:
        ModelError: the decision needs a model that cannot be used.
        ValueError: the request is empty.

    Built in chapter 02.
    """
    if not request.strip():
        raise ValueError("the request is empty: say what you want, in a sentence")
    begin = clock.now()
    with span("route", type(chooser).__name__) as step:
        found = await chooser.choose(request, client=client)
        step.set("switchboard.route.agents", ", ".join(found.agents) or "nobody")
        step.set("switchboard.route.by", found.by)
        step.set("switchboard.route.confidence", found.confidence)
        step.set("switchboard.route.why", found.why or None)
    return replace(found, seconds=clock.now() - begin)
