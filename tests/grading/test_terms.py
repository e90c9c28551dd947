"""No message uses a word of the glossary that a later chapter brings in."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from graders.checks.table import rows
from graders.exercises import exercises_of
from graders.linking import EVERYDAY, WORD
from tests.notebooks import kit

CHAPTERS = sorted(path.stem[:2] for path in (kit.ROOT / "solutions").glob("*/*.ipynb"))
SAID = {"look", "what", "why"}  # arguments of checks that stand in a message


@cache
def prose(chapter: str) -> str:
    """What a chapter says to its readers."""
    path = next((kit.ROOT / "solutions").glob(f"{chapter}_*/*.ipynb"))
    cells = kit.read(path).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown").lower()


@cache
def brought_in_by() -> dict[str, str]:
    """Each word of the glossary and the first chapter whose text has it."""
    glossary = (kit.ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    words = WORD.findall(glossary)
    return {
        word: next((each for each in CHAPTERS if holds(prose(each), word)), "99")
        for word in words
        if word not in EVERYDAY
    }


def holds(text: str, word: str) -> bool:
    """Whether the word stands in it, in one or in many."""
    return re.search(rf"\b{re.escape(word.lower())}s?\b", text.lower()) is not None


def said_in(chapter: str) -> Iterator[str]:
    """Titles, places, and what the checks of a chapter's exercises are told to say."""
    modules = set()
    for exercise in exercises_of(chapter):
        yield from exercise.places.values()
        for trial in exercise.trials:
            yield trial.title
            modules |= {trial.scenario.__module__, trial.checks.__module__}
    for name in sorted(each for each in modules if each.startswith("graders.exercises")):
        source = Path(inspect.getfile(importlib.import_module(name))).read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.keyword) and node.arg in SAID:
                yield from _texts(node.value)


def _texts(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value


@pytest.mark.parametrize("chapter", [each for each in CHAPTERS if exercises_of(each)])
def test_a_chapter_is_told_nothing_in_words_of_a_later_one(chapter: str) -> None:
    late = {
        (word, said)
        for said in said_in(chapter)
        for word, first in brought_in_by().items()
        if first > chapter and holds(said, word)
    }
    assert not late


def test_what_checks_say_in_every_chapter_has_no_word_of_chapter_06() -> None:
    late = [word for word, first in brought_in_by().items() if first >= "06"]
    assert "critical path" in late
    said = [row.message for row in rows() if row.check in ("parallel", "called", "made", "equals")]
    assert said
    assert not [(word, text) for text in said for word in late if holds(text, word)]
