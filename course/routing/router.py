"""The router pattern: choose the specialists, let them answer, and make one answer of theirs.

A router decides once and keeps nothing: the next request starts from the beginning.

Source: LangChain's documentation, "Multi-agent", the pattern "Router"; Anthropic, "Building
effective agents" (2024), "Routing".
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from course.agent import Agent, cut_off
from course.chat import Usage, assistant_message, complete
from course.context import Context
from course.errors import ConfigurationError, ModelError
from course.events import Event
from course.limits import Stop
from course.models.names import SMALL
from course.models.wire import AsyncOpenAI
from course.routing.choosers import Chooser, ModelRouter, Route, descriptions, route
from course.runs import emit, leading, next_matter, working_on
from course.systems import Result, carry_out
from course.trace import span

SYNTHESIS = """\
Several specialists worked on one request. Write one answer to the person from their results: \
keep every fact, and say what is missing where one of them failed."""
SHARED = "Others see to the rest of the request ({others}). Do your own part of it, and that alone."


@dataclass(frozen=True, kw_only=True)
class Router:
    """A front desk that puts each request through. Used in chapter 02.

    Attributes:
        agents: the specialists; each has its own instructions, tools, model and limits.
        chooser: decides; without one a small model reads the agents' descriptions.
        fallback: answers what is nobody's business; without one, a sentence says who is here.
        model: writes one answer from several.
        description: what it is for, in one line, where it works for a supervisor.

    Raises ConfigurationError: names clash, one has no description, or the chooser knows a stranger.
    """

    name: str = "router"
    agents: tuple[Agent, ...]
    chooser: Chooser | None = None
    fallback: Agent | None = None
    model: str = SMALL
    description: str = ""

    def __post_init__(self) -> None:
        choices = descriptions(self.agents)
        strangers = [name for name in self.decides.names if name not in choices]
        if strangers:
            raise ConfigurationError(
                f"the router may choose '{strangers[0]}', who is not among its agents: "
                + ", ".join(choices)
            )

    @cached_property
    def decides(self) -> Chooser:
        """Who decides: the chooser, or a small model that reads the descriptions."""
        return self.chooser or ModelRouter(descriptions(self.agents))


@dataclass(frozen=True, kw_only=True)
class Routed(Event):
    """A router has decided where a request goes. Used in chapter 02."""

    route: Route


@dataclass(frozen=True, kw_only=True)
class RouterResult(Result):
    """How a routed run ended: who was chosen and by what, each specialist's result by name, and why
    one (or the "synthesis") has none. Used in chapter 02.
    """

    route: Route
    results: Mapping[str, Result] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)


@carry_out.register(Router)
async def _(router: Router, request: str, *, client: AsyncOpenAI) -> RouterResult:
    """Route a request, let the chosen specialists answer at once, and answer with what they found.

    One specialist's answer is passed on as it is. Of several, a model writes one, which costs one
    more call. If one of several fails, the others' results stand, and the answer says what is
    missing; a ModelError says that the route cannot be decided, or that all of them failed.
    """
    step = span("invoke_workflow", router.name, {"gen_ai.workflow.name": router.name})
    with step, leading(router.name):
        found = await route(router.decides, request, client=client)
        emit(Routed(system=router.name, route=found))
        chosen = [each for name in found.agents for each in router.agents if each.name == name]
        if not found.agents and router.fallback:
            chosen = [router.fallback]
        results, failures = await _answers(chosen, request, client=client)
        context, usage, stop = await _one_answer(router, request, results, failures, client=client)
    return RouterResult(
        answer=context.answer,
        context=context,
        usage=sum((each.usage for each in results.values()), found.usage + usage),
        stop=stop,
        route=found,
        results=results,
        failures=failures,
    )


async def _answers(
    chosen: Sequence[Agent], request: str, *, client: AsyncOpenAI
) -> tuple[dict[str, Result], dict[str, str]]:
    """Let all of them work at the same time; a failure leaves the others' results intact."""

    async def answer(agent: Agent) -> Result | ModelError:
        others = ", ".join(each.name for each in chosen if each is not agent)
        if others:  # so that it leaves the rest of the request to them
            told = f"{agent.instructions}\n{SHARED.format(others=others)}".strip()
            agent = replace(agent, instructions=told)
        try:
            with working_on(next_matter(agent.name)):
                return await carry_out(agent, request, client=client)  # type: ignore[no-any-return]
        except ModelError as error:
            return error

    came = zip(chosen, await asyncio.gather(*map(answer, chosen)), strict=True)
    found = {agent.name: each for agent, each in came}
    failed = {name: each for name, each in found.items() if isinstance(each, ModelError)}
    if failed and len(failed) == len(found):
        raise next(iter(failed.values()))
    results = {name: each for name, each in found.items() if isinstance(each, Result)}
    return results, {name: str(error) for name, error in failed.items()}


async def _one_answer(
    router: Router,
    request: str,
    results: Mapping[str, Result],
    failures: dict[str, str],
    *,
    client: AsyncOpenAI,
) -> tuple[Context, Usage, Stop | None]:
    """The conversation as the person sees it, what its last step used, and what cut it short.

    Of several results and failures a model writes one answer, as a `synthesise` step. Where it
    cannot, that is noted among the failures, and the answers stand one after the other.
    """
    if len(results) == 1 and not failures:
        [only] = results.values()
        return only.context, Usage(), only.stop
    if not results:
        here = "; ".join(f"{agent.name}: {agent.description}" for agent in router.agents)
        words = f"Nobody here is there for that. Here you reach {here}"
        return Context.of(request).add(assistant_message(words)), Usage(), None
    told = [f"## {name}\n{result.answer}" for name, result in results.items()]
    told += [f"## {name}\nfailed: {why}" for name, why in failures.items()]
    material = "\n\n".join((f"Request: {request}", "Results:", *told))
    asked = Context.of(material, instructions=SYNTHESIS)
    body = {"model": router.model, "messages": asked.messages}
    try:
        with span("synthesise", ", ".join((*results, *failures))):
            answer = await complete(client, body, agent="synthesis", role="synthesis")
    except ModelError as error:
        failures["synthesis"] = str(error)
        words = "\n\n".join(f"{name}: {each.answer}" for name, each in results.items())
        return Context.of(request).add(assistant_message(words)), Usage(), None
    stops = [each.stop for each in results.values() if each.stop]
    stop = stops[0] if stops else cut_off(answer)
    return Context.of(request).add(answer.message), answer.usage, stop
