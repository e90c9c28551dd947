"""Figures of an experiment: each a function of a table and axes that draws, and says what.

Each takes matplotlib axes and returns the figure's alt text: what kind of picture it is, what it
compares, what it shows. A table is `runs` or `spans`, or one of `course.evaluation.stats`, from
which intervals come: 95 %, over tasks.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from course.drawing import GREY, OKABE_ITO, label_ends, signs, tidy
from course.errors import ConfigurationError
from course.evaluation import means, stats
from course.lab.tables import RUNS
from course.observability.measures import WORK, critical_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UNITS = {each.name: {"seconds": "s"}.get(each.unit, each.unit) for each in RUNS}
SHARES = ("success", "share", "fault_model", "fault_tool", "fault_move")
LOOKS = {"chat": (OKABE_ITO["sky"], "///"), "execute_tool": (OKABE_ITO["orange"], "xx")}
"""The calls that take a run's time, model and tool, with colour and hatch."""

FAILING = {
    "fault_model": "model calls that fail (share)", "fault_tool": "tool calls that fail (share)",
    "fault_move": "moves that fail (share)",
}  # fmt: skip
DOUBLING = ("agents", "load")
"""Counts that are varied by doubling, and drawn so."""

LANES = 40
Groups = list[tuple[str, pd.DataFrame]]


def quantity(column: str) -> str:
    """A column's name and unit as an axis has them: "latency (s)"."""
    if column == "share":
        return "needed facts in the answer (share)"
    name = column.removesuffix("_s").removesuffix("_usd").replace("_", " ")
    unit = "share" if column in SHARES else UNITS.get(column, "")
    return f"{name} ({unit})" if unit and unit != name else name


def counting(runs: pd.DataFrame, value: str) -> pd.DataFrame:
    """The runs that count for a value, as numbers; ConfigurationError where none does."""
    kept = runs[stats.counted(runs, value)].astype({value: float})
    if kept.empty:
        raise ConfigurationError(f"no run counts for {quantity(value)}")
    return kept


def known(value: float, form: str) -> str:
    """A number in words, "unknown" for NaN."""
    return "unknown" if isnan(value) else f"{value:{form}}"


def ranged(middle: float, low: float, high: float, form: str = "+.3g") -> str:
    """A value with its interval in words; "none" where there is no value."""
    if isnan(middle):
        return "none"
    if isnan(low):
        return f"{middle:{form}} [interval unknown]"
    return f"{middle:{form}} [{low:{form}}, {high:{form}}]"


def note(ax: Axes, text: Any, at: tuple[Any, Any], off: tuple[int, int], **look: Any) -> None:
    """Write beside a place, so many points off."""
    look = {"textcoords": "offset points", "fontsize": 8, **look}
    ax.annotate(str(text), at, xytext=off, **look)


def _lanes(ax: Axes, names: Iterable[Any], **look: Any) -> None:
    """Name rows, the first on top."""
    listed = list(map(str, names))
    ax.set_yticks(range(len(listed)), listed, **look)
    ax.set_ylim(len(listed) - 0.4, -0.6)


def _ticks(ax: Axes, places: Any) -> Any:
    """Ticks where something was measured, if these are few; the places in order."""
    places = np.sort(places.astype(float).unique())
    if len(places) <= 8:
        ax.set_xticks(places, [f"{place:g}" for place in places])
    return places


def _arms(row: Any, side: str = "", scale: float = 1.0) -> Any:
    """An interval as matplotlib's error bars want it; none where it is unknown."""
    middle = row[f"value{side}"]
    ends = np.array([middle - row[f"low{side}"], row[f"high{side}"] - middle], dtype=float)
    return np.nan_to_num(ends.reshape(2, -1)).clip(0) * scale


def latency_ecdf(runs: pd.DataFrame, ax: Axes, *, by: str = "pattern") -> str:
    """The share of runs that were over after so many seconds, for each arm."""
    kept = counting(runs, "latency_s")
    told, right = [], float(kept["latency_s"].quantile(0.99)) * 1.05 or 1.0
    looks = signs(kept[by])
    groups = [(n, np.sort(g["latency_s"])) for n, g in kept.groupby(by, observed=True)]
    for number, (name, seconds) in enumerate(sorted(groups, key=lambda each: np.median(each[1]))):
        look = looks[name]
        shares = np.arange(1, len(seconds) + 1) / len(seconds)
        ax.step(seconds, shares, where="post", color=look.colour, linestyle=look.line)
        middle, late = np.quantile(seconds, [0.5, 0.95])
        ax.plot([middle, late], [0.5, 0.95], look.marker, color=look.colour, markersize=5)
        at = 0.72 - 0.5 * number / max(1, len(groups) - 1)
        first = number == 0 and len(groups) > 1  # the fastest has room on its left
        note(
            ax, name, (float(np.quantile(seconds, at)), at), (-7 if first else 7, 0),
            ha="right" if first else "left", va="center", color=look.colour, fontsize=9,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.9},
        )  # fmt: skip
        told.append(f"{name} {middle:.2f} and {late:.2f}")
    ax.set_xlim(0, right)
    ax.set_ylim(0, 1.02)
    tidy(ax, x=quantity("latency_s"), y="share of runs")
    beyond = int((kept["latency_s"] > right).sum())
    tail = f" {beyond} runs lie beyond the axis." if beyond else ""
    return (
        f"Cumulative distribution of latency (s) by {by}, over {len(kept)} runs. Median and "
        f"95th percentile, marked on each line: {'; '.join(told)}.{tail}"
    )


def cost_success(runs: pd.DataFrame, ax: Axes, *, by: str = "pattern") -> str:
    """Each arm's cost and success as a cross of paired intervals, and the Pareto frontier."""
    sides = [stats.within_tasks(runs, value, by) for value in ("cost_usd", "success")]
    rows = sides[0].merge(sides[1], on=by, suffixes=("_x", "_y"))
    if rows.empty:
        raise ConfigurationError("no task counts in every arm, for cost and for success")
    rows[["value_x", "low_x", "high_x"]] *= 1000
    looks, told = signs(rows[by]), []
    for place, row in enumerate(rows.sort_values("value_x").to_dict("records")):
        look, x, y = looks[row[by]], row["value_x"], row["value_y"]
        ax.errorbar(x, y, xerr=_arms(row, "_x"), yerr=_arms(row, "_y"), fmt=look.marker,
                    color=look.colour, capsize=3, markersize=7)  # fmt: skip
        note(ax, row[by], (x, y), (8, (7, -14)[place % 2]), color=look.colour, fontsize=9)
        told.append(f"{row[by]} {x:.3g} and {y:.2f}")
    best = rows.iloc[frontier(list(zip(rows["value_x"], rows["value_y"], strict=True)))]
    ax.step(best["value_x"], best["value_y"], where="post", color=GREY, linewidth=1,
            linestyle="--", zorder=1)  # fmt: skip
    ax.margins(x=0.15)
    ax.set_xlim(left=0)
    tidy(ax, x="cost (USD for 1,000 runs)", y=quantity("success"))
    return (
        f"Scatter plot of success (share) against cost (USD for 1,000 runs) by {by}, with intervals"
        f" paired over {int(rows['units_x'].min())} tasks. Cost and success: "
        f"{'; '.join(told)}. On the Pareto frontier: {', '.join(map(str, best[by]))}."
    )


def frontier(points: list[tuple[float, float]]) -> list[int]:
    """Places of the points that no other beats: none costs as little and succeeds as often."""
    front: list[int] = []
    for place in sorted(range(len(points)), key=lambda n: (points[n][0], -points[n][1])):
        if not front or points[place][1] > points[front[-1]][1]:
            front.append(place)
    return front


def forest(table: pd.DataFrame, ax: Axes) -> str:
    """Paired differences from a baseline, with what such an experiment can detect.

    Beside each stands the p of its interval, which alone never contradicts it, and Holm's.

    Args:
        table: of `stats.compare_all`.
        ax: to draw on.

    Raises ConfigurationError: no pair was scored.
    """
    if table["difference"].isna().all():
        raise ConfigurationError("no pair was scored")
    value, baseline = str(table["value"].iloc[0]), str(table["baseline"].iloc[0])
    told, looks = [], signs([baseline, *table["candidate"]])
    for place, row in enumerate(table.to_dict("records")):
        look = looks[row["candidate"]]
        middle, least = row["difference"], row["detectable"]
        ax.barh(place, 2 * least, left=-least, height=0.7, color="0.9")
        ax.errorbar(middle, place, xerr=_arms({**row, "value": middle}), fmt=look.marker,
                    capsize=3, color=look.colour)  # fmt: skip
        said = ranged(middle, row["low"], row["high"])
        p = f"p {_chance(row['p'])}, Holm {_chance(row['p_holm'])}"
        note(ax, f"{said}   {p}   {row['pairs']} pairs, {row['tasks']} tasks", (1.02, place),
              (0, 0), xycoords=("axes fraction", "data"), va="center")  # fmt: skip
        told.append(f"{row['candidate']} {said}, {p}, detectable {known(least, '.2g')}")
    ax.axvline(0, color=OKABE_ITO["black"], linewidth=0.8)
    _lanes(ax, table["candidate"])
    ax.use_sticky_edges = False
    ax.margins(x=0.08)
    said = f"{quantity(value)}: difference from {baseline}; grey: too small to be detected"
    tidy(ax, x=said, y="", grid="x")
    return (
        f"Forest plot of paired differences in {quantity(value)} from {baseline}; the grey bars are"
        f" what would be detected in 80 % of such experiments: {'; '.join(told)}."
    )


def _chance(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {known(p, '.2g')}"


def curves(rows: pd.DataFrame, ax: Axes, x: str, by: str) -> tuple[Groups, str]:
    """A line for each arm through its estimates, with error bars beside each other, and in words
    its first and its last point."""
    groups = [(str(name), group.sort_values(x)) for name, group in rows.groupby(by, sort=False)]
    looks, ends, told = signs(name for name, _ in groups), [], []
    places = _ticks(ax, rows[x])
    gap = float(np.min(np.diff(places))) * 0.05 if len(places) > 1 else 0.0
    for number, (name, group) in enumerate(groups):
        look, first, last = looks[name], group.iloc[0], group.iloc[-1]
        at = group[x].astype(float) + (number - (len(groups) - 1) / 2) * gap
        ax.errorbar(at, group["value"], yerr=_arms(group), color=look.colour, marker=look.marker,
                    linestyle=look.line, capsize=2, markersize=5)  # fmt: skip
        ends.append((float(at.iloc[-1]), float(last["value"]), name, look.colour))
        ended = ranged(last["value"], last["low"], last["high"], ".3g")
        told.append(f"{name} from {first['value']:.3g} at {first[x]:g} to {ended} at {last[x]:g}")
    label_ends(ax, ends)
    return groups, "; ".join(told)


def against(
    runs: pd.DataFrame, ax: Axes, *, x: str = "fault_model", value: str = "success",
    by: str = "policy",
) -> str:  # fmt: skip
    """A value against a number that varies: the share of calls that fail, the seconds until a
    deadline, the number of agents (by doubling), tokens, a measure of one's own.

    Raises ConfigurationError: `x` has no value in any run, or no run counts.
    """
    rows = stats.summary(runs[runs[x].notna()], value, [by, x])
    if rows.empty:
        key = x.removesuffix("_s")
        raise ConfigurationError(f"no run has a {key}: give the experiment {key} = [5, 10]")
    rows = rows.dropna(subset=["value"])
    if rows.empty:
        raise ConfigurationError(f"no run counts for {quantity(value)}")
    top = float(rows[["value", "high"]].max().max())
    ax.set_ylim(0, 1.04 if value in SHARES else top * 1.08 or 1.0)
    _, told = curves(rows, ax, x, by)
    if x == "deadline_s":
        ax.set_xlim(left=0)
    if x in DOUBLING:
        places = sorted(rows[x].astype(float).unique())
        ax.set_xscale("log", base=2)
        ax.set_xticks(places, [f"{place:g}" for place in places])
        ax.minorticks_off()
    tidy(ax, x=FAILING.get(x) or quantity(x), y=quantity(value))
    return f"Line chart of {quantity(value)} against {quantity(x)} by {by}: {told}."


def speed_up(runs: pd.DataFrame, ax: Axes, *, baseline: str, axis: str = "pattern") -> str:
    """How many times faster than a baseline each arm is, against the level: the work's width.

    The grey line of an arm is its work over its critical path: how much of that comes from calls at
    the same time. The rest is that it makes fewer or shorter ones.

    Raises ConfigurationError: no level has pairs.
    """
    rows = []
    for name in [each for each in runs[axis].unique() if each != baseline]:
        for wide, group in runs.groupby("level", observed=True):
            if not {name, baseline} <= set(group[axis]):
                continue
            found, _ = stats.pairs(group, "latency_s", baseline, name, axis=axis)
            found = found[(found[stats.SIDES] > 0).all(axis=1)]  # what broke at once has no ratio
            if found.empty:
                continue
            ratios = np.log(stats.by_task(found, "baseline") / stats.by_task(found, "candidate"))
            arm = group[group[axis] == name]
            low, high = np.exp(means.interval(ratios))
            at_once = float((arm["work_s"] / arm["critical_path_s"]).mean())
            rows.append({axis: name, "level": float(wide), "value": float(np.exp(ratios.mean())),
                         "low": low, "high": high, "at_once": at_once})  # fmt: skip
    if not rows:
        raise ConfigurationError(f"no level has pairs of {baseline} and another {axis}")
    table = pd.DataFrame(rows)
    ax.set_ylim(0, float(table[["value", "high", "at_once"]].max().max()) * 1.08)
    groups, told = curves(table, ax, "level", axis)
    looks = signs(name for name, _ in groups)
    for name, group in groups:
        ax.plot(group["level"], group["at_once"], color=GREY, linewidth=1, zorder=1, markersize=4,
                marker=looks[name].marker, linestyle=looks[name].line)  # fmt: skip
    tidy(
        ax, x="level (grey: by calls at the same time alone)", y=f"speed-up over {baseline} (ratio)"
    )
    alone = "; ".join(f"{name} {group['at_once'].iloc[-1]:.3g}" for name, group in groups)
    return (
        f"Line chart of the speed-up over {baseline} against level by {axis}, geometric means of"
        f" paired runs: {told}. By calls at the same time alone, work over critical path, at the"
        f" right end: {alone}."
    )


def _marks(
    rows: pd.DataFrame, ax: Axes, x: str, value: str, by: str, shares: tuple[float, ...]
) -> list[tuple[Any, Any, pd.DataFrame]]:
    """For each arm a band between the lowest and the highest of these quantiles, and its median:
    the arm's name, its look, and the quantiles."""
    looks, found, ends = signs(rows[by]), [], []
    for name, group in rows.astype({value: float}).groupby(by, sort=False, observed=True):
        table, look = group.groupby(x)[value].quantile(list(shares)).unstack(), looks[name]
        table.index = table.index.astype(float)
        ax.fill_between(table.index, table[shares[0]], table[shares[-1]], color=look.colour,
                        alpha=0.13)  # fmt: skip
        ax.plot(table.index, table[0.5], color=look.colour, marker=look.marker,
                linestyle=look.line, markersize=5)  # fmt: skip
        ends.append((float(table.index[-1]), float(table[0.5].iloc[-1]), str(name), look.colour))
        found.append((name, look, table))
    ax.set_ylim(bottom=0)
    label_ends(ax, ends)
    return found


def load_curve(runs: pd.DataFrame, ax: Axes, *, by: str = "pattern") -> str:
    """Median (full markers) and 95th percentile (open ones) of latency as the load grows."""
    kept, told = counting(runs, "latency_s"), []
    for name, look, table in _marks(kept, ax, "load", "latency_s", by, (0.5, 0.95)):
        ax.plot(table.index, table[0.95], color=look.colour, marker=look.marker,
                linestyle=look.line, markerfacecolor="white", markersize=5)  # fmt: skip
        first, last = table.iloc[0], table.iloc[-1]
        told.append(f"{name} from {first[0.5]:.3g} and {first[0.95]:.3g} at {first.name:g} to "
                    f"{last[0.5]:.3g} and {last[0.95]:.3g} at {last.name:g}")  # fmt: skip
    _ticks(ax, kept["load"])
    tidy(ax, x=quantity("load"), y="latency (s): median and p95")
    return (
        "Line chart of the median and 95th percentile of latency (s) against"
        f" {quantity('load')} by {by}: {'; '.join(told)}."
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
    alone = [name for name, rows in table.groupby("parameter", sort=False)
             if rows["setting"].nunique() < 2]  # fmt: skip
    moved = spans.drop(index=alone)
    order = (moved["max"] - moved["min"]).sort_values(ascending=False).index
    if not np.isnan(base["low"]):
        ax.axvspan(base["low"], base["high"], color="0.88", zorder=0)
    told = []
    for place, parameter in enumerate(order):
        rows = table[table["parameter"] == parameter].sort_values("difference")
        low, high = rows.iloc[0], rows.iloc[-1]
        ax.barh(place, high["difference"] - low["difference"], left=low["difference"], height=0.5,
                color=OKABE_ITO["sky"], edgecolor=OKABE_ITO["blue"], hatch="///")  # fmt: skip
        for end, side, shift in ((low, "right", -5), (high, "left", 5)):
            note(ax, end["setting"], (end["difference"], place), (shift, 0), va="center", ha=side)
        told.append(f"{parameter} from {low['difference']:.3g} ({low['setting']}) to"
                    f" {high['difference']:.3g} ({high['setting']})")  # fmt: skip
    ax.axvline(base["difference"], color=OKABE_ITO["black"], linewidth=0.9)
    _lanes(ax, order)
    ax.use_sticky_edges = False
    ax.margins(x=0.2)
    single = f"{', '.join(alone)}: one setting only" if alone else ""
    tidy(ax, x=f"{name}; grey: Monte-Carlo interval at the base\n{single}".strip(), y="", grid="x")
    return (
        f"Tornado plot of {name}: {base['difference']:.3g} under the base assumptions, with a"
        f" Monte-Carlo interval of [{base['low']:.3g}, {base['high']:.3g}] (grey). One assumption"
        f" changed at a time moves it: {'; '.join(told)}." + f" {single}." * bool(alone)
    )


# -- of steps: who used the tokens, how context grows, what decided the time ----------------------


def joined(spans: pd.DataFrame, runs: pd.DataFrame, by: str = "pattern") -> pd.DataFrame:
    """The spans, each with a column of its run."""
    return spans.merge(runs[["run_id", by]], on="run_id")


def tokens_by_role(spans: pd.DataFrame, ax: Axes, *, by: str = "pattern") -> str:
    """Tokens of a run, read and written, by the role of the call that used them.

    Args:
        spans: with the column `by`, see `joined`. Attempts after the first are a role of their own.
        ax: to draw on.
        by: what the bars are for.
    """
    chats = spans[spans["operation"] == "chat"]
    role = chats["role"].replace("", "agent").fillna("agent")
    again = chats["attempt"].fillna(1).astype(int) > 1
    tokens = chats["tokens_in"].fillna(0) + chats["tokens_out"].fillna(0)
    used = chats.assign(role=role.where(~again, "repeated"), tokens=tokens.astype(float))
    runs = spans.groupby(by, sort=False, observed=True)["run_id"].nunique()
    table = used.pivot_table(index=by, columns="role", values="tokens", aggfunc="sum", fill_value=0)
    table = table.reindex(runs.index).fillna(0).div(runs, axis=0)
    told = stacked(table, ax, ",.0f")
    tidy(ax, x="tokens a run, read and written", y="", grid="x")
    return f"Stacked bars of the mean tokens of a run by {by} and role: {told}."


def stacked(table: pd.DataFrame, ax: Axes, form: str) -> str:
    """A bar for each row, made of its columns, the largest first; and in words."""
    order = table.sum().sort_values(ascending=False).index
    looks, left = signs(order), np.zeros(len(table))
    for part in order:
        ax.barh(range(len(table)), table[part], left=left, height=0.6, label=part, linewidth=0.6,
                color=looks[part].colour, hatch=looks[part].hatch, edgecolor="white")  # fmt: skip
        left += table[part].to_numpy()
    for place, total in enumerate(left):
        note(ax, f"{total:{form}}", (total, place), (4, 0), va="center")
    _lanes(ax, table.index)
    ax.legend(frameon=False, fontsize=8, ncols=4, loc="lower left", bbox_to_anchor=(0, 1))
    return "; ".join(
        f"{name} {sum(row):{form}} ("
        + ", ".join(f"{part} {row[part]:{form}}" for part in order if row[part])
        + ")"
        for name, row in table.iterrows()
    )


def context_growth(spans: pd.DataFrame, ax: Axes, *, by: str = "pattern") -> str:
    """Tokens that the n-th model call of a run reads: the median, and the quartiles as a band.

    Only calls that at least half of an arm's runs make are drawn.
    """
    chats = spans[(spans["operation"] == "chat") & (spans["tokens_in"].fillna(0) > 0)]
    chats = chats.sort_values(["run_id", "start_s", "span"])
    chats = chats.assign(call=chats.groupby("run_id").cumcount() + 1)
    made = chats.groupby([by, "call"], observed=True)["run_id"].transform("nunique")
    runs = chats.groupby(by, observed=True)["run_id"].transform("nunique")
    told = [
        f"{name} from {table[0.5].iloc[0]:,.0f} to {table[0.5].iloc[-1]:,.0f}"
        f" tokens at call {table.index[-1]:g}"
        for name, _, table in _marks(
            chats[made * 2 >= runs], ax, "call", "tokens_in", by, (0.25, 0.5, 0.75)
        )
    ]
    ax.locator_params(axis="x", integer=True)
    tidy(ax, x="model call of the run", y="tokens read")
    return f"Line chart of the tokens read by each model call of a run by {by}: {'; '.join(told)}."


def critical(spans: pd.DataFrame) -> list[int]:
    """Numbers of the calls that decided when a run ended, in order (`critical_path`)."""
    leaves = spans[spans["operation"].isin(WORK)].sort_values("end_s")
    times = list(zip(leaves["start_s"], leaves["end_s"], strict=True))
    return [int(leaves["span"].iloc[place]) for place in critical_path(times)[::-1]]


def gantt(spans: pd.DataFrame, ax: Axes) -> str:
    """A run's model and tool calls along time; those of the critical path are filled.

    Args:
        spans: of one run.
        ax: to draw on; past 40 calls the rest is only counted.

    Raises ConfigurationError: the run made no call.
    """
    leaves = spans[spans["operation"].isin(WORK)].sort_values(["start_s", "span"])
    if leaves.empty:
        raise ConfigurationError("the run made no model or tool call")
    called = leaves["name"].where(leaves["operation"] == "execute_tool", "model")
    leaves = leaves.assign(call=leaves["agent"] + ": " + called,
                           seconds=leaves["end_s"] - leaves["start_s"])  # fmt: skip
    path, end = critical(spans), float(leaves["end_s"].max())
    shown = leaves.head(LANES)
    for lane, row in enumerate(shown.to_dict("records")):
        colour, hatch = LOOKS[row["operation"]]
        on_path = row["span"] in path
        ax.barh(lane, max(row["seconds"], end * 0.004), left=row["start_s"], height=0.7,
                hatch=hatch, linewidth=1.2, color=colour if on_path else "white",
                edgecolor=OKABE_ITO["black"] if on_path else GREY)  # fmt: skip
    _lanes(ax, shown["call"], fontsize=8)
    ax.set_xlim(0, end * 1.02)
    left = len(leaves) - len(shown)
    more = f" ({left} more calls are not drawn)" if left else ""
    signs_told = "striped: model, crossed: tool, filled: critical path"
    tidy(ax, x=f"seconds since the run began ({signs_told}){more}", y="", grid="x")
    on = leaves[leaves["span"].isin(path)]
    return (
        f"Gantt chart of a run of {len(leaves)} model and tool calls over {end:.2f} s. On the"
        f" critical path {len(path)} calls of {on['seconds'].sum():.2f} s in all, of"
        f" {leaves['seconds'].sum():.2f} s of work: {', '.join(on['call'].head(12))}."
    )
