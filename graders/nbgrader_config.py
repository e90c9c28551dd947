"""nbgrader's settings for this course.

Found by nbgrader's commands and by its JupyterLab extensions when JUPYTER_CONFIG_PATH names this
folder. nbgrader has no --config option.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import nbgrader  # type: ignore[import-untyped]
from jinja2 import Environment
from nbconvert.preprocessors import ClearMetadataPreprocessor
from nbgrader.preprocessors import (  # type: ignore[import-untyped]
    AssignLatePenalties,
    CheckCellMetadata,
    ClearHiddenTests,
    ClearMarkScheme,
    ClearOutput,
    ComputeChecksums,
    DeduplicateIds,
    Execute,
    IgnorePattern,
    LimitOutput,
    LockCells,
    OverwriteKernelspec,
    SaveAutoGrades,
    SaveCells,
)

import graders
from graders.classroom.gradebook import address
from graders.classroom.private import OWNER_ALONE
from graders.classroom.settings import FILE, settings
from graders.preprocessors import (
    ForgetTheAuthor,
    GoOnAfterErrors,
    KeepTaggedOutput,
    LinkTheChapter,
    NameTheExercise,
    NumberTheRelease,
    RebuildFromRelease,
    RememberTheStub,
    RestoreHiddenTests,
    ShowHarmlessly,
)

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
BUILD.mkdir(mode=OWNER_ALONE, exist_ok=True)  # SQLite makes the gradebook, but not its folder

# nbgrader starts `alembic` by its bare name; without an activated environment it is not found.
_BIN = str(Path(sys.executable).parent)
if _BIN not in os.environ.get("PATH", "").split(os.pathsep):
    os.environ["PATH"] = os.pathsep.join([_BIN, os.environ.get("PATH", "")])

# Formgrader's pages take over what stands in their address as it is, so a link could bring a
# script. nbgrader has no setting for it; formgrader reads this file before it makes its pages.
if (pages := sys.modules.get("nbgrader.server_extensions.formgrader.formgrader")) is not None:
    pages.Environment = partial(Environment, autoescape=True)  # type: ignore[attr-defined]

c = get_config()  # type: ignore[name-defined]  # noqa: F821 - traitlets puts it in

c.CourseDirectory.course_id = "switchboard"
c.CourseDirectory.root = str(ROOT)
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "notebooks"
c.CourseDirectory.submitted_directory = "build/submitted"
c.CourseDirectory.autograded_directory = "build/autograded"
c.CourseDirectory.feedback_directory = "build/feedback"
c.CourseDirectory.solution_directory = "build/solution"
c.CourseDirectory.db_url = address(BUILD, settings(ROOT / FILE)[0].gradebook)
c.CourseDirectory.ignore = [
    ".ipynb_checkpoints", "*.pyc", "__pycache__", ".progress.json*", "*.before", "trace.json",
]  # fmt: skip

# Release. NameTheExercise comes before the outputs go, ClearHiddenTests after the full cells were
# saved and summed: from there nbgrader restores the hidden part when it grades.
c.GenerateAssignment.preprocessors = [
    LockCells,
    NameTheExercise,
    KeepTaggedOutput,
    ForgetTheAuthor,
    NumberTheRelease,
    RememberTheStub,
    LinkTheChapter,
    GoOnAfterErrors,
    CheckCellMetadata,
    ComputeChecksums,
    SaveCells,
    ClearHiddenTests,
    ClearMarkScheme,
    ComputeChecksums,
    CheckCellMetadata,
]

# Feedback, which loads nothing from elsewhere: its own templates, but for MathJax.
_TEMPLATES = Path(nbgrader.__file__).parent / "server_extensions/formgrader/templates"
c.HTMLExporter.extra_template_basedirs = [
    str(Path(graders.__file__).parent / "nbconvert"),
    str(_TEMPLATES),
]

# Grading.
c.Autograde.sanitize_preprocessors = [
    RebuildFromRelease,
    ClearOutput,
    DeduplicateIds,
    OverwriteKernelspec,
    RestoreHiddenTests,
    CheckCellMetadata,
]
c.Autograde.autograde_preprocessors = [
    Execute,
    IgnorePattern,
    ClearMetadataPreprocessor,
    LimitOutput,
    SaveAutoGrades,
    AssignLatePenalties,
    CheckCellMetadata,
    ShowHarmlessly,
]
c.Execute.timeout = 30  # seconds a cell; a check of the course gives up by itself after 10
c.Execute.raise_on_iopub_timeout = False  # a cell that hangs costs that cell, not the submission
c.Execute.skip_cells_with_tag = ""  # a tag must not be able to skip a check
# nbgrader gives no points to a check cell with anything on stderr, a library's warning included.
c.IgnorePattern.enabled = True
c.IgnorePattern.pattern = r"(?s)."
