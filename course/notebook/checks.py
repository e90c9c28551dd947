"""The check under an exercise: three outcomes, one line each."""

from __future__ import annotations

import builtins
import re
import sys
from types import TracebackType
from typing import NoReturn

from course.notebook import ledger
from course.notebook.explain import (
    crash,
    exercise_named_in,
    failed_assertion,
    leaf,
    one_line,
    unsolved,
)
from course.notebook.guard import Guard
from course.notebook.overlooked import overlooked, stale

LIMIT = 10.0  # seconds; every exercise of the course answers in well under one


class CheckFailed(Exception):
    """A check ended in ✗. JupyterLab shows its one line instead of a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class NotAttempted(Exception):
    """A check met ``NotImplementedError``: ○. JupyterLab shows its one line."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class Check:
    """The context manager that :func:`check` returns."""

    def __init__(self, title: str, seconds: float, *, quiet: bool = False) -> None:
        self.quiet = quiet
        self.title = one_line(title)
        number = re.match(r"\d+\.\d+\b", self.title)
        self.exercise = number.group() if number else None
        self._guard = Guard(seconds)
        self._file = ""
        self._input = builtins.input

    def __enter__(self) -> None:
        frame = sys._getframe(1)
        self._file = frame.f_code.co_filename
        self._input, builtins.input = builtins.input, _nobody_to_ask
        self._guard.start(frame)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        trouble: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._guard.stop()
        builtins.input = self._input
        why = stale(self.exercise) if self.exercise and not self.quiet else ""
        if why and (trouble is None or isinstance(trouble, Exception)):
            _raise_alone(NotAttempted(f"○ {self.title} — not judged: {why}"))
        if trouble is None:
            self._note("passed")
            if not self.quiet:
                print(f"✓ {self.title} — passed")
            return
        verdict = self._verdict(leaf(trouble), unsolved(trouble))
        if verdict is not None:
            _raise_alone(verdict)

    def _verdict(self, cause: BaseException, stub: NotImplementedError | None) -> Exception | None:
        if self._guard.absolve(cause):
            return self._failed(f"still running after {self._guard.seconds:g} s")
        if not _is_ours_to_explain(cause):
            return None
        if stub is not None or isinstance(cause, NotImplementedError):
            return self._not_attempted(str(stub or cause))
        if isinstance(cause, AssertionError):
            return self._failed(failed_assertion(cause))
        return self._failed(crash(cause, self._file))

    def _failed(self, why: str) -> CheckFailed:
        self._note("failed")
        return CheckFailed(f"✗ {self.title} — not yet: {why}")

    def _not_attempted(self, message: str) -> NotAttempted:
        self._note("not attempted")
        needed = exercise_named_in(message)
        if needed and self.exercise and needed != self.exercise:
            return NotAttempted(f"○ {self.title} — needs exercise {needed}, not attempted yet")
        why = overlooked(self.exercise) if self.exercise else ""
        return NotAttempted(f"○ {self.title} — not attempted yet{why and f': {why}'}")

    def _note(self, outcome: ledger.Outcome) -> None:
        if self.exercise and not self.quiet:
            title = self.title[len(self.exercise) :].strip()
            ledger.record(self.exercise, {title: outcome})


def _nobody_to_ask(prompt: object = "") -> NoReturn:
    """Stand in for `input` in a check: a page that waits for an answer runs no other cell."""
    raise EOFError("input() has nobody to ask in a check: use what the function is given")


def _raise_alone(verdict: Exception) -> NoReturn:
    """Raise ``verdict`` without what led to it.

    ``from None`` would not do: IPython looks for exception groups in ``__context__``, and when it
    finds one it writes a traceback to stderr and sends no error, which a grader takes for success.
    """
    try:
        raise verdict
    finally:
        verdict.__context__ = None


def _is_ours_to_explain(cause: BaseException) -> bool:
    """Leave alone the Stop button, and the outcome of a check inside this one."""
    if isinstance(cause, CheckFailed | NotAttempted):
        return False
    return isinstance(cause, Exception | SystemExit)


def check(title: str, *, seconds: float = LIMIT, quiet: bool = False) -> Check:
    """Check an answer: put plain asserts inside, and read one line.

    >>> with check("1.1 adds up"):
    ...     assert 1 + 1 == 2, "expected 2"
    ✓ 1.1 adds up — passed

    Three outcomes, each a sign and a word:

    - ``✓ ... — passed``: every assert holds.
    - ``✗ ... — not yet: ...``: what was expected, what came and where to look. An exception out of
      your code is named with the line it came from.
    - ``○ ... — not attempted yet``: the exercise still raises ``NotImplementedError``.

    ``await`` works inside. Outcomes are counted in a file that never leaves your machine
    (:func:`course.notebook.ledger.place`); :func:`course.notebook.progress` shows them.

    Args:
        title: the exercise's number and what is checked, such as ``"1.2 unknown tools go back"``.
            Without a number in front nothing is counted.
        seconds: real seconds after which the check gives up with ✗. The limit works on Unix in the
            main thread, where notebooks run; elsewhere use the Stop button.
        quiet: print nothing for ✓ and count nothing, because the caller does both.

    Raises:
        CheckFailed: for ✗. A grader sees it as an error.
        NotAttempted: for ○. A grader sees it as an error.
    """
    return Check(title, seconds, quiet=quiet)
