"""Time and budgets that run out: of a task, of the plan; the best partial answer comes in time."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course import clock
from course.limits import Limits
from course.results import Failure
from course.runner import run, stream
from course.supervisor_worker import FailurePolicy, PlanResult, Timeouts
from graders.checks import partial
from tests.patterns.planwork import Asked, World, by_task, chief, plan_of, task

FOUR = plan_of(task("t1"), task("t2"), task("t3"), task("t4", "t1", "t3"))


def slow(**seconds: float) -> World:
    return World(lambda asked: (seconds.get(asked.task, 0.0), None))


def carried_out(world: World, plan: Any = FOUR, **more: Any) -> tuple[PlanResult, float]:
    async def main() -> tuple[PlanResult, float]:
        result = await run(chief(**more), "Go.", client=world.client, plan=plan)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return result, clock.now()

    return clock.simulate(main())


def test_a_task_that_takes_too_long_is_given_up_and_the_rest_goes_on() -> None:
    world = slow(t1=2, t3=500)
    timeouts = Timeouts(call=None, task=10)
    result, ended = carried_out(world, timeouts=timeouts)
    assert ended == pytest.approx(10)
    assert result.results["t3"].failure == Failure(
        "timeout", "no result within 10 s", "unavailable"
    )
    assert {id: r.status for id, r in result.results.items()} == {
        "t1": "done", "t2": "done", "t3": "failed", "t4": "done",
    }  # fmt: skip
    assert result.results["t4"].without == ("t3",)


def test_a_tasks_time_covers_all_its_tries() -> None:
    world = World(lambda asked: (4.0, None if asked.refines else "CANNOT: no"))
    result, ended = carried_out(world, plan_of(task("t1")), timeouts=Timeouts(task=10))
    assert ended == pytest.approx(10)
    failure = result.results["t1"].failure
    assert failure is not None
    assert failure.kind == "timeout"
    assert len(result.results["t1"].attempts) == 1


@pytest.mark.parametrize(("answer", "when"), [(0.0, "20"), (3.0, "17.5")])
def test_the_judge_sees_the_best_partial_answer_at_the_deadline(answer: float, when: str) -> None:
    world = slow(t1=5, t2=500, t3=7)

    def says(asked: Asked) -> Any:
        if asked.answers:
            return (1.0, asked.words)
        return (500.0 if asked.task == "t4" else {"t1": 5, "t2": 500, "t3": 7}[asked.task], None)

    world = World(says)
    timeouts = Timeouts(call=None, task=None, answer=answer)
    result, ended = carried_out(world, timeouts=timeouts, limits=Limits(max_seconds=20))
    done = {"answer": result.answer, "gaps": [gap.task_id for gap in result.gaps]}
    check = partial(
        by_task, list(FOUR.by_id), deadline=float(when), slack=answer, at="answer", gaps="gaps"
    )
    verdict = check(world.log(done, ended=ended))
    assert verdict.passed, verdict.message
    assert result.stop is not None
    assert (result.stop.reason, result.stop.limit) == ("max_seconds", 20)
    assert str(result.failures["t2"]) == f"timeout: not finished after {when} of 20 s"
    assert "t4" in result.answer


def test_a_plan_that_is_not_there_in_time_ends_the_run_at_the_deadline() -> None:
    world = World(lambda asked: (500.0, None), plan=FOUR)
    boss = chief(timeouts=Timeouts(call=None), limits=Limits(max_seconds=20))

    async def main() -> float:
        result = await run(boss, "Go.", client=world.client)
        assert "Nothing was done: there was no plan after 17.5 of 20 s" in result.answer
        assert result.failures["decomposition"].kind == "timeout"
        assert (result.stop.reason, result.plan.tasks) == ("max_seconds", ())
        return clock.now()

    assert clock.simulate(main()) == pytest.approx(17.5)


def test_a_new_plan_that_is_not_there_in_time_is_told_and_what_is_done_stands() -> None:
    def says(asked: Asked) -> Any:
        if asked.plans:
            return (500.0, None)
        return (1.0, "CANNOT: no" if asked.task == "t1" else None)

    policy = FailurePolicy(retry="never", downstream="replan")
    timeouts, limits = Timeouts(call=None, answer=0), Limits(max_seconds=20)
    result, ended = carried_out(
        World(says, plan=FOUR), failure_policy=policy, timeouts=timeouts, limits=limits
    )
    assert ended == pytest.approx(20)
    assert result.failures["decomposition"].kind == "timeout"
    assert "t2 is done" in result.answer and "t1 (Find the figure of t1)" in result.answer


def test_a_task_that_was_not_begun_says_so() -> None:
    world = slow(t1=500)
    result, _ = carried_out(
        world, timeouts=Timeouts(call=None, task=None, answer=0), limits=Limits(max_seconds=5)
    )
    assert result.results["t4"].status == "skipped"
    assert str(result.failures["t4"]) == "timeout: not begun after 5 of 5 s"


def test_a_task_is_not_given_up_for_standing_in_line() -> None:
    world = World(lambda asked: (3.0, None))
    many = plan_of(*(task(f"t{n}") for n in range(30)))
    result, ended = carried_out(world, many, requests_per_minute=10, timeouts=Timeouts(task=5))
    assert ended > 120
    assert all(each.done for each in result.results.values())


def test_a_team_is_not_given_up_while_one_of_it_stands_in_line() -> None:
    inside = plan_of(*(task(f"t{n}") for n in range(6)))
    team = replace(chief(), name="team", description="leads", instructions="You lead.")
    boss = {"workers": (team,), "requests_per_minute": 1, "timeouts": Timeouts(task=5)}
    result, ended = carried_out(World(plan=inside), plan_of(task("all", worker="team")), **boss)
    assert ended > 300
    assert result.results["all"].done and not result.gaps


def test_in_line_or_not_what_takes_too_long_by_itself_is_given_up() -> None:
    world = World(lambda asked: (6.0, None))
    many = plan_of(*(task(f"t{n}") for n in range(30)))
    result, _ = carried_out(world, many, requests_per_minute=10, timeouts=Timeouts(task=5))
    assert not any(each.done for each in result.results.values())
    assert {str(each.failure) for each in result.results.values()} == {
        "timeout: no result within 5 s"
    }


def test_tries_before_the_deadline_are_not_lost() -> None:
    def says(asked: Asked) -> Any:
        return (1.0, "CANNOT: no") if asked.attempt == 1 else (500.0, None)

    result, _ = carried_out(
        World(says),
        plan_of(task("t1")),
        timeouts=Timeouts(call=None, task=None, answer=0),
        limits=Limits(max_seconds=5),
    )
    assert len(result.results["t1"].attempts) == 1
    assert result.results["t1"].result == "CANNOT: no"


def test_an_answer_that_takes_too_long_gives_way_to_a_list_of_what_there_is() -> None:
    world = World(lambda asked: (500.0, None) if asked.answers else (1.0, None))
    result, ended = carried_out(world, timeouts=Timeouts(answer=8))
    assert ended == pytest.approx(10)
    assert result.failures["aggregation"] == Failure(
        "timeout", "no answer was made of the results within 8 s"
    )
    for id in FOUR.by_id:
        assert f"{id} is done" in result.answer


@given(st.lists(st.floats(0.1, 40), min_size=4, max_size=4), st.floats(1, 60))
def test_whatever_the_deadline_the_result_is_there_and_holds_all_that_came(
    seconds: list[float], deadline: float
) -> None:
    world = slow(**dict(zip(FOUR.by_id, seconds, strict=True)))
    timeouts, limits = Timeouts(call=None, task=None, answer=0), Limits(max_seconds=deadline)
    result, ended = carried_out(world, timeouts=timeouts, limits=limits)
    assert ended <= deadline + 0.01
    answered = {str(e.request["id"]) for e in world.exchanges if e.outcome == "answered"}
    assert {id for id, r in result.results.items() if r.done} == answered - {""}
    for id in FOUR.by_id:
        assert (f"{id} is done" in result.answer) == result.results[id].done


def test_calls_that_are_used_up_leave_one_for_the_answer() -> None:
    world = World()
    result, _ = carried_out(world, max_calls=3, limit=1)
    assert len(world.asked) == 3
    assert [asked.answers for asked in world.asked] == [False, False, True]
    assert result.stop is not None
    assert (result.stop.reason, result.stop.limit) == ("max_calls", 3)
    assert [id for id, each in result.results.items() if each.done] == ["t1", "t3"]
    assert "max_calls is 3" in str(result.failures["t2"])


def test_tokens_that_are_used_up_are_never_exceeded() -> None:
    world = World(lambda asked: "word " * 50)
    result, _ = carried_out(world, max_tokens=3000)
    assert result.usage.total <= 3000
    assert result.answer


@given(st.floats(0, 12))
def test_cancelling_at_any_moment_leaves_nothing_running(moment: float) -> None:
    def says(asked: Asked) -> Any:
        return (1.5, "CANNOT: no" if asked.task == "t2" and not asked.refines else None)

    world = World(says, plan=FOUR)

    async def main() -> None:
        running = asyncio.create_task(run(chief(), "Go.", client=world.client))
        await asyncio.sleep(moment)
        running.cancel()
        await asyncio.wait([running])
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert all(e.outcome != "open" for e in world.exchanges)

    clock.simulate(main())


def test_who_stops_reading_events_stops_the_run() -> None:
    world = slow(t1=5, t2=5, t3=5)

    async def main() -> None:
        boss = chief(failure_policy=FailurePolicy(retry="never"))
        events = stream(boss, "Go.", client=world.client, plan=FOUR)
        kinds = [type(await anext(events)).__name__ for _ in range(3)]
        assert kinds == ["PlanMade", "TaskStarted", "TaskStarted"]
        await events.aclose()  # type: ignore[attr-defined]
        assert asyncio.all_tasks() == {asyncio.current_task()}

    clock.simulate(main())
    assert not any(e.outcome == "answered" for e in world.exchanges)


def test_the_last_event_is_the_result_and_each_task_is_told_of_twice() -> None:
    async def main() -> list[str]:
        events = stream(chief(), "Go.", client=World().client, plan=FOUR)
        return [type(event).__name__ async for event in events]

    kinds = clock.simulate(main())
    assert kinds[0] == "PlanMade"
    assert kinds[-1] == "Finished"
    assert kinds.count("TaskStarted") == kinds.count("TaskCompleted") == 4
