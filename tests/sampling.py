"""What of a long list one run of the tests plays: another part each day, and all when thorough.

The part is the same all day and on every core, so that a failure can be seen again: the report's
header names the turn, and `--turn` plays that of another day.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeVar

import pytest

Case = TypeVar("Case")


def today() -> int:
    """The day's number, in UTC."""
    return datetime.now(UTC).toordinal()


def part(cases: Sequence[Case], config: pytest.Config, *, of: int) -> list[Case]:
    """Every `of`-th case, in `of` days each one once; all of them with `--thorough`."""
    if config.getoption("thorough"):
        return list(cases)
    return list(cases[int(config.getoption("turn")) % of :: of])


def is_its_day(config: pytest.Config, place: int, *, of: int) -> bool:
    """Whether it is the day for something long: `place` says which of `of`, or `--thorough`."""
    return bool(config.getoption("thorough")) or int(config.getoption("turn")) % of == place


def on_its_day(config: pytest.Config, place: int, *, of: int) -> None:
    """Skip a long test on all days but every `of`-th; `place` says which. Not with `--thorough`."""
    if not is_its_day(config, place, of=of):
        pytest.skip(f"played every {of} days, and with --thorough")
