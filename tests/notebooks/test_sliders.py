"""The same request under other conditions: each slider does what it says, and the board follows."""

import asyncio
from typing import Any

import pytest

from course import Agent, Plan, PlanningSupervisor, Supervisor, Worker
from course.models.profile import load
from course.notebook import what_if as door
from course.notebook.sliders import LUCKS, SLIDERS, WITHOUT_WIDGETS, Outcome, changed, played
from course.supervisor_worker import PlanTask
from course.viewer.picture import picture_of

what_if: Any = door
CLERK = Agent(name="clerk", instructions="You help customers.")
REQUEST = "What do you do?"


def office(workers: int) -> Supervisor:
    names = [f"desk {n + 1}" for n in range(workers)]
    return Supervisor(
        name="office", workers=tuple(Worker(name=n, description=f"the {n}") for n in names)
    )


def seconds(**turned: float) -> float:
    return picture_of(played(CLERK, REQUEST, **turned)[0]).end  # type: ignore[arg-type]


def test_the_same_places_of_the_sliders_make_the_same_run() -> None:
    assert seconds(seed=3) == seconds(seed=3) != seconds(seed=4)


@pytest.mark.parametrize("factor", [0.25, 1, 2, 4])
def test_latency_is_a_factor(factor: float) -> None:
    assert seconds(latency=factor) == pytest.approx(seconds() * factor, rel=1e-3)


def test_faults_are_a_share_of_requests_and_the_run_says_how_it_ended() -> None:
    assert changed("calm", faults=0.4).failures.rate == 0.4
    assert load("calm").failures.rate == 0
    ends = {str(played(CLERK, REQUEST, seed=seed, faults=1)[1]) for seed in range(3)}
    assert all(each.startswith("✕ ") for each in ends)
    assert str(played(CLERK, REQUEST)[1]) == "✓ answered"
    trace, _ = played(CLERK, REQUEST, faults=1)
    assert any(moment.bad for moment in picture_of(trace).moments)


def test_what_a_function_makes_can_be_turned_too() -> None:
    trace, _ = played(office, REQUEST, workers=3)
    assert "desk 1, desk 2, desk 3" in str(trace.spans)
    assert "desk 3" not in str(played(office, REQUEST, workers=2)[0].spans)


def test_the_board_follows_a_slider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("course.notebook.sliders.watched", lambda: True)
    monkeypatch.setattr("course.notebook.sliders.show", lambda bundle: None)
    box = what_if(office, REQUEST, workers=(1, 4, 1))
    assert set(box.sliders) == {*SLIDERS, "workers"}
    before = box.shown.board.data["end"]
    box.sliders["latency"].value = 2
    assert box.shown.board.data["end"] == pytest.approx(before * 2, rel=1e-3)
    assert f"{box.shown.board.data['end']:.2f}" in box.shown.numbers.value
    assert f"{LUCKS} of {LUCKS} succeed" in box.shown.lucks.value
    box.sliders["faults"].value = 0.6
    assert f"{LUCKS} of {LUCKS} succeed" not in box.shown.lucks.value


def test_a_slider_that_moves_again_is_heard_before_all_luck_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("course.notebook.sliders.watched", lambda: True)
    monkeypatch.setattr("course.notebook.sliders.show", lambda bundle: None)

    async def moved() -> tuple[str, str]:
        box = what_if(office, REQUEST, workers=(1, 4, 1, 3), lines=(0, 2, 1))
        assert {name: each.value for name, each in box.sliders.items()} == {
            "seed": 0, "latency": 1, "faults": 0, "workers": 3, "lines": 0,
        }  # fmt: skip
        await asyncio.sleep(0)
        first = box.shown.lucks.value
        box.sliders["seed"].value = 4
        await box.shown.counting
        return first, box.shown.lucks.value

    first, last = asyncio.run(moved())
    assert first == ""
    assert last.count("✓") == LUCKS


def test_what_was_asked_for_is_counted() -> None:
    said = "What is in stock?"
    assert played(CLERK, said, facts=["nobody says this"])[1] == Outcome(0, 1, "facts")
    _, half = played(CLERK, said, facts=["", "nobody says this"])
    assert str(half) == "✕ 1 of 2 facts"
    assert not half.whole
    trip = Plan(goal=said, tasks=(PlanTask(id="t1", worker="desk 1", description="Look around."),))
    planning = PlanningSupervisor(name="boss", workers=office(1).workers)
    _, done = played(planning, said, options={"plan": trip})
    assert str(done) == "✓ 1 of 1 tasks"


def test_without_widgets_there_is_a_picture_and_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert what_if(CLERK, REQUEST) is None
    told = capsys.readouterr().out
    assert told.startswith(f"{WITHOUT_WIDGETS}\n")
    assert "invoke_agent clerk" in told
