"""Figures that take a run apart: who took its time, and how it failed.

They draw and say what they show, as those of `course.lab.figures`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from course.drawing import OKABE_ITO, tidy
from course.errors import ConfigurationError
from course.lab import figures

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PATHS = 100
"""Runs of an arm whose critical paths a figure is made of."""


def latency_by_role(spans: pd.DataFrame, ax: Axes, *, by: str = "pattern") -> str:
    """Seconds of a run by who decided that it took them: model calls on the critical path by their
    role, tools, and waits, in which nothing on it was under way.

    Args:
        spans: with the column `by`, see `joined`. Of each arm a hundred runs are taken at the most.
        ax: to draw on.
        by: what the bars are for.
    """
    rows = []
    for arm, group in spans.groupby(by, sort=False, observed=True):
        ids = group["run_id"].unique()
        few = set(ids[:: -(-len(ids) // PATHS)])
        for _, steps in group[group["run_id"].isin(few)].groupby("run_id", sort=False):
            path = steps[steps["span"].isin(figures.critical(steps))]
            seconds = path["end_s"] - path["start_s"]
            who = path["role"].fillna("").replace("", "agent")
            who = who.where(path["operation"] == "chat", "tools")
            taken = seconds.groupby(who).sum().to_dict()
            waits = float(steps["end_s"].max()) - float(seconds.sum())
            rows.append({by: arm, **taken, "waits": max(0.0, waits)})
    table = pd.DataFrame(rows).fillna(0.0).groupby(by, sort=False).mean()
    told = figures.stacked(table, ax, ".3g")
    tidy(ax, x="seconds of a run, on the critical path", y="", grid="x")
    return f"Stacked bars of the mean latency (s) on the critical path by {by} and role: {told}."


def modes(runs: pd.DataFrame, ax: Axes, *, by: str = "pattern") -> str:
    """How runs fail, as a heat map: the share of an arm's runs for each way, written into its cell.

    Raises ConfigurationError: no run fails.
    """
    kept = figures.counting(runs, "success")
    why, ended = kept["why"].fillna("").astype(str), kept["stop_reason"].fillna("").astype(str)
    failed = kept["success"] < 1
    ways = {
        "something is missing": failed & why.str.contains("missing:"),
        "something is wrong": failed & why.str.contains("wrong:"),
        "the world is left wrong": failed & why.str.contains("the world was left wrong"),
        "it broke": kept["status"].eq("failed") & ended.eq(""),
        "it is not said": failed & kept["status"].ne("failed") & ended.eq("") & why.eq(""),
    } | {f"ended by {reason}": failed & ended.eq(reason) for reason in ended.unique() if reason}
    table = pd.DataFrame({way: there for way, there in ways.items() if there.any()})
    if table.empty:
        raise ConfigurationError("no run fails: raise the rate of faults (--dry says how far)")
    shares = table.astype(float).groupby(kept[by], sort=False, observed=True).mean().T
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (row, column), share in np.ndenumerate(shares.to_numpy()):
        ax.text(column, row, f"{share:.2f}", ha="center", va="center", fontsize=8,
                color="white" if share > 0.55 else OKABE_ITO["black"])  # fmt: skip
    ax.set_xticks(range(len(shares.columns)), list(map(str, shares.columns)), fontsize=8)
    ax.set_yticks(range(len(shares)), list(shares.index), fontsize=8)
    ax.spines[:].set_visible(False)
    ax.set_xlabel(f"{by}: share of its runs")
    told = "; ".join(
        f"{name} " + (", ".join(f"{way} {shares.loc[way, name]:.2f}" for way in shares.index))
        for name in shares.columns
    )
    return f"Heat map of how runs fail (share of runs; a run may be in several rows): {told}."
