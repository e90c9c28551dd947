"""Failing tasks: rewritten and tried again, given up after three, and what becomes of the rest."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course import clock, tool
from course.errors import ConfigurationError, ToolError
from course.models import ApiError, Call, Reply
from course.models.draws import Draws
from course.models.wire import Key
from course.observability.plan_runs import departures
from course.results import Failure, TaskResult
from course.runner import run
from course.supervisor_worker import (
    FailurePolicy,
    Plan,
    PlanningSupervisor,
    PlanResult,
    Registry,
    TaskRetried,
)
from graders.checks import refined, trace_agrees
from graders.records.log import Exchange
from tests.patterns.planwork import Asked, World, by_task, chief, plan_of, task, worker

CASCADE = plan_of(
    task("t1"), task("t2"), task("t3", "t1"), task("t4", "t2"), task("t5", "t3", "t4")
)
NO_YEAR = "CANNOT: too many hits (240), because no year is named; say 2025"


def carried_out(
    plan: Plan, world: World, boss: PlanningSupervisor | None = None, **policy: Any
) -> PlanResult:
    boss = boss or chief(failure_policy=FailurePolicy(**policy))
    return clock.simulate(run(boss, "Find it out.", client=world.client, plan=plan))


def failing(*ids: str, times: int = 99, said: Any = NO_YEAR) -> World:
    """A world in which the workers fail these tasks so many times."""

    def says(asked: Asked) -> Any:
        if asked.task in ids and not asked.refines and asked.before < times:
            return (1.0, said)
        return None

    return World(says)


def says_it_cannot(exchange: Exchange) -> bool:
    return exchange.outcome == "failed" or str(exchange.reply).startswith("CANNOT")


# Retry with refinement


def test_a_failed_task_is_rewritten_from_its_error_and_then_works() -> None:
    world = failing("t1", times=1)
    result = carried_out(plan_of(task("t1")), world)
    assert result.results["t1"].done
    refining = [a for a in world.asked if a.refines]
    assert len(refining) == 1
    assert "Task: Find the figure of t1" in refining[0].words
    assert "Error: too many hits (240)" in refining[0].words
    first, second = world.of("t1")
    assert "240" not in first.words
    assert "Find the figure of t1 (heeding: too many hits (240)" in second.words
    assert [a.failure is None for a in result.results["t1"].attempts] == [False, True]


@pytest.mark.parametrize("times", [1, 2, 3, 99])
def test_the_judge_sees_refinement_and_no_more_than_three_tries(times: int) -> None:
    world = failing("t1", times=times)
    carried_out(CASCADE, world)
    check = refined(by_task, ["t1"], tries=3, field="task", failed=says_it_cannot)
    verdict = check(world.log())
    assert verdict.passed, verdict.message
    assert len(world.of("t1")) == min(times + 1, 3)


def test_a_plain_repeat_sends_the_very_same_words_and_the_judge_sees_it() -> None:
    world = failing("t1", times=2)
    result = carried_out(CASCADE, world, retry="repeat")
    assert result.results["t1"].done
    assert len({asked.words for asked in world.of("t1")}) == 1
    assert not any(asked.refines for asked in world.asked)
    verdict = refined(by_task, ["t1"], field="task", failed=says_it_cannot)(world.log())
    assert verdict.code == "refine.plain_repeat"


def test_without_retry_a_task_is_tried_once() -> None:
    world = failing("t1")
    result = carried_out(CASCADE, world, retry="never")
    assert len(world.of("t1")) == 1
    assert not result.results["t1"].done


@pytest.mark.parametrize("said", [ApiError(500, "no"), "", "Find the figure of t1"])
def test_when_nobody_can_rewrite_the_error_is_added_by_hand(said: Any) -> None:
    world = failing("t1", times=1)
    usual = world.says
    world.says = lambda asked: said if asked.refines else usual(asked)
    result = carried_out(plan_of(task("t1")), world)
    assert result.results["t1"].done
    assert "Avoid what went wrong before: too many hits (240)" in world.of("t1")[1].words


def test_an_event_tells_of_each_new_try_with_its_words() -> None:
    result = carried_out(CASCADE, failing("t1"))
    retried = [event for event in result.events if isinstance(event, TaskRetried)]
    assert [(event.task_id, event.worker) for event in retried] == [("t1", "w")] * 2
    assert "heeding" in retried[0].words


# What counts as a failure


@tool
def search(query: str) -> str:
    """Search the documents."""
    if "year" in query:
        return "12 million EUR"
    raise ToolError("240 hits: name a year")


@tool
def broken(query: str) -> str:
    """Search the web."""
    raise ConnectionError("no route to host")


def with_tools(*tools: Any, says: Any) -> tuple[PlanResult, World]:
    registry = Registry((worker("w", tools=tools),))
    world = World(says)
    return carried_out(plan_of(task("t1")), world, chief(workers=registry.workers)), world


def calling(name: str, *queries: str, then: str = "This is what I found.") -> Any:
    """A worker that makes these calls, one after the other, and then says something."""

    def says(asked: Asked) -> Any:
        if asked.task != "t1" or asked.refines:
            return None
        made = sum(m["role"] == "tool" for m in asked.request.messages)
        if made < len(queries):
            return Reply(calls=(Call(name, f'{{"query": "{queries[made]}"}}'),))
        return then

    return says


def test_a_worker_none_of_whose_calls_worked_has_not_done_its_task() -> None:
    result, world = with_tools(search, says=calling("search", "revenue"))
    failure = result.results["t1"].failure
    assert failure == Failure("worker", "search: 240 hits: name a year", "task")
    assert sum(asked.refines for asked in world.asked) == 2


def test_a_call_that_failed_before_another_worked_is_no_failure() -> None:
    result, world = with_tools(search, says=calling("search", "revenue", "revenue, year 2025"))
    done = result.results["t1"]
    assert done.done
    assert [(e.result, e.failed) for e in done.evidence] == [
        ("240 hits: name a year", True),
        ("12 million EUR", False),
    ]
    assert [e.result for e in result.sources["t1"]] == ["12 million EUR"]
    assert not any(asked.refines for asked in world.asked)


def test_a_tool_that_broke_is_waited_for_and_not_rewritten_around() -> None:
    result, world = with_tools(broken, says=calling("broken", "revenue"))
    failure = result.results["t1"].failure
    assert failure == Failure("worker", "broken: ConnectionError: no route to host", "unavailable")
    assert not any(asked.refines for asked in world.asked)
    waits = [span.seconds for span in result.trace.spans if span.operation == "wait"]
    assert len(waits) == 2
    assert 0 < waits[0] < waits[1]


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("CANNOT: no access", "no access"),
        ("cannot: no access", "no access"),
        ("**Cannot:** no access", "no access"),
        ("CANNOT:", "no reason given"),
        ("", "the worker gave an empty answer"),
        ("Which year do you mean?", "asks back, and nobody can answer it: Which year"),
    ],
)
def test_a_worker_that_cannot_says_nothing_or_asks_back_has_failed(said: str, error: str) -> None:
    result = carried_out(plan_of(task("t1")), failing("t1", said=said))
    failure = result.results["t1"].failure
    assert failure is not None
    assert failure.kind == "worker"
    assert error in failure.error


def test_a_check_of_the_workers_own_decides_as_well() -> None:
    def needs_a_number(result: TaskResult) -> str | None:
        return None if any(c.isdigit() for c in result.result) else "no figure in it; give one"

    registry = Registry((worker("w", check=needs_a_number),))
    world = World(lambda asked: "7 EUR" if "no figure in it" in asked.words else "some money")
    result = carried_out(plan_of(task("x")), world, chief(workers=registry.workers))
    assert result.results["x"].result == "7 EUR"
    assert len(result.results["x"].attempts) == 2


def test_a_worker_that_breaks_takes_nobody_with_it() -> None:
    def breaks(result: TaskResult) -> str | None:
        raise ZeroDivisionError("a bug in the check")

    registry = Registry((worker("a", check=breaks), worker("b")))
    plan = plan_of(task("t1", worker="a"), task("t2", worker="b"))
    result = carried_out(plan, World(), chief(workers=registry.workers))
    assert result.results["t2"].done
    assert "ZeroDivisionError: a bug in the check" in str(result.failures["t1"])


def test_what_a_worker_waits_for_may_be_cancelled_without_ending_the_run() -> None:
    class Cancelling(World):
        async def answer(self, request: Any) -> Any:
            if request.key.agent == "a":
                raise asyncio.CancelledError
            return await super().answer(request)

    plan = plan_of(task("t1", worker="a"), task("t2", worker="b"))
    result = carried_out(plan, Cancelling(), chief("a", "b"))
    assert "what it waited for was cancelled" in str(result.failures["t1"])
    assert result.results["t2"].done


# Downstream


def test_the_cascade_marked_runs_everything_and_says_what_it_ran_without() -> None:
    world = failing("t1")
    result = carried_out(CASCADE, world, downstream="mark")
    assert {id: r.status for id, r in result.results.items()} == {
        "t1": "failed", "t2": "done", "t3": "done", "t4": "done", "t5": "done",
    }  # fmt: skip
    assert result.results["t3"].without == ("t1",)
    assert "[t1] Failed: worker: too many hits (240)" in world.of("t3")[0].words
    assert "Go on without it and say so." in world.of("t3")[0].words
    assert [(gap.task_id, gap.affects) for gap in result.gaps] == [("t1", ("t3", "t5"))]


def test_the_cascade_skipped_stops_what_builds_on_it_and_nothing_else() -> None:
    world = failing("t1")
    result = carried_out(CASCADE, world, downstream="skip")
    assert {id: r.status for id, r in result.results.items()} == {
        "t1": "failed", "t2": "done", "t3": "skipped", "t4": "done", "t5": "skipped",
    }  # fmt: skip
    assert world.of("t3") == world.of("t5") == []
    assert [gap.task_id for gap in result.gaps] == ["t1"]
    assert result.failures["t3"] == Failure("worker", "not begun, for want of t1", "dependency")
    assert "t1 (Find the figure of t1): worker: too many hits" in result.answer
    assert "It was needed for t3, t5." in result.answer


def test_the_cascade_planned_anew_keeps_what_is_done() -> None:
    again = plan_of(task("t1", worker="b", what="Ask the archive for t1"),
                    task("t2", "t1", worker="b", what="Finish"))  # fmt: skip
    world = failing("t1")
    world.plan = again
    boss = chief("a", "b", failure_policy=FailurePolicy(downstream="replan"))
    by_a = [each.model_copy(update={"worker": "a"}) for each in CASCADE.tasks]
    result = carried_out(plan_of(*by_a), world, boss)
    asked = next(a for a in world.asked if a.plans)
    assert asked.words == (
        "Find the figure of t1. Then Find the figure of t3. Then Find the figure of t5."
    )
    assert list(result.results) == ["t2", "t4", "r1-t1", "r1-t2"]
    assert all(each.done for each in result.results.values())
    assert result.plan.by_id["r1-t1"].dependencies == ("t2", "t4")
    assert result.plan.by_id["r1-t2"].dependencies == ("r1-t1",)
    assert len(world.of("t2")) == len(world.of("t4")) == 1
    assert result.gaps == ()
    assert departures(result.trace) == []


def test_a_new_plan_leaves_out_workers_that_do_not_answer_and_nobody_stands_in_for_them() -> None:
    def says(asked: Asked) -> Any:
        if asked.agent == "a" or asked.task == "t1":
            return ApiError(400, "this model is gone")
        return plan_of(task("t1", worker="b")).model_dump_json() if asked.plans else None

    world = World(says)
    registry = Registry((worker("a"), worker("b", stands_in_for=("a",))))
    boss = chief(workers=registry.workers, failure_policy=FailurePolicy(downstream="replan"))
    result = carried_out(plan_of(task("t1", worker="a")), world, boss)
    planner = next(asked for asked in world.asked if asked.plans)
    assert "- a:" not in planner.request.messages[0]["content"]
    assert result.results["r1-t1"].done


def test_when_planning_anew_fails_there_is_still_an_answer() -> None:
    world = failing("t1")
    world.says, usual = (lambda asked: "no plan" if asked.plans else usual(asked)), world.says
    result = carried_out(CASCADE, world, downstream="replan")
    assert result.failures["decomposition"].kind == "decomposition"
    assert result.results["t4"].done
    assert [gap.task_id for gap in result.gaps] == ["t1"]
    assert sum(asked.plans for asked in world.asked) == 3


@pytest.mark.parametrize(
    ("limits", "cause"), [({}, "model"), ({"max_calls": 6}, "limit")], ids=["gone", "spent"]
)
def test_when_nobody_can_be_asked_for_a_new_plan_or_an_answer_the_results_are_told(
    limits: dict[str, int], cause: str
) -> None:
    """Three tries, two rewritings and one other task take all the calls but the kept one."""
    gone = ApiError(400, "this model is gone")
    world = failing("t1")
    world.says, usual = (lambda a: gone if a.plans or a.answers else usual(a)), world.says
    boss = chief(failure_policy=FailurePolicy(downstream="replan"), **limits)
    result = carried_out(plan_of(task("t1"), task("t2")), world, boss)
    assert result.failures["decomposition"].cause == cause
    assert result.failures["aggregation"].cause == "model"
    assert "t2 is done" in result.answer and "t1 (Find the figure of t1)" in result.answer


def test_planning_anew_ends() -> None:
    world = failing("t1", "r1-t1", "r2-t1")
    world.plan = plan_of(task("t1"))
    boss = chief(failure_policy=FailurePolicy(downstream="replan", replans=2))
    result = carried_out(plan_of(task("t1")), world, boss)
    assert list(result.results) == ["r2-t1"]
    assert len(result.results["r2-t1"].attempts) == 3


# The whole of it


@given(
    st.integers(0, 10**6),
    st.sampled_from(["skip", "mark"]),
    st.sampled_from(["refine", "repeat", "never"]),
)
def test_whatever_fails_the_run_ends_and_names_every_gap(
    seed: int, downstream: Any, retry: Any
) -> None:
    def says(asked: Asked) -> Any:
        luck = Draws(seed, Key(asked.task, asked.agent, asked.attempt, asked.before))
        seconds = luck.uniform("seconds")
        if not asked.task or not luck.chance("fails", 0.4):
            return (seconds, None)
        kind = luck.choice("kind", ["cannot", "server", "empty", "refused"])
        said = {
            "cannot": f"CANNOT: {asked.task} met trouble",
            "server": ApiError(503, "overloaded"),
            "empty": "",
            "refused": ApiError(400, "bad request"),
        }
        return (seconds, said[kind])

    boss = chief(failure_policy=FailurePolicy(downstream=downstream, retry=retry), limit=2)
    world = World(says)
    result = carried_out(CASCADE, world, boss)
    assert set(result.results) == set(CASCADE.by_id)
    for each in result.results.values():
        assert (each.failure is None) == each.done
        assert sum(a.worker == "w" for a in each.attempts) <= 3
        assert each.failure is None or each.failure.kind in ("worker", "timeout")
    for gap in result.gaps:
        assert gap.task_id in result.answer and gap.why in result.answer
    unanswered = {id for id, r in result.results.items() if r.failure is not None}
    told = {gap.task_id for gap in result.gaps} | {i for gap in result.gaps for i in gap.affects}
    assert unanswered <= told


def test_the_exported_trace_tells_what_was_seen_and_hangs_together() -> None:
    world = failing("t1", times=2)
    boss = chief()
    world.plan = CASCADE
    result = clock.simulate(run(boss, "Find it out.", client=world.client))
    trace = json.loads(result.trace.to_json())
    check = trace_agrees(
        parents={
            "invoke_agent": ["invoke_workflow", "dispatch"],
            "chat": ["plan", "invoke_agent", "refine", "aggregate"],
            "dispatch": ["invoke_agent"],
            "plan": ["invoke_agent"],
            "refine": ["dispatch"],
            "aggregate": ["invoke_agent"],
        },
        steps={"invoke_workflow": 1, "plan": 1, "dispatch": 5, "refine": 2, "aggregate": 1},
        tools=False,
    )
    verdict = check(world.log(ended=99.0, trace=trace))
    assert verdict.passed, verdict.message
    tops = {s.span_id: s for s in result.trace.spans}
    for step in [s for s in result.trace.spans if s.operation == "dispatch"]:
        assert tops[str(step.parent_id)].name == "chief"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"retry": "always"}, "retry can be refine, repeat, never, not 'always'"),
        ({"downstream": "panic"}, "downstream can be skip, mark, replan"),
        ({"tries": 0}, "1 or more tries, not 0"),
    ],
)
def test_a_policy_that_does_not_exist_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        FailurePolicy(**wrong)
