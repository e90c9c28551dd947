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
from course.answers import Usage
from course.budget import Budget
from course.chat import assistant_message, complete
from course.context import Context
from course.errors import ConfigurationError, ModelError, refuse, refuse_empty
from course.events import Event
from course.fallback import (
    Taken,
    Unsettled,
    fallback_faults,
    is_person,
    kept_for,
    leads_to_person,
    reach_person,
    take_over,
)
from course.figures import marked
from course.limits import Limits, Stop, Time, in_time
from course.models.names import SMALL
from course.models.wire import AsyncOpenAI
from course.person import from_a_person, wishes_person
from course.results import Failure
from course.routing.choosers import Chooser, ModelRouter, Route, descriptions, route
from course.runs import emit, leading, next_matter, undelivered, working_on
from course.session import Ticket
from course.systems import Result, answer_of, carry_out
from course.team.human import HumanQueue
from course.trace import span

SYNTHESIS = """\
Several specialists worked on one request. Write one answer to the person from their results: \
keep every fact, and say what is missing where one of them failed."""
NOBODY = "Nobody here is there for that"
SHARED = "Others see to the rest of the request ({others}). Do your own part of it, and that alone."


@dataclass(frozen=True, kw_only=True)
class Router:
    """A front desk that puts each request through. Used in chapter 02.

    Attributes:
        agents: the specialists; each has its own instructions, tools, model and limits.
        chooser: decides; without one a small model reads the agents' descriptions.
        fallback: takes over what is nobody's business, or what cannot be answered within the
            limits: an agent, a `HumanQueue`, `HUMAN` or a sentence. Without one the answer says who
            is here, and what there is.
        limits: of a whole run: model calls, tokens and seconds of everybody.
        model: writes one answer from several.
        description: what it is for, in one line, where it works for a supervisor.

    Raises ConfigurationError: names clash, one has no description, or the chooser knows a stranger.
    """

    name: str = "router"
    agents: tuple[Agent, ...]
    chooser: Chooser | None = None
    fallback: Agent | HumanQueue | str | None = None
    limits: Limits = Limits(max_turns=None)
    model: str = SMALL
    description: str = ""

    def __post_init__(self) -> None:
        choices = descriptions(self.agents)
        refuse(fallback_faults(self.fallback, "a router's fallback"))
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
    one (or the "route", the "synthesis") has none; who took over, if anybody did, and the ticket
    that a person finds. Used in chapter 02.
    """

    route: Route
    results: Mapping[str, Result] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)
    escalated_to: str | None = None
    ticket: Ticket | None = None

    @property
    def failure(self) -> Failure | None:
        """Nobody has a result."""
        found = [each.failure for each in self.results.values()]
        if None in found:
            return None
        return next(iter(found), None) or Failure("worker", self.answer)


@dataclass(kw_only=True)
class Routing:
    """One request on its way through a router: what there is so far."""

    router: Router
    request: str
    client: AsyncOpenAI
    route: Route = field(default_factory=lambda: Route(agents=(), by="model"))
    results: dict[str, Result] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    context: Context | None = None
    usage: Usage = field(default_factory=Usage)
    stop: Stop | None = None
    broken: ModelError | None = None
    taken: Taken | None = None

    @property
    def found(self) -> str:
        """What the specialists say, and what is missing, in lines."""
        told = [f"{name}: {each.answer}" for name, each in self.results.items()]
        told += [f"{name} failed: {why}" for name, why in self.failures.items()]
        return "\n\n".join(told)

    def said(self, words: str) -> Context:
        """The conversation as the person sees it, with these words as the answer."""
        return Context.of(self.request).add(assistant_message(words))


@carry_out.register(Router)
async def run_router(router: Router, request: str, *, client: AsyncOpenAI) -> RouterResult:
    """Route a request, let the chosen specialists answer at once, and answer with what they found.

    One specialist's answer is passed on as it is. Of several, a model writes one, which costs one
    more call. What fails, and a limit, are told in the answer, or the fallback takes over; without
    one, a ModelError says that all of the chosen failed.
    """
    refuse_empty(request)
    theirs = from_a_person()
    run, limits = Routing(router=router, request=request, client=client), router.limits
    step = span("invoke_workflow", router.name, {"gen_ai.workflow.name": router.name})
    budget = Budget(calls=limits.max_turns, tokens=limits.max_tokens, calls_are="max_turns")
    time = Time(limits.max_seconds, kept=kept_for(router.fallback))
    with step, leading(router.name), budget.in_force():
        async with in_time(time):
            if not (theirs and await _reach_person(run)):
                await _answer(run)
        if run.context is None:
            run.stop = time.stop or budget.used_up()
            async with in_time(replace(time, kept=0.0)):
                await _fall_back(run)
    context = run.context or run.said(_joined(run.found, run.stop.told if run.stop else ""))
    return RouterResult(
        answer=context.answer,
        context=context,
        usage=sum((each.usage for each in run.results.values()), run.route.usage + run.usage),
        stop=run.stop,
        route=run.route,
        results=run.results,
        failures=run.failures,
        escalated_to=(run.taken.to or None) if run.taken else None,
        ticket=run.taken.ticket if run.taken else None,
    )


async def _reach_person(run: Routing) -> bool:
    """Whether somebody asked for a person and was answered: by the fallback, an agent that leads to
    people, or the word that nobody does.
    """
    router = run.router
    able = [each for each in router.agents if leads_to_person(each)]
    if able and not is_person(router.fallback):
        if not wishes_person(run.request):
            return False
        run.route = Route(agents=(able[0].name,), by="table", why="asks for a person")
        emit(Routed(system=router.name, route=run.route))
        await _work(run, able[0], able[:1], role="")  # it hears the person's own words
        if run.results:
            await _one_answer(run)
        return True
    to, asked = router.fallback, run.request
    run.taken = await reach_person(to, asked, sender=router.name, client=run.client)
    if run.taken:
        run.context = run.said(run.taken.answer)
    return run.taken is not None


async def _answer(run: Routing) -> None:
    """Let those answer whom the request is for; no conversation comes of it where none can."""
    router = run.router
    try:
        run.route = await route(router.decides, run.request, client=run.client)
    except ModelError as error:
        run.failures["route"] = str(error)
        return
    emit(Routed(system=router.name, route=run.route))
    chosen = [each for name in run.route.agents for each in router.agents if each.name == name]
    if not chosen and isinstance(router.fallback, Agent):
        chosen = [router.fallback]
    try:
        await asyncio.gather(*(_work(run, agent, chosen) for agent in chosen))
    finally:  # in their order, whichever came first
        names = [agent.name for agent in chosen]
        run.results = {name: run.results[name] for name in names if name in run.results}
        run.failures = {name: run.failures[name] for name in names if name in run.failures}
    if run.results:
        await _one_answer(run)


async def _work(
    run: Routing, agent: Agent, chosen: Sequence[Agent], *, role: str = "worker"
) -> None:
    """Let one of the chosen work; a failure leaves the others' results intact."""
    others = ", ".join(each.name for each in chosen if each is not agent)
    if others:  # so that it leaves the rest of the request to them
        told = f"{agent.instructions}\n{SHARED.format(others=others)}".strip()
        agent = replace(agent, instructions=told)
    try:
        if said := undelivered(agent.name):
            raise ModelError(said)
        with working_on(next_matter(agent.name), role=role):
            run.results[agent.name] = await answer_of(agent, run.request, client=run.client)
    except ModelError as error:
        run.failures[agent.name] = str(error)
        run.broken = run.broken or error


async def _one_answer(run: Routing) -> None:
    """The one answer there is; of several results and failures a model writes one, as a
    `synthesise` step. Where it cannot, the answers stand one after the other.
    """
    results, failures = run.results, run.failures
    if len(results) == 1 and not failures:
        [only] = results.values()
        run.context, run.stop = only.context, only.stop
        return
    told = [f"## {name}\n{result.answer}" for name, result in results.items()]
    told += [f"## {name}\nfailed: {why}" for name, why in failures.items()]
    material = "\n\n".join((f"Request: {run.request}", "Results:", *told))
    asked = Context.of(material, instructions=SYNTHESIS)
    body = {"model": run.router.model, "messages": asked.messages}
    try:
        with span("synthesise", ", ".join((*results, *failures))):
            answer = await complete(run.client, body, agent="synthesis", role="synthesis")
    except ModelError as error:
        run.context = run.said(run.found)
        failures["synthesis"] = str(error)
        return
    stops = [each.stop for each in results.values() if each.stop]
    said = marked(str(answer.message.get("content") or ""), (material,))
    run.context, run.usage = run.said(said), answer.usage
    run.stop = stops[0] if stops else cut_off(answer)


async def _fall_back(run: Routing) -> None:
    """Let somebody else take over where there is no answer, or say who is here."""
    router = run.router
    if router.fallback is None:
        if run.broken and not run.stop:
            raise run.broken
        if not run.stop and not run.results:
            here = "; ".join(f"{each.name}: {each.description}" for each in router.agents)
            why = f" ({run.failures['route']})" if run.failures else ""
            run.context = run.said(f"{NOBODY}{why}. Here you reach {here}")
        return
    reason = str(run.stop) if run.stop else run.found or NOBODY
    case = Unsettled(sender=router.name, reason=reason, asked=run.request, found=run.found)
    run.taken = await take_over(router.fallback, case, client=run.client)
    run.usage += run.taken.usage
    run.context = run.said(run.taken.answer)


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
