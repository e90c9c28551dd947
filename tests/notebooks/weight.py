"""How heavy a chapter is, by its released notebook; `tests.browser.weight` adds the pixels."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest

from nbformat import NotebookNode

from course.notebook.chapters import MINUTES as STATED
from course.observability.diagrams import LOOK
from tests.notebooks.kit import grade_id
from tests.notebooks.lints import code_lines, folded

EXERCISE = re.compile(r"### Exercise \d+\.\d+ · ")
MINUTES = re.compile(r"· about (\d+) minutes ·")
WORDS_A_MINUTE, LINES_A_MINUTE = 180, 20
GIVEN, SCREENS, WORDS, PIXELS, APART, LONG = 40, 3.0, 2_800, 12_000, 0.2, 12
NEEDED, DEEPER = "open", "more"
"""Tags: of a long given cell that one reads to answer an exercise, so that it is not folded; and of
what goes deeper than the hour."""


@dataclass(frozen=True)
class Weight:
    """What a student meets in a chapter.

    Attributes:
        words: of its text, hints and diagrams included but not how these look, split at blanks.
        given: lines of code that stand open before the first exercise, empty ones not counted.
        open, folded: lines of code in the whole chapter, stubs and checks included.
        long: how many given cells stand open that are longer than `LONG` lines, and need not.
        stated, estimated: minutes of the hour and of what goes deeper: by the chapter's head; by
            words, open lines and exercises.
    """

    words: int
    given: int
    open: int
    folded: int
    long: int
    stated: tuple[int, ...]
    estimated: tuple[float, ...]

    def faults(self) -> list[str]:
        """What is too heavy, a sentence each."""
        told = [
            (self.given > GIVEN, f"{self.given} given lines before the first exercise"),
            (self.words > WORDS, f"{self.words} words"),
            (self.long > 0, f"{self.long} given cells of more than {LONG} lines are not folded"),
            *(
                (
                    abs(said - takes) > APART * takes,
                    f"it states {said} minutes and takes {takes:.0f}",
                )
                for said, takes in zip_longest(self.stated, self.estimated, fillvalue=0)
            ),
        ]
        return [sentence for wrong, sentence in told if wrong]


def weigh(book: NotebookNode) -> Weight:
    """Weigh a released notebook; without exercises, all its code is given."""
    first = next((n for n, c in enumerate(book.cells) if EXERCISE.match(c.source)), None)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    seen = [cell for cell in code if not folded(cell)]
    before = [c for c in book.cells[:first] if c in seen and not grade_id(c)]
    lines = _lines(seen)
    deeper = [cell for cell in book.cells if DEEPER in cell.metadata.get("tags", [])]
    hour = [cell for cell in book.cells if cell not in deeper]
    return Weight(
        words=_words(book.cells),
        given=_lines(before),
        open=lines,
        folded=_lines(code) - lines,
        long=sum(map(_is_long, seen)),
        stated=tuple(int(each) for _, each in STATED.findall(book.cells[0].source)),
        estimated=tuple(_minutes(part) for part in (hour, deeper) if part),
    )


def _minutes(cells: list[NotebookNode]) -> float:
    code = [cell for cell in cells if cell.cell_type == "code" and not folded(cell)]
    exercises = sum(int(each) for cell in cells for each in MINUTES.findall(cell.source))
    return _words(cells) / WORDS_A_MINUTE + _lines(code) / LINES_A_MINUTE + exercises


def _words(cells: list[NotebookNode]) -> int:
    text = (each.source.replace(LOOK, "") for each in cells if each.cell_type == "markdown")
    return sum(len(each.split()) for each in text)


def _lines(cells: list[NotebookNode]) -> int:
    return sum(code_lines(cell.source) for cell in cells)


def _is_long(cell: NotebookNode) -> bool:
    theirs = grade_id(cell) or NEEDED in cell.metadata.get("tags", [])
    return not theirs and code_lines(cell.source) > LONG
