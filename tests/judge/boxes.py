"""For tests of the judge: the boxes that work here, a judge in one, and an ordinary account."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from graders.box import bwrap, landlock
from graders.box.backend import Backend
from graders.box.bwrap import Bubblewrap
from graders.box.landlock import Landlock
from graders.box.view import blocked, view
from tests.needs import lacking

BACKENDS: dict[str, Callable[[], Backend]] = {
    "bwrap": Bubblewrap,
    "landlock": Landlock,
    "landlock, no namespaces": lambda: Landlock(namespaces=False),
}
PROJECT = Path(__file__).resolve().parents[2]
ORDINARY = 1500


def missing(name: str) -> str:
    """Why a backend cannot be tested here; empty when it can."""
    return bwrap.available() if name.startswith("bwrap") else landlock.available()


def needed(name: str) -> Backend:
    """The backend of that name; where it cannot run, what `lacking` makes of it."""
    if reason := missing(name):
        lacking("bubblewrap" if name.startswith("bwrap") else "Landlock", reason)
    return BACKENDS[name]()


def strongest() -> Backend:
    """The first backend that works here; else as with `needed`."""
    return needed(next((name for name in BACKENDS if not missing(name)), "bwrap"))


def python_as(uid: int | None, source: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a text in a new Python of this environment, as another account when `uid` is given.

    The interpreter may lie where only root may go, so the new process first gets a mount namespace
    in which it does not.
    """
    shown = view().allowed()
    closed = [str(path) for path in blocked(shown)]

    def become() -> None:
        from graders.box.sealed import confine

        if closed:
            confine._reach(closed, [str(path) for path in shown])
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)

    with tempfile.TemporaryDirectory() as home:
        Path(home, "diary.txt").write_text("private")
        if uid:
            os.chown(home, uid, uid)
        return subprocess.run(
            [sys.executable, "-c", source, *arguments],
            cwd=PROJECT,
            env={**os.environ, "HOME": home},
            preexec_fn=become if uid else None,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
