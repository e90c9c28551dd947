"""No box, only resource limits: for one's own work, where nothing better can run."""

from __future__ import annotations

from pathlib import Path

from graders.box import backend


class LimitsOnly:
    """A process of its own with limits; its code may read, write and connect as you may."""

    name = "none"
    walls = False
    separate = False

    def launch(self, code: Path, scratch: Path) -> backend.Launch:
        """A plain Python; see `Backend.launch`."""
        settings = {
            "confined": False,
            "namespaces": False,
            "needs_landlock": False,
            "own_files": False,
            "private": str(scratch / "probe"),
            "mounts_private": False,
            "uid": None,
            "roots": [],
            "reach": [],
            "modules": backend.MODULES,
        }
        return backend.Launch(backend.python(str(code)), settings, str(code), backend.environment())
