"""A class made for a test: one chapter, its students, and nbgrader itself to grade them."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from nbformat import NotebookNode
from nbgrader import api
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde, GenerateAssignment, GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from graders.release import load_config
from tests.notebooks import kit
from tests.notebooks.lints import EXERCISE

# It starts a Python for every new gradebook, to ask for a number that does not change.
api.get_alembic_version = cache(api.get_alembic_version)
Scores = dict[str, float]


@dataclass(frozen=True)
class Classroom:
    """A course in a folder of its own, with one released chapter."""

    root: Path
    chapter: str

    @property
    def source(self) -> NotebookNode:
        return kit.read(self._notebook("solutions"))

    @property
    def released(self) -> NotebookNode:
        return kit.read(self._notebook("notebooks"))

    def points(self) -> Scores:
        """Return what each exercise is worth, by its number."""
        return {
            number: float(kit.by_id(self.source, f"{name}_check").metadata.nbgrader.points)
            for number, name in self.exercises().items()
        }

    def exercises(self) -> dict[str, str]:
        """Return the grade ids of the solution cells by exercise number."""
        found = (EXERCISE.match(kit.grade_id(cell)) for cell in self.source.cells)
        return {f"{int(each[1])}.{int(each[2])}": each[0] for each in found if each}

    def solved(self, **replaced: str) -> NotebookNode:
        """Return the release with every exercise solved, but for the grade ids in ``replaced``."""
        book = copy.deepcopy(self.released)
        for name in self.exercises().values():
            answer = kit.by_id(self.source, name).source
            kit.by_id(book, name).source = replaced.get(name, answer)
        return book

    def wrong(self, answers: Mapping[str, str]) -> NotebookNode:
        """Return the solved notebook with a wrong answer for each exercise number given."""
        names = self.exercises()
        return self.solved(**{names[number]: source for number, source in answers.items()})

    def release(self) -> None:
        """Release the chapter into this course's notebooks/ and its gradebook."""
        course, config = self._course()
        GenerateAssignment(coursedir=course, config=config).start()

    def hand_in(self, student: str, book: NotebookNode) -> None:
        """Put a notebook where nbgrader collects this student's submission."""
        folder = self.root / "build" / "submitted" / student / self.chapter
        kit.write(book, folder / f"{self.chapter}.ipynb")

    def grade(self, student: str = "*", **execute: object) -> None:
        """Let nbgrader autograde; ``execute`` overrides settings of its Execute step."""
        course, config = self._course(student)
        config.Execute.update(execute)
        Autograde(coursedir=course, config=config).start()

    def grade_all(self, students: Iterable[str]) -> None:
        """Grade several students."""
        for student in students:
            self.grade(student)

    def feedback(self, student: str) -> str:
        """Let nbgrader write the feedback page of one student and return it."""
        course, config = self._course(student)
        config.HTMLExporter.template_name = "feedback"
        GenerateFeedback(coursedir=course, config=config).start()
        folder = self.root / "build" / "feedback" / student / self.chapter
        return (folder / f"{self.chapter}.html").read_text(encoding="utf-8")

    def scores(self, student: str) -> Scores:
        """Return what nbgrader's gradebook holds, by exercise number."""
        numbers = {f"{name}_check": number for number, name in self.exercises().items()}
        with Gradebook(self._config().CourseDirectory.db_url) as book:
            notebook = book.find_submission_notebook(self.chapter, self.chapter, student)
            return {numbers[grade.name]: grade.auto_score for grade in notebook.grades}

    def graded(self, student: str) -> NotebookNode:
        """Return the notebook as it was run for grading."""
        folder = self.root / "build" / "autograded" / student / self.chapter
        return kit.read(folder / f"{self.chapter}.ipynb")

    def _course(self, student: str = "*") -> tuple[CourseDirectory, Config]:
        config = self._config()
        course = CourseDirectory(config=config)
        course.assignment_id, course.student_id = self.chapter, student
        return course, config

    def _config(self) -> Config:
        return load_config(self.root)

    def _notebook(self, folder: str) -> Path:
        return self.root / folder / self.chapter / f"{self.chapter}.ipynb"


def open_class(root: Path, chapter: str, book: NotebookNode) -> Classroom:
    """Make a course of one chapter in the empty folder ``root`` and release it."""
    kit.make_course(root, book, chapter)
    room = Classroom(root, chapter)
    room.release()
    return room
