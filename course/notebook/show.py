"""Put things on the page so that they read without colour, without sight and without JavaScript."""

from __future__ import annotations

import base64
import html
import io
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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


def in_notebook() -> bool:
    """Say whether IPython runs this code, so that more than text can be shown."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and ipython.get_ipython() is not None


def show(bundle: Mapping[str, Any]) -> None:
    """Show the richest form in ``bundle`` (MIME types) that the page can; ``text/plain`` outside.

    Outside a notebook the plain text is printed.
    """
    if not in_notebook():
        print(bundle["text/plain"])
        return
    from IPython.display import display

    display(dict(bundle), raw=True)  # type: ignore[no-untyped-call]


def show_html(markup: str, plain: str) -> None:
    """Show ``markup`` in a notebook, and ``plain`` wherever HTML cannot be shown."""
    show({"text/html": markup, "text/plain": plain})


def image(figure: Figure, alt: str) -> str:
    """Return ``figure`` as an ``<img>`` with its picture inside and ``alt`` as text alternative.

    JupyterLab gives pictures that it draws from ``image/png`` outputs no alt attribute, whatever
    the output's metadata say; an ``<img>`` in an HTML output keeps the one it has.
    """
    buffer = io.BytesIO()
    # No Software entry: the same figure is then the same bytes under any matplotlib patch release.
    figure.savefig(buffer, format="png", dpi=144, bbox_inches="tight", metadata={"Software": None})
    data = base64.b64encode(_with_palette(buffer.getvalue())).decode("ascii")
    text = html.escape(" ".join(alt.split()), quote=True)
    return f'<img alt="{text}" src="data:image/png;base64,{data}" style="max-width: 100%">'


def _with_palette(png: bytes) -> bytes:
    """The picture with 32 colours by number: no eye sees it, and it is a fifth of the size."""
    from PIL import Image

    smaller = io.BytesIO()
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    picture.quantize(32, dither=Image.Dither.NONE).save(smaller, "PNG", optimize=True)
    return smaller.getvalue()


def show_figure(figure: Figure, alt: str) -> None:
    """Show a matplotlib figure with a text alternative.

    Args:
        figure: the figure; it is closed, so that the notebook does not show it a second time.
        alt: what the picture says, in a sentence or two, for those who do not see it.

    Raises:
        ValueError: ``alt`` is empty.
    """
    if not alt.strip():
        raise ValueError("a figure needs alt text: say in a sentence what it shows")
    show_html(image(figure, alt), alt)
    _close(figure)


def _close(figure: Figure) -> None:
    """Forget ``figure`` in pyplot, if pyplot made it."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close(figure)
