"""The files of a download: folders, zips, zips in zips; what could do harm is refused by name."""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePosixPath

from graders.judge.submission import LARGEST

MOST_FILES = 50_000
MOST_BYTES = 4_000_000_000  # unpacked, of one download
LARGEST_ZIP = 1_000_000_000  # of a zip in a zip
DEEPEST = 3  # zips in zips
_PIECE = 1 << 20
_ENCRYPTED = 1


@dataclass(frozen=True, slots=True)
class Piece:
    """One file of a download.

    Attributes:
        name: its path in the download; a zip in it counts as a folder.
        path: where it lies now; None when it was refused.
        reason: why it was.
    """

    name: PurePosixPath
    path: Path | None = None
    reason: str = ""


class Unpacker:
    """Finds every file of a download, and unpacks what is packed.

    Args:
        folder: where unpacked files go; an empty folder that the caller removes.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count()
        self._bytes = 0
        self._files = 0

    def pieces(self, source: Path) -> Iterator[Piece]:
        """Every file of a folder, a zip or a single file, in the order of names."""
        if source.is_dir():
            yield from self._of_folder(source)
        elif _is_zip(source):
            yield from self._of_zip(source, PurePosixPath(), 1)
        else:
            yield Piece(PurePosixPath(source.name), source)

    def _of_folder(self, folder: Path) -> Iterator[Piece]:
        for here, folders, files in os.walk(folder):
            folders.sort()
            for name in sorted(
                [*files, *(each for each in folders if Path(here, each).is_symlink())]
            ):
                path = Path(here, name)
                within = PurePosixPath(path.relative_to(folder).as_posix())
                if path.is_symlink():
                    yield Piece(within, reason="it is a link, and links are not followed")
                elif not path.is_file():
                    yield Piece(within, reason="it is no file, but a pipe or a device")
                elif _is_zip(path):
                    yield from self._of_zip(path, within, 1)
                else:
                    yield Piece(within, path)

    def _of_zip(self, path: Path, within: PurePosixPath, depth: int) -> Iterator[Piece]:
        if depth > DEEPEST:
            yield Piece(within, reason=f"zips lie in zips more than {DEEPEST} deep")
            return
        try:
            with zipfile.ZipFile(path) as archive:
                for entry in sorted(archive.infolist(), key=lambda each: each.filename):
                    if not entry.is_dir():
                        yield from self._entry(archive, entry, within, depth)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as trouble:
            yield Piece(within / ".", reason=f"the zip {path.name} cannot be read: {trouble}")

    def _entry(
        self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, within: PurePosixPath, depth: int
    ) -> Iterator[Piece]:
        name = within / _path(entry).lstrip("/")
        self._files += 1
        if self._files > MOST_FILES:
            if self._files == MOST_FILES + 1:
                yield Piece(
                    name, reason=f"there are more than {MOST_FILES:,} files; the rest is left"
                )
            return
        if fault := _fault(entry):
            yield Piece(name, reason=fault)
            return
        packed = entry.filename.lower().endswith(".zip")
        target = self._folder / f"{next(self._numbers)}{'.zip' if packed else ''}"
        if fault := self._copy(archive, entry, target, LARGEST_ZIP if packed else LARGEST + 1):
            target.unlink(missing_ok=True)
            yield Piece(name, reason=fault)
        elif packed:
            yield from self._of_zip(target, name, depth + 1)
        else:
            yield Piece(name, target)

    def _copy(
        self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, most: int
    ) -> str:
        """Unpack one file, counting what really comes; returns what is wrong with it."""
        size = 0
        try:
            with archive.open(entry) as source, target.open("wb") as file:
                while data := source.read(_PIECE):
                    size += len(data)
                    self._bytes += len(data)
                    if size > most:
                        return f"it is larger than {most // 1_000_000} MB, unpacked"
                    if self._bytes > MOST_BYTES:
                        return f"the download is larger than {MOST_BYTES // 10**9} GB, unpacked"
                    file.write(data)
        except (zipfile.BadZipFile, EOFError, RuntimeError, NotImplementedError) as trouble:
            return f"it cannot be unpacked: {trouble}"
        except Exception as trouble:  # zlib, lzma and bz2 have errors of their own
            if isinstance(trouble, OSError) and trouble.errno is not None:
                raise
            return f"it cannot be unpacked: {trouble}"
        return ""


def _path(entry: zipfile.ZipInfo) -> str:
    """Its path with slashes, also where a program of Windows wrote backslashes."""
    return entry.filename.replace("\\", "/")


def _fault(entry: zipfile.ZipInfo) -> str:
    path = PurePosixPath(_path(entry))
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        return "its path leads out of the download"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "it is a link, and links are not followed"
    if entry.flag_bits & _ENCRYPTED:
        return "it is encrypted"
    return ""


def _is_zip(path: Path) -> bool:
    return path.name.lower().endswith(".zip")
