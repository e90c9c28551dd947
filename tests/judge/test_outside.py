"""The same stage through both transports: the same log. And children that do what they like."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from course.clock import NO_SLEEP
from graders.box import Parent, choose, warm
from graders.judge.inside import play_inside
from graders.judge.outside import Played, play_outside, script_for
from graders.records.log import Failure, Log
from graders.records.scenario import Exercise
from tests.judge.stages import HEAD, RUNS, STAGE, TOKENS, cell, notebook, world


@pytest.fixture(scope="module")
def parent() -> Iterator[Parent]:
    with warm(choose("none", own_work=True)) as warmed:
        yield warmed


def play(parent: Parent, source: str, *more: str, stage: str = STAGE) -> Played:
    cells = [{"name": str(n), "source": text} for n, text in enumerate((source, *more), start=1)]
    scenario = world()
    return play_outside(parent, script_for(stage, scenario, cells), scenario, TOKENS)


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")  # what "no data" is about
@pytest.mark.parametrize("style", RUNS)
def test_both_transports_write_the_same_log(parent: Parent, style: str) -> None:
    inside = play_inside(STAGE, world(), TOKENS, notebook(cell(style)))
    outside = play(parent, cell(style)).log
    assert inside == replace(outside, output="")


def log_of(parent: Parent, body: str) -> Log:
    return play(parent, HEAD + "async def solve(bench, look_up, names):\n" + body).log


def last_moment(parent: Parent, body: str) -> tuple[str, str]:
    log = log_of(parent, body)
    assert not log.returned
    return log.moments[-1].kind, log.moments[-1].detail


def test_replies_arrive_when_the_world_says(parent: Parent) -> None:
    log = play(parent, cell("gather")).log
    assert [(e.start, e.end, e.outcome) for e in log.exchanges] == [
        (0.0, 1.0, "answered"),
        (0.0, 2.0, "answered"),
        (0.0, 3.0, "answered"),
    ]
    assert log.result == [e.reply for e in log.exchanges]
    assert all(e.token in e.reply for e in log.exchanges)


def test_retries_are_requests_of_their_own(parent: Parent) -> None:
    log = play(parent, cell("retries of the line")).log
    assert [e.outcome for e in log.requests()] == ["failed", "failed", "answered"]
    assert log.requests()[0].reply["status"] == 503


def test_giving_up_is_seen(parent: Parent) -> None:
    log = play(parent, cell("timeout")).log
    assert [e.outcome for e in log.calls()] == ["answered"] + ["cancelled"] * 3
    assert {e.end for e in log.calls()} == {1.0, 1.5}


def test_what_is_left_running_is_named_and_stays_open(parent: Parent) -> None:
    log = play(parent, cell("left running")).log
    assert log.still_running == ("look_up",) * 3
    assert [e.outcome for e in log.calls()] == ["open"] * 3


def test_a_blocked_loop_is_named_with_its_seconds(parent: Parent) -> None:
    log = play(parent, cell("blocks its loop")).log
    told = [(m.kind, m.time, m.seconds, m.detail) for m in log.moments]
    assert told == [("blocked", 0.0, 2.5, "waiting for a thread")]
    assert log.calls()[0].end == 1.0


def test_threads_do_not_block_the_loop(parent: Parent) -> None:
    log = play(parent, cell("forty threads at once")).log
    assert log.moments == ()
    assert log.result == [list(range(32)), 1.0]


def test_a_stall_names_the_line_that_waits(parent: Parent) -> None:
    log = play(parent, cell("waits for ever")).log
    assert [(m.kind, m.time) for m in log.moments] == [("stalled", 1.0)]
    assert log.moments[0].detail == "solve (line 12: await asyncio.Event().wait())"


def test_an_exported_trace_is_in_the_log(parent: Parent) -> None:
    trace = play(parent, cell("a trace")).log.trace
    assert trace is not None and "a run" in str(trace)


def test_cells_that_fail_are_noted_and_the_rest_goes_on(parent: Parent) -> None:
    played = play(parent, "1 / 0", "def broken(:", cell("gather"), "import nothing_like_it")
    assert played.log.returned
    assert [(n.cell, n.type) for n in played.notes] == [
        ("1", "ZeroDivisionError"),
        ("2", "SyntaxError"),
        ("4", "ModuleNotFoundError"),
    ]
    assert played.notes[0].line == "line 1: 1 / 0"


def test_cells_may_await_sleep_and_use_magics(parent: Parent) -> None:
    before = "%matplotlib inline\nimport time\ntime.sleep(500)\n!ls\nx = 1\n"
    waits = "import asyncio\nfrom course import clock\nawait asyncio.sleep(90)\nx += 1"
    runs = "async def two():\n    await asyncio.sleep(9)\n    return x\ny = clock.simulate(two())"
    last = "async def solve(bench, look_up, names): return x, y"
    played = play(parent, before, waits, runs, last)
    assert (played.notes, played.log.result) == ((), [2, 2])


def test_a_future_import_holds_for_the_cells_after_it(parent: Parent) -> None:
    later = "def f(x: nothing): ...\nasync def solve(bench, look_up, names): return 'fine'"
    assert play(parent, "from __future__ import annotations", later).log.result == "fine"
    assert play(parent, "pass", later).notes[0].type == "NameError"


def test_a_sleep_imported_by_name_is_virtual_too(parent: Parent) -> None:
    text = (
        "import asyncio\nfrom time import sleep\n"
        "async def solve(bench, look_up, names): await asyncio.to_thread(sleep, 7)"
    )
    log = play(parent, text).log
    assert (log.returned, log.ended) == (True, 7.0)


def test_a_sleep_in_a_running_loop_is_refused_as_on_the_clock_s_own(parent: Parent) -> None:
    there = log_of(parent, "    time.sleep(7)").failure
    assert there is not None and (there.type, there.message) == ("VirtualTimeError", NO_SLEEP)
    names = notebook("import time\nasync def solve(bench, look_up, names):\n    time.sleep(7)")
    assert play_inside(STAGE, world(), TOKENS, names).failure == Failure(
        "VirtualTimeError", NO_SLEEP, "line 3: time.sleep(7)"
    )


def test_a_definition_that_is_missing_is_told_from_a_name_error(parent: Parent) -> None:
    assert play(parent, "x = 1").log.failure == Failure("Undefined", "solve")
    failure = log_of(parent, "    return resolve(names)").failure
    assert failure is not None and failure.type == "NameError"


def test_given_definitions_stand_in(parent: Parent) -> None:
    scenario = world()
    stage = "async def stage(bench, student):\n    return student.named([]), student.other()"
    cells = [{"name": "1", "source": "def named(tools): 1 / 0\ndef other(): return named([])"}]
    exercise = Exercise("1.1", (), (), builds_on={"named": "course.tools:by_name"})
    script = script_for(stage, scenario, cells, exercise)
    assert play_outside(parent, script, scenario, TOKENS).log.result == [{}, {}]


def test_output_is_kept_and_not_judged(parent: Parent) -> None:
    log = log_of(parent, "    print('hello')\n    return 1")
    assert (log.output, log.result) == ("hello\n", 1)


@pytest.mark.usefixtures("impatient")
def test_an_endless_loop_names_its_line(parent: Parent) -> None:
    assert last_moment(parent, "    while True:\n        x = 1") in [
        ("silent", "line 10: while True:"),
        ("silent", "line 11: x = 1"),
    ]


@pytest.mark.usefixtures("impatient")
def test_an_endless_loop_that_swallows_everything_ends_too(parent: Parent) -> None:
    kind, _ = last_moment(
        parent,
        "    import signal\n    signal.signal(signal.SIGPROF, signal.SIG_IGN)\n"
        "    while True:\n        try:\n            while True: pass\n"
        "        except BaseException: pass",
    )
    assert kind == "silent"


@pytest.mark.parametrize("body", ["import os; os._exit(0)", "import os; os.kill(os.getpid(), 9)"])
def test_a_child_that_ends_is_dead(parent: Parent, body: str) -> None:
    kind, reason = last_moment(parent, f"    {body}")
    assert kind == "died"
    assert reason in ("exited 0", "killed by signal 9 (SIGKILL)")


def test_too_much_memory_is_the_students_failure(parent: Parent) -> None:
    failure = log_of(parent, "    return bytearray(40_000_000_000)").failure
    assert failure is not None and failure.type == "MemoryError"


def test_leaving_in_a_cell_is_a_failure(parent: Parent) -> None:
    failure = play(parent, "raise SystemExit(0)").log.failure
    assert failure is not None and failure.type == "SystemExit"


@pytest.mark.parametrize(
    "line",
    [
        '{"do": "returned", "result": 1, "trace": null, "running": []}\\n{"do": "idle"}\\n',
        '{"do": "idle", "until": "soon", "held": ""}\\n',
        '{"do": "tool", "id": 7, "name": "open_the_gate", "arguments": {}}\\n',
        "garbage\\n",
    ],
)
def test_lines_written_by_hand_earn_nothing_they_did_not_do(parent: Parent, line: str) -> None:
    body = f"    import os\n    for fd in range(3, 12):\n        try: os.write(fd, b'{line}')\n"
    log = log_of(parent, body + "        except OSError: pass\n    return await look_up(name='A')")
    assert log.result == 1 if log.returned else log.moments[-1].kind == "lied"
    assert not [e for e in log.exchanges if e.outcome == "answered"]


def test_a_closed_line_is_a_death(parent: Parent) -> None:
    kind, _ = last_moment(
        parent, "    import os\n    os.closerange(3, 20)\n    await look_up(name='A')"
    )
    assert kind == "died"


def test_nothing_is_shared_between_two_plays(parent: Parent) -> None:
    mark = "import builtins, course\ncourse.mark = builtins.mark = 1\n"
    play(parent, mark + cell("gather"))
    log = log_of(parent, "    import builtins, course\n    return hasattr(course, 'mark')")
    assert log.result is False


@pytest.mark.parametrize(
    ("orphan", "left"),
    [
        ("asyncio.sleep(5)", "a timer, due at 5 s"),
        ("later()", "a call of look_up"),
    ],
)
def test_what_goes_on_after_the_return_is_seen_by_the_world_itself(
    parent: Parent, orphan: str, left: str
) -> None:
    hidden = "    asyncio.all_tasks = lambda loop=None: set()\n"
    pause = "        await asyncio.sleep(0)\n"
    later = f"    async def later():\n{pause * 3}        await look_up(names[0])\n"
    begun = f"    task = asyncio.ensure_future({orphan})\n    return 'done'\n"
    log = log_of(parent, later + hidden + begun)
    assert (log.result, log.still_running, log.left) == ("done", (), left)
