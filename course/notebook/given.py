"""Finished definitions for a check, so that one unsolved exercise never blocks the next."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_MISSING = object()


@contextmanager
def given(*definitions: Any, into: Callable[..., Any] | None = None) -> Iterator[None]:
    """Put the course's finished definitions in place of the notebook's, for one `with` block.

    Args:
        definitions: functions or classes of the package; each stands in under its own name.
        into: whose globals to put them in; the caller's own when left out.

    >>> from course import agent
    >>> with given(agent.answer_call):
    ...     answer_call.__module__
    'course.agent'
    """
    # Frame 2: a generator-based context manager is entered from contextlib, not from the caller.
    names = into.__globals__ if into is not None else sys._getframe(2).f_globals
    before = {each.__name__: names.get(each.__name__, _MISSING) for each in definitions}
    names.update({each.__name__: each for each in definitions})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is _MISSING:
                del names[name]
            else:
                names[name] = value
