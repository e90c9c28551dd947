"""Failure is told upward: to a supervisor, to a plan, at every level, with the error as data."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from course import Agent, Router, clock, connect, run, tool
from course.models import Scripted
from course.models.wire import Call, ChatRequest, Reply
from course.supervisor import Supervisor, Worker
from course.supervisor_worker import (
    FailurePolicy,
    Plan,
    PlanningSupervisor,
    PlanResult,
    PlanTask,
    Timeouts,
)
from course.supervisor_worker.supervisor import BreakerChanged
from course.team import Team


@tool
def broken(what: str) -> str:
    """Look something up in an archive that is closed.

    Args:
        what: the thing
    """
    raise ConnectionError("the archive is closed")


def says(request: ChatRequest) -> Any:
    """Whoever leads gives its first worker an order, whoever has the tool uses it; then all of
    them talk as if nothing had happened.
    """
    if request.schema_name == "plan":
        one = {"id": "i1", "description": "Find the price of oak", "worker": "finder",
               "dependencies": []}  # fmt: skip
        return json.dumps({"goal": "g", "tasks": [one], "final_instruction": ""})
    if request.schema_name == "route":
        return json.dumps({"agents": ["finder"]})
    tools = {each.name: each for each in request.tools}
    if request.messages[-1]["role"] == "user" and request.tool_choice != "none":
        if "broken" in tools:
            return Reply(calls=(Call("broken", json.dumps({"what": "oak"})),))
        if "delegate_to_agent" in tools:
            schema = tools["delegate_to_agent"].parameters
            first = schema["properties"]["worker_agent"]["enum"][0]
            order = {"worker_agent": first, "task": "Find the price of oak."}
            return Reply(calls=(Call("delegate_to_agent", json.dumps(order)),))
    return "All is well."


FINDER = Agent(name="finder", description="finds prices", tools=(broken,))
PAUSE = 20.0
NEVER = FailurePolicy(retry="never")
BROKEN: dict[str, Callable[[str], Any]] = {
    "an agent": lambda name: Agent(name=name, description="finds", tools=(broken,)),
    "a team": lambda name: Team(name=name, description="finds", agents=(FINDER,)),
    "a router": lambda name: Router(name=name, description="finds", agents=(FINDER,)),
    "a supervisor": lambda name: Supervisor(
        name=name, description="finds", workers=(FINDER,), coordinates=True
    ),
    "a supervisor of one": lambda name: Supervisor(
        name=name, description="finds", coordinates=True, max_depth=5,
        workers=(Supervisor(name="under", description="finds", workers=(FINDER,),
                            coordinates=True),),
    ),
    "one that plans": lambda name: PlanningSupervisor(
        name=name, description="finds", workers=(FINDER,), failure_policy=NEVER
    ),
}  # fmt: skip


def ran(system: Any, request: str = "What does oak cost?", **more: Any) -> Any:
    return clock.simulate(run(system, request, client=connect(Scripted(says)), **more))


@pytest.mark.parametrize("kind", BROKEN)
def test_who_keeps_failing_for_a_supervisor_is_left_alone_and_tried_after_a_pause(
    kind: str,
) -> None:
    """Three failures in a row, two orders that nobody takes, a pause, and one more try."""
    asked: list[int] = []

    async def led(request: ChatRequest) -> Any:
        if request.key.agent != "boss":
            return says(request)
        asked.append(1)
        if len(asked) == 6:
            await asyncio.sleep(PAUSE)
        order = {"worker_agent": "w", "task": f"Find the price of oak, try {len(asked)}."}
        made = Reply(calls=(Call("delegate_to_agent", json.dumps(order), f"c{len(asked)}"),))
        return made if len(asked) < 7 else "It cannot be found."

    boss = Supervisor(
        name="boss", workers=(BROKEN[kind]("w"),), max_depth=9, cooldown=PAUSE,
        max_iterations=None,
    )  # fmt: skip
    result = clock.simulate(run(boss, "What does oak cost?", client=connect(Scripted(led))))
    errors = [each.failure.error for each in result.delegations.values() if each.failure]
    left_alone = ["w failed 3 times in a row" in each for each in errors]
    assert left_alone == [False, False, False, True, True, False]
    assert result.failure is not None


def test_who_works_now_and_then_is_not_left_alone() -> None:
    """A success between failures begins the count anew."""
    left = ["no", "no", "yes", "no", "no", "yes"]
    orders = len(left)

    def led(request: ChatRequest) -> Any:
        if request.key.agent == "boss":
            made = sum(m["role"] == "tool" for m in request.messages)
            order = json.dumps({"worker_agent": "w", "task": f"Find figure {made}."})
            more = Reply(calls=(Call("delegate_to_agent", order, f"c{made}"),))
            return more if made < orders else "So it is."
        return "" if left.pop(0) == "no" else "It is 42."

    boss = Supervisor(name="boss", workers=(Agent(name="w", description="finds"),))
    result = clock.simulate(run(boss, "Find the figures.", client=connect(Scripted(led))))
    done = [each.failure is None for each in result.delegations.values()]
    assert done == [False, False, True, False, False, True]


def told_upward(name: str) -> bool:
    """Whether a supervisor and a plan hear that such a worker failed, and of what."""
    worker = BROKEN[name]("w")
    boss = Supervisor(name="boss", workers=(worker,), max_depth=9)
    [given] = ran(boss).delegations.values()
    [done] = planned(worker).results.values()
    return all(
        failure is not None and "the archive is closed" in failure.error
        for failure in (given.failure, done.failure)
    )


def planned(*workers: Any, tasks: int = 1, **more: Any) -> PlanResult:
    plan = Plan(
        goal="g",
        tasks=tuple(
            PlanTask(id=f"t{n}", description=f"Find the price of oak {n}", worker="w")
            for n in range(1, tasks + 1)
        ),
    )
    settings = {"failure_policy": NEVER, "timeouts": Timeouts(answer=0), **more}
    boss = PlanningSupervisor(name="chief", workers=workers, **settings)
    result: PlanResult = ran(boss, plan=plan)
    return result


@pytest.mark.parametrize("name", BROKEN)
def test_a_worker_whose_calls_all_failed_is_failed_for_who_is_above_it(name: str) -> None:
    assert told_upward(name)


def test_the_breaker_and_the_stand_in_hear_of_a_supervisor_as_of_any_worker() -> None:
    spare = Worker(name="spare", description="knows", stands_in_for=("w",))
    boss = BROKEN["a supervisor"]("w")
    result = planned(boss, spare, tasks=4, limit=1)
    assert [each.worker for each in result.results.values()] == ["spare"] * 4
    assert all(each.done for each in result.results.values())
    opened = [each for each in result.events if isinstance(each, BreakerChanged)]
    assert [(each.worker, each.state) for each in opened] == [("w", "open")]
    tried = [a.worker for each in result.results.values() for a in each.attempts]
    assert tried.count("w") == 3  # then it was left alone


def test_a_worker_one_of_whose_calls_worked_has_a_result() -> None:
    @tool
    def fine(what: str) -> str:
        """Look it up.

        Args:
            what: the thing
        """
        return "12 EUR"

    def both(request: ChatRequest) -> Any:
        if request.key.agent == "w" and request.messages[-1]["role"] == "user":
            given = json.dumps({"what": "oak"})
            return Reply(calls=(Call("broken", given), Call("fine", given)))
        return says(request)

    worker = Agent(name="w", description="finds", tools=(broken, fine))
    boss = Supervisor(name="boss", workers=(worker,))
    result = clock.simulate(run(boss, "Oak?", client=connect(Scripted(both))))
    assert result.failures == {}


def test_what_waited_for_a_failed_task_is_named_with_what_it_waited_for() -> None:
    plan = Plan(
        goal="g",
        tasks=(
            PlanTask(id="t1", description="Find the price of oak", worker="w"),
            PlanTask(id="t2", description="Find the price of elm", worker="ok"),
            PlanTask(id="t3", description="Compare both", worker="ok", dependencies=("t1", "t2")),
            PlanTask(id="t4", description="Write it down", worker="ok", dependencies=("t3",)),
        ),
    )
    workers = (BROKEN["an agent"]("w"), Agent(name="ok", description="does the rest"))
    for seconds in (0, 60):  # without a model, and with one that talks of something else
        policy = FailurePolicy(retry="never", downstream="skip")
        boss = PlanningSupervisor(
            name="chief", workers=workers, failure_policy=policy, timeouts=Timeouts(answer=seconds)
        )
        answer = ran(boss, plan=plan).answer
        assert "- t3 (Compare both): it waited for t1." in answer
        assert "- t4 (Write it down): it waited for t3." in answer
        assert "This answer is unsure: " in answer
        assert "3 of 4 results are missing (t1, t3, t4)" in answer


def test_an_answer_without_gaps_says_nothing_of_the_kind() -> None:
    fine = Agent(name="w", description="knows")
    assert planned(fine, timeouts=Timeouts()).answer == "All is well."


def test_figures_that_no_result_holds_are_marked() -> None:
    def inventing(request: ChatRequest) -> Any:
        answering = request.key.agent.endswith("answering") or (
            request.key.agent == "boss" and request.messages[-1]["role"] == "tool"
        )
        return "Oak costs 12 EUR, elm 99 EUR." if answering else (
            "12 EUR" if request.key.agent == "w" else says(request)
        )  # fmt: skip

    worker = Agent(name="w", description="knows prices")
    plan = Plan(goal="g", tasks=(PlanTask(id="t1", description="Find oak", worker="w"),))
    for boss, more in (
        (PlanningSupervisor(name="chief", workers=(worker,)), {"plan": plan}),
        (Supervisor(name="boss", workers=(worker,)), {}),
    ):
        client = connect(Scripted(inventing))
        result: Any = clock.simulate(run(boss, "Oak?", client=client, **more))
        assert result.answer.endswith("\n\nNo result holds these figures: 99.")
