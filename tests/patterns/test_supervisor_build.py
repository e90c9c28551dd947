"""What a supervisor refuses to be built of: one line, the name, the way out."""

from typing import Any

import pytest

from course import Agent, tool
from course.errors import ConfigurationError
from course.supervisor import Supervisor, Worker
from tests.patterns.bosses import workers


@tool
def transfer_to_billing(reason: str) -> str:
    """Hand over to billing."""
    return reason


@tool
def delegate_to_agent(task: str) -> str:
    """Delegate."""
    return task


def inner(name: str, *below: Agent, **more: Any) -> Supervisor:
    return Supervisor(
        name=name, description="leads", workers=below or workers("x"), coordinates=True, **more
    )


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (lambda: Supervisor(name="boss"), "supervisor 'boss' has no workers: give it some"),
        (lambda: Supervisor(name="boss", workers=(
            Worker(name="a", description="does a", policy="never"),)),
         "supervisor 'boss' may give tasks to none of its workers: allow one"),
        (lambda: Supervisor(name="boss", workers=workers("a", "b", "a")),
         "two workers are called 'a': rename one of them"),
        (lambda: Supervisor(name="boss", workers=workers("boss")),
         "worker 'boss' is called like its supervisor: rename one of them"),
        (lambda: Supervisor(name="boss", workers=(Agent(name="a"),)),
         "worker 'a' has no description: say in a line what it is for"),
        (lambda: Supervisor(name="boss", workers=("a",)),
         "'a' cannot be a worker: give an agent, Agent(name=..., description=...)"),
        (lambda: Supervisor(name="boss", workers=workers("a", tools=(transfer_to_billing,))),
         "worker 'a' has the coordination tool 'transfer_to_billing': take it away, or make it"),
        (lambda: Supervisor(name="boss", workers=(
            Supervisor(name="a", description="leads", workers=workers("x")),)),
         "worker 'a' is a supervisor: allow it with coordinates=True"),
        (lambda: Supervisor(name="boss", workers=(inner("a", inner("boss")),)),
         "supervisor 'boss' would come round to itself: boss -> a -> boss"),
        (lambda: Supervisor(name="boss", workers=(inner("a", inner("b", inner("a"))),)),
         "supervisor 'a' would come round to itself: a -> b -> a"),
        (lambda: Supervisor(name="boss", workers=(
            Worker(name="a", description="pays", policy="needs approval"),)),
         "worker 'a' needs approval and nobody can give it: pass approve=... to supervisor 'boss'"),
        (lambda: Worker(name="a", policy="sometimes"),  # type: ignore[arg-type]
         "worker 'a' has the policy 'sometimes'; it can be 'allowed', 'needs approval', 'never'"),
        (lambda: Supervisor(name="boss", workers=workers("a"), tools=(delegate_to_agent,)),
         "supervisor 'boss' gets its tool 'delegate_to_agent' by itself: take yours away"),
        (lambda: Supervisor(name="boss", workers=workers("a"), escalate_to="the boss"),
         "'the boss' cannot take over: escalate to an agent, a queue, or HUMAN"),
    ],
)  # fmt: skip
def test_what_cannot_work_is_refused_when_it_is_built(made: Any, problem: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        made()
    assert str(caught.value).startswith(problem)
    assert "\n" not in str(caught.value)


def test_a_worker_that_may_coordinate_keeps_its_tools() -> None:
    worker = Worker(
        name="a", description="coordinates", tools=(transfer_to_billing,), coordinates=True
    )
    assert Supervisor(name="boss", workers=(worker,)).named["a"].tools == (transfer_to_billing,)


def test_a_supervisor_that_is_nobodys_worker_needs_no_leave_and_no_description() -> None:
    assert Supervisor(name="boss", workers=workers("a")).open_to[0].name == "a"


def test_the_tools_are_worked_out_once() -> None:
    team = Supervisor(name="boss", workers=workers("a"))
    assert team.specs is team.specs


@pytest.mark.parametrize(("tokens", "answer"), [(None, 32), (100, 32), (5000, 500), (90_000, 600)])
def test_the_longest_answer_follows_from_the_budget(tokens: int | None, answer: int) -> None:
    team = Supervisor(name="boss", workers=workers("a"), max_tokens=tokens)
    assert team.longest_answer == answer
