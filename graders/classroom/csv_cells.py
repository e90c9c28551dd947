"""A table as text whose cells can be changed one by one: every other byte stays as it was."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from course.errors import ConfigurationError
from graders.records.wording import one_line

_SPECIAL = re.compile(r'[,;\t"\r\n]')


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: what it says, and where it stands in the text, quotes included."""

    value: str
    start: int
    end: int


@dataclass(frozen=True)
class Table:
    """The cells of a file, row by row.

    Attributes:
        text: the whole file. `encoding` turns it into the file's bytes again.
    """

    text: str
    encoding: str
    rows: list[list[Cell]]

    def column(self, *names: str) -> int | None:
        """The place of the first column of one of these headings."""
        heads = [cell.value.strip().casefold() for cell in self.rows[0]]
        return next((heads.index(n.casefold()) for n in names if n.casefold() in heads), None)

    def value(self, row: int, column: int | None) -> str:
        """What a cell says; "" where there is none."""
        cells = self.rows[row]
        return cells[column].value.strip() if column is not None and column < len(cells) else ""

    def filled(self, values: Mapping[tuple[int, int], str]) -> bytes:
        """The file with these cells (row, column) changed and nothing else."""
        made, last = [], 0
        for (row, column), value in sorted(values.items()):
            if column >= len(self.rows[row]):
                raise ConfigurationError(
                    f"row {row + 1} of the template is shorter than its heading: export it again"
                )
            cell = self.rows[row][column]
            quoted = self.text[cell.start : cell.end].startswith('"') or _SPECIAL.search(value)
            told = '"{}"'.format(value.replace('"', '""')) if quoted else value
            made += [self.text[last : cell.start], told]
            last = cell.end
        return "".join([*made, self.text[last:]]).encode(self.encoding)


def read_table(path: Path) -> Table:
    """The table in a CSV file, whatever it separates cells by.

    Raises:
        ConfigurationError: it cannot be read, or is no table.
    """
    try:
        data = path.read_bytes()
    except OSError as trouble:
        raise ConfigurationError(f"{path}: {trouble.strerror}") from None
    encoding, text = _decoded(data)
    first = text.partition("\n")[0]
    rows = _rows(text, max(",;\t", key=first.count))
    if len(rows) < 2 or len(rows[0]) < 2:
        raise ConfigurationError(f"{one_line(str(path))} is no table with a heading and rows")
    return Table(text, encoding, rows)


def _decoded(data: bytes) -> tuple[str, str]:
    """Encoding and text, so that encoding the text again gives the very same bytes."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16-le" if data.startswith(codecs.BOM_UTF16_LE) else "utf-16-be"
        return encoding, data.decode(encoding)
    try:
        return "utf-8", data.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1", data.decode("latin-1")


def _rows(text: str, delimiter: str) -> list[list[Cell]]:
    rows: list[list[Cell]] = [[]]
    place = start = 1 if text.startswith("\ufeff") else 0
    quoted = False
    while place <= len(text):
        sign = text[place : place + 1]
        if sign == '"':
            quoted = not quoted  # a doubled quote closes and opens again
        elif not sign or (not quoted and sign in (delimiter, "\n", "\r")):
            rows[-1].append(_cell(text, start, place))
            if sign == "\r" and text[place + 1 : place + 2] == "\n":
                place += 1
            if sign in ("\n", "\r"):
                rows.append([])
            start = place + 1
        place += 1
    return [row for row in rows if any(cell.value for cell in row)]


def _cell(text: str, start: int, end: int) -> Cell:
    said = text[start:end]
    if said.startswith('"'):
        said = said.removeprefix('"').removesuffix('"').replace('""', '"')
    return Cell(said, start, end)
