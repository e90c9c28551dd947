"""Whole plans on made-up domains: planned, done and put together by the simulated model alone."""

from __future__ import annotations

import pytest

from tests.policy.crews import KITCHEN, LOANED, OBSERVATORY, Crew, Facts, outcome
from tests.policy.crews_2 import BIKES, RADIO, WINE

CREWS = (OBSERVATORY, KITCHEN, LOANED, BIKES, WINE, RADIO)
OPEN = {"bike share-3": "when a station closes stands in a notice, which no word of it says"}
CASES = [
    pytest.param(crew, request, facts, id=f"{crew.name}-{place}")
    for crew in CREWS
    for place, (request, facts) in enumerate(crew.requests, 1)
    if f"{crew.name}-{place}" not in OPEN
]


@pytest.mark.parametrize(("crew", "request_", "facts"), CASES)
def test_a_request_is_answered_with_its_facts(crew: Crew, request_: str, facts: Facts) -> None:
    assert outcome(crew, request_, facts) == ""


def test_little_is_left_open() -> None:
    assert len(CASES) == 23
