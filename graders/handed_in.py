"""One notebook that was handed in: judged, and told."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from course.errors import ConfigurationError
from course.terminal import plain
from graders.box import BoxError
from graders.box.choice import Name
from graders.chapters import released
from graders.feedback import feedback_page, report_text
from graders.judge.budget import USUAL
from graders.judge.judge import judge_submission
from graders.records.report import Partial, Report
from graders.records.whole import write
from graders.records.wording import one_line

UNUSABLE = 2
WIDTH = 100  # characters, where there is no terminal to ask
NO_WALLS = "the box 'none' has limits but no walls: judge only your own work in it"


def check(
    notebook: Path,
    *,
    box: Name = "auto",
    seed: int = 0,
    patience: float = 1.0,
    partial: Partial = "trial",
    as_json: bool = False,
    feedback: Path | None = None,
) -> int:
    """Judge a notebook and print what was found.

    Args:
        notebook: what was handed in.
        box: see `graders.box.choose`. Asking for "none" says that the work is one's own.
        seed: varies the hidden scenarios.
        patience: how many times as long as usual it may take.
        partial: what earns points by itself.
        as_json: print `Report.to_json` instead of a table.
        feedback: where a page goes too.

    Returns:
        0 when it was judged, whatever the score and however broken it was; 2, with one line on
        stderr, when the call itself is to blame.
    """
    try:
        _can_be_written(feedback)
        report = _judged(notebook, box, seed, patience).counted_by(partial)
        if feedback is not None:
            _write(feedback_page(report), feedback)
    except (ConfigurationError, BoxError) as trouble:
        print(f"check: {one_line(str(trouble))}", file=sys.stderr)
        return UNUSABLE
    told = json.dumps(report.to_json(), indent=2) if as_json else report_text(report, width=_wide())
    print(plain(told))
    if feedback is not None:
        print(f"The feedback is in {one_line(str(feedback))}", file=sys.stderr)
    return 0


def _judged(notebook: Path, box: Name, seed: int, patience: float) -> Report:
    if box == "none":
        print(f"check: {NO_WALLS}", file=sys.stderr)
    with _progress() as progress:
        report = judge_submission(
            notebook,
            chapters=released(),
            box=box,
            seed=seed,
            progress=progress,
            own_work=box == "none",
            budget=USUAL.times(patience),
        )
    if report.code == "notebook.missing":
        raise ConfigurationError(f"{notebook}: {report.message}")
    return report


@contextmanager
def _progress() -> Iterator[Callable[[str], None] | None]:
    """Says on a terminal which exercise is being judged, and wipes it away at the end."""
    if not sys.stderr.isatty():
        yield None
        return

    def tell(number: str) -> None:
        print(f"\r\x1b[Kjudging {number} ...", end="", file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _wide() -> int:
    if not sys.stdout.isatty():
        return WIDTH
    return min(shutil.get_terminal_size((WIDTH, 24)).columns, 120)


def _can_be_written(page: Path | None) -> None:
    """Better to hear now than after the work that there is no place for the page."""
    if page is None:
        return
    if page.is_dir() or not os.access(page.parent, os.W_OK | os.X_OK):
        raise ConfigurationError(f"cannot write {page}: choose another place with --feedback")


def _write(text: str, page: Path) -> None:
    try:
        write(page, text)
    except OSError as trouble:
        raise ConfigurationError(f"cannot write {page}: {trouble.strerror}") from trouble
