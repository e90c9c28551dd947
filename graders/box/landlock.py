"""Boxes made in pure Python: Landlock, a seccomp filter and resource limits.

For where bubblewrap cannot run, such as in most containers. Files that may not be opened can
still be seen to exist; a box has no process but its own.
"""

from __future__ import annotations

import os
from pathlib import Path

from course.errors import ConfigurationError
from graders.box import backend
from graders.box.view import blocked, view


class Landlock:
    """Landlock + seccomp + limits, and namespaces of its own for each box where the kernel lets.

    `namespaces=False` leaves those out, as a container's rules would.
    """

    name = "landlock"
    walls = True
    separate = False

    def __init__(self, *, namespaces: bool = True) -> None:
        self.namespaces = namespaces

    def launch(self, code: Path, scratch: Path) -> backend.Launch:
        """A Python that confines itself; see `Backend.launch`."""
        roots = view().allowed()
        uid = backend.account()
        settings = {
            "confined": True,
            "namespaces": self.namespaces,
            "needs_landlock": True,
            "own_files": False,
            "private": str(scratch / "probe"),
            "mounts_private": False,
            "uid": uid,
            "roots": [str(path) for path in [*roots, code]],
            "reach": [] if uid is None else [str(path) for path in blocked(roots)],
            "modules": backend.MODULES,
        }
        return backend.Launch(backend.python(str(code)), settings, str(code), backend.environment())


def available() -> str:
    """Why Landlock cannot be used here, in one line; empty when it can."""
    try:
        backend.on_linux("landlock")
    except ConfigurationError as trouble:
        return str(trouble)
    from graders.box.sealed import landlock

    if landlock.version() == 0:
        return (
            f"Linux {os.uname().release} offers no Landlock here: it needs 5.13 or newer, with "
            "landlock among the kernel's security modules, and a container that allows its calls"
        )
    return ""
