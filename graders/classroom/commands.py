"""The commands for a class, as the command line has them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, get_args

from course.errors import CourseError
from graders.box.choice import Name
from graders.classroom.saying import say
from graders.records.report import Partial
from graders.records.whole import ON

UNUSABLE = 2
MOST_PATIENCE = 100.0
OUT = Path("build")
T = TypeVar("T")
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_class_commands(commands: Commands) -> None:
    """Add the commands for a class to a command line."""
    _add_collect(commands)
    _add_grade(commands)
    _add_publish(commands)
    _add_gradescope(commands)
    copying = commands.add_parser(
        "student-repo", help="a copy of the course for students, without solutions and tests"
    )
    copying.set_defaults(command=_copy)
    copying.add_argument("folder", type=Path, help="a new or empty folder")


def add_judging(parser: argparse.ArgumentParser, *, default: Partial | None) -> None:
    """Add what decides how a notebook is judged; `default` is what earns points by itself."""
    parser.add_argument(
        "--box",
        choices=get_args(Name),
        default="auto",
        help="what the box is made of (default: the strongest that works here); "
        "'none' has no walls: for your own work only",
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="varies the hidden scenarios (default: 0)"
    )
    parser.add_argument(
        "--patience",
        type=_factor,
        default=1.0,
        metavar="FACTOR",
        help="how many times as long as usual it may take, on a slow machine (default: 1)",
    )
    parser.add_argument(
        "--partial",
        choices=get_args(Partial),
        default=default,
        help="what earns points by itself: each trial, or only a whole exercise, as with nbgrader "
        f"(default: {default or 'what class.toml says, else trial'})",
    )


def _add_collect(commands: Commands) -> None:
    collecting = commands.add_parser(
        "collect",
        help="lay out what an LMS gives to download",
        description="Find whose each notebook is, of which chapter, and which attempt counts; put "
        "it where grade looks. Exit code: 0, or 3 when a file found no place.",
    )
    collecting.set_defaults(command=_collect)
    collecting.add_argument("downloads", type=Path, nargs="+", metavar="DOWNLOAD")
    collecting.add_argument("--roster", type=Path, help="who is in the class, as CSV")
    collecting.add_argument("--due", default="", metavar="TIME", help="2026-11-20T23:59:00+01:00")
    collecting.add_argument(
        "--extensions", type=Path, help="a table: student, chapter, due, submitted_at"
    )
    collecting.add_argument(
        "--groups", type=Path, help="who hands this in together: a table with group and student"
    )
    collecting.add_argument(
        "--pattern", default="", help="for another LMS: a regular expression with (?P<student>...)"
    )
    collecting.add_argument(
        "--chapter", default="", help="what a file is of that cannot be read, such as 03"
    )
    _add_out(collecting)


def _add_grade(commands: Commands) -> None:
    grading = commands.add_parser(
        "grade",
        help="judge a class: every submission of a folder",
        description="Judge every submission of a folder and keep what is known as it is known. "
        "What was judged before is skipped. Exit code: 0 all graded, 3 some ungraded, "
        "4 a grade would fall and nobody agreed, 2 the call cannot be carried out, "
        "130 interrupted.",
    )
    grading.set_defaults(command=_grade)
    grading.add_argument(
        "submitted",
        type=Path,
        nargs="?",
        help="<student>/<chapter>/*.ipynb (default: OUT/submitted)",
    )
    grading.add_argument(
        "--only", action="append", default=[], metavar="STUDENT|CHAPTER", help="may be repeated"
    )
    grading.add_argument(
        "-j", type=_count, default=len(os.sched_getaffinity(0)), metavar="N", dest="workers",
        help="judges at a time (default: one for each core)",
    )  # fmt: skip
    grading.add_argument(
        "--scheduler", metavar="TCP", help="a Dask cluster that judges instead of this machine"
    )
    again = grading.add_mutually_exclusive_group()
    again.add_argument(
        "--resume", action="store_true", help="skip what is judged already (the default)"
    )
    again.add_argument(
        "--regrade", nargs="?", const="", metavar="EX",
        help="judge everything again, or one exercise of everybody, and tell what differs",
    )  # fmt: skip
    grading.add_argument("--accept", action="store_true", help="let grades fall where they would")
    add_judging(grading, default=None)
    grading.add_argument(
        "--no-gradebook",
        dest="gradebook",
        action="store_false",
        help="leave nbgrader's gradebook as it is",
    )
    _add_out(grading)


def _add_publish(commands: Commands) -> None:
    from graders.classroom.lms_names import Lms

    publishing = commands.add_parser(
        "publish",
        help="write grades, the LMS's file and feedback",
        description="Write grades.csv, feedback pages and class.html, and fill the LMS's own "
        "export. Exit code: 0, or 3 when something has no final points yet.",
    )
    publishing.set_defaults(command=_publish)
    publishing.add_argument("--lms", choices=get_args(Lms), default="csv")
    publishing.add_argument(
        "--template", type=Path, metavar="EXPORTED.csv", help="what the LMS exported"
    )
    publishing.add_argument(
        "--chapter", default="", help="only this one into the LMS's file and the zip, such as 03"
    )
    publishing.add_argument(
        "--feedback-zip",
        dest="zipped",
        action="store_true",
        help="the pages as one zip, named as Moodle and Canvas find them again",
    )
    publishing.add_argument(
        "--similar", action="store_true", help="look for pairs that are too alike"
    )
    publishing.add_argument(
        "--empty-is-zero", dest="empty_is_zero", action="store_true",
        help="give texts that were left empty 0 points, which nobody but you may do",
    )  # fmt: skip
    publishing.add_argument(
        "--comments", action="store_true", help="fill Moodle's empty 'Feedback comments', too"
    )
    publishing.add_argument(
        "--overwrite", action="store_true",
        help="replace grades and comments of the LMS's file that a person wrote",
    )  # fmt: skip
    publishing.add_argument("--names", action="store_true", help="name students in class.html")
    _add_out(publishing)


def _add_gradescope(commands: Commands) -> None:
    making = commands.add_parser(
        "gradescope", help="an autograder of one chapter for Gradescope, as a zip"
    )
    making.set_defaults(command=_gradescope)
    making.add_argument("chapter", help="such as 01")
    making.add_argument(
        "-o", dest="output", type=Path, default=Path("autograder.zip"), metavar="FILE.zip"
    )
    running = commands.add_parser(
        "gradescope-run", help="judge a folder with one notebook into Gradescope's results.json"
    )
    running.set_defaults(command=_gradescope_run)
    running.add_argument("folder", type=Path)
    running.add_argument("results", type=Path)


def _add_out(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", type=Path, default=OUT, help="the folder of this class (default: build)"
    )


def _count(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= 256:
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 1 to 256")
    return int(text)


def _factor(text: str) -> float:
    """How many times as long: above 0."""
    try:
        factor = float(text)
    except ValueError:
        factor = 0.0
    if not 0 < factor <= MOST_PATIENCE:
        raise argparse.ArgumentTypeError(
            f"'{text}' is no number above 0 and up to {MOST_PATIENCE:g}"
        )
    return factor


def _collect(chosen: argparse.Namespace) -> int:
    from graders.classroom.collecting import Call, collect

    return _plainly("collect", lambda: collect(_call(Call, chosen)))


def _grade(chosen: argparse.Namespace) -> int:
    from graders.classroom.grading import Call, grade

    submitted = chosen.submitted or chosen.out / "submitted"
    return _plainly("grade", lambda: grade(_call(Call, chosen, submitted=submitted)))


def _publish(chosen: argparse.Namespace) -> int:
    from graders.classroom.publishing import Call, publish

    return _plainly("publish", lambda: publish(_call(Call, chosen)))


def _gradescope(chosen: argparse.Namespace) -> int:
    from graders.classroom.gradescope import write_autograder

    return _plainly("gradescope", lambda: write_autograder(chosen.chapter, chosen.output))


def _gradescope_run(chosen: argparse.Namespace) -> int:
    from graders.classroom.gradescope import run_autograder

    return _plainly("gradescope-run", lambda: run_autograder(chosen.folder, chosen.results))


def _call(kind: Callable[..., T], chosen: argparse.Namespace, **others: Any) -> T:
    """A command's call, made of what the command line says under the names of its fields."""
    names = [each.name for each in fields(kind)]  # type: ignore[arg-type]
    told = {name: getattr(chosen, name) for name in names if hasattr(chosen, name)}
    return kind(**{**told, **others})


def _copy(chosen: argparse.Namespace) -> int:
    from graders.classroom.student_repo import copy_for_students

    return _plainly("student-repo", lambda: copy_for_students(chosen.folder))


def _plainly(name: str, do: Callable[[], int]) -> int:
    """What is wrong with a call, or with a disk, in one line."""
    try:
        return do()
    except CourseError as trouble:
        say(name, str(trouble))
    except OSError as trouble:
        place = trouble.filename or "a file"
        say(name, f"{place}: {trouble.strerror or trouble}; {ON}")
    return UNUSABLE
