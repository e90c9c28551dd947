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

from course.drawing import SIGNS, image, label_ends, same_signs, signs
from course.errors import ConfigurationError
from course.evaluation import stats
from course.lab import breakdowns, figures
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


def test_an_arm_looks_the_same_in_every_figure_of_a_report() -> None:
    arms = list(PATTERNS)
    with same_signs(arms):
        held = {arm: look.colour for arm, look in signs(arms).items()}
        for ordered in (arms[::-1], arms[1:], ["another", *arms[::-1]]):
            looks = signs(ordered)
            assert all(looks[arm].colour == held[arm] for arm in arms if arm in looks)
            assert len({look.colour for look in looks.values()}) == len(looks)
        shown = axes()
        figures.forest(stats.compare_all(RUNS, "latency_s", "single"), shown)
        drawn = [line.get_color() for line in shown.lines if line.get_marker() != "None"]
        assert {held["supervisor"], held["planner"]} <= set(drawn)
        assert held["single"] not in drawn
    assert signs(arms[::-1])[arms[-1]].colour == signs(["x"])["x"].colour


def test_a_tornado_moves_where_there_is_nothing_at_its_base() -> None:
    rates = [
        runs_table(seeds=2, effects={"a": 0.0, "b": 4 * rate}, fault_tool=rate,
                   fault_kind="service/error" if rate else "service/mixed")
        for rate in (0.0, 0.1, 0.2)
    ]  # fmt: skip
    table = stats.tornado(pd.concat(rates, ignore_index=True), "latency_s", "a", "b",
                          base={"fault_tool": 0.0, "fault_kind": "service/mixed"})  # fmt: skip
    assert list(table[table["parameter"] == "fault_tool"]["setting"]) == ["0.0", "0.1", "0.2"]
    said = figures.tornado(table, axes())
    assert "fault_tool from" in said and "fault_kind: one setting only" in said


def test_latency_by_role_adds_up_to_the_latency() -> None:
    shown = axes()
    said = breakdowns.latency_by_role(SPANS, shown)
    ends = SPANS.groupby(["pattern", "run_id"])["end_s"].max().groupby("pattern").mean()
    for pattern, seconds in ends.items():
        assert f"{pattern} {seconds:.3g} (" in said
    assert all(role in said for role in ("worker", "synthesis", "tools", "lead"))


def test_how_runs_fail_is_told_by_arm() -> None:
    failing = RUNS.copy()
    failing["success"] = pd.array([True] * len(failing), dtype="boolean")
    planned = failing.index[failing["pattern"] == "planner"]
    failing.loc[planned[:6], ["success", "why"]] = [False, "missing: m1; wrong: m2"]
    failing.loc[planned[6:12], ["success", "why", "stop_reason"]] = [False, "", "deadline"]
    said = breakdowns.modes(failing, axes())
    share = f"{6 / len(planned):.2f}"
    assert f"planner something is missing {share}, something is wrong {share}" in said
    assert f"ended by deadline {share}" in said and "single something is missing 0.00" in said
    with pytest.raises(ConfigurationError, match="no run fails"):
        breakdowns.modes(failing.drop(planned), axes())


def test_agents_are_drawn_by_doubling() -> None:
    shown = axes()
    many = each("agents", [2, 4, 8, 16], lambda n: {"router": n / 10, "single": 0.0})
    said = figures.against(many, shown, x="agents", value="latency_s", by="pattern")
    assert shown.get_xscale() == "log" and "against agents" in said
    assert [label.get_text() for label in shown.get_xticklabels()] == ["2", "4", "8", "16"]
