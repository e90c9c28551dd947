"""How much of the disk a box takes, where no mount of its own bounds it."""

from __future__ import annotations

import contextlib
import os

_MOST_ENTRIES = 4096  # as many as the mount has room for, where there is one
_DEEPEST = 32
_ENDLESS = float("inf")


def in_folder(folder: str) -> float:
    """Bytes below a folder; endless when it is made so that nobody can count them."""
    try:
        return _below(folder)
    except PermissionError:
        return _ENDLESS
    except OSError:
        return 0  # it changed meanwhile: the next look will tell


def nameless(box: int) -> float:
    """Bytes in files that the box deleted and holds open."""
    used = 0
    try:
        for name in os.listdir(f"/proc/{box}/fd"):
            with contextlib.suppress(FileNotFoundError):
                held = os.stat(f"/proc/{box}/fd/{name}")
                used += 0 if held.st_nlink else held.st_blocks * 512
    except OSError:
        return 0  # no /proc here, or it is just beginning or ending: it cannot hide them
    return used


def _below(folder: str) -> float:
    """Folders are opened from their parents: a path may be longer than the kernel takes."""
    used, entries = 0, 0
    waiting = [(os.open(folder, os.O_RDONLY | os.O_DIRECTORY), 0)]
    try:
        while waiting:
            descriptor, depth = waiting.pop()
            with contextlib.closing(_Held(descriptor)), os.scandir(descriptor) as found:
                for entry in found:
                    entries += 1
                    used += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
                        inner = os.open(entry.name, flags, dir_fd=descriptor)
                        waiting.append((inner, depth + 1))
                    if entries > _MOST_ENTRIES or depth > _DEEPEST or len(waiting) > 500:
                        return _ENDLESS
    finally:
        for descriptor, _ in waiting:
            os.close(descriptor)
    return used


class _Held:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def close(self) -> None:
        os.close(self._descriptor)
