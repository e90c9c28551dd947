"""Five ways to a faster supervisor: each helps somewhere, and answers stay right."""

import pytest

from course.evaluation.latency import SEVERAL, SINGLE, WAYS, arms, measure, system


def test_each_way_but_starting_early_helps_alone_and_every_answer_is_right() -> None:
    asked = (SINGLE[0], SEVERAL[0])
    none = measure((), seeds=1, requests=asked)
    alone = {way: measure((way,), seeds=1, requests=asked) for way in ("small", "scope")}
    assert none.right == 1.0 and all(row.right == 1.0 for row in alone.values())
    assert all(row.seconds < none.seconds for row in alone.values())
    assert alone["scope"].tokens < none.tokens / 10


def test_each_way_helps_beside_the_others() -> None:
    asked = (SINGLE[0], SEVERAL[0])
    rest = {n: ways for n, ways in arms().items() if n.startswith("all") and "scope" not in n}
    rows = {n: measure(ways, name=n, seeds=1, requests=asked) for n, ways in rest.items()}
    assert all(row.right == 1.0 for row in rows.values()) and len(rows) == len(WAYS)
    everything = rows.pop("all five").seconds
    assert all(everything < row.seconds for row in rows.values())


def test_an_unknown_way_is_named() -> None:
    with pytest.raises(ValueError, match="no way 'luck'; there are: small, fan out"):
        system(("luck",), SINGLE[0])
