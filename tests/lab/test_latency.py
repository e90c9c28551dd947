"""Five ways to a faster supervisor: each helps somewhere, and answers stay right."""

import pytest

from course.lab.latency import SEVERAL, SINGLE, WAYS, arms, measure, system


def test_each_way_helps_alone_or_beside_the_others_and_every_answer_is_right() -> None:
    asked = (SINGLE[0], SEVERAL[0])
    rows = {n: measure(ways, name=n, seeds=1, requests=asked) for n, ways in arms().items()}
    assert all(row.right == 1.0 for row in rows.values())
    none, everything = rows["none of them"], rows["all five"]
    for way in WAYS:
        assert rows[way].seconds < none.seconds or way == "stream"  # one task a message: no sooner
        assert everything.seconds < rows[f"all but {way}"].seconds, way
    assert everything.seconds < none.seconds / 3
    assert rows["scope"].tokens < none.tokens / 10


def test_an_unknown_way_is_named() -> None:
    with pytest.raises(ValueError, match="no way 'luck'; there are: small, fan out"):
        system(("luck",), SINGLE[0])
