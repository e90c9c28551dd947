"""The course's front page: its chapters, what is done, and what is next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from course.markup import Markup, fill, joined
from course.notebook.chapters import Chapter, chapters
from course.notebook.exercises import folder
from course.notebook.folding import NOTHING, is_lean, lean
from course.notebook.overview import Row, rows
from course.notebook.show import show, show_html, watched

HEAD = ("chapter", "question", "minutes", "points", "state")


def home() -> None:
    """Show all chapters: question, minutes, points, state, and what is next.

    Minutes are those of the hour, and after a plus those of the deepening. A chapter whose
    checks all passed once is done; progress is kept by `course.notebook.ledger`.
    """
    notebooks = folder("notebooks")
    found = chapters(notebooks) if notebooks else []
    if not found:
        print(NOTHING)
        return
    show_html(*front_page(found, [rows(chapter.exercises) for chapter in found]))
    if watched():
        _show_switch()


def front_page(
    found: Sequence[Chapter], stands: Sequence[Sequence[Row]] | None = None
) -> tuple[Markup, str]:
    """The table as HTML and as text; without how the exercises stand, the states are left out."""
    known = stands or [[] for _ in found]
    lines = [
        _cells(chapter, each if stands else None)
        for chapter, each in zip(found, known, strict=True)
    ]
    following = _next(found, known)
    return _html(found, lines, following), _plain(lines, following)


def _show_switch() -> None:
    """A box to tick, where there are widgets."""
    try:
        import ipywidgets  # type: ignore[import-untyped]
    except ImportError:
        return
    notebooks = folder("notebooks")
    ticked = notebooks is not None and is_lean(chapters(notebooks))
    words = "Lean: only the hour of each chapter; the deepening is folded"
    box = ipywidgets.Checkbox(value=ticked, description=words, indent=False)
    box.layout.width = "auto"
    output = ipywidgets.Output()

    def turned(change: dict[str, Any]) -> None:
        output.outputs = ()
        with output:
            lean(change["new"])

    box.observe(turned, names="value")
    shown = ipywidgets.VBox([box, output])
    show({**shown._repr_mimebundle_(), "text/plain": "lean() folds all but the hour."})


def _cells(chapter: Chapter, found: Sequence[Row] | None) -> tuple[str, ...]:
    """A line of the table, as text."""
    passed = [row for row in found or () if row.outcome == "passed"]
    earned = sum(row.exercise.points for row in passed)
    worth = f"{chapter.points:g}" if chapter.points else ""
    return (
        f"{chapter.number} {chapter.title}",
        chapter.question,
        " + ".join(map(str, chapter.minutes.values())),
        f"{earned:g} of {worth}" if found else worth,
        "" if found is None else _state(found, len(passed)),
    )


def _state(found: Sequence[Row], passed: int) -> str:
    lately = [row for row in found if row.standing.lately() == "failed"]
    if found and passed == len(found):
        state = "✓ done"
    elif passed or lately:
        state = f"◐ {passed} of {len(found)}"
    else:
        state = "○ not begun"
    again = ", ".join(row.exercise.number for row in lately if row.outcome == "passed")
    return f"{state} (last try ✗: {again})" if again else state


def _next(found: Sequence[Chapter], stands: Sequence[Sequence[Row]]) -> tuple[Chapter, str] | None:
    """The chapter to go on with, and its exercise: one that was begun before one that was not."""
    left = [
        (all(row.outcome != "passed" for row in each), chapter, row.exercise.number)
        for chapter, each in zip(found, stands, strict=True)
        for row in each
        if row.outcome != "passed"
    ]
    return min(left, key=lambda each: each[0])[1:] if left else None


def _address(chapter: Chapter) -> str:
    """From the front page, wherever the course lies."""
    return f"{chapter.path.parent.name}/{chapter.path.name}"


def _html(
    found: Sequence[Chapter], lines: Sequence[Sequence[str]], following: tuple[Chapter, str] | None
) -> Markup:
    body = joined(
        fill(
            "<tr>{}{}{}</tr>",
            fill(
                '<td style="text-align: left"><a href="{}">{}</a></td>', _address(chapter), line[0]
            ),
            fill('<td style="text-align: left">{}</td>', line[1]),
            joined(
                fill('<td style="text-align: left; white-space: nowrap">{}</td>', each)
                for each in line[2:]
            ),
        )
        for chapter, line in zip(found, lines, strict=True)
    )
    head = joined(fill('<th scope="col" style="text-align: left">{}</th>', name) for name in HEAD)
    table = fill("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>", head, body)
    if following is None:
        return table
    chapter, number = following
    link = fill('<a href="{}">chapter {}</a>', _address(chapter), chapter.number)
    return fill("<p><b>Next:</b> {}, exercise {}</p>{}", link, number, table)


def _plain(lines: Sequence[Sequence[str]], following: tuple[Chapter, str] | None) -> str:
    table = [f"{a:<28}{c:<10}{d:<12}{e}" for a, _, c, d, e in [HEAD, *lines]]
    said = [f"Next: chapter {following[0].number}, exercise {following[1]}"] if following else []
    return "\n".join([*said, *table])
