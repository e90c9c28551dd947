"""The commands for a class, as the command line has them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from course.errors import CourseError
from graders.box.choice import Name
from graders.records.report import Partial
from graders.records.wording import one_line

UNUSABLE = 2
OUT = Path("build")


def add_class_commands(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    factor: Callable[[str], float],
) -> None:
    """Add `grade` to a command line; `factor` reads a number above 0."""
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


def _add_out(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", type=Path, default=OUT, help="the folder of this class (default: build)"
    )


def _count(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= 256:
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 1 to 256")
    return int(text)


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


def _plainly(name: str, do: Callable[[], int]) -> int:
    """What is wrong with a call, in one line."""
    try:
        return do()
    except CourseError as trouble:
        print(f"{name}: {one_line(str(trouble))}", file=sys.stderr)
        return UNUSABLE
