"""Every attempt to break out, against every box that works here, as root and as an account."""

import functools
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from graders.box import probe
from graders.box.backend import Launch
from graders.box.bwrap import Bubblewrap
from graders.box.limits import Limits
from graders.box.none import LimitsOnly
from graders.box.probe import TESTER, attempt
from graders.box.warm import warm
from tests.judge.boxes import BACKENDS, ORDINARY, needed, python_as

ACCOUNTS = {"as we are": None} | ({"unprivileged": ORDINARY} if os.geteuid() == 0 else {})
_PROBE = """
import json, sys
from dataclasses import asdict
from graders.box.probe import probe
from tests.judge.boxes import BACKENDS
print(json.dumps([asdict(finding) for finding in probe(BACKENDS[sys.argv[1]]())]))
"""


@functools.cache
def findings(backend: str, account: str) -> dict[str, dict[str, object]]:
    ran = python_as(ACCOUNTS[account], _PROBE, backend)
    assert ran.returncode == 0, ran.stderr[-2000:]
    return {each["name"]: each for each in json.loads(ran.stdout)}


@pytest.mark.parametrize("attempted", probe._PROBES)
@pytest.mark.parametrize("account", ACCOUNTS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_box_holds(backend: str, account: str, attempted: str) -> None:
    needed(backend)
    found = findings(backend, account)[attempted]
    assert found["held"], found["detail"]


def test_the_probes_see_what_is_open() -> None:
    held = {finding.name: finding.held for finding in probe.probe(LimitsOnly())}
    for name in ("network", "unix sockets", "reading elsewhere", "leftovers"):
        assert not held[name], name
    for name in ("ordinary code runs", "endless loop", "endless wait", "endless output"):
        assert held[name], name


class Unfiltered(Bubblewrap):
    """The sandbox alone, without the filter of system calls."""

    def launch(self, code: Path, scratch: Path) -> Launch:
        launch = super().launch(code, scratch)
        return replace(launch, settings={**launch.settings, "confined": False})


def test_limits_and_namespaces_hold_without_the_filter() -> None:
    needed("bwrap")
    limits = Limits(processes=12)
    with warm(Unfiltered(), child=TESTER) as parent:
        forked = attempt(parent, "processes", limits, allowed=limits.processes)
        daemon = attempt(parent, "leftovers", path="/tmp/left")
        later = attempt(parent, "found_leftovers", path="/tmp/left")
        broken = attempt(parent, "breaking_out")
    # The box itself is one task of the twelve, and each fork another.
    assert forked.got == [f"started {limits.processes - 1} processes"]
    assert forked.let_go and daemon.let_go
    assert daemon.got == ["left a daemon"]
    assert later.got == []
    assert "made a user namespace" in broken.got  # so that the probe is known to see it
