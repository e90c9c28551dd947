"""The files of a download: folders, zips, zips in zips; what could do harm is refused by name.

What one student handed in can cost that student alone: whatever is wrong with an entry is that
entry's, and how many files and bytes there may be is counted for each student as well as in all.
"""

from __future__ import annotations

import io
import os
import re
import stat
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from course.errors import ConfigurationError
from graders.classroom.submitted import NOTEBOOKS, STAMP
from graders.judge.submission import LARGEST
from graders.records.wording import clip, one_line

MOST_FILES, FILES_EACH = 50_000, 2_000  # of one download, and of one student in it
MOST_BYTES, BYTES_EACH = 4_000_000_000, 200_000_000  # unpacked; likewise
NOTEBOOKS_EACH = 50  # each is read to find its chapter, which may take a second
LONGEST_NAME, LONGEST_PATH = 255, 4_000  # characters
MOST_INDEX, INDEX_EACH = 64_000_000, 8_000_000  # bytes of a zip's own list; 2,000 files have 0.4 MB
DEEPEST = 3  # zips in zips
DEEPEST_FOLDER = 50
_PIECE = 1 << 20
_ZIP = ".zip"
_ENCRYPTED, _UTF_8 = 1, 0x800
_PROGRAMS = {"__macosx", "__pycache__", "desktop.ini", "thumbs.db"}
_DRIVE = re.compile("[A-Za-z]:")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The others give gigabytes for one read, or ask for them before the first."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One file of a download.

    Attributes:
        name: its path in the download; a zip in it counts as a folder.
        path: where it lies now; None when it was refused, or is nothing that anybody reads.
        reason: why it was refused.
    """

    name: PurePosixPath
    path: Path | None = None
    reason: str = ""


@dataclass(slots=True)
class _Spent:
    """What one student's files have used up; `over` when the rest of them is left."""

    files: int = 0
    notebooks: int = 0
    bytes: int = 0
    over: bool = False


def outline(source: Path) -> list[tuple[str, ...]]:
    """The paths in a download, by their parts, without unpacking anything but a zip's own list.

    A zip that lies alone in a folder or a zip, but for what nobody reads, counts as a folder. What
    cannot be read is left out: `Unpacker.pieces` says why.
    """
    if source.is_dir():
        found = [name.parts for name, _ in _below(source, PurePosixPath())]
        if alone := _alone(found):
            return [(*alone, *parts) for parts in _listed(source.joinpath(*alone))]
        return found
    return _listed(source) if _is_zip(source.name) else [(source.name,)]


def is_hidden(parts: tuple[str, ...]) -> bool:
    """Whether it is what a program adds for itself, such as a Mac to each file of a zip."""
    return any(part.startswith(".") or part.casefold() in _PROGRAMS for part in parts)


def is_read(name: str) -> bool:
    """Whether a file so called may be a notebook, or a zip that holds one."""
    return name.lower().endswith((_ZIP, *NOTEBOOKS))


def _alone(found: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """The one file of all that anybody reads, where it is a zip."""
    seen = [parts for parts in found if parts and not is_hidden(parts) and is_read(parts[-1])]
    return seen[0] if len(seen) == 1 and _is_zip(seen[0][-1]) else ()


class Unpacker:
    """Finds every file of a download, and unpacks what may be a notebook.

    Args:
        folder: where unpacked files go; an empty folder that the caller removes.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count()
        self._files = 0
        self._bytes = 0
        self._level = 0
        self._spent: defaultdict[tuple[str, ...], _Spent] = defaultdict(_Spent)

    def pieces(self, source: Path, level: int = 0) -> Iterator[Piece]:
        """Every file of a folder, a zip or a single file.

        Args:
            source: what was downloaded.
            level: which part of a path says whose a file is, counted from 0. Files that are alike
                up to there are one student's, and share a budget.

        Raises:
            ConfigurationError: there is no room to unpack it.
        """
        self._level = level
        self._spent.clear()
        if source.is_dir():
            top = PurePosixPath()
            for name, path in sorted(_below(source, top), key=lambda each: self._rank(each[0])):
                yield from self._found(name, path)
        elif _is_zip(source.name):
            yield from self._of_zip(source, PurePosixPath(), 1)
        else:
            yield Piece(PurePosixPath(source.name), source)

    def _found(self, name: PurePosixPath, path: Path) -> Iterator[Piece]:
        """A file of a folder."""
        told = self._counted(name)
        if told != "":
            yield from [Piece(name, reason=told)] if told else []
        elif fault := _odd(path):
            yield Piece(name, reason=fault)
        elif _is_zip(path.name) and not is_hidden(name.parts[self._level + 1 :]):
            yield from self._of_zip(path, name, 1)
        else:
            yield Piece(name, path)

    def _of_zip(self, path: Path, within: PurePosixPath, depth: int) -> Iterator[Piece]:
        if depth > DEEPEST:
            yield Piece(within, reason=f"zips lie in zips more than {DEEPEST} deep")
            return
        try:
            with _opened(path, INDEX_EACH if within.parts else MOST_INDEX) as archive:
                entries = sorted(
                    archive.infolist(), key=lambda each: self._rank(within / _clipped(_path(each)))
                )
                if all(_path(each).endswith("/") for each in entries):
                    yield Piece(within, reason="there is no file in the zip")
                for entry in entries:
                    yield from self._entry(archive, entry, within, depth)
        except ConfigurationError:
            raise
        except Exception as trouble:  # whatever zipfile, zlib and struct make of damaged bytes
            yield Piece(within, reason=f"the zip cannot be read: {_said(trouble)}")

    def _rank(self, name: PurePosixPath) -> tuple[bool, int, str]:
        """What may be a notebook first, and what lies less deep: a budget goes to these."""
        return not self._is_wanted(name), len(name.parts), name.as_posix()

    def _is_wanted(self, name: PurePosixPath) -> bool:
        """Whether it may be a notebook, or a zip that holds one, and no program's own."""
        wanted = is_read(name.name) or name.name.lower().endswith(STAMP)
        return wanted and not is_hidden(name.parts[self._level + 1 :])

    def _entry(
        self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, within: PurePosixPath, depth: int
    ) -> Iterator[Piece]:
        path = _path(entry)
        name = within / _clipped(path)
        told = self._counted(name)
        if told != "" or path.endswith("/"):
            yield from [Piece(name, reason=told)] if told else []
            return
        if fault := _fault(entry):
            yield Piece(name, reason=fault)
            return
        if not self._is_wanted(name):
            yield Piece(name)
            return
        packed = _is_zip(path)
        target = self._folder / f"{next(self._numbers)}{'.zip' if packed else ''}"
        if fault := self._copy(archive, entry, target, name):
            target.unlink(missing_ok=True)
            yield Piece(name, reason=fault)
        elif packed:
            yield from self._of_zip(target, name, depth + 1)
            target.unlink(missing_ok=True)
        else:
            yield Piece(name, target)

    def _of(self, name: PurePosixPath) -> _Spent:
        return self._spent[name.parts[: self._level + 1]]

    def _counted(self, name: PurePosixPath) -> str | None:
        """Count a file: "" when it may be looked at, why it may not, or None when that was said."""
        spent = self._of(name)
        if spent.over:
            return None
        spent.files += 1
        self._files += 1
        own = name.parts[self._level + 1 :]
        spent.notebooks += name.name.lower().endswith(NOTEBOOKS) and not is_hidden(own)
        return self._left_out(spent)

    def _left_out(self, spent: _Spent) -> str:
        """Why nothing more of this student is looked at; empty where it is."""
        if spent.files > FILES_EACH:
            told = f"there are more than {FILES_EACH:,} files of one student"
        elif spent.notebooks > NOTEBOOKS_EACH:
            told = f"there are more than {NOTEBOOKS_EACH} notebooks of one student"
        elif self._files > MOST_FILES:
            told = f"there are more than {MOST_FILES:,} files in the download"
        elif spent.bytes > BYTES_EACH:
            told = f"there are more than {BYTES_EACH // 10**6} MB of one student, unpacked"
        elif self._bytes > MOST_BYTES:
            told = f"there are more than {MOST_BYTES // 10**9} GB in the download, unpacked"
        else:
            return ""
        spent.over = True
        return f"{told}: the rest was left out"

    def _copy(
        self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, name: PurePosixPath
    ) -> str:
        """Unpack one file, counting what really comes; returns what is wrong with it."""
        most = BYTES_EACH if _is_zip(target.name) else LARGEST + 1
        spent, size = self._of(name), 0
        try:
            with archive.open(entry) as source, target.open("wb") as file:
                while data := source.read(_PIECE):
                    size += len(data)
                    spent.bytes += len(data)
                    self._bytes += len(data)
                    if fault := self._left_out(spent):
                        return fault
                    if size > most:
                        return f"it is larger than {most // 1_000_000} MB, unpacked"
                    _write(data, file)
        except ConfigurationError:
            raise
        except Exception as trouble:  # zlib and struct have errors of their own
            return f"it cannot be unpacked: {_said(trouble)}"
        return ""


def _write(data: bytes, file: BinaryIO) -> None:
    """Write into one of our own files: where that fails, it is no entry's fault."""
    try:
        file.write(data)
        file.flush()
    except OSError as trouble:
        raise ConfigurationError(
            f"cannot unpack the download: {trouble.strerror}; make room, and collect again"
        ) from None


class _Bounded(io.BufferedReader):
    """A zip whose own list of files is not read where it would fill the memory."""

    def __init__(self, file: Any, most: int) -> None:
        super().__init__(file)
        self._most = most

    def read(self, size: int | None = -1, /) -> bytes:
        """Read as a file does; zipfile asks for that list in one piece."""
        if size is not None and size > self._most:
            raise zipfile.BadZipFile(f"its list of files has more than {self._most // 10**6} MB")
        return super().read(size)


@contextmanager
def _opened(path: Path, most: int = INDEX_EACH) -> Iterator[zipfile.ZipFile]:
    with _Bounded(io.FileIO(path), most) as file, zipfile.ZipFile(file) as archive:
        yield archive


def _listed(path: Path) -> list[tuple[str, ...]]:
    """The paths in a zip that may be where they say."""
    try:
        with _opened(path, MOST_INDEX) as archive:
            return _paths(archive)
    except Exception:  # as above: it is told when it is unpacked
        return []


def _paths(archive: zipfile.ZipFile, depth: int = 1) -> list[tuple[str, ...]]:
    files = [each for each in archive.infolist() if not (_path(each).endswith("/") or _fault(each))]
    found = {PurePosixPath(_path(each)).parts: each for each in files}
    alone = _alone(found)
    if alone and depth < DEEPEST and found[alone].file_size <= BYTES_EACH:
        with (
            suppress(Exception),  # it is told when it is unpacked
            archive.open(found[alone]) as packed,
            _Bounded(packed, INDEX_EACH) as file,
            zipfile.ZipFile(file) as inner,
        ):
            return [(*alone, *parts) for parts in _paths(inner, depth + 1)]
    return list(found)


def _below(folder: Path, within: PurePosixPath) -> Iterator[tuple[PurePosixPath, Path]]:
    """Every file below a folder, in the order of names; a folder that is not opened is one too."""
    try:
        found = sorted(os.scandir(folder), key=lambda each: each.name)
    except OSError:
        yield within, folder
        return
    for each in found:
        name = within / each.name
        if each.is_dir(follow_symlinks=False) and len(name.parts) <= DEEPEST_FOLDER:
            yield from _below(folder / each.name, name)
        else:
            yield name, folder / each.name


def _odd(path: Path) -> str:
    """Why what lies in a folder is no file to be read; empty where it is one."""
    if path.is_symlink():
        return "it is a link, and links are not followed"
    if path.is_dir():
        return f"the folder cannot be opened, or lies more than {DEEPEST_FOLDER} deep"
    if not path.is_file():
        return "it is no file, but a pipe or a device"
    return ""


def _path(entry: zipfile.ZipInfo) -> str:
    """Its path with slashes, also where a program of Windows wrote backslashes.

    A Mac writes UTF-8 and does not say so, which zipfile takes for code page 437.
    """
    name = entry.filename
    if not entry.flag_bits & _UTF_8:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode()
    return name.replace("\\", "/")


def _clipped(path: str) -> PurePosixPath:
    """A path below where it stands, short enough to be shown."""
    parts = path[:LONGEST_PATH].split("/")
    kept = (clip(each, LONGEST_NAME) for each in parts if each not in ("", "."))
    return PurePosixPath(*kept)


def _fault(entry: zipfile.ZipInfo) -> str:
    path = _path(entry)
    parts = path.split("/")
    if len(path) > LONGEST_PATH or max(map(len, parts)) > LONGEST_NAME:
        return (
            f"its name has more than {LONGEST_NAME} letters, or its path more than {LONGEST_PATH:,}"
        )
    if path.startswith("/") or ".." in parts or _DRIVE.match(path):
        return "its path leads out of the download"
    if not set(parts) - {"", "."}:
        return "it has no name"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "it is a link, and links are not followed"
    if entry.flag_bits & _ENCRYPTED:
        return "it is encrypted"
    if entry.compress_type not in _METHODS:
        return "it is packed in a way that is not read here: pack it as a usual zip"
    return ""


def _is_zip(name: str) -> bool:
    return name.lower().endswith(_ZIP)


def _said(trouble: Exception) -> str:
    return clip(one_line(str(trouble) or type(trouble).__name__), 120)
