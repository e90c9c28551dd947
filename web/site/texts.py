"""Markdown as the site needs it: links that lead somewhere there, and diagrams as pictures."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container

from graders.diagrams import FENCE, place, told
from web.host import Host

LINK = re.compile(
    r"^(?P<fence>```|~~~).*?^(?P=fence)"  # code has no links
    r"|(?<!!)\[(?P<words>(?:[^\[\]]|\[[^\]]*\])+)\]\(<?(?P<target>[^)\s>]+)>?\)"
    r"|`[^`\n]*`",
    re.DOTALL | re.MULTILINE,
)
DRAWINGS = "diagrams"
"""The folder of the drawings, from the site's first page."""


def relinked(text: str, page: str, there: Container[str], host: Host) -> str:
    """A page's text whose links lead to what the site has, or to the public repository.

    Where neither has what a link names, its words stay without it.

    Args:
        text: Markdown.
        page: where it stands in the repository.
        there: what the site has, as paths in the repository.
        host: where the repository is published.
    """

    def link(found: re.Match[str]) -> str:
        words, target = found["words"], found["target"]
        if words is None or re.match(r"[a-z]+:", target):
            return found[0]
        place, _, heading = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), place)) if place else page
        if path in there:
            anchor = f"#{heading.lower()}" if heading else ""
            return f"[{words}]({place}{anchor})"
        address = host.file(path)
        return f"[{words}]({address})" if address else words

    return LINK.sub(link, text)


def drawn(text: str, up: str) -> str:
    """A text with the drawing of each Mermaid diagram; ``up`` leads to the site's first page."""
    return FENCE.sub(lambda found: image(found[1], up), text)


def image(diagram: str, up: str) -> str:
    """The Markdown of a diagram's drawing; `laid_out` puts the drawings there."""
    alt = re.sub(r"([\[\]])", r"\\\1", told(diagram))
    return f"![{alt}]({up}{DRAWINGS}/{place(diagram).name})\n"
