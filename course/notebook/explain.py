"""One line about an exception: what happened, and which line of the student's it was."""

from __future__ import annotations

import ast
import linecache
import re
import sys
import sysconfig
import traceback
from pathlib import Path

LONGEST = 400  # characters of a message that is still one glance
MISSING_NAME = (
    "is it spelt right, and was the cell that makes it run since the kernel started"
    " (menu Run, Run All Above Selected Cell)?"
)
PLAYED = re.compile(r"play\(\"(\d+\.\d+)\"")
HERE = Path(__file__).resolve().parents[2]


def leaf(trouble: BaseException) -> BaseException:
    """Return the first real exception inside ``trouble``.

    A ``TaskGroup`` wraps what its tasks raised in an ``ExceptionGroup``.
    """
    while isinstance(trouble, BaseExceptionGroup):
        trouble = trouble.exceptions[0]
    return trouble


def unsolved(trouble: BaseException) -> NotImplementedError | None:
    """Return the stub of an exercise that ``trouble`` comes from, or None.

    What met the stub may have wrapped its error: in a group, or in an error of its own that was
    raised from it or while it was handled.
    """
    left: list[BaseException | None] = [trouble]
    seen: set[int] = set()
    while left:
        each = left.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, NotImplementedError) and exercise_named_in(str(each)):
            return each
        within = each.exceptions if isinstance(each, BaseExceptionGroup) else ()
        left += [each.__context__, each.__cause__, *reversed(within)]
    return None


def undefined(trouble: NameError) -> str:
    """A name that is not defined, in a line with the way out; where a check lacks it, whose."""
    frames = traceback.extract_tb(trouble.__traceback__)
    if frames and (check := PLAYED.match(frames[-1].line or "")):
        return (
            f"{trouble}: run the cell that answers {check[1]}; if it is gone or stands below,"
            " a fresh copy of the chapter shows where it belongs"
        )
    return f"{trouble}: {MISSING_NAME}"


def one_line(text: str) -> str:
    """Fold ``text`` to a single line of at most 400 characters."""
    folded = " ".join(text.split())
    return folded if len(folded) <= LONGEST else folded[: LONGEST - 1] + "…"


def failed_assertion(trouble: BaseException) -> str:
    """Return the message of an ``AssertionError``, or the source of the assertion that failed."""
    message = str(trouble).strip()
    if message:
        return one_line(message)
    frames = traceback.extract_tb(trouble.__traceback__)
    if not frames:
        return "an assertion failed"
    return one_line(f"this does not hold: {_assertion_at(frames[-1])}")


def crash(trouble: BaseException, checking: str) -> str:
    """Describe an exception out of the student's code.

    Args:
        trouble: the exception, with its traceback.
        checking: file name of the cell that holds the check, so as not to blame its lines.
    """
    kind = type(trouble).__name__
    text = one_line(f"{kind}: {trouble}" if str(trouble) else kind)
    line = _own_line(trouble, checking)
    text = f"{text} ({line})" if line else text
    return f"{text}; {MISSING_NAME}" if type(trouble) is NameError else text


def _own_line(trouble: BaseException, checking: str) -> str:
    frames = [f for f in traceback.extract_tb(trouble.__traceback__) if _is_own(f.filename)]
    if not frames:
        return ""
    last = frames[-1]
    where = "in the check" if last.filename == checking else f"your line {last.lineno}"
    return one_line(f"{where}: {last.line}")


def _is_own(filename: str) -> bool:
    """Tell the student's code from libraries, Python itself and the course."""
    if filename.startswith("<frozen"):
        return False
    path = Path(filename).resolve()
    libraries = [sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")]
    places = [str(HERE / "course"), str(HERE / "graders"), sys.prefix, *filter(None, libraries)]
    return not any(path.is_relative_to(place) for place in places)


def _assertion_at(frame: traceback.FrameSummary) -> str:
    """Return the whole assertion around a line; it may span several lines."""
    source = "".join(linecache.getlines(frame.filename))
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except SyntaxError:  # a cell with a magic in it is not plain Python
        nodes = []
    for node in nodes:
        if isinstance(node, ast.Assert) and _spans(node, frame.lineno or 0):
            return ast.get_source_segment(source, node) or ""
    return frame.line or "an assertion"


def _spans(node: ast.Assert, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def exercise_named_in(text: str) -> str | None:
    """Return the number in ``Exercise 1.2 not attempted yet``, or None."""
    found = re.search(r"[Ee]xercise (\d+\.\d+)", text)
    return found.group(1) if found else None
