"""Libraries that only some rooms need: an extra of the package, imported where it is used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from course.errors import ConfigurationError


def need(*modules: str, extra: str = "lab", without: str = "") -> Any:
    """Import libraries that belong to an extra, and give the last one.

    Args:
        modules: their names.
        extra: of the package.
        without: a library that they would import as well where it is installed, and that is not
            wanted: unless it is loaded already it is left out, with its time and memory.

    Raises ConfigurationError: one is not installed; the message has the command that does it.
    """
    with _left_out(without):
        for module in modules:
            try:
                found = importlib.import_module(module)
            except ImportError:
                raise ConfigurationError(
                    f"{module.partition('.')[0]} is missing, which this needs:"
                    f" pip install 'switchboard-course[{extra}]'"
                ) from None
    return found


@contextmanager
def _left_out(module: str) -> Iterator[None]:
    """Let an import of this module fail meanwhile, as where it is not installed."""
    if not module or module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]  # what Python takes for "not there"
    try:
        yield
    finally:
        del sys.modules[module]
