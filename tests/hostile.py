"""Texts that would run, load or lead somewhere if a browser took them for more than text.

Each sets a mark in the page, or asks the host `elsewhere.invalid` for something. One list serves
everything that shows other people's words: what the browser must not meet is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from html.parser import HTMLParser

ELSEWHERE = "http://elsewhere.invalid"


def mark(name: str) -> str:
    """A script that says it ran; in a frame it tells the page around it."""
    return f"top.marks = (top.marks || []).concat('{name}')"


PAYLOADS = {
    "script": f"<script>{mark('script')}</script>",
    "img": f'<img src="x" onerror="{mark("img")}"><img src="{ELSEWHERE}/img">',
    "svg": f'<svg onload="{mark("svg")}"><script>{mark("svg script")}</script></svg>',
    "iframe": f'<iframe srcdoc="<script>{mark("iframe")}</script>"></iframe>'
    f'<iframe src="{ELSEWHERE}/frame"></iframe>',
    "style": f"<style>@import url({ELSEWHERE}/style); body {{ background: url({ELSEWHERE}/back) }}"
    "</style>",
    "meta": f'<meta http-equiv="refresh" content="0; url={ELSEWHERE}/meta">',
    "base": f'<base href="{ELSEWHERE}/base/">',
    "form": f'<form action="{ELSEWHERE}/form"><button autofocus onfocus="{mark("form")}">'
    "Full credit</button></form>",
    "details": f'<details open ontoggle="{mark("details")}"><summary>why</summary>so</details>',
    "javascript link": f"[a link](javascript:{mark('link').replace(' ', '%20')})",
    "data link": "[a link](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "raw": f"<div><img src=x onerror={mark('raw').replace(' ', '')}></div>",
}
"""Twelve sorts; `raw` is put into a raw cell where there are any."""

SLY = {
    "reference": f"[a link][ref]\n\n[ref]: javascript:{mark('ref').replace(' ', '%20')}",
    "reference with a title": "![a][p]\n\n[p]: <javascript:alert(1)> 'a \"title\" <b onclick=x>'",
    "autolink": "<javascript:alert(1)> <data:text/html,x> javascript:alert(1)",
    "entities": "[a](&#106;avascript&colon;alert(1)) [b](java&Tab;script:alert(1))",
    "letters": "[a](JaVaScRiPt:alert(1)) [b]( \x01javascript:alert(1)) [c](java\nscript:alert(1))",
    "relative": "[a](other.html) [b](/formgrader/x) [c](//elsewhere.invalid/x) [d](#memo) [e](?x)",
    "other schemes": "[a](vbscript:x) [b](file:///etc) [c](blob:x) [d](mailto:x) [e](http:x)",
    "beacon": f"![here]({ELSEWHERE}/beacon.png) ![here](data:image/svg+xml;base64,PHN2Zy8+)",
    "split tag": f'<img\nsrc=x\nonerror="{mark("split")}"\n>',
    "open tag": f'<img src=x onerror="{mark("open")}" ',
    "mermaid": f"```mermaid\n</pre><img src=x onerror=\"{mark('mermaid')}\">\n```",
    "fence": f'```html\n<script>{mark("fence")}</script>\n',
    "no fence": f"`` ` ``\n~~~\n~~~\n<script>{mark('no fence')}</script>",
    "formula": r"$\href{javascript:alert(1)}{x}$ $$\href{data:,x}{y}$$ \begin{a}<b>\end{a}",
    "formula with a tag": f'$$</div><img src=x onerror="{mark("formula")}">$$',
    "comment": f'<!-- --!><img src=x onerror="{mark("comment")}"> -->',
    "declarations": f'<!a "><img src=x onerror="{mark("a")}">"> <?x ?><![CDATA[<b>]]>',
    "noscript": f'<noscript><p title="</noscript><img src=x onerror=`{mark("n")}`>">',
    "math": f'<math><mtext><table><mglyph><style><img src=x onerror="{mark("math")}">',
    "attribute": f'<b onclick="{mark("b")}" style="position:fixed" class="x" id="memo">b</b>',
    "heading": f'# <a name="x" id=y>h</a> <img src=x onerror="{mark("heading")}">',
    "table": f"| a |\n|---|\n| <script>{mark('cell')}</script> [x](javascript:y) |",
    "text that is markup when read twice": r"\[a](javascript:x) &lt;script&gt; `$$` \\[ \| \`\`\`",
    "blank lines": f"<div>\n\n<script>{mark('blank')}</script>\n\n</div>\n\n    [a](javascript:x)",
    "plaintext": "<plaintext>", "textarea": "</textarea></div></div><textarea>",
    "attachment": "![a](attachment:nothing.png) ![b](attachment:<script>)",
}  # fmt: skip
"""More ways, for what reads Markdown and HTML."""

NAME = f'"><img src=x onerror="{mark("name")}"><script>{mark("name")}</script>'
"""For a name of anything: short, and out of an attribute as well as out of a text."""


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))

    def handle_pi(self, data: str) -> None:
        self.found.append((f"?{data}", {}))

    def handle_decl(self, decl: str) -> None:
        self.found.append((f"!{decl}", {}))

    def handle_comment(self, data: str) -> None:
        self.found.append((f"!--{data}", {}))


def tags(markup: str) -> list[tuple[str, dict[str, str]]]:
    """Every tag of a page, comments and declarations too, with its attributes."""
    reader = _Tags()
    reader.feed(markup)
    reader.close()
    return reader.found
