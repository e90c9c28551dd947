"""Runs as points, some of which open on the switchboard: a report that one can look into.

A report stays light: every run is a sign of a few bytes, and of each arm three are played once more
when it is written, with the viewer's scripts in it once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course.drawing import signs
from course.errors import CourseError
from course.lab.sweep import played_again
from course.markup import Markup, data, fill, joined
from course.models.draws import Draws
from course.viewer.page import script, style
from course.viewer.picture import picture_of

if TYPE_CHECKING:
    import pandas as pd

MOST = 600
"""Runs that are drawn; of more every n-th is."""
ARMS = 8
"""Arms of which runs open."""
_LEFT, _RIGHT, _TOP, _ROW = 190, 880, 10, 34
_SHAPES = {"o": "●", "s": "■", "^": "▲", "D": "◆", "v": "▼", "P": "✚", "X": "✖"}


@dataclass(frozen=True)
class Opened:
    """What a page shows: the points, and where some open the viewer and the runs' pictures."""

    axis: str
    points: Markup | None = None
    style: Markup | None = None
    script: Markup | None = None
    pictures: Markup | None = None


def runs_to_open(folder: str | Path, runs: pd.DataFrame, axis: str) -> Opened:
    """The runs of a folder as points, by the settings of an axis; no points where no run took any
    time."""
    there = runs[runs["latency_s"].notna() & (runs["status"] != "excluded")]
    if there.empty:
        return Opened(axis)
    pictures: dict[str, Any] = {}
    for run_id in dict.fromkeys(picked(there, axis)):
        try:
            pictures[run_id] = picture_of(played_again(folder, run_id).trace).as_json()
        except CourseError:
            continue  # its pattern is not here, or its answers were not kept: a point all the same
    points = _points(there, axis, list(pictures))
    if not pictures:
        return Opened(axis, points)
    return Opened(axis, points, style(), script(), data(pictures))


def picked(runs: pd.DataFrame, axis: str) -> Iterator[str]:
    """Of each arm the run of median latency, the slowest, and the first that failed."""
    for _, group in list(runs.groupby(axis, sort=False, observed=True))[:ARMS]:
        ordered = group.sort_values("latency_s")
        yield str(ordered["run_id"].iloc[(len(ordered) - 1) // 2])
        yield str(ordered["run_id"].iloc[-1])
        failed = group[group["success"].astype(float) < 1]
        if len(failed):
            yield str(failed["run_id"].iloc[0])


def _points(runs: pd.DataFrame, axis: str, opening: list[str]) -> Markup:
    arms, most = list(runs[axis].unique()), float(runs["latency_s"].max()) or 1.0
    looks, few = signs(arms), runs.iloc[:: -(-len(runs) // MOST)]
    shown = runs[runs["run_id"].isin({*few["run_id"], *opening})]
    drawn = []
    for row in shown.to_dict("records"):
        look, arm = looks[row[axis]], arms.index(row[axis])
        x = _LEFT + (_RIGHT - _LEFT) * row["latency_s"] / most
        y = _TOP + _ROW * (arm + 0.5) + (Draws(0).uniform(row["run_id"]) - 0.5) * _ROW * 0.5
        sign = fill('<text x="{:.1f}" y="{:.1f}" fill="{}" text-anchor="middle" dy=".35em"'
                    ' font-size="8">{}</text>',
                    x, y, look.colour, _SHAPES[look.marker])  # fmt: skip
        if row["run_id"] in opening:
            told = (f"{row[axis]}, task {row['task_id']}, seed {row['seed']}:"
                    f" {row['latency_s']:.3g} s, {row['status']}")  # fmt: skip
            sign = fill('<a href="#run" data-run="{}" aria-label="{}"><title>{}</title>{}'
                        '<circle cx="{:.1f}" cy="{:.1f}" r="7" fill="transparent" stroke="{}"'
                        ' stroke-width="1.5"/></a>',
                        row["run_id"], told, told, sign, x, y, look.colour)  # fmt: skip
            drawn.append((1, sign))
        else:
            drawn.append((0, sign))
    names = joined(
        fill('<text x="{}" y="{:.1f}" text-anchor="end" dy=".35em" fill="{}">{}</text>', _LEFT - 12,
             _TOP + _ROW * (n + 0.5), looks[arm].colour, str(arm)[:30])
        for n, arm in enumerate(arms)
    )  # fmt: skip
    bottom = _TOP + _ROW * len(arms)
    ends = joined(
        fill('<text x="{:.0f}" y="{}" text-anchor="middle">{:.3g} s</text>',
             _LEFT + (_RIGHT - _LEFT) * share, bottom + 16, most * share)
        for share in (0.0, 0.5, 1.0)
    )  # fmt: skip
    above = sorted(drawn, key=lambda each: each[0])
    return fill(
        '<svg class="runs" viewBox="0 0 900 {}" role="group" aria-label="{} runs by latency">'
        '{}<line x1="{}" x2="{}" y1="{}" y2="{}" stroke="#999"/>{}{}</svg>',
        bottom + 22, len(shown), names, _LEFT, _RIGHT, bottom, bottom, ends,
        joined(sign for _, sign in above),
    )  # fmt: skip
