"""A table by an LMS, a spreadsheet or a person: read by its headings, or changed cell by cell.

What is changed leaves every other byte as it was. A table of our own is written so that a
spreadsheet takes no cell of it for a formula (OWASP, "CSV Injection"), and read back as it was.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from course.errors import ConfigurationError
from course.terminal import plain
from graders.records.whole import write
from graders.records.wording import one_line

_SPECIAL = re.compile(r'[,;\t"\r\n]')
_QUOTED = re.compile(r'"[^"]*"')
_SEPARATOR = re.compile(r"\ufeff?sep=(.)\r?\n", re.IGNORECASE)  # as Excel writes and wants it
_PACKED = b"PK\x03\x04"
_FORMULA = re.compile(r"(^|[;\t\r\n])('*[=+\-@\t\r＝＋－＠])")
"""What a spreadsheet computes; after ";" as well, which separates cells where "," is in numbers."""

_GUARDED = re.compile(r"(^|[;\t\r\n])'('*[=+\-@\t\r＝＋－＠])")


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

    def records(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Each row below the heading: the line it begins in, and what it says by heading.

        Headings are in small letters; of several alike the first counts that says something.
        """
        heads = [cell.value.strip().lower() for cell in self.rows[0]]
        for row in self.rows[1:]:
            found = dict.fromkeys(heads, "")
            for head, cell in zip(heads, row, strict=False):  # a row may be shorter
                found[head] = found[head] or unguarded(plain(cell.value.strip()))
            yield self.text.count("\n", 0, row[0].start) + 1, found

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
    """The table in a CSV file, whatever it separates cells by and whatever wrote it.

    Raises:
        ConfigurationError: it cannot be read, or is no table.
    """
    try:
        data = path.read_bytes()
    except OSError as trouble:
        raise ConfigurationError(f"{path}: {trouble.strerror}") from None
    name = one_line(str(path))
    if data.startswith(_PACKED):
        raise ConfigurationError(f"{name} is a workbook or a zip: save it as CSV")
    encoding, text = _decoded(data)
    told = _SEPARATOR.match(text)
    start = told.end() if told else int(text.startswith("\ufeff"))
    first = _QUOTED.sub("", text[start:].lstrip("\r\n").partition("\n")[0])
    delimiter = told[1] if told else max(",;\t", key=first.count)
    rows = _rows(text, start, delimiter, name)
    if len(rows) < 2:
        raise ConfigurationError(f"{name} is no table with a heading and rows")
    return Table(text, encoding, rows)


def write_table(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table of our own, whole; a text that looks like a formula gets a "'" before."""
    with io.StringIO(newline="") as text:
        writer = csv.writer(text)
        writer.writerow(head)
        writer.writerows([_written(cell) for cell in row] for row in rows)
        write(path, text.getvalue())


def own_rows(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a table that `write_table` has written, by heading; none where there is none."""
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                yield {name: unguarded(told) for name, told in row.items() if name and told}


def unguarded(text: str) -> str:
    """A cell without what `write_table` has put before it."""
    return _GUARDED.sub(r"\1\2", text)


def _written(cell: object) -> object:
    return _FORMULA.sub(r"\1'\2", cell) if isinstance(cell, str) else cell


def _decoded(data: bytes) -> tuple[str, str]:
    """Encoding and text, so that encoding the text again gives the very same bytes."""
    wide = {codecs.BOM_UTF16_LE: ["utf-16-le"], codecs.BOM_UTF16_BE: ["utf-16-be"]}
    for encoding in (*wide.get(data[:2], []), "utf-8", "cp1252"):
        try:
            return encoding, data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return "latin-1", data.decode("latin-1")


def _rows(text: str, start: int, delimiter: str, name: str) -> list[list[Cell]]:
    rows: list[list[Cell]] = [[]]
    place = start
    opened = None  # where a quote was that is not closed yet
    while place <= len(text):
        sign = text[place : place + 1]
        if opened is not None:
            if not sign:
                line = text.count("\n", 0, opened) + 1
                raise ConfigurationError(f"{name}, line {line}: a quote opens and never closes")
            if sign == '"' and text[place + 1 : place + 2] == '"':
                place += 1  # one quote, doubled
            elif sign == '"':
                opened = None
        elif sign == '"' and place == start:
            opened = place
        elif not sign or sign in (delimiter, "\n", "\r"):
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
