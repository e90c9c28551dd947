"""Who pays for the model calls of somebody else's code: the budgets in force around it, which stand
above the models (`course.budget`)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import Any

Used = Callable[[int, int], None]
"""Hears of the tokens that a call read and wrote."""
Making = Callable[[Mapping[str, Any], Used], Awaitable[Any]]
"""Makes a call of a request, and tells its tokens: of a stream when it has ended."""
Charging = Callable[[Mapping[str, Any], Making], Awaitable[Any]]
"""Makes a call of a request, or of a smaller one that there is room for, or raises to refuse it."""

charging: ContextVar[Charging | None] = ContextVar("switchboard_charging", default=None)
"""What charges a call that is made here; None where nobody counts."""
