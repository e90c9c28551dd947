"""Results as a table, as bullets or as a memo, in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from course.errors import ToolError

MOST_LINES = 60


def format_table(
    columns: Annotated[list[str], Field(min_length=1, description="the headings, left to right")],
    rows: Annotated[
        list[list[str | float]], Field(min_length=1, description="one list of cells for each row")
    ],
) -> str:
    """Format rows of cells as a table in Markdown."""
    for place, row in enumerate(rows, start=1):
        if len(row) != len(columns):
            raise ToolError(
                f"row {place} has {len(row)} cells and there are {len(columns)} columns: make them"
                " equal"
            )
    _check(len(rows))
    return "\n".join([_line(columns), _line(["---"] * len(columns)), *map(_line, rows)])


def format_bullets(
    title: Annotated[str, Field(min_length=1, description="what the points are about")],
    points: Annotated[list[str], Field(min_length=1, description="one sentence each")],
) -> str:
    """Format points as a titled list of bullets in Markdown."""
    _check(len(points))
    return "\n".join([f"**{_cell(title)}**", "", *(f"- {_cell(point)}" for point in points)])


def format_memo(
    to: Annotated[str, Field(min_length=1, description="who reads it")],
    subject: Annotated[str, Field(min_length=1, description="what it is about, in a line")],
    paragraphs: Annotated[list[str], Field(min_length=1, description="the text, in order")],
    sources: Annotated[list[str], Field(description="what it rests on: ids of documents")],
) -> str:
    """Format a memo with its reader, subject, paragraphs and sources in Markdown."""
    _check(len(paragraphs))
    rests_on = ", ".join(sources) or "none"
    head = [f"**To:** {_cell(to)}", f"**Subject:** {_cell(subject)}"]
    return "\n\n".join([*head, *paragraphs, f"**Sources:** {rests_on}"])


def _check(lines: int) -> None:
    if lines > MOST_LINES:
        raise ToolError(f"{lines} lines are too many to read, at most {MOST_LINES}: shorten it")


def _line(cells: Sequence[str | float]) -> str:
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(value: str | float) -> str:
    """One line without the sign that would end a cell."""
    return " ".join(str(value).split()).replace("|", "\\|")
