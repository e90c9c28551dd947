"""Put things on the page so that they read without colour, without sight and without JavaScript."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from course.drawing import image
from course.markup import shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def in_notebook() -> bool:
    """Say whether IPython runs this code, so that more than text can be shown."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and ipython.get_ipython() is not None


def watched() -> bool:
    """Say whether somebody sits before the page: whoever runs a notebook from end to end, to keep
    its outputs or to grade it, asks nobody for input, and keeps no widgets.
    """
    if not in_notebook():
        return False
    kernel = getattr(sys.modules["IPython"].get_ipython(), "kernel", None)
    return bool(getattr(kernel, "_allow_stdin", False))


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
    """Show ``markup`` in a notebook, and ``plain`` wherever HTML cannot be shown.

    What is not `course.markup.Markup` is shown as text.
    """
    show(html_bundle(markup, plain))


def html_bundle(markup: str, plain: str) -> dict[str, str]:
    """What `show_html` shows, by MIME type."""
    return {"text/html": shown(markup), "text/plain": plain}


def html_widget(markup: str = "") -> Any:
    """A widget that shows HTML; `put` changes it."""
    from ipywidgets import HTML  # type: ignore[import-untyped]

    return HTML(shown(markup))


def put(widget: Any, markup: str) -> None:
    """Show other HTML in a widget; what is not `course.markup.Markup` is shown as text."""
    widget.value = shown(markup)


def show_figure(figure: Figure, alt: str) -> None:
    """Show a matplotlib figure with a text alternative.

    Args:
        figure: the figure; it is closed, so that the notebook does not show it a second time.
        alt: what the picture says, in a sentence or two, for those who do not see it.

    Raises ValueError: ``alt`` is empty.
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
