"""What is put together wrongly is refused in one line that names the thing and the way out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from course import Agent, clock, connect, run, team
from course.budget import Budget
from course.delegation import Task, TaskGroup
from course.errors import ConfigurationError, ToolDefinitionError, VirtualTimeError
from course.handoff import Handoff
from course.limits import Limits
from course.models import Call, Reply, Scripted
from course.models.breaker import Breaker
from course.models.rates import RateLimit
from course.notebook import approval_buttons
from course.pipeline import Pipeline, Stage, WiringError
from course.routing import HybridRouter, IntentClassifier, StaticRouter
from course.routing.sentences import Sentence
from course.runner import run as run_task
from course.supervisor import Supervisor, Worker
from course.supervisor import Worker as Plans
from course.supervisor_worker import (
    FailurePolicy,
    LoadBalancer,
    PlanningSupervisor,
    Registry,
    Replica,
    Store,
    Timeouts,
)
from course.team import Team
from course.tools import tool

ANN = Agent(name="ann", description="does it", instructions="You are ann.")
MODEL = Scripted(lambda request: "And?")


class Visit(BaseModel):
    model_config = ConfigDict(frozen=True)
    request: str
    found: str = ""


LOOK = Stage(name="look", work=ANN, reads=("request",), writes=("found",))


@tool
def noop() -> str:
    """Do nothing."""
    return ""


def knows() -> IntentClassifier:
    told = (("pay", "a"), ("book", "b"))
    return IntentClassifier([Sentence(text, (who,), "plain") for text, who in told])


PLANS = Plans(name="ann", description="does it")


def planner(**settings: Any) -> PlanningSupervisor:
    return PlanningSupervisor(**{"name": "chief", "workers": (PLANS,), **settings})


def balancer(replicas: int) -> LoadBalancer:
    return LoadBalancer(replicas=[Replica(boss=planner(), client=connect(MODEL))] * replicas)


def boss(**settings: Any) -> Supervisor:
    return Supervisor(**{"name": "boss", "workers": (ANN,), **settings})


def handing_to(*handoffs: Any) -> Team:
    agent = Agent(name="ben", instructions="You are ben.", handoffs=handoffs)
    return Team(name="two", agents=(agent, ANN))


def asked(person: Any) -> Any:
    task = Task[bool](instructions="Ask whether they agree.")
    return clock.simulate(run_task(task, person=person, client=connect(MODEL)))


async def says_nothing(said: str) -> Any:
    return None


MISUSES: dict[str, tuple[Callable[[], Any], str]] = {
    "a worker instead of workers": (lambda: boss(workers=ANN), "workers=(ann,)"),
    "an agent instead of agents": (lambda: Team(name="one", agents=ANN), "agents=(ann,)"),  # type: ignore[arg-type]
    "a tool instead of tools": (lambda: Agent(name="ben", tools=noop), "tools=(noop,)"),  # type: ignore[arg-type]
    "a registry of one worker": (
        lambda: Registry(Plans(name="ann", description="does it")),  # type: ignore[arg-type]
        "workers=(ann,)",
    ),
    "workers of one that plans that are one": (lambda: planner(workers=PLANS), "workers=(ann,)"),
    "a name for whom it stands in for": (
        lambda: replace(PLANS, stands_in_for="ben"),  # type: ignore[arg-type]
        "stands_in_for=('ben',)",
    ),
    "no place at all": (lambda: planner(limit=0), "limit must be a whole number, 1 or more, not 0"),
    "calls in words": (lambda: planner(max_calls="9"), "max_calls must be a whole number, 0 or"),
    "a policy in a word": (
        lambda: planner(failure_policy="skip"),
        "failure_policy is a FailurePolicy, not str",
    ),
    "a plan that was only read": (
        lambda: clock.simulate(run(planner(), "Go.", client=connect(MODEL), plan={})),
        "plan is a Plan, not dict: Plan.from_json(text) or Plan.model_validate(values)",
    ),
    "a model for a client of one that plans": (
        lambda: clock.simulate(run(planner(), "Go.", client=MODEL)),  # type: ignore[arg-type]
        "the client cannot send anything, it is Scripted: make one with connect(...)",
    ),
    "a path for a store": (
        lambda: clock.simulate(run(planner(), "Go.", client=connect(MODEL), store="runs.db")),
        "store is a Store, not str: Store(path)",
    ),
    "a yes for a check": (lambda: replace(PLANS, check=True), "check is a function, not True"),  # type: ignore[arg-type]
    "no request a minute": (
        lambda: planner(requests_per_minute=0),
        "'chief': requests_per_minute must be a whole number, 1 or more, not 0",
    ),
    "time that runs backwards": (
        lambda: Timeouts(task=-1),
        "the time for a task is 0 or more seconds, not -1",
    ),
    "supervisors instead of replicas": (
        lambda: LoadBalancer(replicas=[planner()]),  # type: ignore[list-item]
        "a load balancer has replicas, not PlanningSupervisor",
    ),
    "two replicas of one name": (lambda: balancer(2), "2 replicas are called 'chief'"),
    "a load balancer with a store": (
        lambda: clock.simulate(
            run(balancer(1), "Go.", client=connect(MODEL), store=Store(":memory:"))
        ),
        "'store' is no option of LoadBalancer; its options: plan",
    ),
    "a breaker that is always open": (
        lambda: FailurePolicy(breaker_failures=0),
        "opens after 1 or more failures",
    ),
    "a worker that nobody can choose": (
        lambda: boss(workers=(planner(),)),
        "worker 'chief' has no description",
    ),
    "a worker that hands over": (
        lambda: boss(workers=(replace(ANN, handoffs=(Handoff("ben"),)),)),
        "worker 'ann' hands over to ben: make their team the worker",
    ),
    "a stage instead of stages": (
        lambda: Pipeline(name="one", state=Visit, stages=LOOK),  # type: ignore[arg-type]
        "stages is a tuple, with a comma: stages=(look,)",
    ),
    "an agent among the stages": (
        lambda: Pipeline(name="one", state=Visit, stages=(ANN,)),  # type: ignore[arg-type]
        "its stages are stages, not Agent",
    ),
    "a spoke instead of spokes": (
        lambda: team.hub_and_spoke(ANN, ANN),  # type: ignore[arg-type]
        "spokes=(ann,)",
    ),
    "a tier instead of tiers": (lambda: team.escalation(ANN), "tiers=(ann,)"),  # type: ignore[arg-type]
    "a handoff instead of handoffs": (
        lambda: Team(name="one", agents=(replace(ANN, handoffs=Handoff("ben")),)),  # type: ignore[arg-type]
        "handoffs is a tuple, with a comma",
    ),
    "a task's tool instead of tools": (
        lambda: Task[bool](instructions="Ask.", tools=noop),  # type: ignore[arg-type]
        "tools=(noop,)",
    ),
    "a desk instead of replicas": (
        lambda: LoadBalancer(replicas=Replica(boss=planner(), client=connect(MODEL))),  # type: ignore[arg-type]
        "replicas is a tuple, with a comma",
    ),
    "nobody instead of nothing": (lambda: boss(workers=None), "workers is a tuple, not None"),
    "a budget below nothing": (lambda: boss(max_tokens=-1), "max_tokens is a number, 0 or more"),
    "a budget in words": (lambda: boss(max_tokens="1000"), "not '1000'; None is no limit"),
    "less than no time": (
        lambda: boss(delegation_seconds=-1),
        "delegation_seconds is a number, 0 or more",
    ),
    "no depth at all": (lambda: boss(max_depth=None), "max_depth is a number, 0 or more, not None"),
    "a yes for an approver": (lambda: boss(approve=True), "approve is a function"),
    "a path for a session": (
        lambda: clock.simulate(run(handing_to(), "Go.", client=connect(MODEL), session="s.json")),  # type: ignore[arg-type]
        "Session.load(path)",
    ),
    "a name for a handoff": (lambda: handing_to("ann"), "'ben' has a handoff that is none: 'ann'"),
    "a name for an agent": (lambda: Team(name="two", agents=("ann",)), "agents, not 'ann'"),  # type: ignore[arg-type]
    "a model for a client": (
        lambda: clock.simulate(run(boss(), "Go.", client=MODEL)),  # type: ignore[arg-type]
        "it is Scripted: make one with connect(...)",
    ),
    "a comma forgotten": (
        lambda: Pipeline(name="one", state=Visit, stages=(replace(LOOK, reads=("request")),)),  # type: ignore[arg-type]
        "reads is a tuple, with a comma: reads=('request',)",
    ),
    "a percentage for a share": (
        lambda: HybridRouter(
            classifier=knows(), threshold=90, otherwise=StaticRouter({"a": ["b"]})
        ),
        "a share between 0 and 1, not 90",
    ),
    "a task for its maker": (
        lambda: TaskGroup().add(Task[bool](instructions="x"), id="one", description="it"),  # type: ignore[arg-type]
        "step 'one' needs a function",
    ),
}


@pytest.mark.parametrize("name", MISUSES)
def test_a_misuse_is_one_line_with_the_way_out(name: str) -> None:
    misuse, said = MISUSES[name]
    with pytest.raises((ConfigurationError, ToolDefinitionError, WiringError)) as caught:
        misuse()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_buttons_under_virtual_time_are_refused_in_one_line_in_a_notebook_too() -> None:
    guarded = Worker(name="ann", description="does it", policy="needs approval")
    order = Call("delegate_to_agent", '{"worker_agent": "ann", "task": "Pay."}')
    asks = connect(Scripted(lambda request: Reply(calls=(order,))))
    careful = boss(workers=(guarded,), approve=approval_buttons())
    with pytest.raises(VirtualTimeError, match="await the run in the cell") as caught:
        clock.simulate(run(careful, "Pay it.", client=asks))
    assert caught.value.__context__ is None  # a group in it, and IPython shows the whole stack


@pytest.mark.parametrize(
    ("person", "said"),
    [(lambda said: "yes", "write `async def`"), (says_nothing, "not None: return what they say")],
)
def test_a_person_who_is_none_is_not_taken_for_a_broken_model(person: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        asked(person)


NUMBERS: dict[str, Callable[[Any], Any]] = {
    **{name: (lambda given, n=name: Budget(**{n: given})) for name in
       ("tokens", "calls", "answer_tokens", "kept_tokens", "kept_calls")},
    **{name: (lambda given, n=name: RateLimit(**{n: given})) for name in
       ("requests_per_minute", "tokens_per_minute")},
    **{name: (lambda given, n=name: boss(**{n: given})) for name in
       ("max_tokens", "max_iterations", "delegation_seconds", "max_failures", "max_depth")},
    **{name: (lambda given, n=name: Timeouts(**{n: given})) for name in ("call", "task", "answer")},
    **{name: (lambda given, n=name: Limits(**{n: given})) for name in
       ("max_turns", "max_seconds")},
}  # fmt: skip


WRONG = [
    (name, given)
    for name in NUMBERS
    for given in (math.nan, -1, -math.inf, "3", [1], True)
    if given is not True or name not in vars(Timeouts())  # to which it is a second
]


@pytest.mark.parametrize(("name", "given"), WRONG)
def test_a_limit_that_would_never_hold_is_refused(name: str, given: Any) -> None:
    with pytest.raises(ConfigurationError, match="or more") as caught:
        NUMBERS[name](given)
    assert repr(given) in str(caught.value)


@pytest.mark.parametrize("setting", ["failures", "cooldown"])
def test_a_breaker_of_no_number_is_refused(setting: str) -> None:
    with pytest.raises(ConfigurationError, match="1 or more failures"):
        Breaker(**{setting: math.nan})
