"""Sixty wrong answers of the kind beginners write, each with what its message has to say.

Six for each of ten exercises over the chapters: the same few mistakes with Python, and slips of
thought. They stand in common/, a file an exercise, in the form of `tests.grading.answers`.
`docs/messages.md` shows what each is told; `python -m tests.grading.common` prints it.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from graders.child.cells import Cells
from graders.exercises import exercises_of
from graders.feedback import Finding, findings
from graders.judge.judge import judge_inside
from graders.records.scenario import Exercise
from tests.grading.answers import read
from tests.grading.judging import SEED, cells_of, names_of
from tests.notebooks import kit

PAGE = kit.ROOT / "docs/messages.md"


FOLDER = Path(__file__).with_name("common")


@dataclass(frozen=True)
class Common:
    """A wrong answer, and how one sees that its message names the right cause.

    Attributes:
        exercise: its number.
        name: what is wrong, in a few words.
        source: the solution cell.
        code: of the first message.
        says: what stands in it.
    """

    exercise: str
    name: str
    source: str
    code: str
    says: str


def _of_exercise(number: str) -> Iterator[Common]:
    """The answers in an exercise's file; `== says:` is the code, then words of the message."""
    path = FOLDER / f"{number}.txt"
    found = read(path.read_text(encoding="utf-8"), path.name, "")
    for name, source in found.wrong:
        code, _, says = found.says[name].partition(" ")
        yield Common(number, name, source, code, says)


COMMON = tuple(
    answer
    for number in sorted((path.stem for path in FOLDER.glob("*.txt")), key=float)
    for answer in _of_exercise(number)
)


def exercise_of(number: str) -> Exercise:
    """The exercise of this number."""
    chapter = number.partition(".")[0].zfill(2)
    return next(each for each in exercises_of(chapter) if each.number == number)


@cache
def _around(exercise: str) -> dict[str, object]:
    """The names of a solved chapter that an exercise needs."""
    number = exercise.partition(".")[0].zfill(2)
    chapter = next(path.stem for path in (kit.ROOT / "solutions").glob(f"{number}_*/*.ipynb"))
    return names_of(cells_of(chapter, exercise_of(exercise)))


@cache
def told(answer: Common) -> tuple[Finding, ...]:
    """What the notebook says to an answer."""
    exercise = exercise_of(answer.exercise)
    with contextlib.redirect_stdout(io.StringIO()):
        names = dict(_around(answer.exercise))
        Cells(names).run([{"name": exercise.grade_ids[0], "source": answer.source}])
        return findings(judge_inside(exercise, names, seed=SEED))


def page() -> Iterator[str]:
    """The table of answers and messages, line by line."""
    yield "# What common wrong answers are told\n"
    yield (
        f"{len(COMMON)} answers of the kind beginners write, six for each of ten exercises, and the"
        " first thing that each is told in the notebook; feedback on what was handed in says the"
        " same. This page is printed by `python -m tests.grading.common`.\n"
    )
    yield "| exercise | what is wrong | message |\n|---|---|---|"
    for each in COMMON:
        message = told(each)[0].message.replace("|", "\\|").replace("<", "&lt;")
        yield f"| {each.exercise} | {each.name} | {message} |"


if __name__ == "__main__":
    PAGE.write_text("\n".join(page()) + "\n", encoding="utf-8")
    print(f"wrote {PAGE.relative_to(kit.ROOT)}")
