"""Whoever can be run can work for a supervisor: an agent, a chain, a team, one that plans."""

import json
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from course import Agent, Pipeline, PlanningSupervisor, Stage, Team, clock, run
from course.errors import ConfigurationError
from course.models.wire import Reply
from course.routing import Router, StaticRouter
from course.supervisor import Supervisor, Worker
from course.supervisor.supervisor import settings_of
from tests.patterns.bosses import boss, client, order, ordering, workers

HELPER = Agent(name="ann", description="does it", instructions="You do it.")
PLAN = {
    "goal": "Do it.",
    "tasks": [
        {"id": "a", "description": "Find the figure of Acme", "worker": "ann", "dependencies": []}
    ],
}


class Visit(BaseModel):
    """What a chain fills."""

    model_config = ConfigDict(frozen=True)
    request: str
    note: str = ""


def note(request: str) -> dict[str, str]:
    """Write a note, without a model."""
    return {"note": f"noted: {request}"}


CHAIN = Pipeline(
    name="helper", description="does it", state=Visit,
    stages=(Stage(name="note", reads=("request",), writes=("note",), work=note),),
)  # fmt: skip
SYSTEMS: dict[str, tuple[Any, str]] = {
    "an agent": (Agent(name="helper", description="does it"), "done"),
    "a worker": (Worker(name="helper", description="does it"), "done"),
    "a chain": (CHAIN, "noted: do it"),
    "a team": (Team(name="helper", description="does it", agents=(HELPER,)), "done"),
    "a router": (
        Router(
            name="helper", description="does it", agents=(HELPER,),
            chooser=StaticRouter({"ann": ["do"]}),
        ),
        "done",
    ),
    "a supervisor": (
        Supervisor(
            name="helper", description="does it", workers=(HELPER,), coordinates=True
        ),
        "done",
    ),
    "one that plans": (
        PlanningSupervisor(name="helper", description="does it", workers=(HELPER,)),
        "done",
    ),
}  # fmt: skip


def planned(request: Any) -> Reply:
    return Reply(text=json.dumps(PLAN))


@pytest.mark.parametrize("kind", SYSTEMS)
def test_any_system_works_for_a_supervisor(kind: str) -> None:
    system, said = SYSTEMS[kind]
    lead = Supervisor(name="boss", workers=(system,))
    answers: dict[str, Any] = {"helper": "done", "ann": "done", "helper planning": planned}
    model = client(boss=ordering([order("helper", "do it")]), **answers, **{
        "helper answering": "done",
    })  # fmt: skip
    result = clock.simulate(run(lead, "Go.", client=model))
    [delegation] = result.delegations.values()
    assert (delegation.failure, delegation.result) == (None, said)
    assert result.answer == "all done"


def test_a_plain_agent_has_the_settings_that_a_worker_has_by_default() -> None:
    assert settings_of(HELPER).policy == "allowed"
    assert settings_of(Worker(name="ann", policy="never")).policy == "never"


@pytest.mark.parametrize("named", ["no description", "the same name", "no system"])
def test_what_cannot_be_given_work_is_refused_in_one_line(named: str) -> None:
    wrong, said = {
        "no description": (Agent(name="ben"), "worker 'ben' has no description"),
        "the same name": (workers("a")[0], "two workers are called 'a'"),
        "no system": (object(), "cannot be a worker: give an agent"),
    }[named]
    with pytest.raises(ConfigurationError, match=said) as caught:
        Supervisor(name="boss", workers=(*boss("a").workers, wrong))
    assert "\n" not in str(caught.value)
