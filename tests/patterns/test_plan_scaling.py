"""Scaling up: workers made for a plan, and several supervisors behind one load balancer."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course import clock, connect, tool
from course.errors import ConfigurationError
from course.models import ApiError, Scripted
from course.models.breaker import Breaker
from course.models.wire import ChatRequest
from course.runner import run
from course.supervisor_worker import (
    FailurePolicy,
    LoadBalancer,
    PlanError,
    Replica,
    Unavailable,
    problems,
    staff,
)
from course.supervisor_worker.load_balancer import check_up
from tests.patterns.planwork import World, chief, plan_of, task


def named(name: str) -> Any:
    @tool(name=name)
    def work(what: str) -> str:
        """Do a piece of work."""
        return what

    return work


TOOLS = tuple(named(name) for name in ("search", "add", "draw"))


# The factory


def test_each_role_becomes_a_worker_with_the_tools_its_tasks_need() -> None:
    plan = plan_of(
        task("t1", worker="price hunter", tools=("search",)),
        task("t2", "t1", worker="reckoner", tools=("add",)),
        task("t3", "t2", worker="scribe"),
    )
    made = staff(plan, TOOLS)
    assert made.registry.owners == {"search": ("price hunter",), "add": ("reckoner",)}
    assert made.registry.named["scribe"].tools == ()
    assert made.plan == plan
    assert problems(made.plan, made.registry) == ()


def test_roles_that_need_the_same_tool_become_one_worker() -> None:
    plan = plan_of(
        task("t1", worker="hunter", tools=("search",)),
        task("t2", worker="gatherer", tools=("search", "add")),
        task("t3", worker="adder", tools=("add",)),
        task("t4", worker="painter", tools=("draw",)),
    )
    made = staff(plan, TOOLS)
    assert [t.worker for t in made.plan.tasks] == ["hunter", "hunter", "hunter", "painter"]
    assert set(made.registry.named) == {"hunter", "painter"}


ROLES = st.lists(
    st.tuples(
        st.sampled_from("abcde"),
        st.lists(st.sampled_from(["search", "add", "draw"]), unique=True, max_size=3),
    ),
    min_size=1,
    max_size=10,
)


@given(ROLES)
def test_whatever_roles_a_plan_names_its_staff_can_carry_it_out(roles: list[Any]) -> None:
    plan = plan_of(
        *(task(f"t{n}", worker=role, tools=tuple(needs)) for n, (role, needs) in enumerate(roles))
    )
    made = staff(plan, TOOLS)
    assert problems(made.plan, made.registry) == ()
    assert len({t.worker for t in made.plan.tasks}) == len(made.registry.workers)


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (plan_of(task("t1", tools=("hammer",))), "t1: there is no tool 'hammer'; tools: search"),
        (plan_of(), "the plan has no tasks"),
    ],
)
def test_a_plan_nobody_can_be_made_for_is_refused(plan: Any, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        staff(plan, TOOLS)


def test_the_staff_carries_its_plan_out() -> None:
    made = staff(plan_of(task("t1", worker="hunter"), task("t2", "t1", worker="scribe")), TOOLS)
    world = World()
    boss = chief(workers=made.registry.workers)
    result = clock.simulate(run(boss, "Go.", client=world.client, plan=made.plan))
    assert all(each.done for each in result.results.values())
    assert "You are the hunter of a team." in world.of("t1")[0].request.messages[0]["content"]


# The load balancer

PLAN = plan_of(task("t1"), task("t2"))


def replica(name: str, says: Any = None, *, seconds: float = 1.0, **guard: Any) -> Replica:
    """A supervisor whose model takes some seconds; `says` may fail by raising."""

    async def answer(request: ChatRequest) -> str:
        await asyncio.sleep(seconds)
        if says:
            says()
        if request.key.agent.endswith("planning"):
            return PLAN.model_dump_json()
        return f"{name} did it"

    return Replica(
        boss=named_boss(name), client=connect(Scripted(answer)), breaker=Breaker(**guard)
    )


def named_boss(name: str) -> Any:
    return replace(chief(failure_policy=FailurePolicy(retry="never")), name=name)


def down() -> None:
    raise ApiError(400, "this model is gone")


def asked(balancer: LoadBalancer, times: int, *, every: float = 0.0) -> list[str]:
    """Requests at intervals: who answered each, or the kind of error."""

    async def one(number: int) -> str:
        await asyncio.sleep(number * every)
        try:
            result = await run(balancer, "Go.", run_id=f"run {number}")
        except Unavailable:
            return "nobody"
        return result.answer.split()[0]

    async def main() -> list[str]:
        return await asyncio.gather(*(one(number) for number in range(times)))

    return clock.simulate(main())


def test_requests_go_to_the_least_busy_supervisor() -> None:
    balancer = LoadBalancer(replicas=[replica("a"), replica("b"), replica("c")])
    assert sorted(asked(balancer, 9)) == sorted("abc" * 3)
    assert [each.served for each in balancer.replicas] == [3, 3, 3]
    assert [each.under_way for each in balancer.replicas] == [0, 0, 0]


def test_a_supervisor_that_fails_is_replaced_and_then_left_alone() -> None:
    calls: list[float] = []

    def failing() -> None:
        calls.append(clock.now())
        down()

    balancer = LoadBalancer(replicas=[replica("a", failing), replica("b")])
    assert asked(balancer, 8, every=10.0) == ["b"] * 8
    assert len(calls) == 4  # three failures in a row, and one try after the pause


def test_one_that_is_well_again_gets_requests_again() -> None:
    def until_thirty() -> None:
        if clock.now() < 30:
            down()

    balancer = LoadBalancer(
        replicas=[replica("a", until_thirty, failures=1, cooldown=40.0), replica("b")]
    )
    assert asked(balancer, 8, every=10.0) == ["b"] * 5 + ["a"] * 3


def test_when_all_fail_each_reason_is_told() -> None:
    balancer = LoadBalancer(replicas=[replica("a", down), replica("b", down)])

    async def main() -> None:
        with pytest.raises(Unavailable) as refused:
            await run(balancer, "Go.")
        assert "a: no plan could be made: the model refused the request (400)" in str(refused.value)
        assert "b: no plan could be made: the model refused the request (400)" in str(refused.value)

    clock.simulate(main())


def test_what_is_wrong_with_the_request_is_told_at_once() -> None:
    balancer = LoadBalancer(replicas=[replica("a"), replica("b")])

    async def main() -> None:
        with pytest.raises(ValueError, match="the request is empty"):
            await run(balancer, " ")

    clock.simulate(main())
    assert [each.breaker.in_a_row for each in balancer.replicas] == [0, 0]
    assert [each.under_way for each in balancer.replicas] == [0, 0]


def test_a_health_check_leaves_the_ill_alone_before_a_request_meets_them() -> None:
    replicas = [
        replica("a", down),
        replica("b"),
        replica("slow", seconds=9.0),
        replica("hung", seconds=1e3),
    ]
    balancer = LoadBalancer(replicas=replicas)

    async def main() -> None:
        well = await check_up(balancer.replicas, seconds=20.0)
        assert well == {"a": False, "b": True, "slow": True, "hung": False}
        assert clock.now() == 20.0
        assert [each.breaker.state == "open" for each in replicas] == [True, False, False, True]
        result = await run(balancer, "Go.")
        assert result.answer == "b did it"

    clock.simulate(main())


def test_a_health_check_lets_the_healed_in_again() -> None:
    ill = [True]

    def sometimes() -> None:
        if ill[0]:
            down()

    balancer = LoadBalancer(replicas=[replica("a", sometimes)])

    async def main() -> None:
        assert not (await check_up(balancer.replicas))["a"]
        ill[0] = False
        assert (await check_up(balancer.replicas))["a"]
        assert (await run(balancer, "Go.")).answer == "a did it"

    clock.simulate(main())


def test_a_cancelled_request_leaves_no_trace_of_itself() -> None:
    balancer = LoadBalancer(replicas=[replica("a", seconds=50)])

    async def main() -> None:
        running = asyncio.create_task(run(balancer, "Go."))
        await asyncio.sleep(1)
        assert balancer.replicas[0].under_way == 1
        running.cancel()
        await asyncio.wait([running])
        assert balancer.replicas[0].under_way == 0
        assert asyncio.all_tasks() == {asyncio.current_task()}

    clock.simulate(main())


def test_a_load_balancer_without_replicas_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="there are no replicas"):
        LoadBalancer(replicas=[])
