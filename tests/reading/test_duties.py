"""The sets of all duties are fair and stay as they are, and as much is right as was measured."""

from collections import Counter
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import jsonschema
import pytest

from tests.reading import duties
from tests.reading.answers import Answer, matches, said, wrong
from tests.sets import digest

FROZEN = {
    "open": "0bca8a9232ab842a",
    "open_2": "d90477f013d0552f",
    "end_1": "93f2fc824d0f94dc",
    "end_2": "d5fe4a53d7d77940",
}
"""What the sets held when they were first measured, whatever their layout."""
LEAST = {"open": 29, "open_2": 56}
"""How many of the sets that were read come out right at least: a little less than measured."""

ALL = [case for name in duties.names() for case in duties.load(name)]


def _right(case: Mapping[str, Any]) -> Answer:
    told = case["right"]
    return Answer(told["text"], tuple((name, given) for name, given in told["calls"]))


def test_no_set_changes_and_no_two_share_a_trade() -> None:
    assert {*FROZEN} == {*duties.names()}
    for name, frozen in FROZEN.items():
        assert digest(duties.load(name)) == frozen, name
    trades = Counter(d for name in FROZEN for d in {c["domain"] for c in duties.load(name)})
    assert max(trades.values()) == 1


@pytest.mark.parametrize("case", ALL, ids=lambda c: c["id"])
def test_a_right_answer_is_right_and_others_are_not(case: dict[str, Any]) -> None:
    right = _right(case)
    assert wrong(case["request"], case["expect"], right) == ""
    assert wrong(case["request"], case["expect"], Answer("")) or case["expect"] == {"calls": []}
    tools = {t["function"]["name"]: t["function"] for t in case["request"].get("tools", ())}
    for place, (name, given) in enumerate(right.calls):
        jsonschema.validate(given, tools[name].get("parameters", {}))
        fewer = Answer(right.text, right.calls[:place] + right.calls[place + 1 :])
        assert wrong(case["request"], case["expect"], fewer)
        other = deepcopy(dict(given)) | {"never_heard_of": "x"}
        more = (*right.calls[:place], (name, other), *right.calls[place + 1 :])
        assert wrong(case["request"], case["expect"], Answer(right.text, more))


@pytest.mark.parametrize("name", LEAST)
def test_as_many_as_were_measured_come_out_right(name: str) -> None:
    right = sum(not reason for _, reason in duties.verdicts(duties.load(name)))
    assert right >= LEAST[name]


@pytest.mark.parametrize(
    ("matcher", "good", "bad"),
    [
        ({"contains": "tear"}, "a tear in it", "a hole"),
        ({"alnum": ["LX-31150"]}, "lx 31150", "LX-3115"),
        ({"set": [["a"], ["b"]]}, ["b", "a"], ["a", "a"]),
        ({"rows": [{"n": [1]}, {"n": [2]}]}, [{"n": 2}, {"n": 1}], [{"n": 1}]),
        ({"object": {"x": [1]}}, {"x": 1, "y": 2}, {"y": 1}),
        ([True], True, 1),
        (["Half past."], "half  past", "half"),
    ],
)
def test_matchers_take_what_is_wanted_alone(matcher: Any, good: Any, bad: Any) -> None:
    assert matches(matcher, good)
    assert not matches(matcher, bad)


@pytest.mark.parametrize(
    ("needle", "good", "bad"),
    [
        ({"date": "2026-05-04"}, "on 4 May", "on 14 May"),
        ({"date": "2026-05-04"}, "on May the 4th", "on May 5"),
        ({"time": "16:00"}, "at 4 pm", "at 6:00"),
        ({"number": 1250}, "1,250 euros", "12,50 euros"),
        ({"number": 12.5}, "12,50 euros", "1250 euros"),
        ("12", "12 pieces", "120 pieces"),
        (["open", "not known"], "It is not known.", "It is done."),
    ],
)
def test_words_figures_and_days_are_found_however_they_are_written(
    needle: Any, good: str, bad: str
) -> None:
    assert said(needle, good)
    assert not said(needle, bad)
