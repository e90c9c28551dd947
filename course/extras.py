"""Libraries that only some rooms need: an extra of the package, imported where it is used."""

from __future__ import annotations

import importlib
from typing import Any

from course.errors import ConfigurationError


def need(*modules: str, extra: str = "lab") -> Any:
    """Import libraries that belong to an extra, and give the last one.

    Raises ConfigurationError: one is not installed; the message has the command that does it.
    """
    for module in modules:
        try:
            found = importlib.import_module(module)
        except ImportError:
            raise ConfigurationError(
                f"{module.partition('.')[0]} is missing, which this needs:"
                f" pip install 'switchboard-course[{extra}]'"
            ) from None
    return found
