"""A run as one HTML file that needs no network, and the scripts as one text.

The modules are put one after the other: imports go, exports become plain names. Nothing is
minified, so what a page runs can be read in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from course.markup import Markup, data, fill, ours
from course.trace import Trace
from course.viewer.compare import comparison
from course.viewer.picture import picture_of
from course.viewer.still import still

_HERE = Path(__file__).parent
MODULES = (
    "dom.js",
    "table.js",
    "board.js",
    "lines.js",
    "desk.js",
    "viewer.js",
    "compare.js",
    "seat.js",
)
"""Each imports only from those before it."""
_COMMENTS = r"^ *(?://|/\*\*|\*).*\n"
_APART = (r"^import .*;\n", r"^export (?=async function|function|const)", _COMMENTS, r"^ +")
"""What the modules do not need where they are one text."""


@cache
def script() -> Markup:
    """All modules as one."""
    return ours(*(_HERE / name for name in MODULES), without=_APART)


@cache
def style() -> Markup:
    """How it looks."""
    return ours(_HERE / "viewer.css")


def page(trace: Trace, other: Trace | None = None, *, told: Sequence[str] = ()) -> Markup:
    """A run, or two of them on one clock, as an HTML page.

    Args:
        trace: of the run.
        other: of another one, to compare.
        told: what there is to say about the trace, such as what was mended in it.

    Where no scripts run, the page shows the run as a still picture and a table.
    """
    first = picture_of(trace)
    shown = first.as_json(told)
    if other is not None:
        shown = comparison(first, picture_of(other))
    return fill(
        """<!doctype html>
<html lang="en" class="page"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{title}</title><style>{style}</style></head>
<body class="page"><main id="run"><div class="still">{still}</div></main>
<script type="application/json" id="data">{data}</script>
<script type="module">{script}
const given = JSON.parse(document.getElementById("data").textContent);
const host = document.getElementById("run"), options = {{ level: 1, keys: document }};
window.viewer = given.views ? compare(host, given, options) : show(host, given, options);
</script></body></html>
""",
        title=trace.name, style=style(), still=still(first), data=data(shown), script=script(),
    )  # fmt: skip
