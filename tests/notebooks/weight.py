"""How heavy a chapter is, by its released notebook; `tests.browser.weight` adds the pixels."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nbformat import NotebookNode

from course.notebook.chapters import MINUTES as STATED
from course.observability.diagrams import LOOK
from tests.notebooks.kit import grade_id
from tests.notebooks.lints import code_lines, folded

EXERCISE = re.compile(r"### Exercise \d+\.\d+ · ")
MINUTES = re.compile(r"· about (\d+) minutes ·")
WORDS_A_MINUTE, LINES_A_MINUTE = 180, 20
GIVEN, SCREENS, WORDS, PIXELS, APART, LONG = 40, 3.0, 2_800, 12_000, 0.2, 12
NEEDED = "open"
"""The tag of a long given cell that one reads to answer an exercise, so that it is not folded."""


@dataclass(frozen=True)
class Weight:
    """What a student meets in a chapter.

    Attributes:
        words: of its text, hints and diagrams included but not how these look, split at blanks.
        given: lines of code that stand open before the first exercise, empty ones not counted.
        open, folded: lines of code in the whole chapter, stubs and checks included.
        long: how many given cells stand open that are longer than `LONG` lines, and need not.
        stated, estimated: minutes by its head; by words, open lines and exercises.
    """

    words: int
    given: int
    open: int
    folded: int
    long: int
    stated: int
    estimated: float

    def faults(self) -> list[str]:
        """What is too heavy, a sentence each."""
        takes = f"{self.estimated:.0f}"
        told = [
            (self.given > GIVEN, f"{self.given} given lines before the first exercise"),
            (self.words > WORDS, f"{self.words} words"),
            (self.long > 0, f"{self.long} given cells of more than {LONG} lines are not folded"),
            (
                abs(self.stated - self.estimated) > APART * self.estimated,
                f"it states {self.stated} minutes and takes {takes}",
            ),
        ]
        return [sentence for wrong, sentence in told if wrong]


def weigh(book: NotebookNode) -> Weight:
    """Weigh a released notebook; without exercises, all its code is given."""
    text = [c.source.replace(LOOK, "") for c in book.cells if c.cell_type == "markdown"]
    first = next((n for n, c in enumerate(book.cells) if EXERCISE.match(c.source)), None)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    seen = [cell for cell in code if not folded(cell)]
    before = [c for c in book.cells[:first] if c in seen and not grade_id(c)]
    words, lines = sum(len(each.split()) for each in text), _lines(seen)
    exercises = sum(int(each) for cell in text for each in MINUTES.findall(cell))
    return Weight(
        words=words,
        given=_lines(before),
        open=lines,
        folded=_lines(code) - lines,
        long=sum(map(_is_long, seen)),
        stated=sum(map(int, (each for _, each in STATED.findall(text[0])))),
        estimated=words / WORDS_A_MINUTE + lines / LINES_A_MINUTE + exercises,
    )


def _lines(cells: list[NotebookNode]) -> int:
    return sum(code_lines(cell.source) for cell in cells)


def _is_long(cell: NotebookNode) -> bool:
    theirs = grade_id(cell) or NEEDED in cell.metadata.get("tags", [])
    return not theirs and code_lines(cell.source) > LONG
