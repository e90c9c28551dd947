"""Checks made of checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from graders.records.log import Log
from graders.records.verdict import Check, Verdict, passed
from graders.records.wording import sealed


def first_failing(checks: Iterable[Check]) -> Check:
    """The verdict of the first check that does not pass, or else that of the last one."""
    kept = tuple(checks)

    def check(log: Log) -> Verdict:
        verdict = passed()
        for each in kept:
            verdict = each(log)
            if not verdict.passed:
                return verdict
        return verdict

    return check


def all_of(*checks: Check) -> Check:
    """All checks pass; else the verdict of the first that does not."""
    return first_failing(checks)


def any_of(*checks: Check) -> Check:
    """One check passes; else the verdict of the first one, which should be the usual way.

    Raises:
        ValueError: no check is given.
    """
    if not checks:
        raise ValueError("any_of needs at least one check")

    def check(log: Log) -> Verdict:
        verdicts = [each(log) for each in checks]
        return next((verdict for verdict in verdicts if verdict.passed), verdicts[0])

    return check


def viewed(view: Callable[[Log], Any], *checks: Check) -> Check:
    """These checks, on what this view makes of a run that returned: it takes the result's place.

    So what was seen at the boundary, such as when something was called, can stand beside what was
    returned.
    """
    every = first_failing(checks)

    @sealed
    def check(log: Log) -> Verdict:
        return every(replace(log, result=view(log)) if log.returned else log)

    return check
