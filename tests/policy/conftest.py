"""Prints the policy's accuracy at the end of a test run."""

from __future__ import annotations

from collections import defaultdict

import pytest


def _line(label: str, outcomes: list[bool]) -> str:
    right = sum(outcomes)
    return f"{label:<20}{right:>5} of {len(outcomes):<5}{right / len(outcomes):>7.1%}"


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """A table: accuracy per domain, per set and overall, and the requests that went wrong."""
    played = getattr(config, "policy_outcomes", None)
    if not played:
        return
    sets: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for case, wrong in played:
        sets[case.set][case.domain].append(not wrong)
    terminalreporter.section("policy: right tools and right arguments")
    for name, domains in sets.items():
        for domain, right in domains.items():
            terminalreporter.write_line(_line(f"  {domain}", right))
        terminalreporter.write_line(_line(name, [r for d in domains.values() for r in d]))
    terminalreporter.write_line(_line("all", [not wrong for _, wrong in played]))
    # Held-out misses stay unnamed: whoever tunes the rules shouldn't be looking at them.
    missed = [case.id for case, wrong in played if wrong and case.set != "heldout"]
    terminalreporter.write_line(f"went wrong in development: {', '.join(missed) or 'none'}")
