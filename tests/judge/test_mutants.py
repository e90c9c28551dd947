"""The judge tells nearly every small change of a reference solution from the solution."""

import pytest

from tests.judge.mutants import EXERCISES, tally
from tests.judge.survivors import EXPLAINED, reason

LEAST = 0.9


@pytest.mark.usefixtures("few_requests")
@pytest.mark.filterwarnings("ignore")  # mutants leave coroutines unawaited
def test_nine_in_ten_of_each_exercise_are_killed_and_the_others_explained() -> None:
    tallies = [tally(each) for each in EXERCISES]
    alive = [mutant for each in tallies for mutant in each.alive]
    unexplained = [m for m in alive if not reason(m.exercise, m.operator, m.line)]
    assert not unexplained
    shares = {each.exercise: 1 - len(each.alive) / each.made for each in tallies}
    assert min(shares.values()) >= LEAST, shares
    for number, operator, line in EXPLAINED:
        lived = [m for m in alive if (m.exercise, m.operator) == (number, operator)]
        assert any(m.line.startswith(line) for m in lived), f"{line} is killed now"
