"""The six requirements of the project, held by the reference system in every domain.

Each is shown where requests and tool calls cross, by the judge's own checks: in calm weather and
under faults of the tools and of the model.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from course.observability.plan_runs import departures
from course.scenarios.domains import DOMAINS
from course.scenarios.world.domain import Domain
from course.scenarios.world.rubric import right, rubric
from course.supervisor_worker import Plan, critical_path
from course.supervisor_worker.selecting import with_strategy
from course.trace import Trace
from graders.checks import dependencies, parallel, planned, refined, tools_disjoint, trace_agrees
from graders.records.log import Log
from graders.records.verdict import Check
from tests.marking import first
from tests.project.boundary import begins_try, by_id, refused
from tests.project.playing import SEED, WHOLE, Played, Plays, play

ROOT = Path(__file__).parents[2]
WEATHERS = ("calm", "storm")
EVERY = pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: domain.name)


@pytest.fixture(params=[(w, d.name) for d in DOMAINS for w in WEATHERS], ids=" ".join)
def run(request: pytest.FixtureRequest, played: Plays) -> Played:
    weather, name = request.param
    return played(name, weather=weather)


def holds(check: Check, log: Log) -> str:
    verdict = check(log)
    assert verdict.passed, f"{verdict.code}: {verdict.message}"
    return verdict.message


# 1. A plan, inspectable as JSON before execution


def test_the_plan_is_there_as_json_before_any_worker_is_asked(run: Played) -> None:
    names = [worker.name for worker in run.workers]
    holds(planned(names, dispatch=run.dispatched, at_least=3, followed=True), run.log)
    first = next(e for e in run.log.exchanges if run.whose(e))
    before = [e for e in run.log.exchanges if e.number < first.number]
    assert all(e.kind == "model" and not e.request.get("tools") for e in before)
    made = [e for e in before if e.outcome == "answered"][-1]
    assert made.end is not None and made.end <= first.start
    assert with_strategy(Plan.from_json(str(made.reply))) == run.result.plan


@EVERY
def test_an_edited_plan_is_carried_out_as_it_was_edited(
    domain: Domain[Any], worlds: dict[str, Any], played: Plays
) -> None:
    whole = played(domain.name, (5,))
    data = json.loads(whole.result.plan.to_json())
    needed = {need for task in data["tasks"] for need in task["dependencies"]}
    dropped = next(task for task in reversed(data["tasks"]) if task["id"] not in needed)
    data["tasks"].remove(dropped)
    first, second = data["tasks"][0], data["tasks"][-1]
    second["dependencies"] = sorted({*second["dependencies"], first["id"]} - {second["id"]})
    edited = Plan.from_json(json.dumps(data))
    run = play(worlds[domain.name], domain, (5,), plan=edited)
    assert {run.dispatched(e) for e in run.log.exchanges} - {None} == set(edited.by_id)
    holds(dependencies(by_id, run.needs), run.spans)
    assert not any('"tasks"' in json.dumps(e.request) for e in run.log.exchanges)  # nobody planned


# 2. Three or more workers, with prompts of their own and no shared tools


def test_workers_share_neither_prompts_nor_tools_in_what_is_sent(run: Played) -> None:
    known = [tool.name for worker in run.workers for tool in worker.tools]
    holds(tools_disjoint(run.whose, at_least=3, known=known), run.log)
    asked = [e for e in run.log.exchanges if run.whose(e)]
    prompts = {run.whose(e): e.request["messages"][0]["content"] for e in asked}
    assert len(set(prompts.values())) == len(prompts) >= 3
    for name in prompts:  # whoever makes a call was offered it
        offered = {t["function"]["name"] for t in run.of(str(name))[0].request["tools"]}
        assert offered == {t.name for w in run.workers if w.name == name for t in w.tools}


def test_a_worker_sees_its_task_and_what_that_rests_on_and_nothing_else(run: Played) -> None:
    described = {task.id: task.description for task in run.result.plan.tasks}
    request = " ".join(sample.text for _, sample in run.asked)
    for exchange in filter(begins_try, run.log.exchanges):
        said = str(exchange.request["messages"][1]["content"])
        mine = run.dispatched(exchange)
        others = {id for id in described if id not in {mine, *run.needs[str(mine)]}}
        assert request not in said
        assert not [id for id in others if described[id] in said or f"[{id}]" in said]


# 3. Parallel execution, and what it gains


@EVERY
def test_independent_tasks_overlap_and_all_ends_with_the_critical_path(
    domain: Domain[Any], worlds: dict[str, Any], played: Plays
) -> None:
    run = played(domain.name)
    told = holds(parallel(by_id, after=run.needs), run.spans)
    assert "critical path" in told
    path, seconds = critical_path(run.result.plan, run.seconds)
    assert run.makespan == pytest.approx(seconds, abs=1e-6), path


@EVERY
def test_the_same_plan_one_after_another_takes_the_sum_and_does_the_same(
    domain: Domain[Any], worlds: dict[str, Any], played: Plays
) -> None:
    at_once = played(domain.name)
    in_turn = play(worlds[domain.name], domain, plan=at_once.result.plan, limit=1)
    assert in_turn.seconds == pytest.approx(at_once.seconds, abs=1e-6)
    assert in_turn.makespan == pytest.approx(sum(at_once.seconds.values()), abs=1e-6)
    assert in_turn.makespan > 2 * at_once.makespan
    assert parallel(by_id, after=at_once.needs)(in_turn.spans).code == "parallel.one_at_a_time"
    assert in_turn.result.answer.splitlines()[1:] == at_once.result.answer.splitlines()[1:]


def test_no_task_begins_before_what_it_rests_on_under_faults(run: Played) -> None:
    holds(dependencies(by_id, run.needs), run.spans)
    assert run.makespan < sum(run.seconds.values())


# 4. Retry with refinement


def test_what_a_world_refuses_is_asked_again_in_words_that_carry_the_error(run: Played) -> None:
    holds(refined(by_id, tries=3, field="task", failed=refused), run.tries)
    trapped = {run.ids[errand.ref] for errand in run.job.errands if errand.naive}
    told = {by_id(one) for one in run.tries.exchanges if refused(one)}
    failures = {id: each.failure for id, each in run.result.results.items() if each.failure}
    assert len(trapped) >= 5
    assert trapped - {id for id, each in failures.items() if each.cause == "model"} <= told
    assert not [id for id, each in failures.items() if each.cause == "task"]


# 5. One answer, which states the facts


@pytest.mark.parametrize("seed", first(1, of=[SEED, 11]))
@EVERY
def test_every_request_is_answered_right(domain: Domain[Any], seed: int) -> None:
    with domain.open(seed=seed) as world:
        for level in WHOLE:
            run = play(world, domain, (level,))
            verdicts = rubric(world, run.asked[0][0], run.result.answer)
            assert right(verdicts), [v.reason for v in verdicts if not v.passed]


# 6. A trace of all of it


def test_the_exported_trace_tells_what_was_seen(run: Played) -> None:
    parents = {
        "execute_tool": ["invoke_agent"],
        "chat": ["invoke_agent", "plan", "refine", "aggregate", "reduce"],
        "dispatch": ["invoke_agent"],
        "refine": ["dispatch"],
    }
    count = len(run.result.plan.tasks)
    steps = {"plan": 1, "dispatch": count, "aggregate": 1}
    holds(trace_agrees(parents=parents, steps=steps), run.log)
    trace = Trace.from_json(json.dumps(run.log.trace))
    assert departures(trace) == []
