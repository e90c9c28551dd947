"""An exception of the student's code in three short texts: type, message, the line of their own."""

from __future__ import annotations

import linecache
from collections.abc import Mapping
from typing import Any

LONGEST = 500  # characters


def failure(trouble: BaseException, namespace: Mapping[str, Any]) -> dict[str, str]:
    """What left the student's code.

    Args:
        trouble: the exception; a group stands for the first one in it.
        namespace: the names of the student's notebook: code that has them is the student's.
    """
    trouble = leaf(trouble)
    try:
        message = str(trouble)
    except Exception:  # a __str__ of the student's own
        message = ""
    return {
        "type": cut(type(trouble).__name__, 80),
        "message": cut(message, LONGEST),
        "line": cut(_own_line(trouble, namespace), 200),
    }


def leaf(trouble: BaseException) -> BaseException:
    """The first exception inside a group, or the exception itself."""
    while isinstance(trouble, BaseExceptionGroup):
        trouble = trouble.exceptions[0]
    return trouble


def cut(text: str, longest: int) -> str:
    """Text in one line that UTF-8 can carry, cut to size."""
    folded = " ".join(text.split()).encode("utf-8", "replace").decode()
    return folded if len(folded) <= longest else folded[: longest - 1] + "…"


def _own_line(trouble: BaseException, namespace: Mapping[str, Any]) -> str:
    if isinstance(trouble, SyntaxError) and str(trouble.filename).startswith("<cell "):
        return f"line {trouble.lineno}: {(trouble.text or '').strip()}"
    last = ""
    step = trouble.__traceback__
    while step is not None:
        if step.tb_frame.f_globals is namespace:
            last = own_line(step.tb_frame.f_code.co_filename, step.tb_lineno)
        step = step.tb_next
    return last


def own_line(file: str, line: int) -> str:
    """A line of a cell with its number; the number alone of code that was made elsewhere."""
    text = linecache.getline(file, line).strip()
    return f"line {line}: {text}" if text else f"line {line}"


def first_line(source: str) -> str:
    """The first line of a statement that stands on its lines of a cell, with its number."""
    lines = enumerate(source.split("\n"), start=1)
    return next((cut(f"line {n}: {line.strip()}", 200) for n, line in lines if line.strip()), "")
