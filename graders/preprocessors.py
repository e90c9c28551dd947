"""The steps that Switchboard adds to nbgrader's own when it releases and grades a chapter."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader import utils  # type: ignore[import-untyped]
from nbgrader.api import MissingEntry  # type: ignore[import-untyped]
from nbgrader.preprocessors import (  # type: ignore[import-untyped]
    ClearHiddenTests,
    ClearSolutions,
    NbGraderPreprocessor,
    OverwriteCells,
)

from course.notebook.resetting import STUB
from graders.exercises import exercises_of
from graders.harmless import harmless
from graders.judge.rebuild import rebuild
from graders.linking import link_words, navigation, words_of
from graders.release import KEEP, NUMBER

GO_ON = "raises-exception"  # Jupyter's own word
UNSOLVED = '# YOUR CODE HERE\nraise NotImplementedError("Exercise {} not attempted yet")'
CELL_METADATA = ("nbgrader", "tags", "deletable", "editable", "jupyter")
EXERCISE = re.compile(r"ex_(\d+)_(\d+)$")
SHARED = re.compile(r"ex_(\d+)_[a-z_]+$")  # a cell of several exercises
Step = tuple[NotebookNode, dict[str, Any]]


class NameTheExercise(ClearSolutions):  # type: ignore[misc]
    """nbgrader's ClearSolutions with a stub that says which exercise it stands for.

    ``ex_1_2`` becomes ``raise NotImplementedError("Exercise 1.2 not attempted yet")``.
    nbgrader's own stub is one fixed text for the whole course.
    """

    def preprocess_cell(self, cell: NotebookNode, resources: dict[str, Any], index: int) -> Step:
        """Replace the solution region of one cell."""
        name = number_of(grade_id(cell))
        if name and cell.cell_type == "code":
            self.code_stub = {"python": UNSOLVED.format(name)}
        stepped: Step = super().preprocess_cell(cell, resources, index)
        return stepped


def grade_id(cell: NotebookNode) -> str:
    """The name that nbgrader knows a cell by; "" for what it does not look at."""
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def number_of(name: str) -> str:
    """The number of a solution cell's exercise; of several, the first that it completes."""
    if found := EXERCISE.match(name):
        return f"{int(found[1])}.{int(found[2])}"
    if found := SHARED.match(name):
        last = ((each.number, each.grade_ids[-1]) for each in exercises_of(found[1]))
        return next((number for number, cell in last if cell == name), "")
    return ""


class NumberTheRelease(NbGraderPreprocessor):  # type: ignore[misc]
    """Let a notebook carry the number of its release, by which it is judged later."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> Step:
        """Put it into the notebook's metadata."""
        nb.metadata["switchboard"] = {"release": NUMBER}
        return nb, resources


class KeepTaggedOutput(NbGraderPreprocessor):  # type: ignore[misc]
    """Empty every output except those of cells tagged ``keep-output``: demonstrations and traces.

    A release without any output shows dead pages wherever no kernel runs. Outputs of solution and
    check cells never survive, tagged or not, and execution counts are forgotten.
    """

    def preprocess_cell(self, cell: NotebookNode, resources: dict[str, Any], index: int) -> Step:
        """Empty one cell."""
        if cell.cell_type != "code":
            return cell, resources
        kept = KEEP in cell.metadata.get("tags", []) and not utils.is_solution(cell)
        if not kept or utils.is_grade(cell):
            cell.outputs = []
        cell.execution_count = None
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = None
        return cell, resources


class ForgetTheAuthor(NbGraderPreprocessor):  # type: ignore[misc]
    """Drop what an editor left in the metadata, so that a release depends on its source alone."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> Step:
        """Keep the kernel, the language's name and what the cells need."""
        spec = nb.metadata.get("kernelspec", {})
        nb.metadata = NotebookNode(  # type: ignore[no-untyped-call]
            kernelspec={
                "display_name": spec.get("display_name", "Python 3 (ipykernel)"),
                "language": "python",
                "name": spec.get("name", "python3"),
            },
            language_info={"name": "python"},
        )
        for cell in nb.cells:
            kept = {key: cell.metadata[key] for key in CELL_METADATA if key in cell.metadata}
            cell.metadata = NotebookNode(kept)  # type: ignore[no-untyped-call]
        return nb, resources


class GoOnAfterErrors(NbGraderPreprocessor):  # type: ignore[misc]
    """Tag the code cells from the first exercise on, so that "Run All" doesn't end at a check.

    A check that isn't passed yet is an error to Jupyter, and errors end "Run All" unless the cell
    has the tag ``raises-exception``. A grader still sees the error.
    """

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> Step:
        """Tag the cells."""
        begun = False
        for cell in nb.cells:
            begun = begun or utils.is_solution(cell)
            tags = cell.metadata.get("tags", [])
            if begun and cell.cell_type == "code" and GO_ON not in tags:
                cell.metadata.tags = [*tags, GO_ON]
        return nb, resources


class RememberTheStub(NbGraderPreprocessor):  # type: ignore[misc]
    """Keep in each answer cell's metadata how it was released, so that a student can begin anew."""

    def preprocess_cell(self, cell: NotebookNode, resources: dict[str, Any], index: int) -> Step:
        """Keep the stub of one cell."""
        if cell.cell_type == "code" and utils.is_solution(cell):
            cell.metadata[STUB] = cell.source
        return cell, resources


class LinkTheChapter(NbGraderPreprocessor):  # type: ignore[misc]
    """Link a chapter with the others, at its head and its end, and its words with the glossary."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> Step:
        """Add the links."""
        root = Path(self.parent.parent.coursedir.root)
        names = sorted(path.parent.name for path in (root / "solutions").glob("*/*.ipynb"))
        home = (root / "solutions" / "index.ipynb").exists()
        glossary = root / "docs" / "glossary.md"
        if glossary.exists():
            link_words(nb.cells, words_of(glossary.read_text(encoding="utf-8")))
        line = navigation(names, resources["nbgrader"]["assignment"], home=home)
        text = [cell for cell in nb.cells if cell.cell_type == "markdown"]
        for cell in text[:1] + text[-1:] if line else ():
            cell.source += f"\n\n{line}"
        return nb, resources


class FromRelease(NbGraderPreprocessor):  # type: ignore[misc]
    """A step that makes a notebook from the submitted and the released one."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> Step:
        """Return the notebook that `made` makes.

        Raises:
            FileNotFoundError: the chapter was not released.
        """
        about = resources["nbgrader"]
        return self.made(self._released(about["assignment"], about["notebook"]), nb), resources

    def made(self, released: NotebookNode, nb: NotebookNode) -> NotebookNode:
        """The notebook to go on with."""
        raise NotImplementedError

    def _released(self, chapter: str, notebook: str) -> NotebookNode:
        course = self.parent.parent.coursedir  # the exporter's converter knows the folders
        folder = Path(course.format_path(course.release_directory, ".", chapter))
        path = folder / f"{notebook}.ipynb"
        if not path.exists():
            raise FileNotFoundError(f"{path} is missing: release the chapter first, make release")
        book: NotebookNode = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
        return book


class RebuildFromRelease(FromRelease):
    """Grade the released notebook with the student's code put into it, and nothing else of theirs.

    Metadata decides what nbgrader runs and scores: a tag can skip a check, a renamed or copied
    check stops the run. So none of the submission's metadata is taken over.
    """

    def made(self, released: NotebookNode, nb: NotebookNode) -> NotebookNode:
        """The rebuilt notebook; a locked cell that was changed is named in the log."""
        theirs = {grade_id(cell): cell.source for cell in nb.cells}
        for cell in released.cells:
            name = grade_id(cell)
            if name and utils.is_locked(cell) and theirs.get(name, cell.source) != cell.source:
                self.log.warning("Locked cell %s was changed; the released one is graded", name)
        return rebuild(released, nb)


class RestoreHiddenTests(OverwriteCells):  # type: ignore[misc]
    """nbgrader's OverwriteCells, which puts the hidden tests back without a warning.

    A released check differs from the stored one by them alone, in everybody's notebook; nbgrader
    says "checksum has changed" of each, which looks as if the student had changed it.
    """

    def preprocess_cell(self, cell: NotebookNode, resources: dict[str, Any], index: int) -> Step:
        """Restore one cell."""
        if cell.source == self._released(grade_id(cell), cell):
            cell.source = self._stored(grade_id(cell))
        stepped: Step = super().preprocess_cell(cell, resources, index)
        return stepped

    def _stored(self, name: str) -> str:
        found = self.gradebook.find_source_cell(name, self.notebook_id, self.assignment_id)
        return str(found.source)

    def _released(self, name: str, cell: NotebookNode) -> str | None:
        """A stored locked cell as it was released; None where there is none."""
        if not name or not utils.is_locked(cell):
            return None
        try:
            shown = NotebookNode({**cell, "source": self._stored(name)})  # type: ignore[no-untyped-call]
        except MissingEntry:
            return None
        shown, _ = ClearHiddenTests(parent=self).preprocess_cell(shown, {}, 0)
        return str(shown.source)


class ShowHarmlessly(FromRelease):
    """Leave nothing in a graded notebook that would run in the browser of who looks at it.

    It is the last step: it changes prose and outputs, of which nbgrader makes scores before.
    """

    def made(self, released: NotebookNode, nb: NotebookNode) -> NotebookNode:
        """The notebook, made harmless."""
        return harmless(nb, released)
