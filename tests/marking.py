"""Which cases every run of the tests plays, and which only `make test-all` (`pytest --long`).

Both are the same on every day and machine: nothing is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

LONG = pytest.mark.long


def first(most: int, *, of: Iterable[Any]) -> list[Any]:
    """The cases as parameters; all after the first `most` are long."""
    return [
        pytest.param(case, marks=LONG if place >= most else ()) for place, case in enumerate(of)
    ]
