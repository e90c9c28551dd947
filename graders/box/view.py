"""What a box may see of the machine: the interpreter, its packages, the course, and no more."""

from __future__ import annotations

import os
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import course

_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo")
_SETTINGS = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/os-release")
_GRADERS = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class View:
    """Paths to show, read-only, and paths to hide where they lie below a shown one."""

    shown: tuple[Path, ...]
    hidden: tuple[Path, ...]

    def layers(self) -> list[tuple[Path, bool]]:
        """(path, is it shown) from the outermost inwards, without what changes nothing."""
        marks = {**dict.fromkeys(self.shown, True), **dict.fromkeys(self.hidden, False)}
        kept: dict[Path, bool] = {}
        for path, visible in sorted(marks.items(), key=lambda mark: len(mark[0].parts)):
            above = next((kept[p] for p in path.parents if p in kept), False)
            if visible != above:
                kept[path] = visible
        return list(kept.items())

    def allowed(self) -> list[Path]:
        """The same as a list of paths to allow: a folder that holds a hidden one is spelt out."""
        layers = dict(self.layers())
        hidden = [path for path, visible in layers.items() if not visible]
        found: list[Path] = []
        waiting = [path for path, visible in layers.items() if visible]
        while waiting:
            path = waiting.pop()
            if any(path in each.parents for each in hidden):
                waiting.extend(each for each in _entries(path) if each not in layers)
            else:
                found.append(path)
        return sorted(found)


def view() -> View:
    """What this Python and this course need, and what must stay out of sight beside it."""
    shown = [*_system(), *_interpreter(), Path(course.__file__).resolve().parent]
    project = _GRADERS.parent
    hidden = [_GRADERS, *(project / name for name in ("solutions", "tests", "build", ".git"))]
    return View(tuple(dict.fromkeys(shown)), tuple(path for path in hidden if path.exists()))


def blocked(paths: list[Path]) -> list[Path]:
    """Folders on the way to `paths` that only their owner may enter, outermost first."""
    closed: list[Path] = []
    for path in paths:
        for folder in reversed(path.parents):
            if not folder.stat().st_mode & 0o001:
                closed.append(folder)
                break
    return list(dict.fromkeys(closed))


def _system() -> list[Path]:
    return [Path(name) for name in (*_LIBRARIES, *_SETTINGS) if Path(name).exists()]


def _interpreter() -> list[Path]:
    """Folders and files that this Python is made of, and each link that leads to it."""
    found = [Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]
    found += [Path(sysconfig.get_path(name)) for name in ("purelib", "platlib")]
    for base in {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}:
        found += [Path(base, part) for part in ("bin", "lib", "lib64", "pyvenv.cfg")]
    found += [Path(name) for name in packages()[1:]]
    found += _chain(Path(sys.executable))
    return [path for path in found if path.exists() and path != Path("/")]


def packages() -> list[str]:
    """Folders to import from: the one that holds course, then where packages are installed."""
    installed = ("site-packages", "dist-packages")
    above = str(Path(course.__file__).resolve().parents[1])
    return [above, *(name for name in sys.path if name.endswith(installed) and name != above)]


def _chain(path: Path) -> list[Path]:
    links = [path]
    while path.is_symlink():
        path = Path(os.path.normpath(path.parent / path.readlink()))
        links.append(path)
    return links


def _entries(folder: Path) -> list[Path]:
    try:
        return [folder / name for name in os.listdir(folder)]
    except OSError:
        return []
