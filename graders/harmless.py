"""What a student wrote, made harmless before it is shown in an instructor's browser.

Formgrader and nbgrader's feedback hand prose and outputs of a notebook to the browser as they are,
and formgrader's page lives in the instructor's own JupyterLab. So a notebook that they show holds
no more than an allow list of tags and attributes, links to http and https, pictures that lie in
the file itself, and text.

Markdown is laid out first and cleaned then: what is text before may be a tag, a link or a picture
after. The result stands in the cell as one block of HTML: laid out again, it stays as it is.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import cache
from typing import Any
from urllib.parse import unquote

from nbformat import NotebookNode
from nbformat.v4 import new_output

from course.extras import need
from graders.records.wording import one_line

TAGS = {
    "a", "abbr", "b", "blockquote", "br", "caption", "cite", "code", "col", "colgroup", "dd", "del",
    "details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "h1", "h2", "h3", "h4", "h5",
    "h6", "hr", "i", "img", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "s", "samp", "small",
    "span", "strike", "strong", "sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th",
    "thead", "tr", "tt", "u", "ul", "var", "wbr",
}  # fmt: skip
# No class, id, name or style: these would let a text look and act like a part of formgrader.
ATTRIBUTES = {
    "a": {"href", "title"}, "abbr": {"title"}, "img": {"src", "alt", "title", "width", "height"},
    "ol": {"start"}, "td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan", "scope"},
}  # fmt: skip
# Whose inside is no text for people.
WITH_ALL_INSIDE = {"iframe", "math", "noscript", "object", "script", "style", "svg", "template"}
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
LINK = re.compile(r"https?://[^\s\\]+", re.IGNORECASE)
PICTURE = re.compile(rf"data:(?:{'|'.join(PICTURES)});base64,[A-Za-z0-9+/=]+")
BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+")
IMG = re.compile(r"""<img\b[^<>]*?\ssrc=(["'])(?P<src>[^"'<>]*)\1[^<>]*>""", re.IGNORECASE)
TAG = re.compile(r"<\s*/?\s*([A-Za-z][^\s/>]*)")
ACTIVE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029$\\]")  # to Markdown, inside a block of HTML
# Laying out Markdown takes time that grows with the square of what is odd in it: at worst 5 s here.
LONGEST = 10_000  # characters of one cell that are laid out
MOST = 40_000  # and of one notebook; what is beyond stands there as it was typed
MOST_PICTURES = 50_000_000  # letters of pictures in one notebook: each may be named many times


def harmless(book: NotebookNode, released: NotebookNode) -> NotebookNode:
    """A notebook with no prose and no output that could run, load or lead anywhere but to http(s).

    What a browser would run is still there to read, as text. Code is left: it is shown as text
    everywhere. So are names, marks, points and checksums, and prose that is the release's own.

    Args:
        book: with a student's text in it; left as it is.
        released: the notebook of the chapter as students got it.

    Returns:
        A new notebook.

    Raises:
        ConfigurationError: the sanitiser is not installed.
    """
    need("nh3", extra="dev")
    book = deepcopy(book)
    own = {_written(cell) for cell in released.cells}
    left, room = MOST, _Room()
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.outputs = [_output(each) for each in cell.outputs]
        elif _written(cell) not in own:
            fits = len(cell.source) <= min(left, LONGEST)
            left -= len(cell.source) if fits else 0
            pictures = cell.get("attachments", {})
            cell.source = prose(cell.source, pictures, room) if fits else as_typed(cell.source)
            cell.cell_type = "markdown"
            cell.pop("attachments", None)
    book.metadata.pop("widgets", None)  # what a widget would show
    return book


class _Room:
    """How many letters of pictures a notebook may still show."""

    left = MOST_PICTURES

    def take(self, markup: str) -> str:
        """The same again. Raises OverflowError: that is too much."""
        self.left -= len(markup)
        if self.left < 0:
            raise OverflowError
        return markup


def prose(source: str, pictures: Mapping[str, Any] | None = None, room: _Room | None = None) -> str:
    """Markdown as one line of harmless HTML, and "" as "".

    Args:
        source: Markdown, with HTML in it or not.
        pictures: a cell's attachments, by name and MIME type.
        room: for pictures, in the notebook; what has more of them stands there as it was typed.
    """
    if not source.strip():
        return ""
    try:
        return _block(_lay_out(source, pictures or {}, room or _Room()))
    except Exception:  # whatever mistune stumbles over, it is one cell's
        return as_typed(source)


def as_typed(source: str) -> str:
    """A text in the letters and lines of its author, as one line of HTML."""
    return _block(f"<pre>{html.escape(source)}</pre>")


def named(text: str) -> str:
    """A person's name on one line, in letters that no page takes for a tag: LMSs let people choose.

    Formgrader puts names into its page as they are.
    """
    return one_line(text).replace("<", "‹").replace(">", "›")


def clean(markup: str) -> str:
    """HTML with nothing in it but what the allow list names; the texts between tags stay."""
    import nh3

    return nh3.clean(
        markup,
        tags=TAGS,
        attributes=ATTRIBUTES,
        attribute_filter=_attribute,
        clean_content_tags=WITH_ALL_INSIDE,
        url_schemes={"http", "https", "data"},
        url_relative="deny",
    )


def _attribute(tag: str, name: str, value: str) -> str | None:
    wanted = {("a", "href"): LINK, ("img", "src"): PICTURE}.get((tag, name))
    return value if wanted is None or wanted.fullmatch(value) else None


def _block(markup: str) -> str:
    """HTML as Markdown that means the same: one block without an empty line or a formula.

    The classes keep MathJax away, whose formulas can hold links.
    """
    inside = ACTIVE.sub(lambda found: f"&#{ord(found[0])};", clean(markup).strip())
    return f'<div class="tex2jax_ignore mathjax_ignore">{inside}</div>'


def _written(cell: NotebookNode) -> tuple[str, str, str]:
    return str(cell.cell_type), str(cell.source), repr(cell.get("attachments"))


def _lay_out(source: str, pictures: Mapping[str, Any], room: _Room) -> str:
    renderer, markdown, plugins = _markdown()
    made = renderer(escape=False, exclude_anchor_links=True, attachments=dict(_raster(pictures)))
    made.room = room
    return str(markdown(made, plugins=plugins).render(source))


def _raster(pictures: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    for name, kinds in pictures.items():
        kept = {
            kind: re.sub(r"\s", "", _text(data))
            for kind, data in kinds.items()
            if kind in PICTURES and BASE64.fullmatch(_text(data))
        }
        if kept:
            yield name, kept


@cache
def _markdown() -> tuple[Any, Any, list[Any]]:
    """nbconvert's way of laying out Markdown, but what may not be shown stands there as text."""
    from mistune.plugins import import_plugin
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    class Renderer(IPythonRenderer):
        room: _Room

        def block_html(self, html: str) -> str:
            shown = _with_pictures(html, self.attachments, self.room)
            return shown if _allowed(shown) else f"<pre>{self.escape_html(html)}</pre>\n"

        def inline_html(self, html: str) -> str:
            shown = _with_pictures(html, self.attachments, self.room)
            return shown if _allowed(shown) else str(self.escape_html(html))

        def block_code(self, code: str, info: str | None = None) -> str:
            return f"<pre><code>{self.escape_html(code)}</code></pre>\n"

        def link(self, text: str, url: str, title: str | None = None) -> str:
            if LINK.fullmatch(url):
                return str(super().link(text, url, title))
            return f"{text} (<code>{self.escape_html(url)}</code>)"

        def image(self, text: str, url: str, title: str | None = None) -> str:
            name = url.removeprefix("attachment:")
            if PICTURE.fullmatch(url) or (name != url and name in self.attachments):
                return str(self.room.take(super().image(text, url, title)))
            return self.link(text or "picture", url, title)  # to load it would tell who looks

    plugins = [import_plugin(each) for each in ("strikethrough", "table", "url", "def_list")]
    return Renderer, MarkdownWithMath, plugins


def _with_pictures(markup: str, pictures: Mapping[str, Mapping[str, str]], room: _Room) -> str:
    """HTML with what was pasted into the cell in the place of its name, as Jupyter shows it."""
    pasted = {
        f"attachment:{unquote(name)}": f"data:{kind};base64,{data}"
        for name, kinds in pictures.items()
        for kind, data in kinds.items()
    }

    def put(found: re.Match[str]) -> str:
        begin, end = (place - found.start() for place in found.span("src"))
        source = pasted.get(unquote(found["src"]), found["src"])
        return room.take(found[0][:begin] + source + found[0][end:])

    return IMG.sub(put, markup)


def _allowed(markup: str) -> bool:
    rest = IMG.sub(lambda found: "" if PICTURE.fullmatch(found["src"]) else found[0], markup)
    return {name.lower() for name in TAG.findall(rest)} <= TAGS - {"img"}


def _output(output: NotebookNode) -> NotebookNode:
    """An output as what a page shows as text or as a picture; of other kinds their names."""
    kind = output.output_type
    if kind == "stream":
        name = "stderr" if output.get("name") == "stderr" else "stdout"
        return _made(kind, name=name, text=_text(output.get("text", "")))
    if kind == "error":
        traceback = [_text(line) for line in output.get("traceback", [])]
        names = {each: _text(output.get(each, "")) for each in ("ename", "evalue")}
        return _made(kind, **names, traceback=traceback)
    return _made("display_data", data=_shown(output.get("data", {})))


def _shown(data: Mapping[str, Any]) -> dict[str, str]:
    made: dict[str, str] = {}
    for kind in ("text/plain", "image/png", "image/jpeg", "text/html", "text/markdown"):
        if kind not in data:
            continue
        text = _text(data[kind])
        if kind == "text/html":
            made[kind] = _block(text)
        elif kind == "text/markdown":
            made.setdefault("text/html", as_typed(text))
        elif kind == "text/plain" or BASE64.fullmatch(text):
            made[kind] = text
    if not made:
        said = _text(data.get("text/latex", "")) or f"({', '.join(data)}: not shown)"
        made["text/plain"] = said
    return made


def _text(value: Any) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value)


def _made(kind: str, **content: Any) -> NotebookNode:
    made: NotebookNode = new_output(kind, **content)  # type: ignore[no-untyped-call]
    return made
