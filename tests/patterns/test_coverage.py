"""Coverage of an answer: which facts of which task it has, and how much of it is copied."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.evaluation.coverage import copied, coverage, facts
from course.results import TaskResult

RESULTS = {
    "t1": TaskResult(
        task_id="t1",
        worker="w",
        result="In its annual report of 2025 the company Acme gave a revenue of 12,500 EUR.",
    ),
    "t2": TaskResult(
        task_id="t2",
        worker="w",
        result="Over the same year the rival Globex sold goods worth 9,000 EUR to its customers.",
    ),
    "t3": TaskResult(task_id="t3", worker="w", status="failed", result="Nothing about Initech."),
}
MERGED = "Acme (12500 EUR) sold more than Globex (9,000 EUR), says the report of 2025."


def test_facts_are_figures_and_names_but_no_beginnings_of_sentences() -> None:
    assert facts("The price of Acme is 1,200.50 EUR. Later it fell by 3 %.") == (
        "Acme",
        "1200.50",
        "EUR",
        "3",
    )


def test_what_is_in_an_answer_is_told_by_task() -> None:
    found = coverage(MERGED, RESULTS)
    assert {id: each.share for id, each in found.items()} == {"t1": 1.0, "t2": 1.0}
    half = coverage("Acme had 12,500 EUR in 2025.", RESULTS)
    assert half["t1"].share == 1.0
    assert half["t2"].missing == ("Globex", "9000")


def test_a_number_inside_another_is_not_found() -> None:
    assert coverage("It is 112,500 EUR.", RESULTS)["t1"].missing == ("2025", "Acme", "12500")


def test_a_concatenation_is_told_from_an_answer() -> None:
    glued = "\n".join(each.result for each in RESULTS.values() if each.done)
    assert copied(glued, RESULTS) == pytest.approx(1.0)
    assert copied(MERGED, RESULTS) == 0.0
    assert 0.3 < copied(f"{MERGED} {RESULTS['t1'].result}", RESULTS) < 0.7


@given(st.text(max_size=200), st.text(max_size=200))
def test_shares_stay_shares_whatever_the_texts(answer: str, text: str) -> None:
    results = {"t": TaskResult(task_id="t", worker="w", result=text)}
    assert 0 <= coverage(answer, results)["t"].share <= 1
    assert 0 <= copied(answer, results) <= 1
    assert coverage(text, results)["t"].share == 1.0
