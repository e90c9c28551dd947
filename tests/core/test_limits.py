"""Limits: which one ends a run, and in which words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.limits import Limits, Stop, reached


def test_ten_turns_are_the_default_and_nothing_else_is_limited() -> None:
    assert reached(Limits(), turns=9, tokens=10**9, seconds=1e9) is None
    assert reached(Limits(), turns=10, tokens=0, seconds=0) == Stop("max_turns", 10, 10)


@pytest.mark.parametrize(
    ("limits", "stop"),
    [
        (Limits(max_turns=None, max_tokens=100), Stop("max_tokens", 100, 120)),  # type: ignore[arg-type]
        (Limits(max_tokens=100), Stop("max_tokens", 100, 120)),
        (Limits(max_seconds=2.5), Stop("max_seconds", 2.5, 3.0)),
        (Limits(max_tokens=121, max_seconds=3.5), None),
        (Limits(max_turns=3, max_tokens=1), Stop("max_turns", 3, 3)),
        (Limits(max_turns=0), Stop("max_turns", 0, 3)),
    ],
)
def test_the_first_limit_that_is_used_up_is_told(limits: Limits, stop: Stop | None) -> None:
    assert reached(limits, turns=3, tokens=120, seconds=3.0) == stop


def test_a_stop_says_limit_and_value_in_one_line() -> None:
    assert str(Stop("max_turns", 10, 10)) == "stopped: max_turns is 10, reached 10"
    assert str(Stop("max_seconds", 2.5, 3.0)) == "stopped: max_seconds is 2.5, reached 3"


@given(
    st.none() | st.integers(0, 5),
    st.none() | st.integers(0, 5),
    st.none() | st.floats(0, 5),
    st.integers(0, 6),
    st.integers(0, 6),
    st.floats(0, 6),
)
def test_a_stop_is_told_exactly_when_something_is_used_up(
    max_turns: int | None,
    max_tokens: int | None,
    max_seconds: float | None,
    turns: int,
    tokens: int,
    seconds: float,
) -> None:
    limits = Limits(max_turns=max_turns, max_tokens=max_tokens, max_seconds=max_seconds)  # type: ignore[arg-type]
    stop = reached(limits, turns=turns, tokens=tokens, seconds=seconds)
    pairs = [(max_turns, turns), (max_tokens, tokens), (max_seconds, seconds)]
    assert (stop is not None) == any(limit is not None and v >= limit for limit, v in pairs)
    if stop:
        assert stop.value >= stop.limit
        assert stop.limit == getattr(limits, stop.reason)
