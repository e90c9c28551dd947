"""The folder a parent of boxes works in: the code that goes in, and private folders."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import shutil
import tempfile
from pathlib import Path

_PREFIX, _LOCK = "box-", "held"
SEALED = Path(__file__).resolve().parent / "sealed"


class Folder:
    """A folder that is gone when it is closed, or when a later parent finds it abandoned."""

    def __init__(self) -> None:
        for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*/{_LOCK}"):
            _remove_if_abandoned(left)
        unheld = Path(tempfile.mkdtemp(prefix=f"new-{_PREFIX}"))
        self._lock = os.open(unheld / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        # Only now does it get the name by which others look for abandoned ones.
        self.path = unheld.rename(unheld.with_name(unheld.name.removeprefix("new-")))
        self.path.chmod(0o711)  # boxes of another account pass through, and cannot list it

    def fill(self, child: Path) -> None:
        """Put in what the sandbox runs: the sealed code, and the child's package."""
        code = self.path / "code"
        shutil.copytree(SEALED, code / "sealed", ignore=_only_source)
        shutil.copytree(child, code / "child", ignore=_only_source)
        for path in [code, *code.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        (self.path / "probe").mkdir()
        (self.path / "probe").chmod(0o755)

    def private(self, uid: int | None) -> Path:
        """A new folder for the files of one box, which the account `uid` owns."""
        made = Path(tempfile.mkdtemp(prefix="private-", dir=self.path))
        if uid is not None:
            os.chown(made, uid, uid)
        return made

    def close(self) -> None:
        """Remove it, with all that is in it."""
        remove(self.path)
        os.close(self._lock)


def remove(folder: Path) -> None:
    """Remove what a box wrote, even folders it closed to us or nested without end.

    Folders in folders are moved up first: a path may be longer than the kernel takes.
    """
    names = itertools.count()
    with contextlib.suppress(OSError):
        while inner := _emptied(folder):
            for each in inner:
                for below in _emptied(each):
                    below.rename(folder / f"moved-{next(names)}")
                each.rmdir()
        folder.rmdir()


def _emptied(folder: Path) -> list[Path]:
    """Remove the files in a folder; returns the folders in it, opened to us."""
    folder.chmod(0o700)
    inner = []
    for each in list(folder.iterdir()):
        if each.is_symlink() or not each.is_dir():
            each.unlink()
        else:
            each.chmod(0o700)  # only then can it be moved
            inner.append(each)
    return inner


def _remove_if_abandoned(lock: Path) -> None:
    """Only who is dead has let go of the lock: a judge that was killed cleans up nothing."""
    with contextlib.suppress(OSError):
        descriptor = os.open(lock, os.O_RDWR | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove(lock.parent)
        finally:
            os.close(descriptor)


def _only_source(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if name == "__pycache__" or name.startswith(".")}
