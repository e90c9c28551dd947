"""HTML with other people's words in it: every word is escaped on its way in.

What is shown as HTML goes through here, and so do names, answers and results that stand in it.
`fill` escapes what it puts into a template, and what shows HTML escapes whatever does not come
from here. So a word that somebody forgot to escape is seen as it was written, and does nothing.
"""

from __future__ import annotations

import html
import json
import re
import string
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).parent


class Markup(str):
    """HTML that is safe to show: made by `fill`, `text` and `joined`, never from other words."""

    __slots__ = ()

    def __html__(self) -> str:
        """As Jinja and others ask for it, who escape what has no such method."""
        return str(self)


class _Escaping(string.Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Markup):
            return value
        return html.escape(format(value, format_spec), quote=True)


def fill(template: str, *values: object, **named: object) -> Markup:
    """A template with values in its places, each escaped unless it is `Markup` itself.

    Args:
        template: HTML as its author wrote it, a literal, with places as `str.format` has them.
            An attribute's value stands in quotes.
        values, named: what to put there; anything that `format` takes.
    """
    return Markup(_Escaping().vformat(template, values, named))


def text(said: object) -> Markup:
    """A text to stand between tags, where quotes stay as they are: JSON is full of them."""
    return said if isinstance(said, Markup) else Markup(html.escape(str(said), quote=False))


def joined(parts: Iterable[object], between: str = "") -> Markup:
    """Parts in a row, each escaped unless it is `Markup`; ``between`` is HTML, a literal."""
    escaped = (p if isinstance(p, Markup) else html.escape(str(p), quote=True) for p in parts)
    return Markup(between.join(escaped))


def ours(*files: Path, without: Iterable[str] = ()) -> Markup:
    """Scripts or style sheets of this package, one after the other, to stand in a page.

    Args:
        files: of the package; ValueError for any other.
        without: patterns, by line, of what is left out: comments, or the imports of modules that
            stand one after the other.
    """
    if strange := [file for file in files if not file.resolve().is_relative_to(_PACKAGE)]:
        raise ValueError(f"{strange[0]} is no file of this package")
    said = "\n".join(file.read_text(encoding="utf-8") for file in files)
    for pattern in without:
        said = re.sub(pattern, "", said, flags=re.M)
    return Markup(said)


def data(value: object) -> Markup:
    """Plain data as JSON, to stand in a `<script type="application/json">`: no tag ends in it."""
    said = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Markup(said.replace("<", "\\u003c").replace("\u2028", "\\u2028"))


def shown(markup: str) -> str:
    """What a page is given: `Markup` as it is, and any other text escaped."""
    return markup if isinstance(markup, Markup) else html.escape(markup)
