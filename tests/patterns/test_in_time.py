"""Whatever hangs in whatever system: `Limits(max_seconds=...)` ends it in time, and it says so."""

import pytest

from tests.patterns.hanging import SLACK, SYSTEMS, WHAT, play


@pytest.mark.parametrize("hung", WHAT)
@pytest.mark.parametrize("name", SYSTEMS)
def test_a_run_ends_at_its_limit_with_an_answer_that_says_so(name: str, hung: str) -> None:
    played = play(name, hung)
    assert played.late <= SLACK + 1e-6  # of a clock that counts in floats
    assert played.told, played


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_does_not_hang_comes_to_its_end(name: str) -> None:
    played = play(name, "nothing")
    assert (played.stop, played.late) == (None, 0.0)
