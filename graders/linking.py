"""The links that a release adds to a chapter: back, home and forth, and to the glossary."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nbformat import NotebookNode

GLOSSARY = "../../docs/glossary.md"
HOME = "../index.ipynb"
WORD = re.compile(r"^\| \*\*(.+?)\*\* \|", re.MULTILINE)
EVERYDAY = frozenset(
    {"work", "place", "check", "door", "stop", "store", "team", "trap", "profile", "board"}
)
"""Words of the glossary that are everybody's as well, so that a text may use them unexplained."""
AMBIGUOUS = frozenset({"turn"})
"""Those that most texts use in another sense ("in turn")."""
UNTOUCHED = re.compile(
    r"^(```|~~~).*?^\1|^#.*?$|^\*\*[^\n]*\?\*\*$"  # code, headings, a chapter's question
    r"|`[^`\n]*`|!?\[[^\]\n]*\]\([^)\n]*\)|[<]summary>.*?[<]/summary>|<[^>\n]+>",
    re.DOTALL | re.MULTILINE,
)


def words_of(glossary: str) -> list[str]:
    """The words that the glossary explains and that are linked, longest first."""
    return sorted(
        set(WORD.findall(glossary)) - EVERYDAY - AMBIGUOUS, key=lambda word: (-len(word), word)
    )


def link_words(cells: Sequence[NotebookNode], words: Sequence[str]) -> None:
    """Link the first use of each word in a chapter's prose to the glossary; in place."""
    left = list(words)
    for cell in prose(cells):
        cell.source, left = _linked(cell.source, left)


def prose(cells: Sequence[NotebookNode]) -> list[NotebookNode]:
    """The cells with a chapter's text.

    What an exercise asks for stays as it is, word for word, and the last cell has titles of papers.
    """
    text = [cell for cell in cells if cell.cell_type == "markdown"]
    return [cell for cell in text[:-1] if not cell.source.startswith("### Exercise ")]


def _linked(text: str, words: list[str]) -> tuple[str, list[str]]:
    """A text with the first use of each of these words linked, and the words it does not have."""
    left = []
    for word in words:
        used = first_use(text, word)
        if used is None:
            left.append(word)
        else:
            text = f"{text[: used.start()]}[{used[0]}]({GLOSSARY}){text[used.end() :]}"
    return text, left


def first_use(text: str, word: str) -> re.Match[str] | None:
    """Where a word stands in prose for the first time, in one or in many."""
    untouched = [each.span() for each in UNTOUCHED.finditer(text)]
    for found in re.finditer(rf"(?<![\w-]){re.escape(word)}s?(?![\w-])", text, re.IGNORECASE):
        if not any(start <= found.start() < end for start, end in untouched):
            return found
    return None


def navigation(chapters: Sequence[str], here: str, *, home: bool) -> str:
    """A line of links: to the chapter before, to all of them, and to the next.

    Args:
        chapters: the names of all, in order, such as "07_parallel_execution".
        here: which of them this is.
        home: whether there is a page of all chapters.
    """
    place = chapters.index(here)
    links = [
        f"[← {_title(each)}]({_address(each)})" for each in chapters[max(place - 1, 0) : place]
    ]
    links += [f"[all chapters]({HOME})"] if home else []
    links += [f"[{_title(each)} →]({_address(each)})" for each in chapters[place + 1 : place + 2]]
    return " · ".join(links)


def _title(chapter: str) -> str:
    number, _, rest = chapter.partition("_")
    return f"{number} {rest.replace('_', ' ')}"


def _address(chapter: str) -> str:
    return f"../{chapter}/{chapter}.ipynb"
