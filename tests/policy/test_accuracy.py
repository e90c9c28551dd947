"""Accuracy over the measured requests that rules were tuned on. The held-out set, on which they
were not, stands in test_heldout_2. The table stands at the end of the test output."""

from __future__ import annotations

import dataclasses
import re

import pytest

from tests.policy.cases import ALL, HERE, SETS, Case, play

FLOOR = 0.80


@pytest.fixture(scope="module")
def outcomes(pytestconfig: pytest.Config) -> list[tuple[Case, str]]:
    played = [(case, play(case)) for case in ALL]
    pytestconfig.policy_outcomes = played  # type: ignore[attr-defined]
    return played


def test_the_floor_holds_over_all_requests(outcomes: list[tuple[Case, str]]) -> None:
    right = sum(not wrong for _, wrong in outcomes)
    assert right / len(outcomes) >= FLOOR


def test_the_page_of_measurements_tells_these_numbers(outcomes: list[tuple[Case, str]]) -> None:
    page = (HERE.parents[1] / "docs" / "model-accuracy.md").read_text(encoding="utf-8")
    for name in SETS:
        own = [wrong for case, wrong in outcomes if case.set == name]
        row = next(line for line in page.splitlines() if line.startswith(f"| {name} |"))
        right = sum(not wrong for wrong in own)
        assert re.findall(r"\d+(?= \(|\b \|)", row)[-1] == str(right), (name, right)
        assert f"| {len(own)} |" in row


def test_the_sets_are_large_and_varied_enough() -> None:
    assert len(ALL) >= 300
    assert len({c.domain for c in ALL}) >= 40
    assert all(1 <= len(c.tools) <= 8 for c in ALL)


def test_a_wrong_argument_is_noticed() -> None:
    case = next(c for c in ALL if c.calls and not play(c))
    first = [{**call, "arguments": {**call["arguments"], "x": 1}} for call in case.calls[0]]
    assert play(dataclasses.replace(case, calls=[first, *case.calls[1:]]))
