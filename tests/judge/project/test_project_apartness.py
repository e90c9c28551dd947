"""Whether an answer tells what is missing apart from what is there."""

import pytest

from graders.exercises.ch11.distinct_mentions import told_apart

LOST, DONE = ("k2", "k4"), ("k1", "k3", "k5")


@pytest.mark.parametrize(
    "text",
    [
        "Missing: k2, k4",
        "Missing is k2: the tool broke. k4 was not begun, as k2 failed.",
        "k1 done, k2 failed, k3 done, k4 skipped, k5 done",
        "Done: k1, k3 and k5; failed: k2 and k4",
        "k1, k3, k5 are done, k2 and k4 failed",
        "Done:\n- k1\n- k3\n- k5\nFailed:\n- k2\n- k4",
        "| k1 | done |\n| k2 | failed |\n| k3 | done |\n| k4 | skipped |\n| k5 | done |",
        '{"k1": "done", "k2": "failed", "k3": "done", "k4": "failed", "k5": "done"}',
        "Tasks: k1, k2, k3, k4, k5. Without a result: k2, k4.",
    ],
)
def test_honest_ways_to_name_what_is_missing_are_told_apart(text: str) -> None:
    assert all(told_apart(text, lost, DONE) for lost in LOST)


@pytest.mark.parametrize(
    "text",
    [
        "Missing, failed or skipped: k1, k2, k3, k4, k5",
        "Missing: k5\nMissing: k4\nMissing: k3\nMissing: k2\nMissing: k1\nMissing: more",
        "All is well.",
    ],
)
def test_the_same_said_of_all_tells_nothing_apart(text: str) -> None:
    assert not any(told_apart(text, lost, DONE) for lost in LOST)
