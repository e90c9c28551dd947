"""Figures of the table `runs`: each a function of a table and axes that draws and says what.

Each takes matplotlib axes and returns the figure's alt text: what kind of picture it is, what it
compares, what it shows. Intervals are 95 %, from resampled tasks (`course.evaluation.stats`).
"""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from course.drawing import GREY, OKABE_ITO, label_ends, signs, tidy
from course.errors import ConfigurationError
from course.evaluation import stats
from course.lab.tables import RUNS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHORT = {"seconds": "s"}
UNITS = {each.name: SHORT.get(each.unit, each.unit) for each in RUNS}
SHARES = ("success", "share", "fault_model", "fault_tool")


def quantity(column: str) -> str:
    """A column's name and unit as an axis has them: "latency (s)"."""
    name = column.removesuffix("_s").removesuffix("_usd").replace("_", " ")
    unit = "share" if column in SHARES else UNITS.get(column, "")
    return f"{name} ({unit})" if unit and unit != name else name


def latency_ecdf(
    runs: pd.DataFrame, ax: Axes, *, by: str = "pattern", value: str = "latency_s"
) -> str:
    """The share of runs that were over after so many seconds, for each arm."""
    kept = runs[stats.counted(runs, value)]
    told, right = [], float(kept[value].astype(float).quantile(0.99)) * 1.05
    looks = signs(kept[by])
    groups = [(n, np.sort(g[value].astype(float))) for n, g in kept.groupby(by, observed=True)]
    for number, (name, seconds) in enumerate(sorted(groups, key=lambda each: np.median(each[1]))):
        look = looks[name]
        shares = np.arange(1, len(seconds) + 1) / len(seconds)
        ax.step(seconds, shares, where="post", color=look.colour, linestyle=look.line)
        middle, late = np.quantile(seconds, [0.5, 0.95])
        ax.plot([middle, late], [0.5, 0.95], look.marker, color=look.colour, markersize=5)
        at = 0.72 - 0.5 * number / max(1, len(groups) - 1)
        first = number == 0 and len(groups) > 1  # the fastest has room on its left
        ax.annotate(
            str(name), (float(np.quantile(seconds, at)), at), xytext=(-7 if first else 7, 0),
            textcoords="offset points", ha="right" if first else "left", va="center",
            color=look.colour, fontsize=9,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.9},
        )  # fmt: skip
        told.append(f"{name} {middle:.2f} and {late:.2f}")
    ax.set_xlim(0, right)
    ax.set_ylim(0, 1.02)
    tidy(ax, x=quantity(value), y="share of runs")
    beyond = int((kept[value].astype(float) > right).sum())
    tail = f" {beyond} runs lie beyond the axis." if beyond else ""
    return (
        f"Cumulative distribution of {quantity(value)} by {by}, over {len(kept)} runs. Median and "
        f"95th percentile, marked on each line: {'; '.join(told)}.{tail}"
    )


def cost_success(
    runs: pd.DataFrame, ax: Axes, *, by: str = "pattern", cost: str = "cost_usd",
    value: str = "success",
) -> str:  # fmt: skip
    """Each arm's cost and success as a cross of paired intervals, and the Pareto frontier."""
    scale = 1000 if cost == "cost_usd" else 1
    rows = stats.within_tasks(runs, cost, by).merge(
        stats.within_tasks(runs, value, by), on=by, suffixes=("_x", "_y")
    )
    looks, told = signs(rows[by]), []
    for place, row in enumerate(rows.sort_values("value_x").to_dict("records")):
        look = looks[row[by]]
        x, y = row["value_x"] * scale, row["value_y"]
        ax.errorbar(
            x, y, xerr=_arms(row, "_x", scale), yerr=_arms(row, "_y"), fmt=look.marker,
            color=look.colour, capsize=3, markersize=7,
        )  # fmt: skip
        ax.annotate(str(row[by]), (x, y), xytext=(8, (7, -14)[place % 2]), color=look.colour,
                    textcoords="offset points", fontsize=9)  # fmt: skip
        told.append(f"{row[by]} {x:.3g} and {y:.2f}")
    front = frontier([(row["value_x"], row["value_y"]) for row in rows.to_dict("records")])
    best = rows.iloc[front]
    ax.step(best["value_x"] * scale, best["value_y"], where="post", color=GREY, linewidth=1,
            linestyle="--", zorder=1)  # fmt: skip
    ax.margins(x=0.15)
    ax.set_xlim(left=0)
    unit = "cost (USD for 1,000 runs)" if scale > 1 else quantity(cost)
    tidy(ax, x=unit, y=quantity(value))
    return (
        f"Scatter plot of {quantity(value)} against {unit} by {by}, with intervals paired over"
        f" {int(rows['units_x'].min() if len(rows) else 0)} tasks. Cost and success: "
        f"{'; '.join(told)}. On the Pareto frontier: {', '.join(map(str, best[by]))}."
    )


def frontier(points: list[tuple[float, float]]) -> list[int]:
    """Places of the points that no other beats: none costs as little and succeeds as often."""
    front: list[int] = []
    for place in sorted(range(len(points)), key=lambda n: (points[n][0], -points[n][1])):
        if not front or points[place][1] > points[front[-1]][1]:
            front.append(place)
    return front


def _arms(row: dict[Any, Any], side: str = "", scale: float = 1.0) -> Any:
    """An interval as matplotlib's error bars want it; none where it is unknown."""
    middle = row[f"value{side}"]
    ends = [[middle - row[f"low{side}"]], [row[f"high{side}"] - middle]]
    return None if np.isnan(ends).any() else np.maximum(ends, 0) * scale


def forest(table: pd.DataFrame, ax: Axes) -> str:
    """Paired differences from a baseline, with what such an experiment can detect.

    Args:
        table: of `stats.compare_all`.
        ax: to draw on.
    """
    value, baseline = str(table["value"].iloc[0]), str(table["baseline"].iloc[0])
    told = []
    for place, row in enumerate(table.to_dict("records")):
        ax.barh(place, 2 * row["detectable"], left=-row["detectable"], height=0.7, color="0.9")
        middle = row["difference"]
        arms = _arms({**row, "value": middle})
        ax.errorbar(middle, place, xerr=arms, fmt="s", color=OKABE_ITO["blue"], capsize=3)
        said = f"{middle:+.3g} [{row['low']:+.3g}, {row['high']:+.3g}]"
        p = f"p = {row['p_holm']:.2g}" if row["p_holm"] >= 0.001 else "p < 0.001"
        ax.annotate(
            f"{said}   {p}   {row['pairs']} pairs, {row['tasks']} tasks", (1.02, place),
            xycoords=("axes fraction", "data"), va="center", fontsize=8,
        )  # fmt: skip
        told.append(f"{row['candidate']} {said}, {p}, detectable {row['detectable']:.2g}")
    ax.axvline(0, color=OKABE_ITO["black"], linewidth=0.8)
    ax.set_yticks(range(len(table)), table["candidate"])
    ax.set_ylim(len(table) - 0.4, -0.6)
    ax.use_sticky_edges = False
    ax.margins(x=0.08)
    said = f"{quantity(value)}: difference from {baseline}; grey: too small to be detected"
    tidy(ax, x=said, y="", grid="x")
    return (
        f"Forest plot of paired differences in {quantity(value)} from {baseline}; the grey bars are"
        f" what would be detected in 80 % of such experiments: {'; '.join(told)}."
    )


def _curves(
    rows: pd.DataFrame, ax: Axes, x: str, by: str, *, lines: bool = True
) -> list[tuple[str, pd.DataFrame]]:
    """A line for each arm through its estimates, with error bars beside each other."""
    groups = [(str(name), group.sort_values(x)) for name, group in rows.groupby(by, sort=False)]
    looks = signs(name for name, _ in groups)
    places = np.sort(rows[x].astype(float).unique())
    _ticks(ax, places)
    gap = float(np.min(np.diff(places))) * 0.05 if len(places) > 1 else 0.0
    ends = []
    for number, (name, group) in enumerate(groups):
        look = looks[name]
        at = group[x].astype(float) + (number - (len(groups) - 1) / 2) * gap
        arms = np.array(
            [group["value"] - group["low"], group["high"] - group["value"]], dtype=float
        )
        ax.errorbar(
            at, group["value"], yerr=np.nan_to_num(arms).clip(0), color=look.colour,
            marker=look.marker, linestyle=look.line if lines else "", capsize=2, markersize=5,
        )  # fmt: skip
        ends.append((float(at.iloc[-1]), float(group["value"].iloc[-1]), name, look.colour))
    label_ends(ax, ends)
    return groups


def _ticks(ax: Axes, places: Any) -> None:
    """Ticks where something was measured, if these are few."""
    if len(places) <= 8:
        ax.set_xticks(places, [f"{place:g}" for place in places])


def _told(groups: list[tuple[str, pd.DataFrame]], x: str) -> str:
    """Each line's first and last point, in words."""
    parts = []
    for name, group in groups:
        first, last = group.iloc[0], group.iloc[-1]
        parts.append(f"{name} from {first['value']:.3g} at {first[x]:g} to {last['value']:.3g}"
                     f" [{last['low']:.3g}, {last['high']:.3g}] at {last[x]:g}")  # fmt: skip
    return "; ".join(parts)


def against_faults(
    runs: pd.DataFrame, ax: Axes, *, value: str = "success", by: str = "policy",
    fault: str = "fault_model",
) -> str:  # fmt: skip
    """What faults do to a value under each policy."""
    rows = stats.summary(runs, value, [by, fault])
    _from_zero(ax, rows, value)
    groups = _curves(rows, ax, fault, by)
    tidy(ax, x=f"{fault.removeprefix('fault_')} calls that fail (share)", y=quantity(value))
    return f"Line chart of {quantity(value)} against {fault} by {by}: {_told(groups, fault)}."


def _from_zero(ax: Axes, rows: pd.DataFrame, value: str) -> None:
    """Shares between 0 and 1, lengths from 0."""
    top = float(rows[["value", "high"]].max().max())
    ax.set_ylim(0, 1.04 if value in SHARES else top * 1.08 or 1.0)


def value_at_deadline(
    runs: pd.DataFrame, ax: Axes, *, by: str = "pattern", value: str = "share"
) -> str:
    """What an answer is worth that has to be there at a deadline, partial answers included."""
    rows = stats.summary(runs[runs["deadline_s"].notna()], value, [by, "deadline_s"])
    if rows.empty:
        raise ConfigurationError("no run has a deadline: give the experiment deadline = [5, 10]")
    _from_zero(ax, rows, value)
    groups = _curves(rows, ax, "deadline_s", by)
    ax.set_xlim(left=0)
    tidy(ax, x="deadline (s)", y="needed facts in the answer (share)")
    return (
        f"Line chart of the share of needed facts in the answer against the deadline in seconds by"
        f" {by}: {_told(groups, 'deadline_s')}."
    )


def speed_up(
    runs: pd.DataFrame, ax: Axes, *, baseline: str, axis: str = "pattern", width: str = "level"
) -> str:
    """How many times faster than a baseline each arm is, against the width of the work.

    The bound of an arm is its work over its critical path: what it would be if everything that
    does not wait for something else ran at the same time.
    """
    rows = []
    for name in [each for each in runs[axis].unique() if each != baseline]:
        for wide, group in runs.groupby(width, observed=True):
            if not {name, baseline} <= set(group[axis]):
                continue
            found, _ = stats.pairs(group, "latency_s", baseline, name, axis=axis)
            ratios = np.log(stats.by_task(found, "baseline") / stats.by_task(found, "candidate"))
            arm = group[group[axis] == name]
            bound = float((arm["work_s"] / arm["critical_path_s"]).mean())
            low, high = np.exp(stats.interval(ratios))
            rows.append({axis: name, width: float(wide), "value": float(np.exp(ratios.mean())),
                         "low": low, "high": high, "bound": bound})  # fmt: skip
    table = pd.DataFrame(rows)
    ax.set_ylim(0, float(table[["value", "high", "bound"]].max().max()) * 1.08)
    groups = _curves(table, ax, width, axis)
    for _, group in groups:
        ax.plot(group[width], group["bound"], color=GREY, linewidth=1, zorder=1)
    last = max((group for _, group in groups), key=lambda group: float(group["bound"].iloc[-1]))
    ax.annotate("bound: work / critical path", (last[width].iloc[-1], last["bound"].iloc[-1]),
                xytext=(-4, 5), textcoords="offset points", ha="right", fontsize=8)  # fmt: skip
    tidy(ax, x=width, y=f"speed-up over {baseline} (ratio)")
    bounds = "; ".join(f"{name} {group['bound'].iloc[-1]:.3g}" for name, group in groups)
    return (
        f"Line chart of the speed-up over {baseline} against {width} by {axis}, geometric means of"
        f" paired runs: {_told(groups, width)}. Bounds at the right end: {bounds}."
    )


def load_curve(
    runs: pd.DataFrame, ax: Axes, *, load: str = "load", by: str = "pattern",
    value: str = "latency_s",
) -> str:  # fmt: skip
    """Median (full markers) and 95th percentile (open ones) of latency as the load grows."""
    kept = runs[stats.counted(runs, value)].astype({value: float})
    looks, ends, told = signs(kept[by]), [], []
    for name, group in kept.groupby(by, sort=False, observed=True):
        table, look = group.groupby(load)[value].quantile([0.5, 0.95]).unstack(), looks[name]
        places = table.index.astype(float)
        ax.fill_between(places, table[0.5], table[0.95], color=look.colour, alpha=0.12)
        for share, face in ((0.5, look.colour), (0.95, "white")):
            ax.plot(places, table[share], color=look.colour, marker=look.marker,
                    linestyle=look.line, markerfacecolor=face, markersize=5)  # fmt: skip
        ends.append((float(places[-1]), float(table[0.5].iloc[-1]), str(name), look.colour))
        first, last = table.iloc[0], table.iloc[-1]
        told.append(f"{name} from {first[0.5]:.3g} and {first[0.95]:.3g} at {places[0]:g} to "
                    f"{last[0.5]:.3g} and {last[0.95]:.3g} at {places[-1]:g}")  # fmt: skip
    _ticks(ax, np.sort(kept[load].astype(float).unique()))
    ax.set_ylim(bottom=0)
    label_ends(ax, ends)
    tidy(ax, x=quantity(load), y=f"{quantity(value)}: median and p95")
    return (
        f"Line chart of the median and 95th percentile of {quantity(value)} against"
        f" {quantity(load)} by {by}: {'; '.join(told)}."
    )


def routing(table: pd.DataFrame, ax: Axes) -> str:
    """Routing accuracy as specialists multiply, and how much a hybrid decides without a model.

    Args:
        table: a row for each router and number of specialists: `router`, `specialists`, `accuracy`,
            `low`, `high`, and `coverage` (share decided, 1 for a router that always decides).
        ax: to draw on.
    """
    rows = table.rename(columns={"accuracy": "value"})
    ax.set_ylim(0, 1.04)
    groups = _curves(rows, ax, "specialists", "router")
    covered = []
    for name, group in groups:
        if (group["coverage"] < 1).any():
            ax.plot(group["specialists"], group["coverage"], color=GREY, marker="d", markersize=4,
                    linestyle=":")  # fmt: skip
            end = group.iloc[-1]
            ax.annotate(f"coverage of {name}", (end["specialists"], end["coverage"]),
                        xytext=(-4, -13), textcoords="offset points", ha="right",
                        fontsize=8)  # fmt: skip
            covered.append(f" Coverage of {name}: {group['coverage'].iloc[0]:.2f} to"
                           f" {end['coverage']:.2f}.")  # fmt: skip
    tidy(ax, x="specialists", y="right among the decided (share)")
    return (
        "Line chart of routing accuracy against the number of specialists by router: "
        f"{_told(groups, 'specialists')}.{''.join(covered)}"
    )


def tornado(table: pd.DataFrame, ax: Axes, *, name: str = "difference") -> str:
    """How far a difference moves when one assumption is changed, widest on top.

    Args:
        table: of `stats.tornado`.
        ax: to draw on.
        name: of the difference, with its unit.
    """
    base = table[table["is_base"]].iloc[0]
    spans = table.groupby("parameter", sort=False)["difference"].agg(["min", "max"])
    order = (spans["max"] - spans["min"]).sort_values(ascending=False).index
    if not isnan(base["low"]):
        ax.axvspan(base["low"], base["high"], color="0.88", zorder=0)
    told = []
    for place, parameter in enumerate(order):
        rows = table[table["parameter"] == parameter].sort_values("difference")
        low, high = rows.iloc[0], rows.iloc[-1]
        ax.barh(place, high["difference"] - low["difference"], left=low["difference"], height=0.5,
                color=OKABE_ITO["sky"], edgecolor=OKABE_ITO["blue"], hatch="///")  # fmt: skip
        for end, side, shift in ((low, "right", -5), (high, "left", 5)):
            ax.annotate(end["setting"], (end["difference"], place), xytext=(shift, 0), va="center",
                        textcoords="offset points", ha=side, fontsize=8)  # fmt: skip
        told.append(f"{parameter} from {low['difference']:.3g} ({low['setting']}) to"
                    f" {high['difference']:.3g} ({high['setting']})")  # fmt: skip
    ax.axvline(base["difference"], color=OKABE_ITO["black"], linewidth=0.9)
    ax.set_yticks(range(len(order)), order)
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.use_sticky_edges = False
    ax.margins(x=0.2)
    tidy(ax, x=f"{name}; grey: Monte-Carlo interval at the base", y="", grid="x")
    return (
        f"Tornado plot of {name}: {base['difference']:.3g} under the base assumptions, with a"
        f" Monte-Carlo interval of [{base['low']:.3g}, {base['high']:.3g}] (grey). One assumption"
        f" changed at a time moves it: {'; '.join(told)}."
    )
