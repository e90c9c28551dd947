"""One exercise tried: `python -m tests.grading.one 3.7` says what is missing, and in which file.

Its cells, its contract, its own solution, its stub, and its right and wrong answers are played with
the judge, in this process and (two of them) in a box: what the tests ask of it, and nothing else.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nbformat import NotebookNode

from course.errors import CourseError
from graders.box import warm
from graders.box.choice import choose
from graders.exercises import chapter_of, exercise
from graders.exercises.contracts import PAGES, page, read, written
from graders.judge.judge import grade_id
from graders.records.scenario import Exercise
from graders.release import chapters
from tests.grading import contracts
from tests.grading.answers import LEAST, PROJECT, AnswerError, Answers, answers
from tests.grading.judging import SEED, both, cells_in, inside, misjudged, solved
from tests.notebooks import kit, lints

_SOLUTION = re.compile(r"^( *)### BEGIN SOLUTION.*?### END SOLUTION", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Draft:
    """An exercise with all that belongs to it.

    Attributes:
        exercise: its data.
        book: its chapter, solved.
        answers: right ones in other styles, and wrong ones, each of which has to fail.
    """

    exercise: Exercise
    book: NotebookNode
    answers: Answers

    @property
    def files(self) -> tuple[str, str, str, str]:
        """Where its data, its cells, its answers and its contract stand."""
        chapter = chapter_of(self.exercise.number)
        return (
            f"graders/exercises/ch{chapter}",
            f"solutions/{chapter}_*",
            f"tests/answers/{self.exercise.number}.txt",
            f"docs/contracts/{chapter}.md",
        )


def draft(number: str) -> Draft:
    """The exercise of this number. Raises CourseError, which names file and exercise."""
    if chapter_of(number) == PROJECT:
        raise CourseError(
            "the project's are judged together: pytest tests/grading/test_projects.py"
        )
    chapter = chapter_of(number)
    try:
        found = exercise(number)
    except CourseError:
        raise
    except Exception as error:  # whatever its author wrote
        told = f"{type(error).__name__}: {error}"
        raise CourseError(f"graders/exercises/ch{chapter} cannot be loaded: {told}") from error
    names = [each for each in chapters() if each.startswith(chapter)]
    if not names:
        raise CourseError(f"there is no solutions/{chapter}_* with a notebook for {number}")
    try:
        told = answers(number)
    except AnswerError as error:
        raise CourseError(str(error)) from None
    return Draft(found, solved(names[0]), told)


def cells(tried: Draft) -> Iterator[str]:
    """Its five cells, as the house asks for them, with the points of the data."""
    own = grade_id(tried.exercise)
    there = {kit.grade_id(cell): cell for cell in tried.book.cells}
    for name in (own, f"{own}_check"):
        if name not in there:
            yield f"no cell has the grade_id {name}"
    check = there.get(f"{own}_check")
    of_all = lints.five_cells(tried.book)
    yield from (fault for fault in of_all if fault.startswith(f"exercise {tried.exercise.number}:"))
    points = check.metadata.nbgrader.get("points") if check else tried.exercise.points
    if points != tried.exercise.points:
        yield f"{own}_check has {points} points, and the trials {tried.exercise.points:g} in all"


def contract(tried: Draft) -> Iterator[str]:
    """What it asks for, as its chapter says it."""
    yield from contracts.faults(
        tried.exercise, [name for name, _ in tried.answers.wrong], tried.book
    )


def enough(tried: Draft) -> Iterator[str]:
    """Answers to play."""
    for kind, least in LEAST.items():
        if (many := len(getattr(tried.answers, kind))) < least:
            yield f"there are {many} {kind} ones, and the tests ask for {least}"


def solution(tried: Draft) -> Iterator[str]:
    """The chapter's own passes, with every seed."""
    one = tried.exercise
    script = cells_in(tried.book, one)
    for seed in sorted({SEED, one.visible_seed, *one.hidden_seeds}):
        for fault in misjudged(
            one, "the solution", list(inside(one, script, seed=seed)), right=True
        ):
            yield f"seed {seed}: {fault}"


def unsolved(tried: Draft) -> Iterator[str]:
    """The stub earns nothing."""
    cell = kit.by_id(tried.book, grade_id(tried.exercise))
    source = _SOLUTION.sub(
        rf'\1raise NotImplementedError("Exercise {tried.exercise.number}")', cell.source
    )
    verdicts = inside(tried.exercise, cells_in(tried.book, tried.exercise, source))
    yield from (
        f"the stub: {trial.title}: {verdict.sign}, and should not be attempted"
        for trial, verdict in zip(tried.exercise.trials, verdicts, strict=True)
        if verdict.sign != "not attempted"
    )


def played(tried: Draft) -> Iterator[str]:
    """Right answers pass, wrong ones fail, each for its own sentence."""
    for told, right in ((tried.answers.right, True), (tried.answers.wrong, False)):
        for name, source in told:
            script = cells_in(tried.book, tried.exercise, source)
            judged = list(inside(tried.exercise, script))
            yield from misjudged(tried.exercise, name, judged, right=right)


def boxed(tried: Draft) -> Iterator[str]:
    """In a box the verdicts are the same."""
    with warm(choose("auto")) as parent:
        for name, source in (("the solution", ""), *tried.answers.wrong[:1]):
            script = cells_in(tried.book, tried.exercise, source)
            for here, there in both(parent, tried.exercise, script):
                if here != there:
                    yield f'"{name}": {here.code} in the notebook, {there.code} in a box'


STEPS: tuple[tuple[str, int, Callable[[Draft], Iterator[str]]], ...] = (
    ("its cells", 1, cells),
    ("its contract", 3, contract),
    ("answers enough", 2, enough),
    ("its own solution", 0, solution),
    ("unsolved", 1, unsolved),
    ("right and wrong answers", 2, played),
    ("the same in a box", 0, boxed),
)
"""What is looked at: its name, the file to look into (see `Draft.files`), and how."""


def faults(tried: Draft, *only: str) -> Iterator[tuple[str, list[str]]]:
    """For each step, or only these, what is wrong; without cells there is no next one."""
    for name, place, step in [each for each in STEPS if not only or each[0] in only]:
        where = f"{tried.files[place]}, {tried.exercise.number}"
        try:
            found = [f"{where}: {each}" for each in step(tried)]
        except Exception as error:  # of the author's data or cells
            found = [f"{where}: {type(error).__name__}: {error}"]
        yield name, found
        if step is cells and found:
            return


def fill(tried: Draft, path: Path) -> bool:
    """Write the trials that a breaking answer loses into its row, where the row names none.

    Returns whether something was written.
    """
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    wrong, before = dict(tried.answers.wrong), list(lines)
    for row in read("\n".join(lines), path.name).get(tried.exercise.number, ()):
        if row.broken_by in wrong and not row.trials:
            script = cells_in(tried.book, tried.exercise, wrong[row.broken_by])
            judged = enumerate(inside(tried.exercise, script), 1)
            lost = tuple(number for number, verdict in judged if not verdict.passed)
            lines[row.line - 1] = written(replace(row, trials=lost))
    if lines != before:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return lines != before


def main(arguments: Sequence[str]) -> int:
    """Print a line for each step; 0 when all is well, 1 when not, 2 when there is no such one."""
    number = arguments[0] if arguments else ""
    try:
        tried = draft(number)
        if fill(tried, PAGES / f"{chapter_of(number)}.md"):
            page.cache_clear()
            tried = draft(number)
    except CourseError as trouble:
        print(f"try: {trouble}", file=sys.stderr)
        return 2
    good = True
    for name, found in faults(tried):
        print("\n".join(f"✗ {each}" for each in found) or f"✓ {tried.exercise.number} {name}")
        good = good and not found
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
