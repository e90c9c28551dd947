"""A plan is made before anything runs, and whatever is wrong with it is said at once."""

import json
import re
from typing import Any

import pytest

from course import clock, connect, tool
from course.budget import BudgetExceeded
from course.errors import ConfigurationError, FileFormatError, ModelError
from course.models import ApiError
from course.models.wire import ChatRequest
from course.observability.plan_runs import departures
from course.runner import run, stream
from course.supervisor_worker import (
    Plan,
    PlanError,
    PlanMade,
    PlannerError,
    PlanTask,
    Problem,
    Registry,
    make_plan,
    problems,
)
from course.supervisor_worker.planning import mentioned, vagueness
from course.supervisor_worker.selecting import with_strategy
from course.systems import carry_out
from course.trace import Trace
from graders.checks import planned
from tests.patterns.planwork import World, by_task, chief, plan_of, task, worker


@tool
def look_up(name: str) -> str:
    """Look something up."""
    return name


REGISTRY = Registry((worker("finder", tools=(look_up,)), worker("writer")))
GOOD = plan_of(
    task("t1", worker="finder"),
    task("t2", worker="finder"),
    task("t3", "t1", "t2", worker="writer", what="Compare both figures"),
)


def flaws(*tasks: PlanTask, most: int = 100) -> list[tuple[str, tuple[str, ...]]]:
    return [(each.flaw, each.tasks) for each in problems(plan_of(*tasks), REGISTRY, most=most)]


# Problems


def test_a_good_plan_has_no_problems() -> None:
    assert problems(GOOD, REGISTRY) == ()


def test_every_problem_is_listed_at_once() -> None:
    found = flaws(
        task("a", "b", worker="finder"),
        task("b", "a", worker="finder"),
        task("c", "c", worker="finder"),
        task("d", "x", worker="nobody"),
        task("e", worker="finder", what="Do it"),
        task("e", worker="writer", tools=("look_up",)),
        task("f-1", worker="writer", tools=("hammer",)),
        task("g", worker="writer", what="Compare the figure with f-1"),
    )
    assert {flaw for flaw, _ in found} == {
        "cycle",
        "self_dependency",
        "unknown_dependency",
        "unknown_worker",
        "vague",
        "duplicate_id",
        "missing_tool",
        "unknown_tool",
        "missing_dependency",
    }
    assert ("cycle", ("a", "b")) in found or ("cycle", ("b", "a")) in found
    assert ("missing_dependency", ("g", "f-1")) in found


def test_problems_name_the_way_out() -> None:
    said = [str(p) for p in problems(plan_of(task("a", "x", worker="cook")), REGISTRY)]
    assert said == [
        "a: there is no worker 'cook'; the workers are: finder, writer",
        "a: depends on 'x', which is no task; the tasks are: a",
    ]


def test_a_problem_is_one_line_whatever_an_id_holds() -> None:
    (only,) = problems(plan_of(task("x\ny", worker="cook\n")), REGISTRY)
    assert str(only) == "x y: there is no worker 'cook '; the workers are: finder, writer"


def test_a_circle_is_told_with_its_members() -> None:
    ring = (task("a", "c", worker="finder"), task("b", "a", worker="finder"),
            task("c", "b", worker="finder"), task("d", "a", worker="finder"))  # fmt: skip
    (only,) = problems(plan_of(*ring), REGISTRY)
    assert only.message.startswith("a -> c -> b -> a wait for each other")


def test_an_empty_plan_and_one_of_ten_thousand_tasks() -> None:
    assert flaws() == [("empty", ())]
    (only,) = problems(plan_of(*(task(f"t{n}") for n in range(10_000))), REGISTRY)
    assert only == Problem(
        "too_many_tasks", "the plan has 10000 tasks, at most 100 are allowed: put some together"
    )


@pytest.mark.parametrize(
    ("words", "depends", "vague"),
    [
        ("Find the revenue of Acme in 2025", False, False),
        ("Do it", False, True),
        ("Handle everything that is needed", False, True),
        ("Please take care of the necessary things", False, True),
        ("Please process the relevant things", False, True),
        ("Research", False, True),
        ("Do research", False, True),
        ("Research batteries", False, False),
        ("Compare both", True, False),
        ("Compare both", False, True),
        ("Work with them", True, True),
        ("Look at things", False, True),
        ("", False, True),
        ("Find prices, stock, etc.", False, True),
        ("List the products TBD", False, True),
        ("Umsatz von Müller prüfen", False, False),
        ("查找公司收入", False, False),
    ],
)
def test_the_rule_for_vague_descriptions(words: str, depends: bool, vague: bool) -> None:
    each = PlanTask(
        id="a", description=words, worker="finder", dependencies=("b",) if depends else ()
    )
    assert (vagueness(each) is not None) == vague


def test_only_ids_that_are_no_words_count_as_mentioned() -> None:
    plan = plan_of(task("price"), task("t1"), task("x", what="Compare the price with t1 of t10"))
    assert mentioned(plan.by_id["x"], plan.by_id) == ["t1"]


# Making


def made(world: World, registry: Registry = REGISTRY, **more: Any) -> Plan:
    async def main() -> Plan:
        return await make_plan("Compare a and b.", registry, client=world.client, **more)

    return clock.simulate(main())


def answers(*texts: str) -> World:
    return World(lambda asked: texts[min(asked.before, len(texts) - 1)])


def shape(**asked: Any) -> str:
    return json.dumps({"goal": "g", "tasks": [], "final_instruction": "", **asked})


def planning(world: World) -> list[ChatRequest]:
    return [asked.request for asked in world.asked]


def test_the_planner_sees_the_workers_and_answers_in_their_shape() -> None:
    world = answers(GOOD.model_dump_json())
    assert made(world) == GOOD
    (request,) = planning(world)
    assert "- finder: does finder (tools: look_up)" in request.messages[0]["content"]
    assert request.messages[1] == {"role": "user", "content": "Compare a and b."}
    assert request.schema is not None
    items = request.schema["properties"]["tasks"]["items"]
    assert items["properties"]["worker"]["enum"] == ["finder", "writer"]


def test_an_invalid_plan_goes_back_with_all_that_is_wrong() -> None:
    bad = plan_of(task("t1", worker="cook"), task("t2", "t9", worker="finder", what="Do it"))
    world = answers(bad.model_dump_json(), GOOD.model_dump_json())
    assert made(world) == GOOD
    last = planning(world)[1].messages
    assert last[-2]["content"] == bad.model_dump_json()
    for piece in ("no worker 'cook'", "depends on 't9'", "t2 is vague"):
        assert piece in last[-1]["content"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Let me think about it.", "no valid plan: not JSON at line 1, column 1"),
        ('{"goal": "g", "tasks": [{"id": "a"}]}', "tasks.0.description: Field required"),
        (shape(tasks=[{"id": "a", "description": "Do it", "worker": "finder"}]), "a is vague"),
    ],
)
def test_after_the_cap_the_error_says_what_is_wrong(text: str, said: str) -> None:
    world = answers(text)
    with pytest.raises(PlanError, match=said) as failed:
        made(world, asked=3)
    assert len(world.asked) == 3
    assert failed.value.kind == "decomposition"
    assert failed.value.problems


def test_a_request_no_worker_can_serve_is_said_and_not_pressed() -> None:
    world = answers(shape(final_instruction="nobody books flights"))
    with pytest.raises(PlanError) as failed:
        made(world)
    assert str(failed.value) == (
        "no worker can serve the request: nobody books flights; there are: finder, writer"
    )
    assert len(world.asked) == 1


def test_many_problems_are_told_in_few_lines() -> None:
    bad = plan_of(*(task(f"t{n}", worker="cook") for n in range(50)))
    world = answers(bad.model_dump_json())
    with pytest.raises(PlanError, match="and 47 more"):
        made(world, asked=2)
    told = planning(world)[1].messages[-1]["content"]
    assert len(told.splitlines()) == 14
    assert "and 38 more" in told


@pytest.mark.parametrize("request_text", ["", "   "])
def test_an_empty_request_is_refused(request_text: str) -> None:
    async def main() -> None:
        with pytest.raises(ValueError, match="the request is empty"):
            await make_plan(request_text, REGISTRY, client=World().client)

    clock.simulate(main())


@pytest.mark.parametrize(
    "request_text",
    [
        "Find the revenue of Acme in 2025, find the revenue of Globex in 2025, then compare both.",
        "Search for battery suppliers, then compare their prices and write a short report.",
        "Find the price of copper and find the price of tin.",
    ],
)
def test_the_simulated_model_plans_for_workers_it_has_never_seen(request_text: str) -> None:
    registry = Registry(
        (
            worker("researcher", tools=(look_up,)),
            worker("analyst"),
            worker("writer"),
        )
    )

    async def main() -> Plan:
        return await make_plan(request_text, registry, client=connect(profile="instant"))

    plan = clock.simulate(main())
    assert problems(plan, registry) == ()
    assert len(plan.tasks) >= 2


# Before anything runs


def test_the_judge_sees_the_plan_before_the_first_task() -> None:
    world = World(plan=GOOD)
    boss = chief(workers=REGISTRY.workers)
    clock.simulate(run(boss, "Compare.", client=world.client))
    check = planned(["finder", "writer"], dispatch=by_task, at_least=3, followed=True)
    verdict = check(world.log())
    assert verdict.passed, verdict.message


def test_the_first_event_is_the_plan_and_stopping_there_runs_nothing() -> None:
    world = World(plan=GOOD)

    async def main() -> None:
        events = stream(chief(workers=REGISTRY.workers), "Compare.", client=world.client)
        first = await anext(events)
        assert isinstance(first, PlanMade)
        assert first.plan == with_strategy(GOOD)
        await events.aclose()  # type: ignore[attr-defined]

    clock.simulate(main())
    assert [asked.plans for asked in world.asked] == [True]


def test_an_edited_plan_is_checked_and_carried_out_instead() -> None:
    world = World()
    boss = chief(workers=REGISTRY.workers)
    edited = plan_of(task("only", worker="writer"))
    result = clock.simulate(run(boss, "Compare.", client=world.client, plan=edited))
    assert list(result.results) == ["only"]
    assert not any(asked.plans for asked in world.asked)
    wrong = plan_of(task("only", worker="cook"))
    with pytest.raises(PlanError, match="no worker 'cook'"):
        clock.simulate(run(boss, "Compare.", client=world.client, plan=wrong))


def test_a_given_plan_is_in_the_trace_like_one_that_was_made_and_says_so() -> None:
    boss, trace = chief(workers=REGISTRY.workers), Trace("wrong")
    made = clock.simulate(run(boss, "Compare.", client=World(plan=GOOD).client)).trace
    given = clock.simulate(run(boss, "Compare.", client=World().client, plan=GOOD)).trace
    steps = [next(s for s in each.spans if s.operation == "plan") for each in (made, given)]
    assert [s.attributes.get("switchboard.plan.given", False) for s in steps] == [False, True]
    assert len({s.attributes["switchboard.plan"] for s in steps}) == 1
    assert departures(made) == departures(given) == []
    wrong = plan_of(task("only", worker="cook"))
    with pytest.raises(PlanError):
        clock.simulate(run(boss, "Compare.", client=World().client, plan=wrong, trace=trace))
    (step,) = [each for each in trace.spans if each.operation == "plan"]
    assert step.attributes["error.type"] == "decomposition"
    assert "switchboard.plan" not in step.attributes


def test_a_planner_that_cannot_be_reached_is_a_failed_decomposition_with_its_reason() -> None:
    world = World(lambda asked: ApiError(400, "this model is gone"))
    with pytest.raises(PlannerError, match=r"no plan could be made: .*gone") as failed:
        clock.simulate(carry_out(chief(), "Go.", client=world.client))
    assert failed.value.kind == "decomposition"
    assert type(failed.value.__cause__) is ModelError
    assert len(world.asked) == 1
    with pytest.raises(BudgetExceeded, match="max_calls is 1"):
        clock.simulate(carry_out(chief(max_calls=1), "Go.", client=world.client))


def test_a_person_hears_why_there_is_no_plan_and_that_nothing_was_done() -> None:
    gone = World(lambda asked: ApiError(400, "this model is gone"))
    nobody = answers('{"goal": "g", "tasks": [], "final_instruction": "Nobody cooks here."}')
    for world, boss, told in (
        (gone, chief(), "no plan could be made: .*gone"),
        (World(), chief(max_calls=1), "max_calls is 1"),
        (answers("no plan at all"), chief(), "no valid plan"),
        (nobody, chief(), "no worker can serve the request: Nobody cooks here"),
    ):
        result = clock.simulate(run(boss, "Go.", client=world.client))
        assert re.search(f"Nothing was done: .*{told}", result.answer)
        assert (result.results, list(result.failures)) == ({}, ["decomposition"])


def test_the_supervisors_instructions_are_for_the_planning() -> None:
    world = World(plan=GOOD)
    boss = chief(workers=REGISTRY.workers, instructions="Never plan more than three tasks.")
    clock.simulate(run(boss, "Compare.", client=world.client))
    seen = [str(a.request.messages[0]["content"]) for a in world.asked]
    assert ["Never plan more than three" in each for each in seen] == [True] + [False] * 4


def test_a_supervisor_that_plans_has_no_tools_of_its_own() -> None:
    with pytest.raises(ConfigurationError, match="'chief': who plans has no tools"):
        chief(tools=(look_up,))


def test_half_a_character_is_told_where_it_comes_in_and_not_where_it_breaks_a_file() -> None:
    text = GOOD.to_json().replace("Compare both", "Compare \\ud800 both")
    with pytest.raises(FileFormatError, match=r"tasks\.2\.description: .*half a character"):
        Plan.from_json(text)
    world = answers(text, GOOD.to_json())
    assert made(world) == GOOD
    with pytest.raises(ValueError, match="half a character"):
        clock.simulate(run(chief(), "Go \ud800.", client=world.client))


@pytest.mark.parametrize("plan", [None, GOOD])
def test_a_run_without_a_request_is_refused(plan: Plan | None) -> None:
    with pytest.raises(ValueError, match="the request is empty"):
        clock.simulate(run(chief(workers=REGISTRY.workers), " ", client=World().client, plan=plan))


def test_a_failed_plan_is_a_failed_step_of_the_trace_with_what_was_rejected() -> None:
    world = answers("no plan at all")
    trace = Trace("t")
    clock.simulate(run(chief(), "Go.", client=world.client, trace=trace))
    (step,) = [span for span in trace.spans if span.operation == "plan"]
    assert step.status == "error"
    assert step.attributes["error.type"] == "decomposition"
    assert [event.name for event in step.events] == ["rejected"] * 3
