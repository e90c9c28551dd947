"""Tables of LMSs, spreadsheets and people: each is read as what it says, and refused in a line."""

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from course.errors import ConfigurationError
from graders.classroom.csv_cells import read_table
from graders.classroom.lateness import read_deadlines
from graders.classroom.roster import read_roster

HEADS = ("student", "name, given and family", "canvas", "canvas", "remarks")
ROWS = (
    ("ada", "Ada Löve", "101", "", 'says "hi", often'),
    ("bo", "Bo Ö", "102", "", ""),
    ("cy", 'Cy 5" Young', "", "103", "two\nlines"),
)
FORMS = list(
    product(
        ("utf-8", "utf-8-sig", "utf-16", "cp1252"),
        (",", ";", "\t"),
        ("\n", "\r\n", "\r"),
        ("", "\n\n", "sep="),
    )
)


def written(encoding: str, delimiter: str, end: str, before: str) -> bytes:
    """The table as one of the programs writes it, that know these things differently."""

    def cell(text: str) -> str:
        return '"{}"'.format(text.replace('"', '""')) if set(text) & set(",;\t\n") else text

    lines = [delimiter.join(map(cell, row)) + end for row in (HEADS, *ROWS)]
    begun = f"sep={delimiter}\r\n" if before == "sep=" else before
    return (begun + "".join(lines) + delimiter * 4 + end).encode(encoding)


@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_whatever_wrote_it_a_table_says_the_same(
    tmp_path: Path, form: tuple[str, str, str, str]
) -> None:
    path = tmp_path / "roster.csv"
    path.write_bytes(written(*form))
    people, lines = read_roster(path)
    assert lines == []
    told = [(s, row[HEADS[1]], row["canvas"], row["remarks"]) for s, row in people.people.items()]
    assert told == [(s, name, first or second, said) for s, name, first, second, said in ROWS]


@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_whatever_wrote_it_one_cell_changes_and_no_other_byte(
    tmp_path: Path, form: tuple[str, str, str, str]
) -> None:
    path = tmp_path / "export.csv"
    path.write_bytes(written(*form))
    table = read_table(path)
    assert table.filled({}) == path.read_bytes()
    encoding = {"utf-16": "utf-16-le", "utf-8-sig": "utf-8"}.get(form[0], form[0])
    assert table.filled({(2, 2): "7"}) == path.read_bytes().replace(
        "102".encode(encoding), "7".encode(encoding)
    )


@pytest.mark.parametrize("reader", [read_table, read_roster, read_deadlines])
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is no table with a heading and rows"),
        (b"student,due\n", "is no table with a heading and rows"),
        (b"PK\x03\x04" + b"x" * 400_000, "is a workbook or a zip: save it as CSV"),
        (
            b'student,due\nada,\n"bo,\n' + b"cy,\n" * 60_000,
            "line 3: a quote opens and never closes",
        ),
        (None, "Is a directory"),
    ],
    ids=["empty", "heading", "workbook", "open quote", "folder"],
)
def test_what_is_no_table_gets_a_line(
    tmp_path: Path, reader: Callable[[Path], object], data: bytes | None, said: str
) -> None:
    path = tmp_path / "table.csv"
    if data is None:
        path.mkdir()
    else:
        path.write_bytes(data)
    with pytest.raises(ConfigurationError, match=said) as caught:
        reader(path)
    assert "\n" not in str(caught.value)


def test_extensions_are_read_as_a_spreadsheet_saves_them(tmp_path: Path) -> None:
    path = tmp_path / "later.csv"
    path.write_bytes("\ufeff Student ; Due \r\nada;2026-11-21T00:00:00Z\r\n".encode())
    told = read_deadlines(path)
    assert list(told.due) == [("ada", "")] and not told.times


@pytest.mark.parametrize(
    ("in_roster", "in_file"),
    [("Müller", "Mu\u0308ller"), ("Mu\u0308ller", "MÜLLER"), ("Ada", " ada ")],
)
def test_a_name_is_the_same_however_it_is_spelt(
    tmp_path: Path, in_roster: str, in_file: str
) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(f"student,name\nx,{in_roster}\n{in_roster},y\n", encoding="utf-8")
    people, _ = read_roster(path)
    assert people.find("", in_file) == next(iter(list(people.people)[1:]))
    assert people.called(in_file) == "x"


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("Ada Love", "Ada", "Love"),
        ('"Love, Ada Mae"', "Ada Mae", "Love"),
        ("Ada Mae Love", "Ada Mae", "Love"),
        ("Ada", None, "Ada"),
        ("", None, None),
    ],
)
def test_the_gradebook_has_first_names_first(
    tmp_path: Path, name: str, first: str | None, last: str | None
) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(f"student,name,email\nada,{name},a@uni\n")
    told = read_roster(path)[0].in_gradebook()["ada"]
    assert told == {
        key: value
        for key, value in (("first_name", first), ("last_name", last), ("email", "a@uni"))
        if value
    }
