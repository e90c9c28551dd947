"""Tokens: what a trace adds up is what the result says, whoever works for whom."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from course import Result, Trace, clock, connect, team
from course.conversation import Conversation
from course.routing import Router
from course.runner import run
from course.scenarios import drive_through, front_desk, portfolio
from course.scenarios.drive_through.chain import chain
from course.scenarios.front_desk import Desk, visits
from course.scenarios.front_desk.callers import Answering, callers
from course.supervisor import Supervisor
from course.supervisor_worker import PlanningSupervisor

REQUEST = "When is Farid Mbeki's next appointment? And how much does Goran Chandra still owe?"


def as_supervisor(desk: Desk) -> Any:
    return Supervisor(name="boss", workers=front_desk.specialists(desk))


def in_two_levels(desk: Desk) -> Any:
    records, *others = front_desk.specialists(desk)
    about = "everything about appointments and money"
    below = Supervisor(name="office", description=about, workers=tuple(others), coordinates=True)
    return Supervisor(name="boss", workers=(records, below))


SYSTEMS: dict[str, Callable[[Desk], Any]] = {
    "agent": front_desk.agent,
    "router": lambda desk: Router(agents=front_desk.specialists(desk)),
    "handoffs": lambda desk: team.hub_and_spoke(
        front_desk.reception(desk), front_desk.colleagues(desk)
    ),
    "consultation": lambda desk: team.consultation(
        front_desk.reception(desk), front_desk.colleagues(desk)
    ),
    "supervisor": as_supervisor,
    "supervisors": in_two_levels,
}


def counted(result: Result) -> int:
    """The model calls of a run whose trace adds up to what its result says."""
    read = result.trace.total("gen_ai.usage.input_tokens")
    written = result.trace.total("gen_ai.usage.output_tokens")
    assert (result.usage.input, result.usage.output) == (read, written)
    assert min(read, written) > 0
    return sum(each.operation == "chat" for each in result.trace.spans)


@pytest.mark.parametrize("profile", ["calm", "faulty"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_a_trace_counts_each_token_once(name: str, profile: str) -> None:
    with Desk(seed=7) as desk:
        client = connect("simulated", profile=profile)
        result = clock.simulate(run(SYSTEMS[name](desk), REQUEST, client=client))
    assert counted(result) > 1
    assert Trace.from_json(result.trace.to_json()).total("gen_ai.usage.input_tokens") == (
        result.usage.input
    )


def test_a_chain_counts_each_token_once() -> None:
    with drive_through.Window(seed=7) as window:
        sample = drive_through.REQUESTS[0].on(window)
        result = clock.simulate(run(chain(window), sample.text, client=connect()))
    assert counted(result) > 2


@pytest.mark.parametrize("profile", ["calm", "faulty"])
def test_a_plan_counts_each_token_once(profile: str) -> None:
    domain = portfolio.DOMAIN
    with domain.open(seed=7) as world:
        boss = PlanningSupervisor(name="boss", workers=domain.workers(world))
        text = domain.requests[2].on(world).text
        result = clock.simulate(run(boss, text, client=connect("simulated", profile=profile)))
    assert counted(result) >= 4


def test_a_conversation_with_tasks_counts_each_token_once() -> None:
    async def main(desk: Desk) -> Any:
        async with Conversation(visits.counter(desk), client=connect()) as talk:
            [caller] = callers(desk, count=1)
            await talk.hold(Answering(caller), first=caller.first)
        return talk

    with Desk(seed=7) as desk:
        talk = clock.simulate(main(desk))
    assert talk.usage.input == talk.trace.total("gen_ai.usage.input_tokens") > 0
    assert talk.usage.output == talk.trace.total("gen_ai.usage.output_tokens") > 0
