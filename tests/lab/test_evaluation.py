"""Three scores of a run: good plans above bad ones in six domains, outputs, and the answer."""

from functools import cache

import pytest

from course import PlanningSupervisor, run_sync
from course.evaluation.labelled import NAMES, Labelled, labelled
from course.evaluation.scores import Score, Wanted, evaluate, score_answer, score_output, score_plan
from course.scenarios.cloud_providers import REQUEST, Providers, workers
from course.supervisor_worker import Plan, PlanTask, Registry
from course.supervisor_worker.examples import EXAMPLES, worked_examples
from tests.benchmarks.evaluation import planned

SAYS = {
    "wrong worker": "no task of a worker with", "vague": "it cannot be carried out",
    "unneeded": "nothing needs t9", "not named": "no task names",
    "left out": "no task of a worker with", "copied": "repeat the request",
    "no order": "does not wait for", "chain": "wait for each other one by one",
}  # fmt: skip


@cache
def everything() -> list[Labelled]:
    return [each for name in NAMES for each in labelled(name)]


def test_each_bad_plan_of_thirty_requests_is_scored_below_the_good_one_and_says_why() -> None:
    seen = set()
    for each in everything():
        good = score_plan(each.good, each.registry, each.wanted)
        assert good.share == 1.0 and not good.reasons
        for kind, plan in each.bad():
            bad = score_plan(plan, each.registry, each.wanted)
            assert bad.share < 1.0 and any(SAYS[kind] in reason for reason in bad.reasons), kind
            seen.add(kind)
    assert seen == set(SAYS) and len(everything()) == 30


def test_what_works_with_others_results_is_no_idle_task() -> None:
    each = next(e for e in everything() if len(e.good.tasks) == 3)
    ids = tuple(task.id for task in each.good.tasks)
    last = PlanTask(id="t9", worker="writer", description="Write it up", dependencies=ids)
    plan = each.good.model_copy(update={"tasks": (*each.good.tasks, last)})
    assert score_plan(plan, each.registry, each.wanted).share == 1.0


@pytest.mark.parametrize(
    ("said", "material", "done", "reason"),
    [
        ("Oak costs 40.5 EUR.", ['{"price": 40.5}'], True, ""),
        ("Oak costs 41.5 EUR.", ['{"price": 40.5}'], True, "no material has 41.5"),
        ("Oak costs 40.5 EUR.", [], True, "it rests on nothing"),
        ("", ["40.5"], True, "there is no result"),
        ("I cannot.", ["40.5"], False, "there is no result"),
        ("In 2025 oak, of 3 woods, cost 1,200.", ["1200"], True, ""),
    ],
)
def test_an_output_is_scored_against_what_it_may_rest_on(
    said: str, material: list[str], done: bool, reason: str
) -> None:
    score = score_output(said, material, done=done)
    assert (score.share == 1.0) == (not reason)
    assert not reason or any(each.startswith(reason) for each in score.reasons)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("Oak is 40.5, ash 38 and elm 31.5; t3 is missing.", ""),
        ("Oak is 40.5 and ash 38; t3 is missing.", "the answer has none of the figures of t2"),
        ("Oak is 40.5, elm 31.5; t3 is missing.", "the answer has 1 of the 2 figures of t1"),
        ("Oak 40.5, ash 38, elm 31.5, fir 20.5; t3 is missing.", "no output has 20.5"),
        ("Oak is 40.5, ash 38 and elm 31.5.", "the answer does not say that t3 is missing"),
    ],
)
def test_an_aggregation_loses_nothing_adds_nothing_and_says_what_is_missing(
    answer: str, reason: str
) -> None:
    outputs = {"t1": "Oak costs 40.5 EUR and ash 38.0 EUR.", "t2": "Elm costs 31.5 EUR."}
    score = score_answer(answer, outputs, missing=["t3"])
    assert (reason in score.reasons) == bool(reason)
    assert (score.share == 1.0) == (not reason)


def test_a_run_of_the_course_gets_all_three_and_a_spoilt_answer_loses_only_the_last() -> None:
    with Providers(seed=3) as providers:
        registry = Registry(workers(providers))
        result = run_sync(PlanningSupervisor(name="boss", workers=registry.workers), REQUEST)
    wanted = Wanted(
        request=REQUEST, needs=(("get_market_capitalisation",), ("calculate",)),
        before=(("get_market_capitalisation", "calculate"),), names=("cloud provider",),
    )  # fmt: skip
    told = evaluate(result, registry, wanted)
    assert told.decomposition.share == told.output.share == told.aggregation.share == 1.0
    assert set(told.outputs) == set(result.results)
    spoilt = score_answer("It is 99.9.", {id: r.result for id, r in result.results.items()})
    assert spoilt.share < 0.5


def test_examples_in_the_prompt_help_a_planner_that_imitates_and_leave_the_simulated_one() -> None:
    each = next(e for e in everything() if len(e.good.tasks) == 3 and e.wanted.names)
    shares = [
        score_plan(planned(each, count), each.registry, each.wanted).share for count in (0, 1, 2)
    ]
    assert shares[0] < shares[2] == 1.0 and shares[0] <= shares[1]
    plain, shown = (
        run_sync(PlanningSupervisor(name="boss", workers=each.registry.workers,
                                    instructions=told), each.wanted.request).plan
        for told in ("", worked_examples(EXAMPLES))
    )  # fmt: skip
    assert plain == shown
    read = [Plan.from_json(line[6:]) for line in worked_examples().splitlines()
            if line.startswith("Plan: ")]  # fmt: skip
    assert read == [example.plan for example in EXAMPLES]


def test_scores_add_up() -> None:
    assert Score(1, 2, ("a",)) + Score(3, 3) == Score(4, 5, ("a",))
    assert Score(0, 0).share == 1.0
