"""Each figure draws what its table says, can be told apart in grey, and says it in words."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from course.drawing import SIGNS, image, label_ends, signs
from course.errors import ConfigurationError
from course.evaluation import stats
from course.lab import figures
from course.reproductions import routing_curves
from tests.lab.frames import PATTERNS, runs_table, spans_table

RUNS = runs_table(seeds=2)
SPANS = figures.joined(spans_table(RUNS), RUNS)


def axes() -> Axes:
    return Figure(figsize=(7, 3.5)).add_subplot()


def each(
    column: str, values: list[Any], effects: Callable[[Any], dict[str, float]]
) -> pd.DataFrame:
    """Runs for each value of a column, with effects that hang on it."""
    parts = [runs_table(seeds=2, effects=effects(value), **{column: value}) for value in values]
    return pd.concat(parts, ignore_index=True)


FAULTS = pd.concat(
    [
        each("fault_model", [0.0, 0.1, 0.2], lambda share, b=bad: {"planner": b * share}).assign(
            policy=policy
        )
        for policy, bad in (("none", 30.0), ("refine", 5.0))
    ],
    ignore_index=True,
)
WIDE = each("level", [1, 2, 4], lambda wide: {"in turn": 3.0 * wide, "at once": 0.0})
ROUTES = pd.DataFrame(
    [
        {"router": name, "specialists": n, "accuracy": 1 - n * bad, "low": 0.9 - n * bad,
         "high": 1 - n * bad / 2, "coverage": covered}
        for name, bad, covered in (("keyword", 0.05, 1.0), ("hybrid", 0.001, 0.9))
        for n in (2, 5, 10)
    ]
)  # fmt: skip
ASSUMED = each("profile", ["calm", "busy"], lambda name: {"a": 0.0, "b": 3.0 * (name == "busy")})
DUE = each("deadline_s", [5.0, 10.0], lambda _: PATTERNS)
LOADED = each("load", [1, 5], lambda load: {"a": load})

DRAWN: dict[str, tuple[Callable[[Axes], str], tuple[str, ...]]] = {
    "latency": (lambda ax: figures.latency_ecdf(RUNS, ax), ("single", "95th percentile")),
    "cost": (lambda ax: figures.cost_success(RUNS, ax), ("Pareto frontier", "12 tasks")),
    "forest": (
        lambda ax: figures.forest(stats.compare_all(RUNS, "latency_s", "single"), ax),
        ("from single", "supervisor +1", "detectable"),
    ),
    "faults": (
        lambda ax: figures.against(FAULTS, ax, value="latency_s"),
        ("none from 9.", "refine from 9."),
    ),
    "deadline": (
        lambda ax: figures.against(DUE, ax, x="deadline_s", value="share", by="pattern"),
        ("against deadline (s)", "at 10"),
    ),
    "speed-up": (
        lambda ax: figures.speed_up(WIDE, ax, baseline="in turn"),
        ("speed-up over in turn", "work over critical path"),
    ),
    "load": (
        lambda ax: figures.load_curve(LOADED, ax),
        ("95th percentile", "at 5"),
    ),
    "routing": (
        lambda ax: routing_curves.drawn(ROUTES, ax),
        ("keyword from 0.9", "Coverage of hybrid"),
    ),
    "tornado": (
        lambda ax: figures.tornado(
            stats.tornado(ASSUMED, "latency_s", "a", "b", base={"profile": "calm"}), ax
        ),
        ("Monte-Carlo interval", "profile from"),
    ),
    "tokens": (lambda ax: figures.tokens_by_role(SPANS, ax), ("worker", "repeated")),
    "context": (lambda ax: figures.context_growth(SPANS, ax), ("from 800 to 1,500",)),
    "gantt": (
        lambda ax: figures.gantt(SPANS[SPANS["run_id"] == "planner/0/0"], ax),
        ("11 model and tool calls", "critical path 5 calls"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWN)
def test_a_figure_names_its_axes_and_says_what_it_shows(name: str) -> None:
    draw, told = DRAWN[name]
    ax = axes()
    alt = draw(ax)
    assert [words for words in told if words not in alt] == []
    assert "nan" not in alt.lower()
    assert ax.get_xlabel()
    assert ax.has_data()
    assert alt.split()[0] in alt.split(".")[0]  # a sentence


def test_series_differ_in_marker_line_and_hatch_as_well_as_in_colour() -> None:
    for place in range(4):
        assert len({str(sign[place]) for sign in SIGNS}) == len(SIGNS)
    assert signs("abc")["b"] == signs("bc" + "a")["c"]


def test_lines_are_labelled_where_they_end_and_labels_stand_apart() -> None:
    ax = axes()
    figures.against(DUE, ax, x="deadline_s", value="share", by="pattern")
    figure = ax.figure
    figure.canvas.draw()  # type: ignore[attr-defined]
    labels = [text for text in ax.texts if text.get_text() in PATTERNS]
    boxes = sorted((label.get_window_extent() for label in labels), key=lambda box: box.y0)
    assert len(boxes) == 3
    assert all(a.y1 <= b.y0 + 2 for a, b in pairwise(boxes))


@pytest.mark.parametrize("ends", [[0.0] * 7, [1.0] * 7, [0, 0, 0, 1, 1, 1], [0.5] * 5, [0, 1]])
def test_labels_of_lines_stay_beside_the_axes(ends: list[float]) -> None:
    ax = axes()
    ax.set_ylim(0, 1)
    label_ends(ax, [(1.0, y, f"line {n}", "black") for n, y in enumerate(ends)])
    ax.figure.canvas.draw()  # type: ignore[attr-defined]
    boxes = sorted((text.get_window_extent() for text in ax.texts), key=lambda box: box.y0)
    frame, half = ax.get_window_extent(), boxes[0].height / 2 + 1
    assert frame.y0 - half <= boxes[0].y0 and boxes[-1].y1 <= frame.y1 + half
    assert all(a.y1 <= b.y0 + 2 for a, b in pairwise(boxes))


@pytest.mark.parametrize("name", DRAWN)
def test_a_pictures_colours_are_those_of_its_figure(name: str) -> None:
    ax = axes()
    alt = DRAWN[name][0](ax)
    raw = io.BytesIO()
    ax.figure.savefig(raw, format="png", dpi=144, bbox_inches="tight")  # type: ignore[union-attr]
    tag, _, rest = image(ax.figure, alt).partition("base64,")  # type: ignore[arg-type]
    assert tag.startswith('<img alt="')
    shown = rest.split('"')[0]
    drawn, kept = (
        np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)
        for data in (raw.getvalue(), base64.b64decode(shown))
    )
    numbered = drawn @ [1 << 16, 1 << 8, 1]  # one number a colour, which sorts ten times as fast
    colours, counts = np.unique(numbered, return_counts=True)
    for number in colours[counts > 200]:  # no edge of a letter, but a line or a marker
        colour = [number >> 16, number >> 8 & 255, number & 255]
        assert np.abs(kept[numbered == number] - colour).max() <= 12, colour
    assert len(base64.b64decode(shown)) < len(raw.getvalue()) / 2


def test_the_frontier_is_what_nobody_beats() -> None:
    points = [(3.0, 0.9), (1.0, 0.5), (2.0, 0.5), (2.0, 0.7), (4.0, 0.9)]
    assert figures.frontier(points) == [1, 3, 0]


def test_speed_up_is_the_ratio_of_pairs() -> None:
    ax = axes()
    figures.speed_up(WIDE, ax, baseline="in turn")
    line = next(each for each in ax.lines if len(each.get_xdata()) == 3)
    pairs, _ = stats.pairs(WIDE[WIDE["level"] == 4], "latency_s", "in turn", "at once")
    means = pairs.groupby("task_id")[["baseline", "candidate"]].mean()
    expected = np.exp(np.log(means["baseline"] / means["candidate"]).mean())
    assert list(line.get_ydata())[-1] == pytest.approx(expected)  # type: ignore[arg-type]


def test_a_level_without_pairs_has_no_speed_up_and_what_is_there_keeps_its_label() -> None:
    lost = WIDE.assign(status=WIDE["status"].mask(WIDE["level"] == 4, "excluded"))
    ax = axes()
    told = figures.speed_up(lost, ax, baseline="in turn")
    assert "at 2" in told and "at 4" not in told and "nan" not in told
    assert [text.get_text() for text in ax.texts] == ["at once"]
    with pytest.raises(ConfigurationError, match="no level has pairs of in turn"):
        figures.speed_up(lost.assign(status="excluded"), axes(), baseline="in turn")


def test_the_critical_path_is_the_chain_in_which_each_waited_for_the_one_before() -> None:
    steps = SPANS[SPANS["run_id"] == "supervisor/0/0"]
    path = steps.set_index("span").loc[figures.critical(steps)]
    assert path["start_s"].iloc[0] == 0
    assert list(path["start_s"].iloc[1:]) == pytest.approx(list(path["end_s"].iloc[:-1]))
    assert path["end_s"].iloc[-1] == steps["end_s"].max()
    in_turn = SPANS[SPANS["run_id"] == "single/0/0"]
    assert len(figures.critical(in_turn)) == len(in_turn)


def test_a_figure_without_its_data_says_what_is_missing() -> None:
    with pytest.raises(ConfigurationError, match="no run has a deadline"):
        figures.against(RUNS.assign(deadline_s=np.nan), axes(), x="deadline_s")
