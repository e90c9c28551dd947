"""What theme and generator leave in somebody's way, mended in the pages that they made."""

from __future__ import annotations

from pathlib import Path

MENDED = (
    # a heading says of which level it is
    ('<p class="caption" role="heading">', '<p class="caption" role="heading" aria-level="2">'),
    # two regions of one kind are told apart
    ('<aside class="sidebar-drawer">', '<aside class="sidebar-drawer" aria-label="All pages">'),
    ('<aside class="toc-drawer', '<aside aria-label="This page" class="toc-drawer'),
    # what moves within itself is reached by keyboard
    ("<pre>", '<pre tabindex="0">'),
    ('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper'),
    ('<div class="output text_html', '<div tabindex="0" class="output text_html'),
    ("<p><img", '<p tabindex="0"><img'),
)
"""What is written, and what stands in its place."""


def mend(site: Path) -> None:
    """Mend every page of a built site, in place."""
    for path in site.rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        for found, better in MENDED:
            page = page.replace(found, better)
        path.write_text(page, encoding="utf-8")
