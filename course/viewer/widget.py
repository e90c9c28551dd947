"""A run in a notebook: the scripts of the page, as a widget."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from course.extras import need
from course.markup import ours
from course.viewer.page import script, style


def kind(name: str, start: Path, **holds: Any) -> Any:
    """A kind of widget: the viewer's scripts, and one that starts them.

    Args:
        name: of the class.
        start: the script, which exports `render`.
        holds: what kernel and page share, each with what it is at first: a text, a list, a dict.

    Raises ConfigurationError: there are no widgets here.
    """
    widgets, traits = need("anywidget"), need("traitlets")
    of: dict[type, Any] = {str: traits.Unicode, list: traits.List, dict: traits.Dict}
    shared = {key: of[type(value)](value).tag(sync=True) for key, value in holds.items()}
    scripts = {"_esm": f"{script()}\n{ours(start)}", "_css": str(style())}
    return type(name, (widgets.AnyWidget,), {**scripts, **shared})


@cache
def _switchboard() -> Any:
    return kind("Switchboard", Path(__file__).with_name("widget.js"), data={}, said={})


def widget(data: Mapping[str, Any]) -> Any:
    """A widget that plays a run; `data` is a picture's or a comparison's, and may be changed. With
    a seat's data it asks for an answer, which comes as `said`.

    Raises ConfigurationError: there are no widgets here.
    """
    return _switchboard()(data=dict(data))
