"""Figures of the table `spans`: who used the tokens, how context grows, what decided the time.

As in `course.lab.figures`, each draws on axes and returns the figure's alt text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from course.drawing import GREY, OKABE_ITO, label_ends, signs, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAVES = ("chat", "execute_tool")
LOOKS = {
    "chat": (OKABE_ITO["sky"], "///"),
    "execute_tool": (OKABE_ITO["orange"], "xx"),
}
LANES = 40
MOMENT = 1e-6


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
    order = table.sum().sort_values(ascending=False).index
    looks, left = signs(order), np.zeros(len(table))
    for role in order:
        ax.barh(range(len(table)), table[role], left=left, height=0.6, label=role, linewidth=0.6,
                color=looks[role].colour, hatch=looks[role].hatch, edgecolor="white")  # fmt: skip
        left += table[role].to_numpy()
    for place, total in enumerate(left):
        ax.annotate(f"{total:,.0f}", (total, place), xytext=(4, 0), textcoords="offset points",
                    va="center", fontsize=8)  # fmt: skip
    ax.set_yticks(range(len(table)), list(map(str, table.index)))
    ax.set_ylim(len(table) - 0.4, -0.6)
    ax.legend(frameon=False, fontsize=8, ncols=4, loc="lower left", bbox_to_anchor=(0, 1))
    tidy(ax, x="tokens a run, read and written", y="", grid="x")
    told = (
        f"{name} {sum(row):,.0f} ("
        + ", ".join(f"{role} {row[role]:,.0f}" for role in order if row[role])
        + ")"
        for name, row in table.iterrows()
    )
    return f"Stacked bars of the mean tokens of a run by {by} and role: {'; '.join(told)}."


def context_growth(spans: pd.DataFrame, ax: Axes, *, by: str = "pattern") -> str:
    """Tokens that the n-th model call of a run reads: the median, and the quartiles as a band.

    Only calls that at least half of an arm's runs make are drawn.
    """
    chats = spans[(spans["operation"] == "chat") & (spans["tokens_in"].fillna(0) > 0)]
    chats = chats.sort_values(["run_id", "start_s", "span"])
    chats = chats.assign(call=chats.groupby("run_id").cumcount() + 1)
    looks, ends, told = signs(spans[by]), [], []
    for name, group in chats.groupby(by, sort=False, observed=True):
        runs = group["run_id"].nunique()
        reach = group.groupby("call")["run_id"].nunique()
        kept = group[group["call"].isin(reach[reach * 2 >= runs].index)]
        marks = (
            kept.groupby("call")["tokens_in"].quantile([0.25, 0.5, 0.75]).unstack().astype(float)
        )
        look = looks[name]
        ax.fill_between(marks.index, marks[0.25], marks[0.75], color=look.colour, alpha=0.15)
        ax.plot(marks.index, marks[0.5], color=look.colour, marker=look.marker,
                linestyle=look.line, markersize=5)  # fmt: skip
        ends.append((float(marks.index[-1]), float(marks[0.5].iloc[-1]), str(name), look.colour))
        told.append(f"{name} from {marks[0.5].iloc[0]:,.0f} to {marks[0.5].iloc[-1]:,.0f}"
                    f" tokens at call {marks.index[-1]}")  # fmt: skip
    ax.set_ylim(bottom=0)
    ax.locator_params(axis="x", integer=True)
    label_ends(ax, ends)
    tidy(ax, x="model call of the run", y="tokens read")
    return f"Line chart of the tokens read by each model call of a run by {by}: {'; '.join(told)}."


def critical(spans: pd.DataFrame) -> list[int]:
    """Numbers of the calls that decided when a run ended, in order.

    From the last call back: before each stands the one that ended last before it began. What
    overlaps with a call did not make it wait.
    """
    leaves = spans[spans["operation"].isin(LEAVES)].sort_values("end_s")
    chain: list[int] = []
    until = float("inf")
    for row in leaves.iloc[::-1].to_dict("records"):
        if row["end_s"] <= until + MOMENT:
            chain.append(int(row["span"]))
            until = float(row["start_s"])
    return chain[::-1]


def gantt(spans: pd.DataFrame, ax: Axes) -> str:
    """A run's model and tool calls along time; those of the critical path are filled.

    Args:
        spans: of one run.
        ax: to draw on; past 40 calls the rest is only counted.
    """
    leaves = spans[spans["operation"].isin(LEAVES)].sort_values(["start_s", "span"])
    path, end = critical(spans), float(leaves["end_s"].max())
    shown = leaves.head(LANES).to_dict("records")
    for lane, row in enumerate(shown):
        colour, hatch = LOOKS[row["operation"]]
        on_path = int(row["span"]) in path
        length: Any = max(row["end_s"] - row["start_s"], end * 0.004)
        ax.barh(lane, length, left=row["start_s"], height=0.7, hatch=hatch, linewidth=1.2,
                color=colour if on_path else "white",
                edgecolor=OKABE_ITO["black"] if on_path else GREY)  # fmt: skip
    names = [f"{row['agent']}: {_called(row)}" for row in shown]
    ax.set_yticks(range(len(names)), names, fontsize=8)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlim(0, end * 1.02)
    left = len(leaves) - len(shown)
    more = f" ({left} more calls are not drawn)" if left else ""
    signs_told = "striped: model, crossed: tool, filled: critical path"
    tidy(ax, x=f"seconds since the run began ({signs_told}){more}", y="", grid="x")
    on = leaves[leaves["span"].isin(path)]
    waited = float((on["end_s"] - on["start_s"]).sum())
    whole = float((leaves["end_s"] - leaves["start_s"]).sum())
    chain = ", ".join(f"{row['agent']}: {_called(row)}" for row in on.to_dict("records")[:12])
    return (
        f"Gantt chart of a run of {len(leaves)} model and tool calls over {end:.2f} s. On the"
        f" critical path {len(path)} calls of {waited:.2f} s in all, of {whole:.2f} s of work:"
        f" {chain}."
    )


def _called(row: dict[Any, Any]) -> str:
    return str(row["name"]) if row["operation"] == "execute_tool" else "model"
