"""A results folder as one HTML file: tables and figures, with what is assumed under each.

The file needs no network and no second file. Which figures it has follows from what the experiment
varies; one that cannot be drawn is named with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import pandas as pd
from matplotlib.figure import Figure

from course.drawing import image
from course.errors import ConfigurationError
from course.evaluation import stats
from course.lab import figures, span_figures, store
from course.lab.tables import RUNS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

VALUES = ("success", "share", "latency_s", "cost_usd", "tokens_in", "calls")
COMPARED = ("success", "latency_s", "cost_usd")
ASSUMED = ("profile", "model", "fault_model", "fault_tool", "fault_kind", "flaw")
MODELS = {
    "oracle": "The model is an oracle: it knows what each task needs and is blind to the pattern,"
    " so competence is held equal.",
    "simulated": "The simulated model is a stand-in by rules: its quality is no language model's.",
}
SERVICE = "{} answered, a real service, as it was at that time."
TIME = "Seconds are drawn from the profile's distributions; no service was measured."
QUALITY = "What a run is worth is the bench's score; the model's competence is an assumption."
TOKENS = "Tokens are counted, prices are the profile's."


@dataclass(frozen=True)
class Shown:
    """One figure of a report: its title, picture, and what stands below it."""

    title: str
    picture: str
    alt: str
    assumed: str
    left_out: str


@dataclass(frozen=True)
class Table:
    """One table of a report: caption, headings, rows of cells, and who was left out."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: str


@dataclass(frozen=True)
class Drawing:
    """A figure before it is drawn: `value` decides which runs count, `draw` does it."""

    title: str
    value: str
    assumed: str
    draw: Callable[[Axes], str]
    height: float = 3.5


def report(folder: str | Path) -> Path:
    """Write `report.html` into a results folder.

    Returns:
        Where it is.

    Raises:
        ConfigurationError: there are no results, or of another version.
        FileFormatError: a file of the results is damaged.
    """
    told, runs = store.manifest(folder), store.runs(folder)
    if runs.empty:
        raise ConfigurationError(f"no run of {folder} has ended yet: 'lab run' goes on with it")
    shown, missing = [], []
    for each in drawings(runs, store.spans(folder)):
        try:
            shown.append(_shown(each, runs))
        except ConfigurationError as error:
            missing.append(f"{each.title}: {error}")
    page = _template().render(
        name=runs["experiment"].iloc[0], runs=len(runs), manifest=told,
        notes=assumptions(runs, told),
        varied={axis: list(map(str, runs[axis].unique())) for axis in varied(runs)},
        tables=list(tables(runs)), figures=shown, missing=missing, columns=RUNS,
    )  # fmt: skip
    target = Path(folder, "report.html")
    target.write_text(page, encoding="utf-8")
    return target


def _template() -> jinja2.Template:
    text = (files("course.lab") / "report.html.jinja").read_text("utf-8")
    return jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
        text
    )


def varied(runs: pd.DataFrame) -> list[str]:
    """The axes on which the runs differ."""
    return [axis for axis in stats.AXES if runs[axis].nunique(dropna=False) > 1]


def main_axis(runs: pd.DataFrame) -> str:
    """The axis that the figures compare: the pattern, or else the first that varies."""
    return next((axis for axis in varied(runs) if axis != "level"), "pattern")


def compared(runs: pd.DataFrame) -> list[str]:
    """The axes whose settings are compared pair by pair."""
    return [axis for axis in varied(runs) if axis in ("pattern", "policy", "model", "flaw")]


def assumptions(runs: pd.DataFrame, told: Mapping[str, Any]) -> list[str]:
    """What stands below every figure: who answered, and what the experiment says of itself."""
    models = runs["model"].unique()
    return [*(MODELS.get(each, SERVICE.format(each)) for each in models), *told.get("notes", ())]


def left_out(runs: pd.DataFrame, value: str) -> str:
    """Who does not count for a value, in a sentence."""
    excluded = stats.exclusions(runs, value)
    if not excluded:
        return f"All {len(runs)} runs count."
    reasons = "; ".join(f"{count} {why}" for why, count in excluded.items())
    return f"{sum(excluded.values())} of {len(runs)} runs are left out: {reasons}."


def tables(runs: pd.DataFrame) -> Iterator[Table]:
    """Each value by arm with intervals, the paired comparisons, and pass^k."""
    axis = main_axis(runs)
    arms = list(runs[axis].unique())
    values = [each for each in VALUES if stats.counted(runs, each).any()]
    rows = []
    for arm in arms:
        group = runs[runs[axis] == arm]
        found = [stats.estimate(group, value) for value in values]
        rows.append((str(arm), *map(_said, found), f"{found[0].units}", f"{len(group)}"))
    yield Table(
        f"Each {axis}: mean over tasks [95 % interval]",
        (axis, *map(figures.quantity, values), "tasks", "runs"), tuple(rows),
        left_out(runs, values[0]),
    )  # fmt: skip
    for each in compared(runs):
        for value in COMPARED:
            yield _comparisons(stats.compare_all(runs, value, runs[each].iloc[0], axis=each))
    arms = list(runs["arm"].unique())  # whose runs of a task differ in nothing but their luck
    trials = runs.groupby(["arm", *stats.TASK], observed=True).size().min()
    if trials > 1:
        most = min(int(trials), 8)
        found_k = [stats.pass_k(runs[runs["arm"] == arm], most)["value"] for arm in arms]
        yield Table(
            "pass^k: the chance that k runs of a task all succeed",
            ("arm", *(f"k = {k}" for k in range(1, most + 1))),
            tuple(
                (str(arm), *(f"{x:.3f}" for x in row))
                for arm, row in zip(arms, found_k, strict=True)
            ),
            left_out(runs, "success"),
        )  # fmt: skip


def _said(found: stats.Estimate) -> str:
    middle, low, high = (
        f"{x:,.0f}" if abs(x) >= 1000 else f"{x:.3g}" for x in (found.value, found.low, found.high)
    )
    return f"{middle} [{low}, {high}]"


def _comparisons(table: pd.DataFrame) -> Table:
    rows, notes = [], dict[str, None]()
    for row in table.to_dict("records"):
        rows.append((
            row["candidate"], f"{row['difference']:+.3g}",
            f"[{row['low']:+.3g}, {row['high']:+.3g}]", f"{row['p_holm']:.3g}",
            f"{row['detectable']:.2g}", f"{row['se']:.2g}",
            f"{row['se_unpaired']:.2g}", f"{row['pairs']}", f"{row['tasks']}",
            "; ".join(row["warnings"]),
        ))  # fmt: skip
        notes |= dict.fromkeys(
            f"{row['candidate']}: {n} {why}" for why, n in row["excluded"].items()
        )
    baseline, value = table["baseline"].iloc[0], figures.quantity(table["value"].iloc[0])
    return Table(
        f"{value}: paired differences from {baseline}",
        ("", "difference", "95 % interval", "p (Holm)", "detectable", "SE", "SE unpaired", "pairs",
         "tasks", "mind"),
        tuple(rows),
        "Pairs left out: " + "; ".join(notes) + "." if notes else "No pair is left out.",
    )  # fmt: skip


def drawings(runs: pd.DataFrame, spans: pd.DataFrame) -> Iterator[Drawing]:
    """The figures that fit what the experiment varies."""
    axis, axes = main_axis(runs), varied(runs)
    arms = list(runs[axis].unique())
    draw = figures
    for each in compared(runs):
        for value, assumed in zip(COMPARED, (QUALITY, TIME, TOKENS), strict=True):
            table = stats.compare_all(runs, value, runs[each].iloc[0], axis=each)
            yield Drawing(
                f"{draw.quantity(value)} by {each}, paired", value, assumed,
                partial(draw.forest, table), 1.2 + 0.5 * len(table),
            )  # fmt: skip
    if len(arms) > 1:
        yield Drawing("Cost against success", "success", f"{QUALITY} {TOKENS}",
                      partial(draw.cost_success, runs, by=axis))  # fmt: skip
    yield Drawing("Latency", "latency_s", TIME, partial(draw.latency_ecdf, runs, by=axis))
    for fault in ("fault_model", "fault_tool"):
        by = "policy" if "policy" in axes else axis
        for value in ("success", "latency_s") if fault in axes and by != fault else ():
            yield Drawing(
                f"{draw.quantity(value)} against faults", value, "Faults strike by design, at the"
                f" rates named. {QUALITY if value == 'success' else TIME}",
                partial(draw.against_faults, runs, value=value, by=by, fault=fault),
            )  # fmt: skip
    if "deadline_s" in axes and axis != "deadline_s":
        yield Drawing("Value of a partial answer", "share", f"{QUALITY} {TIME}",
                      partial(draw.value_at_deadline, runs, by=axis))  # fmt: skip
    if "level" in axes and len(arms) > 1:
        yield Drawing("Speed-up", "latency_s", TIME,
                      partial(draw.speed_up, runs, baseline=arms[0], axis=axis))  # fmt: skip
    if "load" in axes:
        yield Drawing("Latency under load", "latency_s", f"{TIME} Limits are the profile's.",
                      partial(draw.load_curve, runs, by=axis))  # fmt: skip
    held = {each: runs[each].iloc[0] for each in axes if each in ASSUMED and each != axis}
    if held and len(arms) > 1:
        yield Drawing(
            f"What the difference between {arms[1]} and {arms[0]} hangs on", "latency_s",
            "One assumption is changed at a time; the grey band is the Monte-Carlo error, which"
            " more runs shrink. The bars are what they cannot.",
            partial(_tornado, runs, arms[:2], held, axis), 1.5 + 0.5 * len(held),
        )  # fmt: skip
    yield from _of_spans(runs, spans, axis)


def _tornado(runs: pd.DataFrame, arms: list[str], base: dict[str, Any], axis: str, ax: Axes) -> str:
    table = stats.tornado(runs, "latency_s", arms[0], arms[1], base=base, axis=axis)
    return figures.tornado(table, ax, name=f"latency (s), {arms[1]} less {arms[0]}")


def _of_spans(runs: pd.DataFrame, spans: pd.DataFrame, axis: str) -> Iterator[Drawing]:
    if spans.empty:
        return
    joined = span_figures.joined(spans, runs, axis)
    yield Drawing("Tokens by role", "tokens_in", TOKENS,
                  partial(span_figures.tokens_by_role, joined, by=axis))  # fmt: skip
    yield Drawing("Context growth", "tokens_in", TOKENS,
                  partial(span_figures.context_growth, joined, by=axis))  # fmt: skip
    for arm, group in runs[stats.counted(runs, "latency_s")].groupby(axis, sort=False):
        middle = group.iloc[int((group["latency_s"] - group["latency_s"].median()).abs().argmin())]
        steps = spans[spans["run_id"] == middle["run_id"]]
        lanes = min(len(steps), span_figures.LANES)
        yield Drawing(
            f"A run of {arm} of median latency: task {middle['task_id']}, seed {middle['seed']}",
            "latency_s", TIME, partial(span_figures.gantt, steps), 1.2 + 0.2 * lanes,
        )  # fmt: skip


def _shown(each: Drawing, runs: pd.DataFrame) -> Shown:
    figure = Figure(figsize=(7, each.height))
    alt = each.draw(figure.add_subplot())
    return Shown(each.title, image(figure, alt), alt, each.assumed, left_out(runs, each.value))
