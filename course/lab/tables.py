"""The two tables of an experiment: `runs`, a row for each run, and `spans`, a row for each step.

`RUNS` and `SPANS`, read from columns.csv, say of every column what it is, its type and its unit.
Parquet files and data frames all have these columns, in this order.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from course.extras import need

Kind = Literal["string", "int64", "float64", "bool"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: what it is called, its type (empty cells are allowed in all), unit and meaning."""

    name: str
    kind: Kind
    unit: str
    meaning: str


def _columns() -> Iterator[tuple[str, Column]]:
    text = (files("course.lab") / "columns.csv").read_text("utf-8")
    for row in csv.DictReader(text.splitlines()):
        yield row.pop("table"), Column(**row)  # type: ignore[arg-type]


RUNS = tuple(column for of, column in _columns() if of == "runs")
SPANS = tuple(column for of, column in _columns() if of == "spans")


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[Column] = RUNS) -> Any:
    """Rows as a pyarrow table with these columns and their types; what a row lacks is empty.

    Raises ConfigurationError: pandas or pyarrow are missing.
    """
    return need("pyarrow").Table.from_pylist(list(rows), schema=schema(tuple(columns)))


@cache
def schema(columns: tuple[Column, ...]) -> Any:
    """The columns as a pyarrow schema."""
    arrow = need("pyarrow")
    return arrow.schema([(each.name, arrow.type_for_alias(each.kind)) for each in columns])


def pandas_type(arrow_type: Any) -> Any:
    """The type in a data frame: one that knows empty cells, so that 3 does not become 3.0."""
    pandas = need("pandas")
    known = {"int64": "Int64", "bool": "boolean", "string": "string"}.get(str(arrow_type))
    return known and pandas.api.types.pandas_dtype(known)
