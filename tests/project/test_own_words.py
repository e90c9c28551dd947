"""Whatever a person says, and to whatever system: they hear an answer, and no exception."""

from typing import Any

import pytest

from course import clock, connect, run
from tests.marking import LONG
from tests.project.own_words import REQUESTS, kinds
from tests.project.playing import NAMED, SEED

SYSTEMS = ("agent", "router", "hub", "escalation", "consultation", "supervisor", "planner",
           "planner, short", "supervisor of a planner")  # fmt: skip


def test_there_are_sixty_of_them_ten_for_each_domain() -> None:
    assert len({each for texts in REQUESTS.values() for each in texts}) == 60
    assert {len(texts) for texts in REQUESTS.values()} == {10}


# Every run plays all that is said in each domain and all systems; `make test-all` each with each.
PAIRS = [
    pytest.param(domain, system, marks=() if (row + column) % 6 == 0 else LONG)
    for row, domain in enumerate(REQUESTS)
    for column, system in enumerate(SYSTEMS)
]


@pytest.mark.parametrize(("domain", "system"), PAIRS)
def test_everybody_hears_an_answer(domain: str, system: str) -> None:
    with NAMED[domain].open(seed=SEED) as world:
        for text in REQUESTS[domain]:
            made: Any = kinds(NAMED[domain].workers(world))[system]()
            result = clock.simulate(run(made, text, client=connect(profile="calm")))
            assert result.answer.strip(), text
