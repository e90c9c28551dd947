"""How figures look here: one palette, a second sign beside each colour, and pictures with words.

Whatever is told apart by colour is told apart by marker, line and hatch as well, so that a figure
survives a grey printer and every kind of colour vision. Labels stand on the lines.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

from course.markup import Markup, fill

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito, "Color Universal Design" (2008): eight colours that stay apart for everybody.
OKABE_ITO = {
    "black": "#000000",
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "green": "#009E73",
    "yellow": "#F0E442",
    "blue": "#0072B2",
    "vermillion": "#D55E00",
    "purple": "#CC79A7",
}

GREY = "0.55"
# White becomes JupyterLab's dark paper, black its ink; turned by half, a hue is itself again.
_IN_THE_DARK = fill(
    '<style>[data-jp-theme-light="false"] .figure'
    " {{ filter: invert(93%) hue-rotate(180deg) }}</style>"
)
SIGNS = (
    ("blue", "o", "-", ""),
    ("vermillion", "s", "--", "///"),
    ("green", "^", "-.", "xx"),
    ("purple", "D", ":", "..."),
    ("orange", "v", (0, (5, 1)), "\\\\\\"),
    ("sky", "P", (0, (3, 1, 1, 1)), "++"),
    ("black", "X", (0, (1, 1)), "oo"),
)


@dataclass(frozen=True)
class Signs:
    """What tells one series of a figure from the others: colour, marker, line and hatch."""

    colour: str
    marker: str
    line: Any
    hatch: str


_held: ContextVar[Mapping[str, Signs] | None] = ContextVar("switchboard_signs", default=None)


def signs(names: Iterable[Any]) -> dict[Any, Signs]:
    """Signs for each name, in order; the eighth looks like the first. Those that `same_signs`
    holds have theirs, and the others what is left."""
    looks, held = [Signs(OKABE_ITO[colour], *rest) for colour, *rest in SIGNS], _held.get() or {}
    listed = list(dict.fromkeys(names))
    taken = [held[str(name)] for name in listed if str(name) in held]
    free = cycle([look for look in looks if look not in taken] or looks)
    return {name: held.get(str(name)) or next(free) for name in listed}


@contextmanager
def same_signs(names: Iterable[Any]) -> Iterator[None]:
    """Let each of these names look the same in all figures that are drawn within the block."""
    token = _held.set({str(name): look for name, look in signs(names).items()})
    try:
        yield
    finally:
        _held.reset(token)


def tidy(ax: Axes, *, x: str, y: str, grid: str = "both") -> None:
    """Name the axes, and take away what is no data."""
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(visible=True, axis=grid, color="0.92", linewidth=0.7)  # type: ignore[arg-type]
    ax.set_axisbelow(True)


def label_ends(ax: Axes, ends: Sequence[tuple[float, float, str, str]]) -> None:
    """Write each line's name at its right end (x, y, name, colour), moved apart where they meet,
    and beside the axes as long as there is room."""
    low, high = ax.get_ylim()
    step = (high - low) * 0.075
    groups: list[list[tuple[float, float, str, str]]] = []

    def bottom(group: list[tuple[float, float, str, str]]) -> float:
        height = step * (len(group) - 1)
        middle = sum(end[1] for end in group) / len(group) - height / 2
        return max(low, min(middle, high - height))

    for each in sorted(ends, key=lambda end: end[1]):
        group = [each]
        while groups and bottom(groups[-1]) + step * len(groups[-1]) > bottom(group):
            group = groups.pop() + group
        groups.append(group)
    right = max((end[0] for end in ends), default=0.0)
    for group in groups:
        for place, (_, y, name, colour) in enumerate(group):
            moved = bottom(group) + place * step - y
            ax.annotate(
                name, (right, y), xytext=(10, moved / (high - low) * _points(ax)), va="center",
                textcoords="offset points", color=colour, fontsize=9, annotation_clip=False,
            )  # fmt: skip


def _points(ax: Axes) -> float:
    """The height of the axes in points."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    return float(ax.get_position().height * figure.get_size_inches()[1] * 72)


def image(figure: Figure, alt: str) -> Markup:
    """Return ``figure`` as an ``<img>`` with its picture inside and ``alt`` as text alternative.

    JupyterLab gives pictures that it draws from ``image/png`` outputs no alt attribute, whatever
    the output's metadata say; an ``<img>`` in an HTML output keeps the one it has. Where
    JupyterLab is dark, so is the figure.
    """
    buffer = io.BytesIO()
    # No Software entry: the same figure is then the same bytes under any matplotlib patch release.
    figure.savefig(buffer, format="png", dpi=144, bbox_inches="tight", metadata={"Software": None})
    data = base64.b64encode(_with_palette(buffer.getvalue())).decode("ascii")
    return fill(
        '<img alt="{}" src="data:image/png;base64,{}" class="figure" style="max-width: 100%">{}',
        " ".join(alt.split()), data, _IN_THE_DARK,
    )  # fmt: skip


def _with_palette(png: bytes) -> bytes:
    """The picture with 64 colours by number: no eye sees it, and it is a quarter of the size.

    By an octree: a median cut takes the colour of a thin line for that of its neighbours.
    """
    from PIL import Image

    smaller = io.BytesIO()
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    picture.quantize(64, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
        smaller, "PNG", optimize=True
    )
    return smaller.getvalue()
