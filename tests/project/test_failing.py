"""What is left of a request when a worker is gone, a task cannot be done or time runs out."""

import asyncio
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from course import clock
from course.limits import Limits
from course.models import ApiError
from course.scenarios.world.rubric import rubric
from course.supervisor_worker import FailurePolicy, Plan, Store
from graders.checks import breaker, gaps_named, refined
from graders.exercises.ch11.errands import Errand
from graders.exercises.ch11.model import stated
from tests.marking import first
from tests.project.boundary import Asked, by_id, refused
from tests.project.playing import Played, Plays, dead, play, rarest, slow, stage, stubborn

HARDEST = (5,)


def errands(run: Played, *, done: bool) -> list[Errand]:
    """What there was to do, as far as it has a result, or has none."""
    results = run.result.results
    return [e for e in run.job.errands if results[run.ids[e.ref]].done is done]


def states_what_there_is(run: Played) -> None:
    """The answer has each figure of what is done, and none of what only a failed task has."""
    there = {stated(fact) for each in errands(run, done=True) for fact in each.facts}
    lost = {stated(fact) for each in errands(run, done=False) for fact in each.facts} - there
    lines = set(run.result.answer.splitlines())
    assert there <= lines
    assert not lost & lines


def invents_nothing(run: Played) -> None:
    kinds = {v.kind: v for v in rubric(run.world, run.asked[0][0], run.result.answer)}
    assert kinds["grounded"].passed, kinds["grounded"].reason
    assert kinds["steered"].passed


def names_its_gaps(run: Played) -> None:
    ids = {id for id in run.result.results if any(by_id(e) == id for e in run.tries.exchanges)}
    check = gaps_named(by_id, sorted(ids))
    verdict = check(replace(run.tries, result=run.result.answer))
    assert verdict.passed, verdict.message
    for gap in run.result.gaps:
        assert gap.task_id in run.result.answer
        assert gap.why in run.result.answer


def test_a_dead_worker_leaves_the_others_results_and_a_gap_that_is_named(
    place: Any, played: Plays
) -> None:
    _, domain = place
    gone = rarest(played(domain.name, HARDEST))
    run = played(domain.name, HARDEST, "dead")
    lost = errands(run, done=False)
    assert lost
    assert len(lost) < len(run.job.errands)
    assert {run.result.plan.by_id[run.ids[e.ref]].worker for e in lost} >= {gone.name}
    states_what_there_is(run)
    invents_nothing(run)
    names_its_gaps(run)


def test_a_dead_worker_is_left_alone_after_three_failures(place: Any, played: Plays) -> None:
    """The cap counts for each task, the breaker for the worker: whatever opens first."""
    _, domain = place
    gone = rarest(played(domain.name, HARDEST))
    run = played(domain.name, HARDEST, "dead")
    asked = [e for e in run.tries.exchanges if e.request["worker"].startswith(gone.instructions)]
    counted = replace(run.tries, exchanges=tuple(asked))
    verdict = breaker(lambda e: gone.name, 3, cooldown=FailurePolicy().cooldown)(counted)
    assert verdict.passed, verdict.message
    assert max(sum(by_id(e) == id for e in asked) for id in run.ids.values()) <= 3


def waiting_for(run: Played, gone: Any) -> tuple[Plan, str, str]:
    """The plan with one more dependency: a task of another worker waits for one of this one's."""
    tasks = list(run.result.plan.tasks)
    lost = next(task.id for task in tasks if task.worker == gone.name)
    upstream = {need for task in tasks for need in task.dependencies}
    place, waiting = next(
        (n, t) for n, t in enumerate(tasks) if t.worker != gone.name and t.id not in upstream
    )
    needs = tuple(dict.fromkeys([*waiting.dependencies, lost]))
    tasks[place] = waiting.model_copy(update={"dependencies": needs})
    return run.result.plan.model_copy(update={"tasks": tuple(tasks)}), lost, waiting.id


def test_what_waits_for_a_failed_task_is_not_begun_or_told_of_it(place: Any, played: Plays) -> None:
    world, domain = place
    calm = played(domain.name, HARDEST)
    gone = rarest(calm)
    plan, lost, waiting = waiting_for(calm, gone)
    how: dict[str, Any] = {"fault": dead(gone), "plan": plan}
    skipped = play(world, domain, HARDEST, failure_policy=FailurePolicy(downstream="skip"), **how)
    assert not [e for e in skipped.tries.exchanges if by_id(e) == waiting]
    assert skipped.result.results[waiting].status == "skipped"
    assert f"It was needed for {waiting}" in skipped.result.answer
    marked = play(world, domain, HARDEST, failure_policy=FailurePolicy(downstream="mark"), **how)
    told = [str(e.request["task"]) for e in marked.tries.exchanges if by_id(e) == waiting]
    assert told
    assert all(f"[{lost}] Failed: " in each for each in told)
    for run in (skipped, marked):
        states_what_there_is(run)
        names_its_gaps(run)


def test_a_task_that_is_always_refused_is_put_in_three_ways_and_given_up(
    place: Any, played: Plays
) -> None:
    world, domain = place
    job = played(domain.name, HARDEST).job
    needed = {need for each in job.errands for need in each.needs}
    errand = next(e for e in job.errands if e.facts and e.ref not in needed and not e.naive)
    run = play(world, domain, HARDEST, fault=stubborn(errand.call))
    mine = [e for e in run.tries.exchanges if by_id(e) == run.ids[errand.ref]]
    assert [refused(e) for e in mine] == [True] * 3
    assert len({str(e.request["task"]) for e in mine}) == 3
    assert all("sealed by order of the auditor" in str(e.request["task"]) for e in mine[1:])
    check = refined(by_id, [run.ids[errand.ref]], tries=3, field="task", failed=refused)
    assert check(run.tries).passed, check(run.tries).message
    assert [e.ref for e in errands(run, done=False)] == [errand.ref]
    states_what_there_is(run)
    invents_nothing(run)
    names_its_gaps(run)


def test_a_plain_repeat_of_what_a_world_refuses_gets_nowhere(place: Any, played: Plays) -> None:
    """The same plan under the other policy: the traps hold, so refining is what overcomes them."""
    world, domain = place
    plain = play(world, domain, (1, 3, 5), failure_policy=FailurePolicy(retry="repeat"))
    trapped = {each.ref for each in plain.job.errands if each.naive}
    assert trapped
    assert {each.ref for each in errands(plain, done=False)} >= trapped
    told = refined(by_id, tries=3, field="task", failed=refused)(plain.tries)
    assert told.code == "refine.plain_repeat"
    assert not errands(play(world, domain, (1, 3, 5)), done=False)


def test_when_time_runs_out_the_answer_is_made_of_what_is_there(place: Any, played: Plays) -> None:
    world, domain = place
    whole = played(domain.name, HARDEST)
    needed = {need for each in whole.job.errands for need in each.needs}
    errand = next(e for e in whole.job.errands if e.facts and e.ref not in needed)
    seconds = whole.ended + 5.0
    late, limits = slow(errand.call, 10 * seconds), Limits(max_seconds=seconds)
    run = play(world, domain, HARDEST, fault=late, limits=limits)
    assert run.result.stop is not None
    assert run.result.stop.reason == "max_seconds"
    assert [e.ref for e in errands(run, done=False)] == [errand.ref]
    assert run.ended < seconds + 10
    states_what_there_is(run)
    names_its_gaps(run)


def test_when_no_model_makes_the_answer_there_is_a_list_of_what_was_found(
    place: Any, played: Plays
) -> None:
    world, domain = place

    def fault(asked: Asked) -> Exception | float | None:
        answering = asked.kind == "model" and "You combine the results" in asked.text
        return ApiError(400, "this model may not be asked") if answering else None

    run = play(world, domain, HARDEST, fault=fault)
    assert run.result.failures["aggregation"].kind == "aggregation"
    codes = re.findall(r"result ([A-Z0-9]+-x\w+)", " ".join(map(str, _last_replies(run))))
    assert len(codes) == len(run.job.errands)
    assert all(code in run.result.answer for code in codes)


@pytest.mark.parametrize("share", first(1, of=[0.5, 0.8]))
def test_who_goes_on_after_a_stop_repeats_nothing_that_is_finished(
    place: Any, played: Plays, share: float, tmp_path: Path
) -> None:
    """Stopped in the middle; then another supervisor goes on with the same file, the same world."""
    world, domain = place
    whole = played(domain.name, HARDEST)
    stopped, again = stage(world, domain, HARDEST), stage(world, domain, HARDEST)
    with closing(Store(tmp_path / "runs.db")) as store:
        with pytest.raises(TimeoutError):
            clock.simulate(asyncio.wait_for(stopped.run(store=store), share * whole.ended))
        store.begin("run", stopped.text)
        finished = {id for id, each in store.results("run").items() if each.done}
        result = clock.simulate(again.run(store=store))
    asked = {whole.dispatched(e) for e in again.site.exchanges}
    assert not finished & asked
    assert finished | asked >= set(whole.result.results)
    assert finished
    assert all(each.done for each in result.results.values())
    assert result.answer.splitlines()[1:] == whole.result.answer.splitlines()[1:]


def _last_replies(run: Played) -> list[Any]:
    return [e.reply for e in run.tries.exchanges if not refused(e)]
