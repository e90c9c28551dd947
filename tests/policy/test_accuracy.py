"""Accuracy over the measured requests: development sets, on which rules were tuned, and a held-out
set of other domains, on which they were not."""

from __future__ import annotations

from functools import cache

import pytest

from tests.policy.cases import ALL, Case, play

FLOOR = 0.90


@cache
def _wrong(place: int) -> str:
    return play(ALL[place])


@pytest.mark.parametrize("place", range(len(ALL)), ids=[f"{c.set}-{c.id}" for c in ALL])
def test_a_request_is_judged(place: int, record_property: pytest.FixtureRequest) -> None:
    """Records the outcome; the floor below judges them together, so one miss fails nothing."""
    case, wrong = ALL[place], _wrong(place)
    record_property("policy", (case.set, case.domain, not wrong))  # type: ignore[operator]


def _share(cases: list[tuple[int, Case]]) -> float:
    return sum(not _wrong(n) for n, _ in cases) / len(cases)


def test_the_floor_holds_over_all_requests() -> None:
    assert _share(list(enumerate(ALL))) >= FLOOR


def test_the_sets_are_large_and_varied_enough() -> None:
    assert len(ALL) >= 70
    assert len({c.domain for c in ALL}) >= 10
    assert len({c.domain for c in ALL if c.set == "heldout"}) >= 5
    assert not {c.domain for c in ALL if c.set == "heldout"} & {
        c.domain for c in ALL if c.set != "heldout"
    }
    assert all(1 <= len(c.tools) <= 8 for c in ALL)


def test_a_wrong_answer_would_be_noticed() -> None:
    case = next(c for c in ALL if c.calls and not _wrong(ALL.index(c)))
    spoiled = [[{**call, "arguments": {**call["arguments"], "x": 1}} for call in case.calls[0]]]
    assert play(Case(**{**{f: getattr(case, f) for f in case.__dataclass_fields__}, "calls": spoiled}))
