"""A results folder as one HTML file: tables and figures, with what is assumed under each.

The file needs no network and no second file. Which figures it has follows from what the experiment
varies; one that cannot be drawn is named with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import pandas as pd
from matplotlib.figure import Figure

from course.drawing import image, same_signs
from course.errors import ConfigurationError
from course.evaluation import stats
from course.lab import breakdowns, figures, store
from course.lab.figures import known, quantity, ranged
from course.lab.one import CONTEXT, DEADLINE
from course.lab.opening import runs_to_open
from course.lab.tables import RUNS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

VALUES = ("success", "share", "latency_s", "cost_usd", "tokens_in", "calls")
NAMED = ("pattern", "policy", "model", "flaw")
"""Axes whose settings are compared with the first of them."""
ASSUMED = ("profile", "model", "fault_model", "fault_tool", "fault_move", "fault_kind", "flaw")
MODELS = {
    "oracle": "The model is an oracle: it knows what each task needs and is blind to the pattern,"
    " so competence is held equal.",
    "simulated": "The simulated model is a stand-in by rules: its quality is no language model's.",
}
SERVICE = "{} answered, a real service, as it was at that time."
TIME = "Seconds are drawn from the profile's distributions; no service was measured."
QUALITY = "What a run is worth is the bench's score; the model's competence is an assumption."
TOKENS = "Tokens are counted, prices are the profile's."
OWN = "A measure of the experiment's own."
COMPARED = {"success": QUALITY, "latency_s": TIME, "cost_usd": TOKENS}


@dataclass(frozen=True)
class Drawing:
    """A figure before it is drawn: `value` decides which runs count, `draw` does it."""

    title: str
    value: str
    assumed: str
    draw: Callable[[Axes], str]
    height: float = 3.5


@dataclass(frozen=True)
class Results:
    """The two tables of an experiment, and what of it is compared."""

    runs: pd.DataFrame
    spans: pd.DataFrame

    @cached_property
    def axes(self) -> list[str]:
        """The axes on which the runs differ."""
        return [axis for axis in stats.AXES if self.runs[axis].nunique(dropna=False) > 1]

    @cached_property
    def axis(self) -> str:
        """The axis that the figures compare: the pattern, or else the first that varies."""
        return next((axis for axis in self.axes if axis != "level"), "pattern")

    @cached_property
    def arms(self) -> list[Any]:
        """The settings of that axis."""
        return list(self.runs[self.axis].unique())

    @cached_property
    def compared(self) -> list[tuple[str, str, pd.DataFrame]]:
        """Axis, value and paired differences from the axis's first setting."""
        return [
            (axis, value, stats.compare_all(self.runs, value, self.runs[axis].iloc[0], axis=axis))
            for axis in self.axes
            if axis in NAMED
            for value in self.assumed
        ]

    @cached_property
    def looks(self) -> list[str]:
        """What has a colour and a sign of its own in all figures: the arms that are compared."""
        compared = [self.axis, *(axis for axis in self.axes if axis in NAMED)]
        return [str(arm) for axis in dict.fromkeys(compared) for arm in self.runs[axis].unique()]

    @cached_property
    def own(self) -> list[str]:
        """Measures of the experiment's own."""
        return [each for each in self.runs if each not in {column.name for column in RUNS}]

    @cached_property
    def assumed(self) -> Mapping[str, str]:
        """The values that are compared, each with what is assumed of it."""
        return {**COMPARED, **dict.fromkeys(self.own, OWN)}

    def left_out(self, value: str) -> str:
        """Who does not count for a value, and who does though it was broken off, in a sentence."""
        excluded = stats.exclusions(self.runs, value)
        reasons = "; ".join(f"{count} {why}" for why, count in excluded.items())
        told = f"All {len(self.runs)} runs count."
        if excluded:
            told = f"{sum(excluded.values())} of {len(self.runs)} runs are left out: {reasons}."
        kept = self.runs[stats.counted(self.runs, value)]
        ends = {
            "broke": (kept["status"] == "failed") & (kept["stop_reason"] != CONTEXT),
            "outgrew the model's context": kept["stop_reason"] == CONTEXT,
            "were cut off at the deadline": kept["stop_reason"] == DEADLINE,
        }
        cut = " and ".join(f"{many.sum()} {how}" for how, many in ends.items() if many.any())
        return told + f" {cut}: these count with what they had taken until then." * bool(cut)


def report(folder: str | Path) -> Path:
    """Write `report.html` into a results folder, and return where it is.

    Raises ConfigurationError: there are no results, or of another version; FileFormatError: a file
    of the results is damaged.
    """
    told, of = store.manifest(folder), Results(store.ended(folder), store.spans(folder))
    shown, missing = [], []
    with same_signs(of.looks):
        for each in drawings(of):
            figure = Figure(figsize=(7, each.height))
            try:
                alt = each.draw(figure.add_subplot())
            except ConfigurationError as error:
                missing.append(f"{each.title}: {error}")
                continue
            shown.append({"title": each.title, "picture": image(figure, alt), "alt": alt,
                          "assumed": each.assumed,
                          "left_out": of.left_out(each.value)})  # fmt: skip
        opened = runs_to_open(folder, of.runs, of.axis)
    models = of.runs["model"].unique()
    notes = [*_unfinished(told, of.runs), *(MODELS.get(m, SERVICE.format(m)) for m in models)]
    text = (files("course.lab") / "report.html.jinja").read_text("utf-8")
    drawn = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    page = drawn.from_string(text).render(
        name=of.runs["experiment"].iloc[0], runs=len(of.runs), manifest=told,
        notes=[*notes, *told.get("notes", ())], tables=list(tables(of)), figures=shown,
        varied={axis: list(map(str, of.runs[axis].unique())) for axis in of.axes},
        missing=missing, columns=RUNS, opened=opened,
    )  # fmt: skip
    target = Path(folder, "report.html")
    target.write_text(page, encoding="utf-8")
    return target


def _unfinished(told: Mapping[str, Any], runs: pd.DataFrame) -> Iterator[str]:
    """What to say of everything where a sweep was stopped before its end."""
    planned = sum(each.get("runs", 0) for each in told["chunks"].values())
    if len(runs) < planned:
        yield (
            f"Only {len(runs)} of {planned} runs are there, and whole arms may be missing:"
            " 'lab run' goes on with it."
        )


def tables(of: Results) -> Iterator[Mapping[str, Any]]:
    """Each value by arm with intervals, the paired comparisons, and pass^k: caption, headings,
    rows of cells, and who was left out."""
    runs = of.runs
    values = [each for each in (*VALUES, *of.own) if stats.counted(runs, each).any()] or ["success"]
    rows = []
    for arm in of.arms:
        group = runs[runs[of.axis] == arm]
        found = [stats.estimate(group, value) for value in values]
        rows.append((arm, *map(_said, found), found[0].units, len(group)))
    yield {
        "caption": f"Each {of.axis}: mean over tasks [95 % interval]", "rows": rows,
        "head": (of.axis, *map(quantity, values), "tasks", "runs"),
        "left_out": of.left_out(values[0]),
    }  # fmt: skip
    yield from (_differences(table) for _, _, table in of.compared)
    arms = list(runs["arm"].unique())  # whose runs of a task differ in nothing but their luck
    most = min(int(runs.groupby(["arm", *stats.TASK], observed=True).size().min()), 8)
    if most > 1:
        shares = ((arm, stats.pass_k(runs[runs["arm"] == arm], most)["value"]) for arm in arms)
        yield {
            "caption": "pass^k: the chance that k runs of a task all succeed",
            "head": ("arm", *(f"k = {k}" for k in range(1, most + 1))),
            "rows": [(arm, *(f"{each:.3f}" for each in row)) for arm, row in shares],
            "left_out": of.left_out("success"),
        }


def _said(found: stats.Estimate) -> str:
    form = ",.0f" if abs(found.value) >= 1000 else ".3g"
    if found.low == found.high:  # no interval: what is rare may just not have come up
        return f"{found.value:{form}} [all {found.units} alike]"
    return ranged(found.value, found.low, found.high, form)


def _differences(table: pd.DataFrame) -> Mapping[str, Any]:
    rows, notes = [], dict[str, None]()
    for row in table.to_dict("records"):
        rows.append((
            row["candidate"], ranged(row["difference"], row["low"], row["high"]),
            *(known(row[each], ".3g")
              for each in ("p", "p_holm", "detectable", "se", "se_unpaired")),
            row["pairs"], row["tasks"], "; ".join(row["warnings"]),
        ))  # fmt: skip
        notes |= dict.fromkeys(f"{row['candidate']}: {n} {w}" for w, n in row["excluded"].items())
    value, baseline = quantity(table["value"].iloc[0]), table["baseline"].iloc[0]
    return {
        "caption": f"{value}: paired differences from {baseline}",
        "head": ("", "difference [95 % interval]", "p", "p (Holm)", "detectable", "SE",
                 "SE unpaired", "pairs", "tasks", "mind"),
        "rows": rows,
        "left_out": f"Pairs left out: {'; '.join(notes)}." if notes else "No pair is left out.",
    }  # fmt: skip


def drawings(of: Results) -> Iterator[Drawing]:
    """The figures that fit what the experiment varies."""
    runs, axis, axes, arms = of.runs, of.axis, of.axes, of.arms
    for each, value, table in of.compared:
        title = f"{quantity(value)} by {each}, paired"
        height = 1.2 + 0.5 * len(table)
        yield Drawing(title, value, of.assumed[value], partial(figures.forest, table), height)
    if len(arms) > 1:
        yield Drawing("Cost against success", "success", f"{QUALITY} {TOKENS}",
                      partial(figures.cost_success, runs, by=axis))  # fmt: skip
    yield Drawing("Latency", "latency_s", TIME, partial(figures.latency_ecdf, runs, by=axis))
    yield from _against_faults(of)
    if "deadline_s" in axes and axis != "deadline_s":
        draw = partial(figures.against, runs, x="deadline_s", value="share", by=axis)
        yield Drawing("Value of a partial answer", "share", f"{QUALITY} {TIME}", draw)
    if "level" in axes and len(arms) > 1:
        draw = partial(figures.speed_up, runs, baseline=arms[0], axis=axis)
        yield Drawing("Speed-up", "latency_s", TIME, draw)
    if "load" in axes:
        yield Drawing("Latency under load", "latency_s", f"{TIME} Limits are the profile's.",
                      partial(figures.load_curve, runs, by=axis))  # fmt: skip
    yield from _hangs_on(of)
    if len(arms) > 1 and (runs["success"].astype(float) < 1).any():
        yield Drawing("How runs fail", "success", QUALITY, partial(breakdowns.modes, runs, by=axis),
                      2.5)  # fmt: skip
    if runs["agents"].nunique() > 2 and "level" in axes:
        yield Drawing("Scaling with agents", "success", QUALITY,
                      partial(figures.against, runs, x="agents", by=axis))  # fmt: skip
    if not of.spans.empty:
        yield from _of_spans(runs, of.spans, axis)


def _against_faults(of: Results) -> Iterator[Drawing]:
    runs, axis, axes = of.runs, of.axis, of.axes
    for fault in ("fault_model", "fault_tool", "fault_move"):
        by = "policy" if "policy" in axes else axis
        for value in ("success", "latency_s") if fault in axes and by != fault else ():
            assumed = f"Faults strike by design, at the rates named. {COMPARED[value]}"
            yield Drawing(f"{quantity(value)} against faults", value, assumed,
                          partial(figures.against, runs, value=value, by=by, x=fault))  # fmt: skip


def _hangs_on(of: Results) -> Iterator[Drawing]:
    runs, axis, axes, arms = of.runs, of.axis, of.axes, of.arms
    held = {each: runs[each].iloc[0] for each in axes if each in ASSUMED and each != axis}
    if held and len(arms) > 1:
        yield Drawing(
            f"What the difference between {arms[1]} and {arms[0]} hangs on", "latency_s",
            "One assumption is changed at a time; the grey band is the Monte-Carlo error, which"
            " more runs shrink. The bars are what they cannot.",
            lambda ax: figures.tornado(
                stats.tornado(runs, "latency_s", *arms[:2], base=held, axis=axis), ax,
                name=f"latency (s), {arms[1]} less {arms[0]}",
            ),
            1.5 + 0.5 * len(held),
        )  # fmt: skip


def _of_spans(runs: pd.DataFrame, spans: pd.DataFrame, axis: str) -> Iterator[Drawing]:
    joined = figures.joined(spans, runs, axis)
    for title, value, assumed, draw in (
        ("Latency by role", "latency_s", TIME, breakdowns.latency_by_role),
        ("Tokens by role", "tokens_in", TOKENS, figures.tokens_by_role),
        ("Context growth", "tokens_in", TOKENS, figures.context_growth),
    ):
        yield Drawing(title, value, assumed, partial(draw, joined, by=axis))
    for arm, group in runs[stats.counted(runs, "latency_s")].groupby(axis, sort=False):
        middle = group.iloc[int((group["latency_s"] - group["latency_s"].median()).abs().argmin())]
        steps = spans[spans["run_id"] == middle["run_id"]]
        yield Drawing(
            f"A run of {arm} of median latency: task {middle['task_id']}, seed {middle['seed']}",
            "latency_s", TIME, partial(figures.gantt, steps),
            1.2 + 0.2 * min(len(steps), figures.LANES),
        )  # fmt: skip
