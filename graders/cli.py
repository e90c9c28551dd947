"""The commands of the graders: release chapters, check a notebook or a class, see to the box."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from course.cli import play

UNFINISHED = 3  # something is graded by hand, or has no verdict yet
REFUSED = 1  # a release that was refused, or that is out of date


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code.

    0 done, 1 a release was refused or is out of date, or the doctor found no box for others' work,
    2 the call cannot be carried out, 130 interrupted. A judged notebook gives 0, whatever its
    score; `grade` has codes of its own.
    """
    parser = argparse.ArgumentParser(prog="python -m graders", description=__doc__)
    parser.set_defaults(command=None)
    add_commands(parser.add_subparsers(title="commands"))
    return play(parser, arguments)


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands of this package to a parser's."""
    from graders.classroom.commands import add_class_commands

    releasing = commands.add_parser("release", help="make notebooks/ from solutions/")
    releasing.set_defaults(command=_release)
    releasing.add_argument(
        "--check", action="store_true", help="change nothing; fail when notebooks/ is out of date"
    )
    _add_check(commands)
    add_class_commands(commands)
    _add_class(commands)
    doctor = commands.add_parser("doctor", help="say which boxes for other people's code work here")
    doctor.set_defaults(command=_doctor)


def _add_check(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from graders.classroom.commands import add_judging

    checking = commands.add_parser(
        "check",
        help="judge one notebook, in a box",
        description="Judge one notebook, each trial in a fresh box, and print the verdicts. "
        "The exit code is 0 when it was judged, whatever the score.",
    )
    checking.set_defaults(command=_check)
    checking.add_argument("notebook", type=Path, help="what was handed in")
    checking.add_argument("--json", action="store_true", help="print the report as JSON")
    add_judging(checking, default="trial")
    checking.add_argument(
        "--feedback", type=_page, metavar="FILE.html", help="write a page to give back as well"
    )


def _add_class(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from graders.classroom.lms_names import Lms

    whole = commands.add_parser(
        "class",
        help="collect, grade and publish: from an LMS's download to its file",
        description="`collect`, `grade` and `publish`, one after the other. Exit code: that of the "
        "first that could not be carried out, or of `publish`.",
    )
    whole.set_defaults(command=_class)
    whole.add_argument("submitted", help="the LMS's download")
    whole.add_argument("--roster", metavar="ROSTER.csv")
    whole.add_argument("--groups", metavar="GROUPS.csv", help="whose files are the work of several")
    whole.add_argument("--template", metavar="EXPORTED.csv", help="what the LMS exported")
    whole.add_argument("--lms", choices=get_args(Lms), default="canvas")
    whole.add_argument("--chapter", help="only this one, such as 03")
    whole.add_argument("--grade", default="", metavar="OPTIONS", help="for `grade`, in one word")


def _class(chosen: argparse.Namespace) -> int:
    chapter = ["--chapter", chosen.chapter] if chosen.chapter else []
    roster = ["--roster", chosen.roster] if chosen.roster else []
    groups = ["--groups", chosen.groups] if chosen.groups else []
    lms = ["--lms", chosen.lms, "--template", chosen.template] if chosen.template else []
    code = 0
    for step in (
        ["collect", *roster, *groups, *chapter, "--", chosen.submitted],
        ["grade", *shlex.split(chosen.grade)],
        ["publish", "--feedback-zip", *chapter, *lms],
    ):
        code = main(step)
        if code not in (0, UNFINISHED):
            break
    return code


def _page(text: str) -> Path:
    """Only what is named like a page: a slip must not overwrite the notebook."""
    if not text.lower().endswith((".html", ".htm")):
        raise argparse.ArgumentTypeError(f"'{text}' is no name for a page: end it in .html")
    return Path(text)


def _release(chosen: argparse.Namespace) -> int:
    from graders.release import ReleaseError

    try:
        return _compare() if chosen.check else _make()
    except ReleaseError as trouble:
        print(f"release: {trouble}", file=sys.stderr)
        return REFUSED


def _make() -> int:
    from graders.release import chapters, release

    changed = release()
    for each in changed:
        print(f"notebooks/{each.path}")
    print(f"released {len(chapters())} chapters, {len(changed)} files written")
    return 0


def _compare() -> int:
    from graders.release import chapters, check

    found = check()
    for each in found:
        print(f"notebooks/{each}")
    if found:
        print("notebooks/ is not what solutions/ gives: run make release")
        return REFUSED
    print(f"notebooks/ is up to date with {len(chapters())} chapters")
    return 0


def _check(chosen: argparse.Namespace) -> int:
    from graders.handed_in import check

    return check(
        chosen.notebook,
        box=chosen.box,
        seed=chosen.seed,
        patience=chosen.patience,
        partial=chosen.partial,
        as_json=chosen.json,
        feedback=chosen.feedback,
    )


def _doctor(_chosen: argparse.Namespace) -> int:
    from graders.box.doctor import doctor
    from graders.classroom.commands import OUT
    from graders.classroom.private import openness

    code = doctor() or _proved()
    if said := openness(OUT):
        print(f"\n✗ {said}")
    return code


def _proved() -> int:
    """Say whether the judge judges rightly here, by a chapter whose finished answers are hidden."""
    from graders.box import BoxError
    from graders.chapters import released
    from graders.judge.judge import judge
    from graders.judge.proof import doubt

    chapter = next(each for each in released() if any(e.finished for e in each.exercises))
    try:
        with judge(chapters=[chapter]) as ready:
            told = doubt(ready, chapter)
    except BoxError as trouble:
        told = str(trouble)
    print(f"✗ {told}" if told else f"✓ A right answer to {chapter.name} gets full marks here.")
    return REFUSED if told else 0
