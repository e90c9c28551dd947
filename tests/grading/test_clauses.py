"""Each sentence that says an order or a number is broken in each way in which it can be."""

from dataclasses import replace

import pytest

from tests.grading.answers import FOLDER
from tests.grading.clauses import WAYS, Clause, everything, stray


@pytest.fixture(scope="module")
def found() -> list[Clause]:
    return list(everything())


def test_each_way_has_an_answer_or_a_reason(found: list[Clause]) -> None:
    assert [fault for each in found for fault in each.lacking()] == []


def test_each_reason_is_of_one_sentence(found: list[Clause]) -> None:
    assert list(stray(found)) == []


def test_each_way_is_a_known_one() -> None:
    lines = (line for path in FOLDER.glob("*.txt") for line in path.read_text().splitlines())
    said = {line.removeprefix("== way: ") for line in lines if line.startswith("== way: ")}
    assert {way for each in said for way in each.split(", ")} <= set(WAYS)


def test_a_way_that_nothing_breaks_is_told_and_a_reason_too_many_as_well() -> None:
    one = Clause("0.1", "Calls the first.", ("first",), {"swap": ["calls the last"]}, {})
    assert ["second" in each for each in one.lacking()] == [True]
    assert not list(replace(one, reasons={"second": "there are two"}).lacking())
    needless = replace(one, broken={**one.broken, "second": ["x"]}, reasons={"second": "two"})
    assert ["needs no reason" in each for each in needless.lacking()] == [True]
    assert not list(replace(one, words=("each",), broken={"same": ["calls equals once"]}).lacking())
