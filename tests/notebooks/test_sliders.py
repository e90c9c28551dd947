"""The same request under other conditions: each slider does what it says, and the board follows."""

import asyncio
from functools import partial
from typing import Any

import pytest

from course import Agent, Plan, PlanningSupervisor, Supervisor, Worker
from course.models.profile import load
from course.notebook import sliders
from course.notebook import what_if as door
from course.notebook.sliders import (
    LUCKS,
    SLIDERS,
    WITHOUT_WIDGETS,
    Outcome,
    box_of,
    changed,
    played,
)
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


@pytest.fixture
def box() -> Any:
    places = [
        {"name": "latency", "low": 0.25, "high": 4, "step": 0.25, "first": 1},
        {"name": "workers", "low": 1, "high": 4, "step": 1, "first": 3},
    ]
    return box_of(partial(played, office, REQUEST), places)


def turn(box: Any, **values: float) -> None:
    box.said = {"values": {**box.said["values"], **values}, "nth": box.run["nth"] + 1}


def test_the_board_and_the_numbers_follow_a_slider(box: Any) -> None:
    before = box.run["end"]
    assert "desk 3" in str(box.run)
    assert "desk 4" not in str(box.run)
    turn(box, latency=2)
    assert box.run["end"] == pytest.approx(before * 2, rel=1e-3)
    assert f"{box.run['end']:.2f}" == box.came["seconds"]
    assert box.came["success"] == "✓ answered"
    assert f"{box.run['calls']:.0f} (" in box.came["model calls"]
    turn(box, workers=4)
    assert "desk 4" in str(box.run)


def test_the_page_hears_of_every_move_even_where_nothing_changes(box: Any) -> None:
    turn(box)
    turn(box)
    assert box.run["nth"] == 2


def test_how_much_luck_ends_well_is_counted_under_the_same_conditions(box: Any) -> None:
    assert box.lucks == "✓" * LUCKS
    turn(box, faults=0.6)
    ends = [played(office, REQUEST, workers=3, faults=0.6, seed=seed)[1] for seed in range(LUCKS)]
    assert box.lucks == "".join("✓" if each.whole else "✕" for each in ends)
    assert set(box.lucks) == set("✓✕")


def test_a_slider_that_moves_again_is_heard_before_all_luck_is_counted() -> None:
    async def moved() -> tuple[str, str]:
        made = box_of(partial(played, CLERK, REQUEST), [])
        first = made.lucks
        turn(made, latency=2)
        await made.turning.counting
        return first, made.lucks

    assert asyncio.run(moved()) == ("", "✓" * LUCKS)


def test_what_a_slider_may_be_is_from_to_step_and_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    monkeypatch.setattr("course.notebook.sliders.watched", lambda: True)
    monkeypatch.setattr("course.notebook.sliders.show", made.append)
    monkeypatch.setattr("course.notebook.sliders.LUCKS", 0)
    seen: list[dict[str, Any]] = []
    real = sliders.box_of

    def noted(ask: Any, places: Any) -> Any:
        seen.extend(places)
        return real(ask, places)

    monkeypatch.setattr("course.notebook.sliders.box_of", noted)
    assert what_if(office, REQUEST, workers=(1, 4, 1, 3), lines=(0, 2, 1)) is None
    assert {each["name"]: each["first"] for each in seen} == {
        "seed": 0, "latency": 1, "faults": 0, "workers": 3, "lines": 0,
    }  # fmt: skip
    assert "application/vnd.jupyter.widget-view+json" in made[0]
    assert set(SLIDERS) < {each["name"] for each in seen}


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
