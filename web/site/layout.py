"""The site's sources, laid out in a folder as the repository is: pages, chapters, drawings."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from graders.diagrams import DRAWN
from web.host import ROOT, Host
from web.site import api, chapters, texts
from web.site.contents import API, PARTS, Part

INDEX = "index"
RELEASED = "released"
"""The folder of the notebooks that are downloaded from beside the site's first page."""
_FILES = ROOT / "docs"
KEPT = (".json", ".py")
"""Kinds of files below docs/ that pages link to."""
_NAMED = {"notebooks/index": "All chapters <notebooks/index>"}  # its title is the course's
_PICTURE = "docs/playing.svg"


def lay_out(target: Path, host: Host) -> list[str]:
    """Write the site's sources into an empty folder; returns its pages in reading order."""
    api.write(target / API)
    parts = [(part, [*part.pages(ROOT), *part.pages(target)]) for part in PARTS]
    parts = [(part, _in_order(part.patterns, found)) for part, found in parts]
    names = [page for _, pages in parts for page in pages]
    pages = [path for name in names for path in (f"{name}.md", f"{name}.ipynb")]
    files = [
        path.relative_to(ROOT).as_posix() for path in _FILES.rglob("*.*") if path.suffix in KEPT
    ]
    there = frozenset([*pages, *files])
    for path in pages:
        if (ROOT / path).exists():
            _write(path, target, there, host)
    for path in files:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, target / path)
    shutil.copytree(DRAWN, target / texts.DRAWINGS)
    shutil.copyfile(ROOT / _PICTURE, target / Path(_PICTURE).name)
    index = texts.relinked(_index(parts), f"{INDEX}.md", there, host)
    (target / f"{INDEX}.md").write_text(index, encoding="utf-8")
    return names


def _in_order(patterns: Sequence[str], pages: Sequence[str]) -> list[str]:
    """Pages in the order of the patterns that they match; those of the site's own among them."""
    bare = [pattern.rpartition(".")[0] for pattern in patterns]
    ranked = {
        page: next(i for i, pattern in enumerate(bare) if Path(page).match(pattern))
        for page in pages
    }
    return sorted(ranked, key=lambda page: ranked[page])


def _write(path: str, target: Path, there: frozenset[str], host: Host) -> None:
    """Write one page of the repository as the site needs it."""
    up = "../" * path.count("/")

    def change(text: str) -> str:
        return texts.drawn(texts.relinked(text, path, there, host), up)

    written = target / path
    written.parent.mkdir(parents=True, exist_ok=True)
    if path.endswith(".md"):
        written.write_text(change((ROOT / path).read_text(encoding="utf-8")), encoding="utf-8")
        return
    book = _read(ROOT / path)
    source = ROOT / path.replace("notebooks/", "solutions/", 1)
    book = chapters.with_outputs(book, _read(source))
    kept = target / RELEASED / Path(path).name
    kept.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / path, kept)
    page = chapters.page_of(book, change, up)
    links = [*host.doors(path, up), ("Download", f"{up}{kept.name}")]
    page.cells = chapters.below_title(page.cells, chapters.doors(links))
    written.write_text(nbformat.writes(page), encoding="utf-8")  # type: ignore[no-untyped-call]


def _read(path: Path) -> NotebookNode:
    book: NotebookNode = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    return book


def _index(parts: Sequence[tuple[Part, Sequence[str]]]) -> str:
    """The first page: README's first words and program, then the parts, each with its list."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8").replace(_PICTURE, "playing.svg")
    begin = readme.partition("\nYou need Python")[0]
    lists = [
        f"## {part.title}\n\n{part.words}\n\n"
        f"```{{toctree}}\n:caption: {part.title}\n:maxdepth: 1\n\n"
        + "\n".join(_NAMED.get(page, page) for page in pages)
        + "\n```\n"
        for part, pages in parts
    ]
    return "\n".join([begin, *lists])
