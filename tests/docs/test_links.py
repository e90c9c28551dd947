"""Every link of a chapter or a page leads somewhere: to the others, home, and to the glossary."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from graders.linking import GLOSSARY, HOME, first_use, prose, words_of
from tests.notebooks import kit, lints

LINK = re.compile(r"\]\(\s*<?([^)\s>]+)")
CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`", re.DOTALL | re.MULTILINE)
CHAPTERS = lints.notebooks("notebooks")
FRONT = kit.ROOT / "notebooks" / "index.ipynb"
PAGES = (*kit.ROOT.glob("*.md"), *(kit.ROOT / "docs").rglob("*.md"), *CHAPTERS, FRONT)
WORDS = words_of((kit.ROOT / "docs/glossary.md").read_text(encoding="utf-8"))


def texts(path: Path) -> list[str]:
    """The prose of a page or a notebook, without code."""
    if path.suffix != ".ipynb":
        return [CODE.sub("", path.read_text(encoding="utf-8"))]
    return [CODE.sub("", c.source) for c in kit.read(path).cells if c.cell_type == "markdown"]


def links(path: Path) -> list[str]:
    """What a page links to on this machine."""
    found = [link for text in texts(path) for link in LINK.findall(text)]
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def anchors(path: Path) -> set[str]:
    """The headings of a page, as links name them: on GitHub, and in JupyterLab."""
    titles = [t for text in texts(path) for t in re.findall(r"^#+\s+(.*?)\s*$", text, re.MULTILINE)]
    plain = [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]
    return {*plain, *(title.replace(" ", "-") for title in titles)}


def dead(path: Path) -> Iterator[str]:
    for link in links(path):
        place, _, heading = link.partition("#")
        there = (path.parent / place) if place else path
        if not there.exists() or (heading and heading not in anchors(there)):
            yield link


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(kit.ROOT)))
def test_every_link_leads_somewhere(path: Path) -> None:
    assert list(dead(path)) == []


@pytest.mark.parametrize(
    ("chapter", "following"), list(pairwise(CHAPTERS)), ids=lambda path: path.stem
)
def test_a_chapter_leads_back_home_and_to_the_next_at_its_head_and_its_end(
    chapter: Path, following: Path
) -> None:
    head, *_, end = texts(chapter)
    for text in (head, end):
        assert {HOME, f"../{following.parent.name}/{following.name}"} <= set(LINK.findall(text))
    for text in (texts(following)[0], texts(following)[-1]):
        assert f"../{chapter.parent.name}/{chapter.name}" in LINK.findall(text)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_word_of_the_glossary_is_linked_where_a_chapter_uses_it_first(chapter: Path) -> None:
    text = "\n\n".join(cell.source for cell in prose(kit.read(chapter).cells))
    linked = re.compile(rf"\[([^\]]+)\]\({re.escape(GLOSSARY)}\)")
    places = {found[1].lower(): found.start() for found in linked.finditer(text)}
    late = {
        word: used[0]
        for word in WORDS
        if (used := first_use(text, word)) is not None
        and used.start() < min(places.get(word.lower(), 10**9), places.get(f"{word}s", 10**9))
    }
    assert late == {}
    assert places


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One thing\n[a](page.md#one-thing) [b](#one-thing) [c](https://example.org/x)\n"
        "[d](no.md) [e](page.md#two) `[f](code.md)`\n```\n[g](code.md)\n```\n"
    )
    assert list(dead(page)) == ["no.md", "page.md#two"]


TEST = re.compile(r"`(?:tests/)?([\w/]+\.py)::(\w+)`")


def untested(text: str) -> Iterator[str]:
    """The tests that a text names and that are not there."""
    for place, name in TEST.findall(text):
        path = kit.ROOT / "tests" / place
        if not (path.exists() and f"def {name}(" in path.read_text(encoding="utf-8")):
            yield f"{place}::{name}"


def test_every_test_that_a_page_names_is_there() -> None:
    told = [page.read_text(encoding="utf-8") for page in PAGES if page.suffix == ".md"]
    assert [each for text in told for each in untested(text)] == []
    assert sum(len(TEST.findall(text)) for text in told) >= 40
    assert list(untested("`docs/test_links.py::test_no` `docs/no.py::test_a`")) == [
        "docs/test_links.py::test_no", "docs/no.py::test_a",
    ]  # fmt: skip
