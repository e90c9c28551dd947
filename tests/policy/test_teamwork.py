"""Accuracy over measured work in teams: delegating, handing over, consulting, finding out what a
typed result asks for, routing, and the stages of a pipeline. The table ends the test output."""

from __future__ import annotations

import dataclasses
import re

import pytest

from tests.policy.cases import HERE
from tests.policy.teamwork import Case, load, play, rates

DEVELOPMENT = ("teamwork", "teamwork_2", "teamwork_3", "teamwork_4")
HELD_OUT = "heldout_3"
FLOORS = {**dict.fromkeys(DEVELOPMENT, 0.80), HELD_OUT: 0.70}


@pytest.fixture(scope="module")
def outcomes(pytestconfig: pytest.Config) -> dict[str, list[tuple[Case, str]]]:
    played = {name: [(case, play(case)) for case in load(name)] for name in FLOORS}
    pytestconfig.policy_teamwork = {  # type: ignore[attr-defined]
        name: list(rates(own)) for name, own in played.items()
    }
    return played


@pytest.mark.parametrize("name", FLOORS)
def test_the_floor_holds(name: str, outcomes: dict[str, list[tuple[Case, str]]]) -> None:
    right = [not wrong for _, wrong in outcomes[name]]
    assert sum(right) / len(right) >= FLOORS[name]


def test_the_page_of_measurements_tells_these_numbers(
    outcomes: dict[str, list[tuple[Case, str]]],
) -> None:
    page = (HERE.parents[1] / "docs" / "model-accuracy.md").read_text(encoding="utf-8")
    for name in FLOORS:
        row = next(line for line in page.splitlines() if line.strip("| *`(").startswith(f"{name} "))
        right = sum(not wrong for _, wrong in outcomes[name])
        assert re.findall(r"\d+(?= \()", row)[-1] == str(right), (name, right)
        assert f"| {len(outcomes[name])} |" in row


def test_the_held_out_set_shares_no_domain_with_the_others() -> None:
    own = {case.block["domain"] for case in load(HELD_OUT)}
    assert len(load(HELD_OUT)) == 50
    assert not own & {case.block["domain"] for name in DEVELOPMENT for case in load(name)}


def test_no_two_cases_have_one_name() -> None:
    ids = [case.id for name in FLOORS for case in load(name)]
    assert len(ids) == len(set(ids))


def test_a_wrong_worker_is_noticed() -> None:
    case = next(c for c in load("teamwork") if c.kind == "delegate" and not play(c))
    turns = [[["nobody", []], *turn[1:]] for turn in case.own["turns"]]
    assert play(dataclasses.replace(case, own={**case.own, "turns": turns}))


@pytest.mark.parametrize("kind", ["team", "task", "route", "stage"])
def test_a_wrong_end_is_noticed(kind: str) -> None:
    wrong = {
        "team": {"path": ["nowhere"]},
        "task": {"end": ["complete", {}]},
        "route": {"agents": ["nobody"]},
        "stage": {"wanted": {"nothing": 1}},
    }
    case = next(c for c in load("teamwork") if c.kind == kind and not play(c))
    assert play(dataclasses.replace(case, own={**case.own, **wrong[kind]}))
