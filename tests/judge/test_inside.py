"""Playing in this process: nothing of it is changed afterwards, and nothing hangs it."""

import _thread
import asyncio
import concurrent.futures.thread as pools
import os
import threading
import time
from typing import Any

import pytest

from course import clock
from graders.checks import returned
from graders.judge.inside import play_inside
from graders.judge.judge import judge_inside
from graders.records.log import Log
from graders.records.scenario import Exercise, Trial
from tests.judge.stages import HEAD, STAGE, TOKENS, cell, notebook, world


def play(style: str) -> Log:
    return play_inside(STAGE, world(), TOKENS, notebook(cell(style)))


def body(text: str) -> dict[str, Any]:
    return notebook(HEAD + "async def solve(bench, look_up, names):\n" + text)


CHANGED = (
    (time, "sleep"),
    (threading.Condition, "wait"),
    (threading.Thread, "start"),
    (threading.Thread, "join"),
    (pools.ThreadPoolExecutor, "submit"),
    (pools, "_WorkItem"),
    (asyncio, "new_event_loop"),
)


@pytest.mark.parametrize("style", ["gather", "threads that call back", "waits for ever", "raises"])
def test_the_process_is_as_it_was(style: str) -> None:
    before = [getattr(owner, name) for owner, name in CHANGED]
    threads = set(threading.enumerate())
    play(style)
    assert [getattr(owner, name) for owner, name in CHANGED] == before
    assert "OPENAI_API_KEY" not in os.environ
    for thread in set(threading.enumerate()) - threads:
        thread.join(60)  # a pool's idle workers are told to end, and need a moment
        assert not thread.is_alive()


def test_the_rest_of_the_process_goes_on_in_real_time() -> None:
    ticks: list[float] = []
    stop = threading.Event()

    def tick() -> None:
        while not stop.wait(0.001):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    log = play_inside(STAGE, world(), TOKENS, body("    await asyncio.to_thread(time.sleep, 3000)"))
    stop.set()
    thread.join()
    assert log.ended == 3000.0
    assert len(ticks) < 100_000  # it waited a millisecond each time, not a virtual one


def test_it_works_beside_a_running_loop() -> None:
    async def cell_of_a_notebook() -> Log:
        return play("gather")

    assert asyncio.run(cell_of_a_notebook()).returned
    assert clock.simulate(cell_of_a_notebook(), speed=1).returned


def test_a_script_can_use_virtual_time_before_and_after() -> None:
    async def wait() -> float:
        await asyncio.sleep(5)
        return clock.now()

    assert clock.simulate(wait()) == 5.0
    log = play("threads that call back")  # refused by the clock's own loop, welcome here
    assert log.returned
    assert clock.simulate(wait()) == 5.0


def test_given_definitions_stand_in_and_go_again() -> None:
    namespace = body("    return by_name([]), by_hand")
    namespace["by_name"] = "the student's"
    given = {"by_name": "course.tools:by_name", "by_hand": "course.models.names:SMALL"}
    exercise = Exercise("1.1", (), (), builds_on=given)
    log = play_inside(STAGE, world(), TOKENS, namespace, exercise)
    assert log.result == [{}, "switchboard-small"]
    assert namespace["by_name"] == "the student's"
    assert "by_hand" not in namespace


@pytest.mark.usefixtures("impatient")
def test_an_endless_loop_is_ended_and_named() -> None:
    log = play_inside(STAGE, world(), TOKENS, body("    while True:\n        names = names"))
    assert [m.kind for m in log.moments] == ["silent"]
    assert log.moments[0].detail.startswith("line 1")


@pytest.mark.usefixtures("impatient")
@pytest.mark.usefixtures("impatient")
def test_an_endless_loop_in_a_task_group_is_ended_and_named() -> None:
    text = """
    async def spin():
        await asyncio.sleep(1)
        while True:
            pass

    async with asyncio.TaskGroup() as group:
        group.create_task(spin())
"""
    log = play_inside(STAGE, world(), TOKENS, body(text))
    [moment] = log.moments
    assert moment.kind == "silent"
    assert "pass" in moment.detail or "while True" in moment.detail


@pytest.mark.usefixtures("impatient")
def test_an_endless_loop_that_swallows_errors_is_left_behind() -> None:
    text = """
    global stop
    stop = False
    while not stop:
        try:
            while not stop:
                pass
        except BaseException:
            continue
"""
    namespace = body(text)
    log = play_inside(STAGE, world(), TOKENS, namespace)
    assert [m.kind for m in log.moments] == ["silent"]
    namespace["stop"] = True
    assert play("gather").returned


def test_tasks_that_refuse_to_be_cancelled_do_not_hold_it_up() -> None:
    text = """
    async def stay():
        while True:
            try:
                await asyncio.sleep(1)
            except asyncio.CancelledError:
                pass
    task = asyncio.create_task(stay())
    await asyncio.sleep(5)
    return "done"
"""
    log = play_inside(STAGE, world(), TOKENS, body(text))
    assert (log.result, len(log.still_running)) == ("done", 1)


def test_the_stop_button_ends_the_stage_and_is_passed_on() -> None:
    ready = threading.Event()
    namespace = body("    ready.set()\n    while True: pass")
    namespace["ready"] = ready

    def press() -> None:
        ready.wait()
        _thread.interrupt_main()

    threading.Thread(target=press, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        play_inside(STAGE, world(), TOKENS, namespace)
    assert play("gather").returned


def test_a_client_made_before_is_led_to_the_world_while_it_plays() -> None:
    from course import SMALL, connect

    client = connect(profile="instant")
    namespace = body("    return (await ask(client, names[0])).choices[0].message.content")
    namespace["client"] = client
    log = play_inside(STAGE, world("Ann"), TOKENS, namespace)
    assert log.result == f"to Ann: {log.exchanges[0].token}"

    async def ask() -> str | None:
        said: Any = [{"role": "user", "content": "Hello"}]
        answer = await client.chat.completions.create(model=SMALL, messages=said)
        return answer.choices[0].message.content

    assert not str(clock.simulate(ask())).startswith("to ")


def test_a_sleep_imported_by_name_is_virtual_too() -> None:
    namespace = body("    await asyncio.to_thread(sleep, 50)")
    namespace["sleep"] = time.sleep
    log = play_inside(STAGE, world(), TOKENS, namespace)
    assert (log.returned, log.ended) == (True, 50.0)
    assert namespace["sleep"] is time.sleep


def exercise(*bodies: str) -> Exercise:
    head = "async def stage(bench, student):\n"
    trials = [
        Trial(f"trial {n}", head + text, lambda random: world(), lambda scenario: [returned()])
        for n, text in enumerate(bodies, start=1)
    ]
    return Exercise("9.1", ("solve",), tuple(trials))


def test_an_exercise_is_judged_trial_by_trial() -> None:
    judged = judge_inside(
        exercise("    return 1", "    return student.missing", "    raise NotImplementedError"),
        {},
    )
    assert [(v.title, v.verdict.sign, v.verdict.code) for v in judged] == [
        ("trial 1", "passed", "ok"),
        ("trial 2", "not yet", "cell.undefined"),
        ("trial 3", "not attempted", "not_attempted"),
    ]


@pytest.mark.usefixtures("impatient")
def test_after_an_endless_loop_the_rest_is_not_played() -> None:
    judged = judge_inside(exercise("    while True: pass", "    return 1"), {})
    assert [v.verdict.code for v in judged] == ["blocked.endless_loop"] * 2
    assert "not played" in judged[1].verdict.message
