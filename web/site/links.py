"""What is wrong with the links of built pages: they lead nowhere, or load from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src",
           "audio": "src", "link": "href"}  # fmt: skip
"""What a browser loads without being asked, by the attribute that names it."""
TELLING = frozenset({"canonical", "search", "next", "prev", "index", "genindex", "top"})
"""Links that are said and not loaded."""


class _Page(HTMLParser):
    """A page's links, what it loads, and the names that links can point at."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.names |= {given[name] for name in ("id", "name") if given.get(name)}
        told = given.get("rel", "") in TELLING
        if tag in LOADING and not told and (address := given.get(LOADING[tag])):
            self.loads.append(address)
        elif given.get("href"):
            self.links.append(given["href"])


@cache
def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def wrong(site: Path) -> list[str]:
    """One line for each link that leads nowhere, and for each thing that comes from elsewhere."""
    return [
        f"{path.relative_to(site)}: {line}"
        for path in sorted(site.rglob("*.html"))
        for line in _wrong(path)
    ]


def _wrong(path: Path) -> Iterator[str]:
    page = _read(path)
    yield from (f"{each[:90]} is loaded from elsewhere" for each in page.loads if _far(each))
    for link in {*page.links, *page.loads}:
        place, name = unquote(urlsplit(link).path), unquote(urlsplit(link).fragment)
        if _far(link) or link.startswith(("mailto:", "data:", "javascript:")):
            continue
        there = (path.parent / place).resolve() if place else path
        if there.is_dir():
            there = there / "index.html"
        if not there.exists():
            yield f"{link} leads nowhere"
        elif name and there.suffix == ".html" and name not in _read(there).names:
            yield f"{link} names no place of that page"


def _far(link: str) -> bool:
    return link.startswith("//") or urlsplit(link).scheme in ("http", "https")
