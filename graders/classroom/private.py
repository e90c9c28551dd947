"""A class's folder: no other account of the machine looks in unless that is wanted."""

from __future__ import annotations

import stat
from pathlib import Path

OWNER_ALONE = 0o700
_OTHERS = 0o077


def make_folder(path: Path, out: Path) -> None:
    """Make a folder in a class's own, as open as that one is, where it is not there yet.

    Raises:
        OSError: it cannot be made.
    """
    if not out.exists():
        out.mkdir(mode=OWNER_ALONE, parents=True)
    mode, place = stat.S_IMODE(out.stat().st_mode), out
    for part in path.relative_to(out).parts:
        place /= part
        place.mkdir(mode=mode, exist_ok=True)


def openness(out: Path) -> str:
    """What to do where other accounts can look into a class's folder; empty where none can."""
    if not out.is_dir() or not (mode := stat.S_IMODE(out.stat().st_mode)) & _OTHERS:
        return ""
    return (
        f"other accounts of this machine can look into {out} ({mode:03o}), where grades are: "
        f"chmod -R go-rwx {out}"
    )
