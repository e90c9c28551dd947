"""Prints the policy's accuracy at the end of a test run."""

from __future__ import annotations

from collections import defaultdict

import pytest

OUTCOMES: dict[tuple[str, str], list[bool]] = defaultdict(list)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note the outcome that a test of one case has left in its properties."""
    for name, value in report.user_properties if report.when == "call" else ():
        if name == "policy":
            set_name, domain, right = value
            OUTCOMES[set_name, domain].append(right)


def _line(label: str, outcomes: list[bool]) -> str:
    right = sum(outcomes)
    return f"{label:<32}{right:>4} of {len(outcomes):<4}{right / len(outcomes):>7.1%}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A table: accuracy per domain, per set and overall."""
    if not OUTCOMES:
        return
    terminalreporter.section("policy: right tools and arguments")
    for set_name in sorted({name for name, _ in OUTCOMES}):
        rows = {d: o for (n, d), o in OUTCOMES.items() if n == set_name}
        for domain, outcomes in rows.items():
            terminalreporter.write_line(_line(f"  {domain}", outcomes))
        terminalreporter.write_line(_line(set_name, sum(rows.values(), [])))
    terminalreporter.write_line(_line("all", sum(OUTCOMES.values(), [])))
