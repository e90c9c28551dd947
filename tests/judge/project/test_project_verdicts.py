"""What is said of a run: a right one, in which one thing after the other is changed."""

import ast
import copy
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from graders.exercises.ch11 import (
    answer_gaps,
    exported_trace,
    failure_handling,
    grounding,
    hang_limits,
    parallelism,
    plan_adherence,
    plan_first,
    plan_repair,
    retry_caps,
    shared,
    stages,
    synthesis,
    told_results,
    worker_isolation,
    worker_set,
)
from graders.exercises.ch11.log_reader import seen_of
from graders.exercises.ch11.observed_run import Seen, Try
from graders.exercises.ch11.plan_shapes import Faults
from graders.exercises.ch11.verdicts import Troubles, looked
from graders.exercises.ch11.worlds import ProjectWorld, world
from graders.judge.inside import play_inside
from graders.judge.world import tokens_from
from graders.records.log import Log
from tests.grading.answers import styles
from tests.grading.judging import names_of

MODULES = (
    shared, plan_first, plan_repair, plan_adherence, worker_set, worker_isolation, parallelism,
    failure_handling, retry_caps, hang_limits, told_results,
    synthesis, answer_gaps, grounding, exported_trace,
)  # fmt: skip
CODES = {code: said for module in MODULES for code, said in module.CODES.items()}
FAULTS = Faults(broken=("a",), trapped=("e",))
"""Then a has three tries and fails, c and d are skipped, and e works the second time."""
Change = Callable[[dict[str, Any], ProjectWorld], object]


@cache
def run() -> tuple[ProjectWorld, Log]:
    """A right project in a world where one task fails for good and another at first."""
    names = names_of([{"name": "1", "source": styles()["groups"]}])
    made = world(Random(3), str(names["DOMAIN"]), given=True, faults=FAULTS)
    return made, play_inside(stages.EXECUTE, made, tokens_from(b"doctored"), names)


def changed(change: Change) -> tuple[ProjectWorld, Log]:
    """The same run, with another plan, or something else returned."""
    made, log = run()
    result = copy.deepcopy(log.result)
    result |= {"plan": copy.deepcopy(made.plan)}
    result["outcome"]["trace"] = json.dumps(log.trace)
    change(result, made)
    return replace(made, plan=result["plan"]), replace(
        log, result=result, trace=_trace(result["outcome"].get("trace"))
    )


def _trace(text: Any) -> Any:
    return json.loads(text) if isinstance(text, str) else text


def id_at(result: dict[str, Any], made: ProjectWorld, place: str) -> str:
    [task] = [t for t in result["plan"]["tasks"] if made.at(place).ref in t["description"]]
    return str(task["id"])


def task(place: str, **said: Any) -> Change:
    """Something else is told of the task in this place."""

    def change(result: dict[str, Any], made: ProjectWorld) -> None:
        result["outcome"]["tasks"][id_at(result, made, place)].update(said)

    return change


def outcome(**said: Any) -> Change:
    return lambda result, made: result["outcome"].update(said)


def listed(**said: Any) -> Change:
    """Something else about the last worker."""
    return lambda result, made: result["workers"][-1].update(said)


def plan(change: Callable[[list[dict[str, Any]]], object]) -> Change:
    return lambda result, made: change(result["plan"]["tasks"])


def spans(change: Callable[[list[dict[str, Any]]], object]) -> Change:
    """Something else in the trace."""

    def whole(result: dict[str, Any], made: ProjectWorld) -> None:
        trace = json.loads(result["outcome"]["trace"])
        change(trace["spans"])
        result["outcome"]["trace"] = json.dumps(trace)

    return whole


def each_of(operation: str, **said: Any) -> Change:
    """Something else in every span of an operation."""
    return spans(lambda s: [one.update(said) for one in s if one["operation"] == operation])


def without(operation: str) -> Change:
    """No span of an operation; what was below it is below what was above it."""

    def drop(found: list[dict[str, Any]]) -> None:
        gone = {s["span_id"]: s.get("parent_id") for s in found if s["operation"] == operation}
        found[:] = [s for s in found if s["span_id"] not in gone]
        for span in found:
            while span.get("parent_id") in gone:
                span["parent_id"] = gone[span["parent_id"]]

    return spans(drop)


def no_attempts(result: dict[str, Any], made: ProjectWorld) -> None:
    def drop(found: list[dict[str, Any]]) -> None:
        for span in found:
            span["events"] = []
            span.get("attributes", {}).pop("switchboard.task.attempts", None)

    spans(drop)(result, made)


def tasks_ids(tasks: list[dict[str, Any]]) -> list[str]:
    return [str(one["id"]) for one in tasks]


def fields(**said: Any) -> Change:
    return plan(lambda tasks: tasks[0].update(said))


def every(made: ProjectWorld) -> list[Troubles]:
    """All that can be asked of such a run."""
    return [
        plan_first.valid(made), plan_adherence.kept_to(made), plan_adherence.by_whom,
        plan_adherence.after_needs(made),
        worker_set.enough, worker_set.disjoint(made), worker_set.complete(made),
        worker_set.distinct,
        worker_isolation.as_planned(made), worker_isolation.apart(made), parallelism.reports(made),
        failure_handling.refined(made),
        retry_caps.breaks_off(made), retry_caps.never_more, failure_handling.others_finish(made),
        told_results.told_truly, synthesis.there_is_one, synthesis.written, synthesis.in_time,
        answer_gaps.names_gaps, exported_trace.published, exported_trace.agrees,
        exported_trace.dispatched, exported_trace.aggregated, exported_trace.tries_told,
    ]  # fmt: skip


CASES: dict[str, Change] = {
    "status_false": task("a", status="skipped"),
    "result_invented": task("a", status="done", result="It is 42."),
    "result_lost": task("e", result="It was done."),
    "error_lost": task("a", error="it failed"),
    "attempts_false": task("a", attempts=1),
    "task_unplanned": lambda result, made: result["outcome"]["tasks"].update(z9={}),
    "tasks_untold": outcome(tasks=None),
    "no_answer": outcome(answer=""),
    "answer_other": outcome(answer="All is well."),
    "seconds_missing": outcome(seconds="5"),
    "seconds_false": outcome(seconds=0.01),
    "sequential_seconds_missing": outcome(sequential_seconds=None),
    "sequential_seconds_false": outcome(sequential_seconds=900.0),
    "no_plan": lambda result, made: result.update(plan="first this, then that"),
    "plan_form": fields(priority=1),
    "plan_invalid": fields(dependencies=["nowhere"]),
    "plan_ignored": lambda result, made: result["plan"]["tasks"].remove(
        next(t for t in result["plan"]["tasks"] if made.at("b").ref in t["description"])
    ),
    "no_tasks": plan(lambda tasks: tasks.clear()),
    "too_early": plan(lambda tasks: [one.update(dependencies=tasks_ids(tasks)) for one in tasks]),
    "other_worker": plan(lambda tasks: [one.update(worker="nobody") for one in tasks]),
    "workers_few": lambda result, made: result.update(workers=result["workers"][:2]),
    "workers_names": lambda result, made: result["workers"][0].update(name=""),
    "tools_shared": listed(tools=["search_documents", "read_document", "get_figure", "check"]),
    "tools_left": lambda result, made: result["workers"][0].update(tools=[]),
    "prompt_empty": listed(instructions="Work."),
    "prompts_same": lambda result, made: [
        one.update(instructions="You do what you are told and cite sources.")
        for one in result["workers"]
    ],
    "no_trace": outcome(trace=None),
    "trace_form": each_of("dispatch", status="fine"),
    "dispatch_missing": without("dispatch"),
    "dispatch_faked": each_of("dispatch", name="t", attributes={}),
    "dispatch_times": each_of("dispatch", start=0.0, end=0.1),
    "aggregate_missing": without("aggregate"),
    "tries_untold": no_attempts,
    "failure_hidden": each_of("dispatch", status="ok"),
    "failure_claimed": each_of("dispatch", status="error"),
}
"""The code that each change must bring, whatever else it breaks."""


def said(made: ProjectWorld, log: Log) -> list[str]:
    """The codes of everything that is wrong with a run."""
    seen: Seen = seen_of(made, log)
    return [each.code.removeprefix("project.") for look in every(made) for each in look(seen)]


def test_there_is_nothing_wrong_with_the_run_as_it_was() -> None:
    # what failed takes its dependants with it, which is no fault
    assert set(said(*changed(lambda result, made: None))) == {"task_not_done"}


@pytest.mark.parametrize("code", CASES)
def test_each_change_is_noticed_for_its_own_reason(code: str) -> None:
    assert code in said(*changed(CASES[code]))


def test_a_tool_that_no_request_needs_may_belong_to_nobody() -> None:
    made, log = run()
    setting = made.script.setting
    extra = replace(setting.tools["calculate"], name="list_all")
    richer = replace(setting, tools={**setting.tools, "list_all": extra})
    look = worker_set.complete(replace(made, script=replace(made.script, setting=richer)))
    workers = [{"name": "one", "tools": list(setting.tools)}]
    assert [*look(seen_of(made, replace(log, result={**log.result, "workers": workers})))] == []


def test_a_log_is_read_the_same_way_again_and_again() -> None:
    made, log = run()
    first, again = seen_of(made, log), seen_of(made, log)
    tries = {place: len(first.tasks[made.at(place).ref].tries) for place in "abe"}
    assert tries == {"a": 3, "b": 1, "e": 2}
    assert {ref: len(done.tries) for ref, done in again.tasks.items()} == {
        ref: len(done.tries) for ref, done in first.tasks.items()
    }
    assert not first.strays


@pytest.mark.parametrize(("first", "noticed"), [(True, False), (False, True)])
def test_only_what_follows_a_failed_try_can_have_lost_a_reference(
    first: bool, noticed: bool
) -> None:
    made, log = run()
    asked = [each for each in log.exchanges if each.kind == "model" and each.request.get("tools")]
    nameless = {"messages": [{"role": "user", "content": "Do what you are here for."}]}
    own = replace(asked[0 if first else -1], request={**asked[0].request, **nameless})
    place = log.exchanges.index(asked[0]) if first else len(log.exchanges)
    exchanges = (*log.exchanges[:place], own, *log.exchanges[place:])
    beside = replace(log, exchanges=exchanges)
    assert seen_of(made, beside).idle == [own]
    assert ("work_unnamed" in said(made, beside)) is noticed
    assert not list(exported_trace.tries_told(seen_of(made, beside)))  # the tries are told


def test_a_try_that_was_broken_off_before_its_call_says_so() -> None:
    made, log = run()
    one = seen_of(made, log).tasks[made.at("e").ref].tries[0]
    broken_off = Try(one.requests[:1])
    [tool] = [each.name for each in one.calls]
    assert broken_off.error == f"it was broken off once the model had asked for {tool}"


def test_a_check_says_something_of_whatever_it_is_handed() -> None:
    made, log = run()
    for strange in (None, 7, [], {"plan": 3, "outcome": [], "workers": {}}, {"plan": {"tasks": 1}}):
        odd = replace(log, result=strange, trace=None)
        verdicts = [looked(made, look)(odd) for look in every(made)]
        assert not all(each.passed for each in verdicts)
        assert {each.code for each in verdicts} - {"ok"} <= {*CODES, "check.unreadable"} | {
            each.code for each in verdicts if each.code.startswith("trace.")
        }


def test_every_code_that_is_said_is_explained_and_no_other() -> None:
    used = set()
    for module in MODULES:
        tree = ast.parse(Path(str(module.__file__)).read_text())
        texts = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)]
        names = {str(each) for each in texts if isinstance(each, str)}
        used |= {code for code in CODES if code.removeprefix("project.") in names | {"domain"}}
    used |= {f"project.{name}_{end}" for name in ("seconds", "sequential_seconds")
             for end in ("missing", "false")}  # fmt: skip
    assert used == set(CODES)
