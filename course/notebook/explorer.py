"""A results folder to look around in: choose axes, point at a run, pick it and see its trace.

Each run is a point that says on hover what it is. A picked run is played once more, which gives
the same trace to the byte, and is played on the switchboard.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from course.drawing import signs
from course.extras import need
from course.lab import store
from course.lab.tables import RUNS
from course.markup import fill, joined
from course.notebook.show import html_widget, put, show
from course.viewer.picture import picture_of
from course.viewer.widget import widget

if TYPE_CHECKING:
    from course.trace import Trace

GLYPHS = {"o": "●", "s": "■", "^": "▲", "D": "◆", "v": "▼", "P": "✚", "X": "✖"}
MOST = 2000
"""Points in a picture; of more runs every n-th is drawn."""

NUMBERS = tuple(each.name for each in RUNS if each.kind in ("float64", "int64", "bool"))
GROUPS = ("pattern", "policy", "bench", "level", "model", "profile", "flaw", "status")
WITHOUT_WIDGETS = "There are no widgets here: call run_trace(folder, run_id) with a run's id."


def run_trace(folder: str | Path, run_id: str) -> Trace:
    """The trace of a run in a results folder, played once more, with its messages.

    One of a real service is played from its kept answers, with no request.

    Raises ConfigurationError: there is no such run, or its answers were not kept.
    """
    from course.lab.sweep import played_again

    return played_again(folder, run_id).trace


def points(runs: Any, x: str, y: str, by: str) -> list[dict[str, Any]]:
    """The runs as points: place, sign and colour, and what is said of each.

    Args:
        runs: the table.
        x, y: columns of numbers; a run that lacks one is left out.
        by: the column that signs and colours tell apart.
    """
    kept = runs[runs[x].notna() & runs[y].notna()]
    kept = kept.iloc[:: max(1, -(-len(kept) // MOST))]
    looks = signs(runs[by])
    return [
        {
            "id": row["run_id"], "x": float(row[x]), "y": float(row[y]),
            "sign": GLYPHS[looks[row[by]].marker], "colour": looks[row[by]].colour,
            "told": f"{row['pattern']}, {row['policy']}, task {row['task_id']}, seed {row['seed']}:"
                    f" {x} {row[x]:.4g}, {y} {row[y]:.4g}, {row['status']}",
        }
        for row in kept.to_dict("records")
    ]  # fmt: skip


def explore(
    folder: str | Path, *, x: str = "latency_s", y: str = "tokens_in", by: str = "pattern"
) -> None:
    """Show the runs of a results folder as points to pick.

    Args:
        folder: what `lab run` wrote.
        x, y: the axes at first.
        by: what signs and colours tell apart at first.

    Where there are no widgets, a line says what to call instead.

    Raises ConfigurationError: there are no results.
    """
    try:
        box = box_of(folder, x=x, y=y, by=by)
    except ImportError:
        print(WITHOUT_WIDGETS)
        return
    show({**box._repr_mimebundle_(), "text/plain": WITHOUT_WIDGETS})


def box_of(folder: str | Path, *, x: str, y: str, by: str) -> Any:
    """The box of widgets: its `plot` has the `points` and the `picked` run's id, and that run is
    shown `below`. Raises ConfigurationError: there are no results; ImportError: no widgets.
    """
    runs = store.ended(folder)
    import ipywidgets  # type: ignore[import-untyped]

    plot = _plot()
    boxes = {
        name: ipywidgets.Dropdown(options=options, value=value, description=name)
        for name, options, value in (("x", NUMBERS, x), ("y", NUMBERS, y), ("by", GROUPS, by))
    }
    legend = html_widget()
    below = ipywidgets.VBox([html_widget("Pick a point to see its run.")])

    def draw(_: Any = None) -> None:
        chosen = {name: box.value for name, box in boxes.items()}
        plot.x_label, plot.y_label = chosen["x"], chosen["y"]
        plot.points = points(runs, **chosen)
        left = len(runs) - len(plot.points)
        plot.alt = f"Scatter plot of {chosen['y']} against {chosen['x']}, {len(plot.points)} runs"
        told: list[str] = [
            fill('<span style="color: {}">{}</span> {}', look.colour, GLYPHS[look.marker], name)
            for name, look in signs(runs[chosen["by"]]).items()
        ]
        told += [f"({left} runs are not drawn)"] * bool(left)
        put(legend, joined(told, " &nbsp; "))

    def picked(change: Any) -> None:
        below.children = (widget(picture_of(run_trace(folder, change["new"])).as_json()),)

    for box in boxes.values():
        box.observe(draw, names="value")
    plot.observe(picked, names="picked")
    draw()
    whole = ipywidgets.VBox([ipywidgets.HBox(list(boxes.values())), legend, plot, below])
    whole.plot, whole.below = plot, below
    return whole


def _plot() -> Any:
    """The scatter plot: `points`, labels, and `picked`, the id of a run."""
    widgets, traits = need("anywidget"), need("traitlets")
    given = {name: traits.Unicode("").tag(sync=True) for name in ("x_label", "y_label", "alt")}
    made = type("Plot", (widgets.AnyWidget,), {
        "_esm": Path(__file__).with_name("explorer.js"),
        "points": traits.List([]).tag(sync=True),
        "picked": traits.Unicode("").tag(sync=True),
        **given,
    })  # fmt: skip
    return made()
