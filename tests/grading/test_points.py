"""What the judge gives for an exercise is what its check cell gives.

The heading is held to the check cell by a lint.
"""

import pytest

from graders.judge.judge import grade_id
from graders.records.scenario import Exercise
from tests.judge.mutants import JUDGED, SOLVED
from tests.notebooks import kit


@pytest.mark.parametrize("exercise", JUDGED, ids=lambda each: each.number)
def test_the_trials_are_worth_what_the_check_cell_is(exercise: Exercise) -> None:
    book = kit.read(SOLVED[exercise.number.split(".")[0].zfill(2)])
    check = kit.by_id(book, f"{grade_id(exercise)}_check")
    assert exercise.points == check.metadata.nbgrader.points
