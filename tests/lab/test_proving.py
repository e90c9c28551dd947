"""What can show nothing is refused before it is run, in a line that says the way out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from course import Agent, tool
from course.benches.bench import BENCHES, Case, Named
from course.benches.oracle import Errand
from course.benches.outcome import by_marks, counted, mark, value_of
from course.errors import ConfigurationError
from course.lab import measures
from course.lab.proving import proved
from course.lab.spec import Experiment
from course.models.tool_faults import TOOL_KINDS, fault


class Shelf:
    """One task, whose tool tells 23 in some form."""

    licence, tuned = "CC0-1.0", ""

    def __init__(self, told: Any, truth: dict[str, str]) -> None:
        @tool
        def look() -> Any:
            """Look at the shelf."""
            return told

        self.agents = (Agent(name="clerk", description="looks", tools=(look,)),)
        self.truth = truth

    def tasks(self) -> list[Named]:
        return [Named("t1", "t1", 1)]

    @contextmanager
    def open(self, task: Named) -> Iterator[Case]:
        yield Case(request="How many?", agents=self.agents, truth=self.truth,
                   errands=(Errand("m1", "look", {}, "Look"),),
                   said=lambda answer: counted({"m1": "23" in answer}))  # fmt: skip


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Any:
    def enter(told: Any, truth: dict[str, str], **axes: Any) -> Experiment:
        name = f"shelf-{f'{told!r} {truth}'.encode().hex()}"  # a bench of a name is made once
        monkeypatch.setitem(BENCHES, name, lambda *_: Shelf(told, truth))
        return Experiment(name="x", bench=name, **{"pattern": "single", "seeds": 0, **axes})

    return enter


@pytest.mark.parametrize("told", [
    {"value": 23}, {"a": {"b": [1, "23"]}}, [23], "23", "There are 23 on it", {"figure": "23"}, 23,
    "There are 23.", "23, I think", {"note": "it has (23)"},
], ids=repr)  # fmt: skip
def test_a_truth_is_found_under_any_key(shelf: Any, told: Any) -> None:
    proved(shelf(told, {"m1": "23"}))


@pytest.mark.parametrize("told", [
    {"value": 24}, {"23": 5}, "none", {"value": 230}, "it has 23.5", "-23", "1,23",
    '{"value": 23, "p',
])  # fmt: skip
def test_a_truth_that_no_tool_tells_is_refused(shelf: Any, told: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"no truth of task t1 \(m1 is '23'\)") as said:
        proved(shelf(told, {"m1": "23"}))
    assert "\n" not in str(said.value)


def test_a_bench_without_truth_is_refused(shelf: Any) -> None:
    with pytest.raises(ConfigurationError, match="has no truth for task t1: give its Case a truth"):
        proved(shelf({"value": 23}, {}))


@pytest.mark.parametrize(("axes", "said"), [
    ({"fault": {"move": 0.2}}, "fault.move strikes nothing here: none of single gives work away"),
    ({"fault": {"model": [0, 0.1], "kind": "truncated"}, "pattern": "single"}, ""),
    ({"fault": {"move": 0.2}, "pattern": ["single", "supervisor"]}, ""),
    ({"fault": {"tool": 0.2}}, ""),
])  # fmt: skip
def test_a_fault_that_nothing_meets_is_refused(shelf: Any, axes: Any, said: str) -> None:
    made = shelf({"value": 23}, {"m1": "23"}, **axes)
    if not said:
        proved(made)
        return
    with pytest.raises(ConfigurationError, match=said):
        proved(made)


def test_the_courses_own_kinds_and_columns_are_not_taken() -> None:
    for kind in TOOL_KINDS:
        with pytest.raises(ConfigurationError, match="choose another name"):
            fault(kind)
    for name in ("latency_s", "no name", ""):
        with pytest.raises(ConfigurationError, match="a name of its own"):
            measures.measure(name)


def test_a_measure_that_breaks_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(measures.MEASURES, "bad", lambda steps: steps[999].start)
    with pytest.raises(ConfigurationError, match="measure 'bad' breaks: IndexError"):
        measures.measured(("bad",), [])
    monkeypatch.setitem(measures.MEASURES, "none", lambda steps: None)
    assert measures.measured(("none",), []) == {"none": None}


@pytest.mark.parametrize(
    "truth", [{"m1": "23"}, {"year": "1922"}, {"m1-who": "T. S. Eliot (London)"}]
)
def test_an_answer_is_known_by_any_id_and_any_value(truth: dict[str, str]) -> None:
    said = "\n".join(f"- {mark(*each)}." for each in truth.items())
    assert by_marks(said, truth).success
    assert by_marks(said, {**truth, "m2": "23"}).right == 1


def test_a_wrong_value_is_not_taken_for_the_truth() -> None:
    assert value_of('{"value": 23}', "23") == "23"
    assert value_of('{"value": 24}', "23") not in ("23", "24")
    assert value_of('{"figure": 24}', "23") == "24"
