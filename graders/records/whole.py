"""Files written whole or not at all: a disk that fills up costs no file that was there before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

ON = "every other file is as it was: put it right, and the same command goes on from there"
"""What to say where a file could not be written."""


@contextmanager
def whole(path: Path, *, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A file to write, in its place when the block ends and not before.

    It is written beside its place, brought onto the disk, and moved there: a reader meets what was
    there before or all of the new, whatever ends the program.

    Args:
        path: where it goes; what is there already may be read-only, as nbgrader makes its files.
        mode: who may do what with it, less what the process's umask takes away.

    Raises:
        OSError: it cannot be written; it names `path`, and what was there is as it was.
    """
    beside = path.with_name(f".{path.name}.new")
    try:
        with open(beside, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException as trouble:
        with suppress(OSError):
            beside.unlink()
        if isinstance(trouble, OSError):
            raise OSError(trouble.errno, trouble.strerror, str(path)) from trouble
        raise


def write(path: Path, data: bytes | str, *, mode: int = 0o666) -> None:
    """Write a file as `whole` does; of a text what UTF-8 cannot carry becomes a question mark."""
    with whole(path, mode=mode) as file:
        file.write(data.encode("utf-8", "replace") if isinstance(data, str) else data)
