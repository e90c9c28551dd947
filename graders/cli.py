"""The commands of the graders: release chapters, check a notebook or a class, see to the box."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

REFUSED = 1  # a release that was refused, or that is out of date
INTERRUPTED = 130  # 128 + SIGINT, as shells report it


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code.

    0 done, 1 a release was refused or is out of date, or the doctor found no box for others' work,
    2 the call cannot be carried out, 130 interrupted. A judged notebook gives 0, whatever its
    score; `grade` has codes of its own.
    """
    parser = _parser()
    chosen = parser.parse_args(arguments)
    if chosen.command is None:
        parser.print_help()
        return 0
    _never_fail_on_letters(sys.stdout, sys.stderr)
    try:
        code = int(chosen.command(chosen))
        sys.stdout.flush()  # here, where a reader that is gone can still be caught
        return code
    except BrokenPipeError:  # whoever was reading, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("graders: interrupted", file=sys.stderr)
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    from graders.classroom.commands import add_class_commands

    parser = argparse.ArgumentParser(prog="python -m graders", description=__doc__)
    parser.set_defaults(command=None)
    commands = parser.add_subparsers(title="commands")

    releasing = commands.add_parser("release", help="make notebooks/ from solutions/")
    releasing.set_defaults(command=_release)
    releasing.add_argument(
        "--check", action="store_true", help="change nothing; fail when notebooks/ is out of date"
    )
    _add_check(commands)
    add_class_commands(commands)
    doctor = commands.add_parser("doctor", help="say which boxes for other people's code work here")
    doctor.set_defaults(command=_doctor)
    return parser


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


def _never_fail_on_letters(*streams: TextIO) -> None:
    """Print a ? for a sign that the terminal's encoding does not have, instead of failing."""
    for stream in streams:
        if hasattr(stream, "reconfigure"):  # not when a test or a notebook has replaced it
            stream.reconfigure(errors="replace")
