"""The twenty scripted callers in text: what they wish for is what stands in the database."""

from itertools import islice

import pytest

from course import connect
from tests.voice.twenty import KINDS, SEEDS, Called, twenty


@pytest.fixture(scope="module")
def calls() -> list[Called]:
    """Without a wire."""
    return list(twenty())


def test_twenty_of_twenty_callers_get_the_visit_they_wish_for_and_pay(calls: list[Called]) -> None:
    assert len(calls) == len(SEEDS) * len(KINDS) == 20
    wrong = [f"{each.caller.name} ({each.kind})" for each in calls if not each.right]
    assert wrong == []
    assert max(each.turns for each in calls) < 14


def test_without_a_wire_every_kind_of_agent_answers_the_same(calls: list[Called]) -> None:
    wired = list(islice(twenty(connect(profile="instant", wire=True)), len(KINDS)))
    direct = calls[: len(KINDS)]
    assert [each.said for each in wired] == [each.said for each in direct]
    assert [each.calls for each in wired] == [each.calls for each in direct]
