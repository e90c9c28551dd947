"""The judge tells nearly every small change of a reference solution from the solution."""

import pytest

from graders.records.scenario import Exercise
from tests.judge.mutants import EXERCISES, tally
from tests.judge.survivors import EXPLAINED, STILL_RIGHT, key_of

LEAST = 0.9


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.number)
@pytest.mark.usefixtures("few_requests", "impatient")
@pytest.mark.filterwarnings("ignore")  # mutants leave coroutines unawaited
def test_nine_in_ten_are_killed_and_the_others_explained(exercise: Exercise) -> None:
    judged = tally(exercise)
    keys = [key_of(each.exercise, each.operator, each.line) for each in judged.alive]
    unexplained = [each for each, key in zip(judged.alive, keys, strict=True) if key is None]
    assert not unexplained
    explained = {key for key in EXPLAINED if key[0] == exercise.number}
    assert explained == set(keys), "an explanation whose mutants are killed now"
    right = sum(key in STILL_RIGHT for key in keys)
    assert judged.made - len(keys) >= LEAST * (judged.made - right)


def test_every_explanation_belongs_to_an_exercise() -> None:
    assert {number for number, _, _ in EXPLAINED} <= {each.number for each in EXERCISES}
