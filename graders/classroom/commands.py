"""The commands for a class, as the command line has them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias, get_args

from course.errors import CourseError
from graders.box.choice import Name
from graders.records.report import Partial
from graders.records.wording import one_line

UNUSABLE = 2
OUT = Path("build")
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_class_commands(
    commands: Commands,
    factor: Callable[[str], float],
) -> None:
    """Add the commands to a command line; `factor` reads a number above 0."""
    _add_collect(commands)
    _add_grade(commands, factor)
    _add_publish(commands)
    copying = commands.add_parser(
        "student-repo", help="a copy of the course for students, without solutions and tests"
    )
    copying.set_defaults(command=_copy)
    copying.add_argument("folder", type=Path, help="a new or empty folder")


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
        "--pattern", default="", help="for another LMS: a regular expression with (?P<student>...)"
    )
    collecting.add_argument(
        "--chapter", default="", help="what a file is of that cannot be read, such as 03"
    )
    _add_out(collecting)


def _add_grade(commands: Commands, factor: Callable[[str], float]) -> None:
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
    again = grading.add_mutually_exclusive_group()
    again.add_argument(
        "--resume", action="store_true", help="skip what is judged already (the default)"
    )
    again.add_argument(
        "--regrade", nargs="?", const="", metavar="EX",
        help="judge everything again, or one exercise of everybody, and tell what differs",
    )  # fmt: skip
    grading.add_argument("--accept", action="store_true", help="let grades fall where they would")
    grading.add_argument("--seed", type=int, default=0, help="varies the hidden scenarios")
    grading.add_argument(
        "--partial", choices=get_args(Partial),
        help="what earns points by itself (default: what class.toml says, else each trial)",
    )  # fmt: skip
    grading.add_argument("--box", choices=get_args(Name), default="auto", help="see check")
    grading.add_argument("--patience", type=factor, default=1.0, metavar="FACTOR", help="see check")
    grading.add_argument(
        "--no-gradebook", action="store_true", help="leave nbgrader's gradebook as it is"
    )
    _add_out(grading)


def _add_publish(commands: Commands) -> None:
    from graders.classroom.lms_files import Lms

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
    publishing.add_argument("--chapter", default="", help="the one that a Moodle worksheet is of")
    publishing.add_argument(
        "--feedback-zip", action="store_true", help="the pages as one zip, named as Moodle does"
    )
    publishing.add_argument(
        "--similar", action="store_true", help="look for pairs that are too alike"
    )
    publishing.add_argument("--names", action="store_true", help="name students in class.html")
    _add_out(publishing)


def _add_out(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", type=Path, default=OUT, help="the folder of this class (default: build)"
    )


def _count(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= 256:
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 1 to 256")
    return int(text)


def _collect(chosen: argparse.Namespace) -> int:
    from graders.classroom.collecting import Call, collect

    call = Call(
        downloads=chosen.downloads,
        out=chosen.out,
        roster=chosen.roster,
        due=chosen.due,
        extensions=chosen.extensions,
        pattern=chosen.pattern,
        chapter=chosen.chapter,
    )
    return _plainly("collect", lambda: collect(call))


def _grade(chosen: argparse.Namespace) -> int:
    from graders.classroom.grading import Call, grade

    call = Call(
        submitted=chosen.submitted or chosen.out / "submitted",
        out=chosen.out,
        only=chosen.only,
        workers=chosen.workers,
        box=chosen.box,
        seed=chosen.seed,
        patience=chosen.patience,
        partial=chosen.partial,
        regrade=chosen.regrade,
        accept=chosen.accept,
        gradebook=not chosen.no_gradebook,
    )
    return _plainly("grade", lambda: grade(call))


def _publish(chosen: argparse.Namespace) -> int:
    from graders.classroom.publishing import Call, publish

    call = Call(
        out=chosen.out,
        lms=chosen.lms,
        template=chosen.template,
        chapter=chosen.chapter,
        zipped=chosen.feedback_zip,
        similar=chosen.similar,
        names=chosen.names,
    )
    return _plainly("publish", lambda: publish(call))


def _copy(chosen: argparse.Namespace) -> int:
    from graders.classroom.student_repo import copy_for_students

    return _plainly("student-repo", lambda: copy_for_students(chosen.folder))


def _plainly(name: str, do: Callable[[], int]) -> int:
    """What is wrong with a call, in one line."""
    try:
        return do()
    except CourseError as trouble:
        print(f"{name}: {one_line(str(trouble))}", file=sys.stderr)
        return UNUSABLE
