"""The explorer plots a folder's runs, and a picked point shows that run's own trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from course.errors import ConfigurationError
from course.lab import store
from course.lab.spec import Experiment
from course.lab.sweep import sweep
from course.notebook import explorer
from course.trace import Trace

SPEC = Experiment(
    name="few", bench="calls:1-2", pattern=["single", "supervisor"], seeds=[0], tasks=1
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("few")
    sweep(SPEC, place)
    return place


def test_a_picked_run_is_shown_with_its_own_trace(folder: Path) -> None:
    runs = store.runs(folder)
    box = explorer.box_of(folder, x="latency_s", y="tokens_in", by="pattern")
    assert len(box.plot.points) == len(runs) == 4
    first = runs.iloc[0]
    box.plot.picked = first["run_id"]
    [played] = box.below.children
    assert played.data["calls"] == first["calls"]
    trace = explorer.run_trace(folder, first["run_id"])
    assert isinstance(trace, Trace)
    assert max(span.end for span in trace.spans) == pytest.approx(first["latency_s"])


def test_a_cell_that_ends_in_it_shows_it_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[object] = []
    monkeypatch.setattr(explorer, "show", shown.append)
    assert explorer.explore(folder) is None  # type: ignore[func-returns-value]
    assert len(shown) == 1


def test_points_say_what_they_are_and_differ_in_sign_and_colour(folder: Path) -> None:
    runs = store.runs(folder)
    found = explorer.points(runs, "latency_s", "tokens_in", "pattern")
    assert {each["sign"] for each in found} == {"●", "■"}
    assert len({each["colour"] for each in found}) == 2
    for row, each in zip(runs.to_dict("records"), found, strict=True):
        assert each["told"].startswith(f"{row['pattern']}, {row['policy']}, task {row['task_id']}")
        assert (each["x"], each["y"]) == (row["latency_s"], row["tokens_in"])


def test_other_axes_draw_other_points(folder: Path) -> None:
    box = explorer.box_of(folder, x="latency_s", y="tokens_in", by="pattern")
    before = [each["y"] for each in box.plot.points]
    box.children[0].children[1].value = "calls"
    assert [each["y"] for each in box.plot.points] != before
    assert box.plot.y_label == "calls"


def test_many_runs_are_thinned_and_a_missing_run_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explorer, "MOST", 2)
    assert len(explorer.points(store.runs(folder), "latency_s", "calls", "level")) == 2
    with pytest.raises(ConfigurationError, match="has no run 'x'"):
        explorer.run_trace(folder, "x")
