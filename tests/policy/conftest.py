"""Prints the policy's accuracy at the end of a test run."""

from __future__ import annotations

from collections import defaultdict

import pytest

from tests.policy.cases import Case

Played = list[tuple[Case, str]]


def _line(label: str, outcomes: list[bool]) -> str:
    right = sum(outcomes)
    return f"{label:<20}{right:>5} of {len(outcomes):<5}{right / len(outcomes):>7.1%}"


def _rows(reporter: pytest.TerminalReporter, played: Played) -> None:
    sets: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for case, wrong in played:
        sets[case.set][case.domain].append(not wrong)
    for name, domains in sets.items():
        for domain, right in domains.items():
            reporter.write_line(_line(f"  {domain}", right))
        reporter.write_line(_line(name, [r for d in domains.values() for r in d]))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """A table: accuracy per domain, per set and overall, and the requests that went wrong."""
    played: Played = getattr(config, "policy_outcomes", [])
    apart: Played = getattr(config, "policy_heldout_2", [])
    teams: dict[str, list[tuple[str, int, int]]] = getattr(config, "policy_teamwork", {})
    if teams:
        terminalreporter.section("policy: work in teams")
    for name, rows in teams.items():
        told = ", ".join(f"{kind} {right} of {most}" for kind, right, most in rows)
        right, most = sum(r for _, r, _ in rows), sum(m for _, _, m in rows)
        terminalreporter.write_line(f"{name}: {right} of {most} ({right / most:.0%}): {told}")
    if not played and not apart:
        return
    terminalreporter.section("policy: right tools and right arguments")
    if played:
        _rows(terminalreporter, played)
        terminalreporter.write_line(_line("all", [not wrong for _, wrong in played]))
    # The second held-out set has a floor of its own and stays out of the total.
    _rows(terminalreporter, apart)
    if not played:
        return
    # Held-out misses stay unnamed: whoever tunes the rules shouldn't be looking at them.
    missed = [case.id for case, wrong in played if wrong]
    terminalreporter.write_line(f"went wrong in development: {', '.join(missed) or 'none'}")
