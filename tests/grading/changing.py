"""A wrong answer is a right one with something changed, so that it is wrong in that alone."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

_text = cache(inspect.getsource)


def changed(definition: Callable[..., Any] | str, *changes: str, head: str = "") -> str:
    """A right definition, or its text, with something changed, each time at exactly one place.

    Args:
        definition: what is right.
        changes: what stands there and what is to stand there, again and again.
        head: lines that come before it, such as its cell's imports.

    Raises:
        ValueError: what is to be changed stands there never, or more than once.
    """
    source = definition if isinstance(definition, str) else _text(definition)
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        if source.count(old) != 1:
            raise ValueError(f"{source.splitlines()[0]} holds {source.count(old)} times: {old}")
        source = source.replace(old, new)
    return head + source
