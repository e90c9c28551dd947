"""The one writer to nbgrader's gradebook: the judge's points, and never a person's.

Automatic scores alone are written; points and comments that a person gave stay as they are, and
what only a person can grade has no score before one did. What is written can be written again.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_output

from course.errors import ConfigurationError
from graders.chapters import released
from graders.classroom.address import SQLITE, safe, shown, without_secrets
from graders.classroom.private import make_folder
from graders.classroom.results import Key, Result
from graders.feedback import report_text
from graders.harmless import harmless, named
from graders.judge.chapters import Chapter
from graders.judge.rebuild import rebuild
from graders.judge.submission import Unreadable, read
from graders.records.report import Report
from graders.records.whole import write
from graders.release import ROOT

FILE = "gradebook.db"
COURSE = "switchboard"
OURS = {COURSE, "default_course"}  # the latter is nbgrader's, where no command says which course
KEPT = "the results are kept: put it right, and the same command writes them"
Names = Mapping[str, Mapping[str, str]]


def write_gradebook(
    results: Iterable[Result],
    notebooks: Mapping[Key, Path],
    out: Path,
    people: Names | None = None,
    *,
    database: str = "",
    late: Mapping[Key, tuple[datetime | None, float]] | None = None,
) -> list[str]:
    """Write what was graded into the gradebook, and a notebook for each into `autograded/`.

    Args:
        results: those that count; only graded ones are written.
        notebooks: the files that were handed in.
        out: the folder of the class.
        people: for each student first_name, last_name, email, as far as they are known.
        database: the gradebook's address, where it is not the file `gradebook.db` in `out`.
        late: for each when it was handed in, and the points that lateness takes.

    Returns:
        A line for each thing that could not be written; none when all went well.
    """
    graded = [each for each in results if each.status == "graded" and each.report]
    place = address(out, database)
    try:
        from nbgrader.api import Gradebook  # type: ignore[import-untyped]
        from sqlalchemy.exc import SAWarning
    except ImportError:
        return [
            "nbgrader is not installed, so there is no gradebook: --no-gradebook says it is fine"
        ]
    if fault := _fault(place):
        return [f"{shown(place)}: {fault}; {KEPT}"]
    if not graded:
        return []
    lines = []
    _find_alembic()
    try:
        with without_secrets(place), warnings.catch_warnings(), Gradebook(place, COURSE) as book:
            warnings.simplefilter("ignore", SAWarning)  # nbgrader's own code causes them
            for chapter in released():
                mine = [each for each in graded if each.chapter == chapter.name]
                if mine:
                    lines += _define(book, chapter)
                    for each in mine:
                        person = (people or {}).get(each.student, {})
                        _enter(book, each, person, *(late or {}).get(each.key, (None, 0.0)))
    except ConfigurationError as trouble:
        return [f"{trouble}: is it open in another program? {KEPT}"]
    return [*lines, *_write_notebooks(graded, notebooks, out)]


def address(out: Path, database: str = "") -> str:
    """Where the gradebook is: the file in the class's folder, or the database of `class.toml`."""
    return os.path.expandvars(database) or f"sqlite:///{out / FILE}"


def manual_scores(
    out: Path, database: str = ""
) -> dict[tuple[str, str, str], tuple[float | None, str]]:
    """What people gave: (student, chapter, cell) to points, None where nobody did, and comment.

    Cells that only people grade are all there, as far as they were handed in.

    Raises:
        ConfigurationError: the database that was named cannot be read.
    """
    place = address(out, database)
    if fault := _fault(place):
        if database:
            raise ConfigurationError(f"{shown(place)}: {fault}")
        return {}
    where = (
        "join base_cell c on c.id = x.cell_id join submitted_notebook n on n.id = x.notebook_id "
        "join submitted_assignment s on s.id = n.assignment_id "
        "join assignment a on a.id = s.assignment_id"
    )
    cell = "s.student_id, a.name, c.name"  # of a text, points and comment hang on two cells
    with without_secrets(place), _reading(place) as asked:
        scores = asked(f"select {cell}, x.manual_score, x.auto_score from grade x {where}")
        given = {row[:3]: row[3:] for row in scores}
        comments = asked(f"select {cell}, x.manual_comment from comment x {where}")
        said = {row[:3]: row[3] for row in comments if row[3]}
    by_hand = {key for key, (manual, auto) in given.items() if manual is not None or auto is None}
    return {key: (given.get(key, (None,))[0], said.get(key, "")) for key in by_hand | set(said)}


Text = tuple[str, str, str]
"""A text that a person grades: student, chapter, cell."""


def empty_texts(waiting: Iterable[tuple[Result, Sequence[str]]], out: Path) -> list[Text]:
    """Of the cells that wait for a person, those in which nothing was written.

    Args:
        waiting: for each result the cells that nobody has read yet.
        out: the folder of the class.
    """
    chapters = {each.name: each.released for each in released()}
    found = []
    for result, cells in waiting:
        path = _shown_at(result, out)
        if not cells or not path.exists():
            continue
        said = _sources(nbformat.read(path, as_version=4))  # type: ignore[no-untyped-call]
        asked = _sources(chapters[result.chapter])
        found += [
            (result.student, result.chapter, name)
            for name in cells
            if said.get(name, "").split() in ([], asked.get(name, "").split())
        ]
    return found


def give_zero(texts: Iterable[Text], out: Path, database: str = "") -> None:
    """Give these texts 0 points, as a person would: a person has said so."""
    from nbgrader.api import Gradebook

    _find_alembic()
    place = address(out, database)
    with without_secrets(place), Gradebook(place, COURSE) as book:
        for student, chapter, cell in texts:
            grade = book.find_grade(cell, chapter, chapter, student)
            grade.manual_score, grade.needs_manual_grade = 0.0, False
        book.db.commit()


def _sources(book: NotebookNode) -> dict[str, str]:
    return {_mark(cell): str(cell.source) for cell in book.cells if _mark(cell)}


def _find_alembic() -> None:
    """nbgrader starts it by its bare name, which an environment that is not activated hides."""
    home = str(Path(sys.executable).parent)
    if home not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([home, os.environ.get("PATH", "")])


Row = tuple[Any, ...]


@contextmanager
def _reading(place: str) -> Iterator[Callable[[str], list[Row]]]:
    """A gradebook to ask in SQL and not to change; one that is not there yet answers nothing.

    A file is read without nbgrader and what it needs.
    """
    if place.startswith(SQLITE):
        path = Path(place.removeprefix(SQLITE))
        if not path.exists():
            yield lambda asked: []
            return
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as file:
            yield lambda asked: file.execute(asked).fetchall()
        return
    from sqlalchemy import NullPool, create_engine, inspect, text

    with create_engine(place, poolclass=NullPool).connect() as there:
        empty = not inspect(there).has_table("course")
        yield lambda asked: [] if empty else [tuple(row) for row in there.execute(text(asked))]


def _fault(place: str) -> str:
    """What keeps it from being this course's gradebook; empty when nothing does."""
    try:
        with _reading(place) as asked:
            courses = {row[0] for row in asked("select id from course")}
    except ImportError as trouble:
        return f"{trouble}: pip install 'switchboard-course[postgres]'"
    except Exception as trouble:  # each driver has errors of its own
        said = safe(str(getattr(trouble, "orig", None) or trouble), place)
        return f"this is no gradebook that can be read ({said})"
    if courses and not courses & OURS:
        return f"this is the gradebook of another course ({', '.join(sorted(courses))})"
    return ""


def _define(book: Any, chapter: Chapter) -> list[str]:
    """Make the chapter's columns what its notebook says; returns a line where they changed."""
    from nbgrader.api import MissingEntry

    cells = [cell for cell in _source(chapter).cells if cell.metadata.get("nbgrader")]
    wanted = {cell.metadata.nbgrader.grade_id: _about(cell) for cell in cells}
    try:
        there = book.find_notebook(chapter.name, chapter.name)
    except MissingEntry:
        there = None
        book.update_or_create_assignment(chapter.name, course_id=COURSE)
        book.add_notebook(chapter.name, chapter.name)
    graded = {each.name for each in there.grade_cells} if there else set()
    known = {each.name: each for each in there.source_cells} if there else {}
    most = {each.name: each.max_score for each in there.grade_cells} if there else {}
    place = chapter.name, chapter.name
    for name, about in wanted.items():
        same = name in known and known[name].source == about["source"]
        same = same and (name in graded or not about["grade"])
        if same and most.get(name, about["points"]) == about["points"]:
            continue
        if about["grade"]:
            book.update_or_create_grade_cell(
                name, *place, max_score=float(about["points"]), cell_type=about["cell_type"]
            )
        if about["solution"]:
            book.update_or_create_solution_cell(name, *place)
        source = {key: about[key] for key in ("cell_type", "source", "locked", "checksum")}
        book.update_or_create_source_cell(name, *place, **source)
    new = sorted(name for name, about in wanted.items() if about["grade"] and name not in graded)
    if not there or not new:
        return []
    return [f"{chapter.name} has new columns in the gradebook: {', '.join(new)}"]


def _source(chapter: Chapter) -> NotebookNode:
    """The chapter with its hidden tests, where they are here; nbgrader puts them back to run."""
    path = ROOT / "solutions" / chapter.name / f"{chapter.name}.ipynb"
    if not path.exists():
        return chapter.released
    solved: NotebookNode = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    full = {_mark(cell): cell.source for cell in solved.cells if _mark(cell)}
    cells = []
    for cell in chapter.released.cells:
        about = cell.metadata.get("nbgrader", {})
        whole = about.get("locked") and about.get("grade") and full.get(_mark(cell))
        cells.append(NotebookNode({**cell, "source": whole or cell.source}))  # type: ignore[no-untyped-call]
    return NotebookNode({**chapter.released, "cells": cells})  # type: ignore[no-untyped-call]


def _about(cell: NotebookNode) -> dict[str, Any]:
    about = cell.metadata.nbgrader
    return {
        "cell_type": cell.cell_type,
        "source": cell.source,
        "locked": bool(about.get("locked")),
        "checksum": about.get("checksum"),
        "grade": bool(about.get("grade")),
        "solution": bool(about.get("solution")),
        "points": about.get("points", 0),
    }


def _enter(
    book: Any, result: Result, person: Mapping[str, str], time: datetime | None, penalty: float
) -> None:
    """One submission's automatic scores; a cell that is new since it was entered is added."""
    from nbgrader.api import Comment, Grade

    assert result.report is not None
    about = {key: named(value) for key, value in person.items()}
    book.update_or_create_student(result.student, **about)
    submission = book.update_or_create_submission(result.chapter, result.student)
    submission.timestamp = time and time.astimezone(UTC).replace(tzinfo=None)  # as nbgrader has it
    scores = {_check_of(each.number): each.score for each in result.report.exercises}
    for notebook in submission.notebooks:
        notebook.late_submission_penalty = penalty
        grades = {each.cell_id: each for each in notebook.grades}
        comments = {each.cell_id for each in notebook.comments}
        written = {each.name for each in notebook.notebook.solution_cells}
        for cell in notebook.notebook.grade_cells:
            grade = grades.get(cell.id) or Grade(cell_id=cell.id, notebook=notebook)
            book.db.add(grade)
            grade.auto_score = scores.get(cell.name)
            by_hand = cell.name in written
            grade.needs_manual_grade = by_hand and grade.manual_score is None
        for cell in notebook.notebook.solution_cells:
            if cell.id not in comments:
                book.db.add(Comment(cell_id=cell.id, notebook=notebook))
    book.db.commit()


def _write_notebooks(
    graded: Sequence[Result], notebooks: Mapping[Key, Path], out: Path
) -> list[str]:
    """What formgrader shows: the released notebook with the student's text and the verdicts."""
    chapters = {each.name: each for each in released()}
    lines = []
    for each in graded:
        target = _shown_at(each, out)
        try:
            if each.key not in notebooks or _is_of(target, each):
                continue
            made = _with_verdicts(chapters[each.chapter], notebooks[each.key], each)
        except (Unreadable, ConfigurationError) as trouble:
            lines.append(f"{target} could not be written: {trouble}")
            continue
        make_folder(target.parent, out)
        write(target, nbformat.writes(made))  # type: ignore[no-untyped-call]
    return lines


def _shown_at(result: Result, out: Path) -> Path:
    """Where formgrader looks for a notebook."""
    return out / "autograded" / result.student / result.chapter / f"{result.chapter}.ipynb"


def _with_verdicts(chapter: Chapter, path: Path, result: Result) -> NotebookNode:
    assert result.report is not None
    book = rebuild(chapter.released, read(path))
    told = {_check_of(each.number): each for each in result.report.exercises}
    for cell in book.cells:
        if (exercise := told.get(_mark(cell))) is not None:
            text = report_text(Report(path.name, chapter.name, (exercise,)))
            cell.outputs = [new_output("stream", name="stdout", text=text)]  # type: ignore[no-untyped-call]
    book = harmless(book, chapter.released)
    book.metadata["switchboard"] = _stamp(result)
    return book


def _stamp(result: Result) -> str:
    """What the notebook that formgrader shows was made from, and that it was made harmless."""
    return f"{result.hashes.notebook} {result.hashes.exercises} {result.score} harmless"


def _is_of(path: Path, result: Result) -> bool:
    return path.exists() and _stamp(result) in path.read_text(encoding="utf-8", errors="replace")


def _mark(cell: NotebookNode) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def _check_of(number: str) -> str:
    """The name of an exercise's check cell: "1.2" has ex_1_2_check."""
    return f"ex_{number.replace('.', '_')}_check"
