"""A run in a notebook: the scripts of the page, as a widget."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from course.extras import need
from course.markup import ours
from course.viewer.page import script, style


@cache
def _kind() -> Any:
    widgets, traits = need("anywidget"), need("traitlets")
    start = ours(Path(__file__).with_name("widget.js"))
    return type("Switchboard", (widgets.AnyWidget,), {
        "_esm": f"{script()}\n{start}",
        "_css": str(style()),
        "data": traits.Dict({}).tag(sync=True),
        "said": traits.Dict({}).tag(sync=True),
    })  # fmt: skip


def widget(data: Mapping[str, Any]) -> Any:
    """A widget that plays a run; `data` is a picture's or a comparison's, and may be changed. With
    a seat's data it asks for an answer, which comes as `said`.

    Raises ConfigurationError: there are no widgets here.
    """
    return _kind()(data=dict(data))
