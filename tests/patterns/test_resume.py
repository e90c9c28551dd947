"""A killed run goes on where it was: nothing finished is done again, the answer is the same."""

import asyncio
import os
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
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
from tests.patterns.planwork import Asked, World, chief, plan_of, task

PLAN = plan_of(task("t1"), task("t2"), task("t3", "t1"), task("t4", "t2"), task("t5", "t3", "t4"))


class Killed(BaseException):
    """The process ended here."""


@contextmanager
def opened(path: Path) -> Iterator[Store]:
    store = Store(path)
    try:
        yield store
    finally:
        store.close()


def says(asked: Asked) -> Any:
    """t2 works at its third try, t3 never does; everything takes a while."""
    seconds = 1.0 + (ord(asked.task[-1]) % 3 if asked.task else 0)
    if asked.answers:
        return (seconds, asked.words)
    if not asked.refines and (asked.task == "t3" or (asked.task == "t2" and asked.attempt < 3)):
        return (seconds, f"CANNOT: {asked.task} met trouble {asked.attempt}")
    return (seconds, None)


def carried_out(
    path: Path, *, die_at: int | None = None, policy: FailurePolicy | None = None
) -> tuple[PlanResult | None, World]:
    """One run, killed when the n-th request comes."""
    requests = 0

    def dying(asked: Asked) -> Any:
        nonlocal requests
        requests += 1
        if requests == die_at:
            raise Killed
        return says(asked)

    world = World(dying, plan=PLAN)
    boss = chief(limit=2, failure_policy=policy or FailurePolicy())

    async def main() -> PlanResult:
        with opened(path) as store:
            return await run(boss, "Find it out.", client=world.client, store=store)

    try:
        return clock.simulate(main()), world
    except Killed:
        return None, world


def counted(*worlds: World) -> Counter[tuple[str, int]]:
    """How often each try at each task was answered."""
    return Counter(
        (str(e.request["id"]), asked.attempt)
        for world in worlds
        for e, asked in zip(world.exchanges, world.asked, strict=True)
        if asked.task and not asked.refines and e.outcome == "answered"
    )


def told(result: PlanResult) -> Any:
    """What must not depend on where a run was killed; seconds and tokens may."""
    return (
        result.answer,
        {id: (r.status, r.result, r.failure) for id, r in result.results.items()},
        {id: [(a.words, a.failure) for a in r.attempts] for id, r in result.results.items()},
        [str(gap) for gap in result.gaps],
    )


@given(st.lists(st.integers(1, 20), min_size=1, max_size=4))
@settings(max_examples=25)
def test_killed_at_any_requests_a_run_repeats_no_try_and_answers_the_same(
    tmp_path_factory: pytest.TempPathFactory, deaths: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    whole, _ = carried_out(folder / "whole.db")
    worlds = []
    for die_at in deaths:
        ended, world = carried_out(folder / "killed.db", die_at=die_at)
        worlds.append(world)
        if ended:
            break
    result, world = carried_out(folder / "killed.db")
    assert whole is not None and result is not None
    assert told(result) == told(whole)
    assert max(counted(*worlds, world).values()) == 1


def test_the_hypothesis_above_can_fail() -> None:
    """Without a store, the same run does repeat what was done."""
    worlds = [World(says, plan=PLAN) for _ in range(2)]
    for world in worlds:
        clock.simulate(run(chief(limit=2), "Find it out.", client=world.client))
    assert max(counted(*worlds).values()) == 2


def test_a_run_that_is_over_asks_nobody_and_answers_the_same(tmp_path: Path) -> None:
    first, _ = carried_out(tmp_path / "runs.db")
    again, world = carried_out(tmp_path / "runs.db")
    assert first is not None and again is not None
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
    worlds = [carried_out(tmp_path / "runs.db", die_at=n)[1] for n in (6, 4, 4)]
    result, last = carried_out(tmp_path / "runs.db")
    assert result is not None
    tries = {asked.attempt for world in (*worlds, last) for asked in world.of("t3")}
    assert tries == {1, 2, 3}
    assert [len(r.attempts) for r in result.results.values()] == [1, 3, 3, 1, 1]


def test_a_second_plan_is_kept_too(tmp_path: Path) -> None:
    policy = FailurePolicy(downstream="replan")
    whole, usual = carried_out(tmp_path / "whole.db", policy=policy)
    for die_at in range(1, len(usual.asked) + 1):
        path = tmp_path / f"killed_{die_at}.db"
        _, before = carried_out(path, die_at=die_at, policy=policy)
        result, world = carried_out(path, policy=policy)
        assert whole is not None and result is not None
        assert told(result) == told(whole)
        assert max(counted(before, world).values()) == 1
        assert departures(result.trace) == []
    assert whole is not None
    assert any(id.startswith("r1-") for id in whole.results)


def test_killed_between_a_try_that_worked_and_its_result_the_task_is_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dying(store: Store, run: str, result: TaskResult) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Store, "save_result", dying)
        carried_out(tmp_path / "killed.db")
    result, _ = carried_out(tmp_path / "killed.db")
    whole, _ = carried_out(tmp_path / "whole.db")
    assert whole is not None and result is not None
    assert told(result) == told(whole)


def test_a_process_that_is_really_killed_leaves_a_store_that_goes_on(tmp_path: Path) -> None:
    program = (
        "import os, pathlib\n"
        "from tests.patterns import test_resume as t\n"
        "t.Killed = SystemExit\n"
        "t.says = lambda asked, says=t.says, n=iter(range(99)): (\n"
        "    os._exit(9) if next(n) == 8 else says(asked))\n"
        f"t.carried_out(pathlib.Path({str(tmp_path / 'killed.db')!r}))\n"
    )
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, env=environment, check=False, timeout=120
    )
    assert done.returncode == 9
    whole, usual = carried_out(tmp_path / "whole.db")
    result, world = carried_out(tmp_path / "killed.db")
    assert whole is not None and result is not None
    assert told(result) == told(whole)
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
    carried_out(tmp_path / "runs.db")
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
    carried_out(tmp_path / "runs.db")
    rows = sqlite3.connect(tmp_path / "runs.db").execute(
        "SELECT task, json_extract(data, '$.status') FROM result ORDER BY task"
    )
    assert rows.fetchall() == [
        ("t1", "done"), ("t2", "done"), ("t3", "failed"), ("t4", "done"), ("t5", "done"),
    ]  # fmt: skip


def test_what_was_cancelled_goes_on_as_well(tmp_path: Path) -> None:
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
    result, after = carried_out(tmp_path / "runs.db")
    whole, _ = carried_out(tmp_path / "whole.db")
    assert result is not None and whole is not None
    assert told(result) == told(whole)
    assert max(counted(world, after).values()) == 1
