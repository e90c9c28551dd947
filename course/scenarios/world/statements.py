"""An answer as statements, and which subject each figure in them belongs to.

"Arden grew 12 % and Belmont 8 %" gives Arden 12; "12 % for Arden, 8 % for Belmont" does too, and
so do a table with a row for each of them, one with a column for each, and a heading over a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from course.scenarios.world.figures import Figure, figures

_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z*\-(\"“])")
_LEADS = re.compile(r"^\s*#|:\**\s*$|^\s*\*\*[^*]+\*\*\s*$")
Mention = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence or row.

    Attributes:
        text: as written.
        figures: what it states, with what reads as a year.
        mentions: where it names which subject.
        carried: the subject that the lines before were about, "" for none.
        lead: the line that leads to it, such as a heading or one that ends in a colon.
        columns: the subject of each cell, when it is a row below a heading that names them.
    """

    text: str
    figures: tuple[Figure, ...]
    mentions: tuple[Mention, ...]
    carried: str = ""
    columns: tuple[str, ...] = ()
    lead: str = ""

    def concerns(self, subject: str) -> bool:
        """Whether the statement is about a subject ("" is any)."""
        named = [name for _, name in self.mentions]
        return not subject or subject in named or (not named and self.carried == subject)

    def owners(self, place: int) -> set[str]:
        """The subjects that what stands at `place` may belong to, in any sound reading."""
        if self.columns and not self.mentions:
            cell = self.text[:place].count("|") - 1
            return {self.columns[cell]} if 0 <= cell < len(self.columns) else set()
        names = list(dict.fromkeys(name for _, name in self.mentions))
        if not names:
            return {self.carried}
        if len(self._amounts) == 1:
            return set(names)  # "Arden, unlike Belmont, grew 12 %": one figure, no mixing up
        before = [name for at, name in self.mentions if at < place]
        found = {before[-1] if before else self.carried or names[0]}
        return found | self._after(place) | self._in_order(place, names)

    @property
    def _amounts(self) -> list[Figure]:
        return [figure for figure in self.figures if not figure.year]

    def _after(self, place: int) -> set[str]:
        """'12 % for Arden': only where the statement begins with what it says."""
        amounts = self._amounts
        if amounts and amounts[0].start > self.mentions[0][0]:
            return set()
        after = [name for at, name in self.mentions if at > place]
        return {after[0] if after else self.mentions[-1][1]}

    def _in_order(self, place: int, names: list[str]) -> set[str]:
        """'Arden and Belmont grew 12 % and 8 %': as many figures as names, one after another."""
        starts = [figure.start for figure in self._amounts]
        first = self.mentions[0][0], self.mentions[-1][0]
        apart = starts and (starts[0] > first[1] or starts[-1] < first[0])
        if not apart or len(starts) != len(names) or place not in starts:
            return set()
        return {names[starts.index(place)]}


def statements(answer: str, subjects: tuple[str, ...]) -> Iterator[Statement]:
    """Cut an answer into statements, each with what it is about."""
    carried = lead = ""
    columns: tuple[str, ...] = ()
    for line in answer.splitlines():
        if not line.strip():
            continue
        row = line.lstrip().startswith("|")
        columns = columns if row else ()
        for text in [line] if row else _SENTENCE.split(line):
            mentions = tuple(_mentions(text, subjects))
            found = tuple(figures(text))
            if (
                row
                and not any(not figure.year for figure in found)
                and len({name for _, name in mentions}) > 1
            ):
                columns = tuple(_cell(cell, subjects) for cell in text.split("|")[1:-1])
            yield Statement(text, found, mentions, carried, columns, lead)
            if mentions:
                carried = mentions[-1][1]
        if _LEADS.search(line):
            lead = line


def _cell(cell: str, subjects: tuple[str, ...]) -> str:
    return next((name for _, name in _mentions(cell, subjects)), "")


def _mentions(text: str, subjects: tuple[str, ...]) -> Iterator[Mention]:
    found = [
        (match.start(), subject)
        for subject in subjects
        for match in re.finditer(rf"(?<!\w){re.escape(subject)}(?!\w)", text, re.IGNORECASE)
    ]
    yield from sorted(found)
