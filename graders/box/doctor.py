"""``python -m graders doctor``: which boxes work on this machine, proved by trying to break out."""

from __future__ import annotations

from collections.abc import Iterator

from course.errors import ConfigurationError
from graders.box import bwrap, landlock
from graders.box.backend import Backend
from graders.box.bwrap import Bubblewrap
from graders.box.choice import choose
from graders.box.landlock import Landlock
from graders.box.none import LimitsOnly
from graders.box.probe import Finding, machine, probe
from graders.box.warm import BoxError

_FOR = {
    "bwrap": "bubblewrap: a read-only world of its own; the first choice",
    "landlock": "Landlock, a filter of system calls and limits, in pure Python; the second choice",
    "none": "limits only: for your own work, never for somebody else's",
}


def doctor() -> int:
    """Print what works here; returns 0 when there is a box for other people's work."""
    print(f"Boxes on this machine ({machine()})")
    holds = {"bwrap": _examined(Bubblewrap(), bwrap.available())}
    holds["landlock"] = _examined(Landlock(), landlock.available())
    _examined(LimitsOnly(), "")
    print()
    try:
        taken = choose("auto").name
    except ConfigurationError:
        print("Only your own work can be judged here, with --box none.")
        print(f"For a class: use Linux, and bubblewrap: {bwrap.ADVICE}.")
        return 1
    if holds[taken]:
        print(f"Other people's work can be judged here: --box auto takes {taken}.")
        return 0
    print(
        f"--box auto takes {taken}, which does not hold everything here: judge only your own work"
    )
    print("in it." + "".join(f" Use --box {name}, which does." for name in holds if holds[name]))
    return 1


def _examined(backend: Backend, reason: str) -> bool:
    """Print what one backend holds; whether it holds everything."""
    print(f"\n{backend.name}: {_FOR[backend.name]}")
    if reason:
        print(f"  ✗ cannot run: {reason}")
        return False
    try:
        findings = probe(backend)
    except BoxError as trouble:
        print(f"  ✗ cannot run: {trouble}")
        return False
    for line in _lines(findings):
        print(f"  {line}")
    return all(finding.held for finding in findings)


def _lines(findings: list[Finding]) -> Iterator[str]:
    held = [finding.name for finding in findings if finding.held]
    if held:
        yield f"✓ holds: {', '.join(held)}"
    for finding in findings:
        if not finding.held:
            yield f"✗ {finding.name}: {finding.detail}"
