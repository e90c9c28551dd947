"""Accuracy over the measured requests: development sets, on which rules were tuned, and a held-out
set of other domains, on which they were not. The table stands at the end of the test output."""

from __future__ import annotations

import dataclasses
import re

import pytest

from tests.policy.cases import ALL, HERE, SETS, Case, play

FLOOR = 0.90


@pytest.fixture(scope="module")
def outcomes(pytestconfig: pytest.Config) -> list[tuple[Case, str]]:
    played = [(case, play(case)) for case in ALL]
    pytestconfig.policy_outcomes = played  # type: ignore[attr-defined]
    return played


def test_the_floor_holds_over_all_requests(outcomes: list[tuple[Case, str]]) -> None:
    right = sum(not wrong for _, wrong in outcomes)
    assert right / len(outcomes) >= FLOOR


def test_the_model_card_tells_these_numbers(outcomes: list[tuple[Case, str]]) -> None:
    card = (HERE.parents[1] / "docs" / "model-card.md").read_text(encoding="utf-8")
    for name in SETS:
        own = [wrong for case, wrong in outcomes if case.set == name]
        label = "**held out**" if name == "heldout" else name
        row = next(line for line in card.splitlines() if line.startswith(f"| {label} |"))
        right = sum(not wrong for wrong in own)
        assert re.findall(r"\d+(?= \(|\b \|)", row)[-1] == str(right), (name, right)
        assert f"| {len(own)} |" in row


def test_the_sets_are_large_and_varied_enough() -> None:
    heldout = {c.domain for c in ALL if c.set == "heldout"}
    developed = {c.domain for c in ALL if c.set != "heldout"}
    assert len(ALL) >= 70
    assert len(heldout) >= 5
    assert len(heldout | developed) >= 10
    assert not heldout & developed
    assert all(1 <= len(c.tools) <= 8 for c in ALL)


def test_a_wrong_argument_is_noticed() -> None:
    case = next(c for c in ALL if c.calls and not play(c))
    first = [{**call, "arguments": {**call["arguments"], "x": 1}} for call in case.calls[0]]
    assert play(dataclasses.replace(case, calls=[first, *case.calls[1:]]))
