"""Words for hidden checks: what was expected, what came, where to look.

A hidden check is a function of the student's definition in ``graders/chNN.py``. It uses the same
:func:`course.notebook.check` as the visible ones, asks with values the notebook does not show, and
says everything in the assertion's message: it is all the student gets to read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def expect(came: object, wanted: object, what: str, *, look: str = "") -> None:
    """Assert that ``came`` equals ``wanted``.

    Args:
        came: what the student's code gave.
        wanted: what it should be.
        what: what it is, such as ``"the number of messages"``.
        look: where to look, such as ``"the message's role"``; appended.

    Raises:
        AssertionError: in the form "the number of messages: expected 3, got 2; look at ...".
    """
    if came != wanted:
        raise AssertionError(_told(f"{what}: expected {wanted!r}, got {came!r}", look))


def expect_raises(
    kind: type[Exception], call: Callable[[], Any], what: str, *, look: str = ""
) -> Exception:
    """Assert that ``call()`` raises ``kind`` and return what it raised.

    Raises:
        AssertionError: nothing was raised. Another kind of exception goes through as it is, so
            that the check names it with the student's line.
    """
    try:
        call()
    except kind as raised:
        return raised
    raise AssertionError(_told(f"{what}: expected {kind.__name__}, but nothing was raised", look))


def _told(text: str, look: str) -> str:
    return f"{text}; look at {look}" if look else text
