"""What the exercises ask, sentence by sentence: read from `docs/contracts`, a page a chapter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from course.errors import ConfigurationError
from graders.records.scenario import Sentence, Trial

_GRADERS = Path(__file__).resolve().parents[1]
_INSTALLED, _WRITTEN = _GRADERS / "contracts", _GRADERS.parent / "docs" / "contracts"
PAGES = _INSTALLED if _INSTALLED.is_dir() else _WRITTEN
HEAD = ("sentence", "wrong answer that breaks it", "codes", "trials")
GIVEN = "none: "
"""Stands before the reason why no answer can break a sentence."""
_CELL = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a page: a sentence, with the numbers of the trials that look at it.

    Attributes:
        name, line: where it stands, such as line 12 of "07.md".
        broken_by: the wrong answer, or the reason why there is none behind "none: ".
        trials: their places in the exercise, from 1.
    """

    name: str
    line: int
    text: str
    broken_by: str
    codes: tuple[str, ...]
    trials: tuple[int, ...]

    def sentence(self, trials: Sequence[Trial]) -> Sentence:
        """The sentence. Raises ConfigurationError where it names a trial that there is not."""
        if missing := [each for each in self.trials if not 1 <= each <= len(trials)]:
            raise ConfigurationError(f"{self.name}:{self.line}: there is no trial {missing[0]}")
        titles = tuple(trials[each - 1].title for each in self.trials)
        if self.broken_by.startswith(GIVEN):
            return Sentence(self.text, titles, given=self.broken_by.removeprefix(GIVEN))
        return Sentence(self.text, titles, self.broken_by, self.codes)


def contract(number: str, trials: Sequence[Trial]) -> tuple[Sentence, ...]:
    """The contract of an exercise ("1.3") with these trials; empty where no page has one.

    Raises:
        ConfigurationError: a row cannot be read; the message names page and line.
    """
    rows = page(PAGES / f"{number.partition('.')[0].zfill(2)}.md").get(number, ())
    return tuple(each.sentence(trials) for each in rows)


@cache
def page(path: Path) -> Mapping[str, Sequence[Row]]:
    """The rows of a chapter's page by exercise; none where there is no page."""
    return (
        read(path.read_text(encoding="utf-8"), f"docs/contracts/{path.name}")
        if path.exists()
        else {}
    )


def read(text: str, name: str) -> dict[str, list[Row]]:
    """The rows of a page by the exercise in whose section they stand.

    Args:
        text: Markdown; a section, such as "## 7.1", has one table with the columns of `HEAD`.
        name: the file's, for messages.

    Raises:
        ConfigurationError: a row has not four cells, stands in no section, or its trials are no
            numbers.
    """
    found: dict[str, list[Row]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            found[line.removeprefix("## ").strip()] = []
        elif line.startswith("|"):
            cells = [each.strip().replace(r"\|", "|") for each in _CELL.split(line)[1:-1]]
            if len(cells) != len(HEAD) or not found:
                raise ConfigurationError(
                    f"{name}:{number}: write | {' | '.join(HEAD)} |, below a heading such as ## 7.1"
                )
            if tuple(cells) != HEAD and set(cells) != {"---"}:
                found[list(found)[-1]].append(_row(name, number, *cells))
    return found


def _row(name: str, line: int, text: str, broken_by: str, codes: str, trials: str) -> Row:
    if not all(each.isdecimal() for each in trials.split()):
        told = f"trials are numbers, such as 1 3, and not '{trials}'"
        raise ConfigurationError(f"{name}:{line}: {told}")
    named = tuple(each.strip(" `") for each in codes.split(",") if each.strip())
    return Row(name, line, text, broken_by, named, tuple(map(int, trials.split())))


def written(row: Row) -> str:
    """The row as it stands on its page."""
    codes = ", ".join(f"`{each}`" for each in row.codes)
    cells = (row.text, row.broken_by, codes, " ".join(map(str, row.trials)))
    return "| " + " | ".join(each.replace("|", r"\|") for each in cells) + " |"
