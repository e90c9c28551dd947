"""What the end of a run of the tests says: what to do about each red one, what took longest, and
whether it was green.

Each process of pytest tells it by itself; where `python -m tests` runs two beside each other they
leave it in a file, and it is told once.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from _pytest.terminal import TerminalReporter

from tests.needs import why_not

KEPT = "TESTS_TOLD"
"""The variable that names the file in which to leave it."""
SLOWEST = 10
LONGEST = 300  # letters of a value
NOTEBOOKS = "--nbval --nbval-sanitize-with tests/notebooks/sanitize.cfg "
COMPARED = pytest.StashKey[tuple[str, str, str]]()


@dataclass
class Told:
    """What is to be said of a run; `seconds` are by file."""

    counts: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    missing: Counter[str] = field(default_factory=Counter)
    red: list[dict[str, str]] = field(default_factory=list)

    def add(self, other: Told) -> None:
        for name in ("counts", "seconds", "missing"):
            getattr(self, name).update(getattr(other, name))
        self.red += other.red

    def keep(self, path: Path) -> None:
        path.write_text(json.dumps(vars(self)), encoding="utf-8")


def read(path: Path) -> Told:
    """What a process left, or that it left nothing."""
    if not path.exists():
        return Told(counts=Counter(error=1), red=[{"test": path.stem, "said": "it did not end"}])
    made = json.loads(path.read_text(encoding="utf-8"))
    kinds = ("counts", "seconds", "missing")
    return Told(**{name: Counter(made[name]) for name in kinds}, red=made["red"])


def sentences(told: Told, *, besides: Iterable[str] = ()) -> Iterator[str]:
    """The lines at the end.

    Args:
        told: of all processes.
        besides: names of other programs that were not clean.
    """
    for each in told.red:
        yield f"✗ {each['test']}"
        yield from (
            f"    {name}: {each[name]}"
            for name in ("of", "said", "got", "expected", "alone")
            if each.get(name)
        )
    if told.seconds:
        yield f"The {SLOWEST} slowest files, in seconds of one core:"
        yield from (f"{round(s):>6}  {name}" for name, s in told.seconds.most_common(SLOWEST))
    counts, other = told.counts, list(besides)
    red = [f"{counts[kind]} {kind}" for kind in ("failed", "error") if counts[kind]] + other
    ran = f"{counts['passed']} passed" + f", {', '.join(red)}" * bool(red)
    left = [f"{number} not run: {why}" for why, number in sorted(told.missing.items())]
    if counts["long"]:
        left.append(f"{counts['long']} long ones are for make test-all")
    yield "; ".join([f"{'not green' if red else 'green'}: {ran}", *left])


class Telling:
    """Notes what happens, in the process that reports."""

    def __init__(self, config: pytest.Config) -> None:
        self.told, self.config = Told(), config
        self.item: pytest.Item | None = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Any:
        report = yield
        if report.failed:
            op, got, wanted = item.stash.get(COMPARED, ("", "", ""))
            report.user_properties.append(
                ("told", {"of": _about(item), "long": bool(item.get_closest_marker("long")),
                          **({"got": got, "expected": wanted} if op else {})})
            )  # fmt: skip
        return report

    def pytest_assertrepr_compare(
        self, config: pytest.Config, op: str, left: Any, right: Any
    ) -> None:
        item = getattr(self, "item", None)
        if item is not None:
            relation = "" if op == "==" else f"{op} "
            self.item.stash[COMPARED] = (op, _short(left), relation + _short(right))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.item = item

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        told = self.told
        told.seconds[report.nodeid.partition("::")[0]] += report.duration
        if report.failed:
            told.counts["failed" if report.when == "call" else "error"] += 1
            about = dict(report.user_properties).get("told", {})
            how = alone(report.nodeid, long=about.pop("long", False))
            told.red.append({"test": report.nodeid, "said": _said(report), **about, "alone": how})
        elif report.skipped:
            told_why = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
            why = why_not(told_why)
            told.counts["skipped"] += 1
            told.missing.update([why] if why else [])
        elif report.when == "call":
            told.counts["passed"] += 1

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.told.counts["error"] += 1
            self.told.red.append({"test": report.nodeid, "said": "it cannot be collected",
                                  "alone": alone(report.nodeid, long=False)})  # fmt: skip

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        if not self.config.getoption("long"):
            self.told.counts["long"] += sum(bool(i.get_closest_marker("long")) for i in items)

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        if kept := os.environ.get(KEPT):
            self.told.keep(Path(kept))
        elif self.told.counts.total():
            terminalreporter.section("in short")
            for line in sentences(self.told):
                terminalreporter.write_line(line)


def alone(nodeid: str, *, long: bool) -> str:
    """The command that plays one test alone."""
    flags = ("--long " * long) + (NOTEBOOKS * nodeid.startswith("solutions/"))
    return f".venv/bin/pytest {flags}{shlex.quote(nodeid)}"


def _about(item: pytest.Item) -> str:
    """The exercise, chapter or case that a test was given, as far as it can be told."""
    given = getattr(item, "callspec", None)
    values = given.params.values() if given else ()
    numbers = [f"exercise {v.number}" for v in values if hasattr(v, "number")]
    chapters = re.findall(r"\b\d\d_[a-z][a-z_]+", item.nodeid)
    return ", ".join([*numbers, *(f"chapter {each}" for each in dict.fromkeys(chapters))])


def _said(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    lines = str(crash.message if crash else report.longrepr).strip().splitlines()
    return lines[0][:LONGEST] if lines else ""


def _short(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
