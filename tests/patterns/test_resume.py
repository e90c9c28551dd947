"""A killed run goes on where it was: nothing finished is done again, the answer is the same."""

import asyncio
import os
import sqlite3
import subprocess
import sys
from collections.abc import Hashable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course import clock
from course.errors import ConfigurationError, FileFormatError
from course.models import ApiError
from course.observability.plan_runs import departures
from course.results import Attempt, Evidence, Failure, TaskResult
from course.runner import run
from course.supervisor_worker import FailurePolicy, PlanMade, PlanResult, Store
from tests.patterns.killing import Killed, Mortal, answered, opened, told
from tests.patterns.planwork import Asked, World, chief, plan_of, task

PLAN = plan_of(task("t1"), task("t2"), task("t3", "t1"), task("t4", "t2"), task("t5", "t3", "t4"))


def says(asked: Asked) -> Any:
    """t2 works at its third try, t3 never does; everything takes a while."""
    seconds = 1.0 + (ord(asked.task[-1]) % 3 if asked.task else 0)
    if asked.answers:
        return (seconds, asked.words)
    if not asked.refines and (asked.task == "t3" or (asked.task == "t2" and asked.attempt < 3)):
        return (seconds, f"CANNOT: {asked.task} met trouble {asked.attempt}")
    return (seconds, None)


def mortal(policy: FailurePolicy | None = None) -> Mortal:
    return Mortal(chief(limit=2, failure_policy=policy or FailurePolicy()), says, PLAN)


def tries(asked: Asked) -> Hashable:
    """A try at a task; the requests of planning, rewriting and answering are none."""
    return (asked.task, asked.attempt) if asked.task and not asked.refines else None


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> PlanResult:
    """What comes of a run that is let be."""
    return mortal().whole(tmp_path_factory.mktemp("runs") / "whole.db")


@given(st.lists(st.integers(1, 20), min_size=1, max_size=4))
@settings(max_examples=25)
def test_killed_at_any_requests_a_run_repeats_no_try_and_answers_the_same(
    tmp_path_factory: pytest.TempPathFactory, whole: PlanResult, deaths: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    worlds = []
    for die_at in deaths:
        ended, world = mortal().live(folder / "killed.db", die_at=die_at)
        worlds.append(world)
        if ended:
            break
    result, world = mortal().live(folder / "killed.db")
    assert result is not None
    assert told(result) == told(whole)
    assert max(answered(*worlds, world, by=tries).values()) == 1


def test_the_hypothesis_above_can_fail() -> None:
    """Without a store, the same run does repeat what was done."""
    worlds = [World(says, plan=PLAN) for _ in range(2)]
    for world in worlds:
        clock.simulate(run(chief(limit=2), "Find it out.", client=world.client))
    assert max(answered(*worlds, by=tries).values()) == 2


def test_a_run_that_is_over_asks_nobody_and_answers_the_same(tmp_path: Path) -> None:
    first = mortal().whole(tmp_path / "runs.db")
    again, world = mortal().live(tmp_path / "runs.db")
    assert again is not None
    assert told(again) == told(first)
    assert world.asked == []
    made = again.events[0]
    assert isinstance(made, PlanMade)
    assert made.resumed == ("t1", "t2", "t3", "t4", "t5")


def test_an_answer_that_no_model_could_write_is_not_kept_for_ever(tmp_path: Path) -> None:
    gone = World(lambda asked: ApiError(400, "gone") if asked.answers else None, plan=PLAN)
    worlds = [gone, World(plan=PLAN)]
    with opened(tmp_path / "runs.db") as store:
        told = [clock.simulate(run(chief(), "Go.", client=w.client, store=store)) for w in worlds]
    assert told[0].answer.startswith("No answer could be written")
    assert told[1].answer == "the answer"
    assert [asked.answers for asked in worlds[1].asked] == [True]


def test_the_cap_of_three_tries_holds_across_a_kill(tmp_path: Path) -> None:
    worlds = [mortal().live(tmp_path / "runs.db", die_at=n)[1] for n in (6, 4, 4)]
    result, last = mortal().live(tmp_path / "runs.db")
    assert result is not None
    tries = {asked.attempt for world in (*worlds, last) for asked in world.of("t3")}
    assert tries == {1, 2, 3}
    assert [len(r.attempts) for r in result.results.values()] == [1, 3, 3, 1, 1]


def test_a_second_plan_is_kept_too(tmp_path: Path) -> None:
    replanned = mortal(FailurePolicy(downstream="replan"))
    whole, usual = replanned.live(tmp_path / "whole.db")
    assert whole is not None
    assert any(id.startswith("r1-") for id in whole.results)
    for die_at in range(1, len(usual.asked) + 1):
        path = tmp_path / f"killed_{die_at}.db"
        _, before = replanned.live(path, die_at=die_at)
        result, world = replanned.live(path)
        assert result is not None
        assert told(result) == told(whole)
        assert max(answered(before, world, by=tries).values()) == 1
        assert departures(result.trace) == []


def test_killed_between_a_try_that_worked_and_its_result_the_task_is_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: PlanResult
) -> None:
    def dying(store: Store, run: str, result: TaskResult) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Store, "save_result", dying)
        mortal().live(tmp_path / "killed.db")
    assert told(mortal().whole(tmp_path / "killed.db")) == told(whole)


def test_a_process_that_is_really_killed_leaves_a_store_that_goes_on(
    tmp_path: Path, whole: PlanResult
) -> None:
    program = (
        "import os, pathlib\n"
        "from dataclasses import replace\n"
        "from tests.patterns import test_resume as t\n"
        "says = lambda asked, n=iter(range(99)): os._exit(9) if next(n) == 8 else t.says(asked)\n"
        f"replace(t.mortal(), says=says).live(pathlib.Path({str(tmp_path / 'killed.db')!r}))\n"
    )
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, env=environment, check=False, timeout=120
    )
    assert done.returncode == 9
    result, world = mortal().live(tmp_path / "killed.db")
    assert result is not None
    assert told(result) == told(whole)
    _, usual = mortal().live(tmp_path / "usual.db")
    assert 0 < len(world.asked) < len(usual.asked)


def test_a_run_in_a_notebook_has_another_thread_than_its_store(tmp_path: Path) -> None:
    async def cell() -> PlanResult:
        """What a notebook's cell does: `clock.simulate` inside the loop of the kernel."""
        with opened(tmp_path / "runs.db") as store:
            world = World(says, plan=PLAN)
            return clock.simulate(run(chief(), "Find it out.", client=world.client, store=store))

    assert asyncio.run(cell()).results["t2"].done


def test_two_runs_in_one_file_do_not_mix(tmp_path: Path) -> None:
    with opened(tmp_path / "runs.db") as store:
        for run_id, boss in (
            ("one", chief()),
            ("two", chief(failure_policy=FailurePolicy(retry="never"))),
        ):
            world = World(says, plan=PLAN)
            clock.simulate(run(boss, "Find.", client=world.client, store=store, run_id=run_id))
        assert len(store.attempts("one")["t3"]) == 3
        assert len(store.attempts("two")["t3"]) == 1


def test_another_request_under_the_same_name_is_refused(tmp_path: Path) -> None:
    mortal().live(tmp_path / "runs.db")
    refused = pytest.raises(ConfigurationError, match="was asked something else")
    with opened(tmp_path / "runs.db") as store, refused:
        clock.simulate(run(chief(), "Something new.", client=World().client, store=store))


def test_a_file_that_is_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("These are notes, and no database at all. " * 100)
    with pytest.raises(FileFormatError, match=r"notes\.txt: cannot hold the state of runs"):
        Store(path)
    assert path.read_text().startswith("These are notes")


def test_what_cannot_be_opened_or_read_is_said_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"runs\.db: unable to open .* is its folder there"):
        Store(tmp_path / "gone" / "runs.db")
    store = Store(tmp_path / "runs.db")
    store.begin("one", "Go.")
    assert store.plan("two") is None and store.answer("two") is None
    with closing(sqlite3.connect(store.path, isolation_level=None)) as database:
        database.execute("INSERT INTO result VALUES ('one', 'a', '{}')")
    with pytest.raises(FileFormatError, match="of task 'a' of run 'one' cannot be read"):
        store.results("one")
    store.close()
    with pytest.raises(ConfigurationError, match=r"runs\.db is closed: open it again"):
        store.results("one")


def test_results_come_back_as_they_were(tmp_path: Path) -> None:
    failure = Failure("worker", "no “year” \x00 named", "unavailable")
    tries = (Attempt("w", "Find it", failure, 1.5), Attempt("w", "Find it in 2025"))
    kept = TaskResult(
        task_id="t1",
        worker="w",
        result="12 EUR\n🙂",
        evidence=(Evidence("search", "{}", "page", "error"),),
        failure=failure,
        attempts=tries,
        rests_on=("t0",),
        without=("t9",),
        seconds=3.25,
    )
    with opened(tmp_path / "runs.db") as store:
        store.begin("r", "Go.")
        store.save_result("r", kept)
        store.save_attempt("r", "t1", tries[0])
        store.save_attempt("r", "t1", tries[1])
        store.save_plan("r", PLAN)
    with opened(tmp_path / "runs.db") as store:
        assert store.results("r") == {"t1": kept}
        assert store.attempts("r") == {"t1": tries}
        assert store.plan("r") == PLAN
        assert store.answer("r") is None


def test_the_file_is_a_plain_database_that_anybody_can_read(tmp_path: Path) -> None:
    mortal().live(tmp_path / "runs.db")
    rows = sqlite3.connect(tmp_path / "runs.db").execute(
        "SELECT task, json_extract(data, '$.status') FROM result ORDER BY task"
    )
    assert rows.fetchall() == [
        ("t1", "done"), ("t2", "done"), ("t3", "failed"), ("t4", "done"), ("t5", "done"),
    ]  # fmt: skip


def test_what_was_cancelled_goes_on_as_well(tmp_path: Path, whole: PlanResult) -> None:
    world = World(says, plan=PLAN)

    async def main(store: Store) -> None:
        running = asyncio.create_task(
            run(chief(limit=2), "Find it out.", client=world.client, store=store)
        )
        await asyncio.sleep(6)
        running.cancel()
        await asyncio.wait([running])

    with opened(tmp_path / "runs.db") as store:
        clock.simulate(main(store))
    result, after = mortal().live(tmp_path / "runs.db")
    assert result is not None
    assert told(result) == told(whole)
    assert max(answered(world, after, by=tries).values()) == 1
