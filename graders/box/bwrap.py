"""Boxes made by bubblewrap: a read-only world of its own, no network, no other process."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from course.errors import ConfigurationError
from graders.box import backend
from graders.box.view import packages, view

_CODE = "/box"
_SPACES = ("ipc", "mnt", "net", "pid", "uts")
_SECONDS = 20  # for a program that does nothing, on a busy machine
_PROOF = """
import json, os, sys
spaces, hidden, shown = json.loads(sys.argv[1])
def read(path):
    try:
        return os.listdir(path) if os.path.isdir(path) else os.access(path, os.R_OK)
    except OSError:
        return False
got = [f"has the machine's own {name}" for name, link in spaces.items()
       if os.readlink(f"/proc/self/ns/{name}") == link]
got += [f"can read {path}" for path in hidden if read(path)]
got += [f"may write to {path}" for path in shown if not os.statvfs(path).f_flag & os.ST_RDONLY]
print(json.dumps(got))
"""
ADVICE = "install it (Debian, Ubuntu: apt-get install bubblewrap; Fedora: dnf install bubblewrap)"


class Bubblewrap:
    """The strongest box: what is not shown does not exist.

    `namespaces=False` starts a new sandbox for each box, as where the kernel lets none be nested.
    """

    name = "bwrap"
    walls = True
    separate = True

    def __init__(self, *, namespaces: bool = True) -> None:
        self.namespaces = namespaces

    def launch(self, code: Path, scratch: Path) -> backend.Launch:
        """The sandbox's command line; see `Backend.launch`."""
        layers = view().layers()
        private = _private([path for path, shown in layers if shown])
        command = [_program(), *_namespaces(), *_world(layers, private, code), "--chdir", "/"]
        for name, value in backend.environment().items():
            command += ["--setenv", name, value]
        settings = {
            "confined": True,
            "namespaces": self.namespaces,
            "needs_landlock": False,
            "own_files": True,
            "private": private,
            "mounts_private": True,
            "uid": backend.account(),
            "roots": ["/"],
            "reach": [],
            "modules": backend.MODULES,
        }
        return backend.Launch([*command, "--", *backend.python(_CODE)], settings, _CODE)


def available() -> str:
    """Why bubblewrap cannot be used here, in one line; empty when it can.

    A program is run in the very sandbox that boxes get, and says what it can see of the machine.
    """
    try:
        backend.on_linux("bwrap")
        return _tried(_program())
    except ConfigurationError as trouble:
        return str(trouble)


@functools.cache
def _tried(program: str) -> str:
    layers = view().layers()
    shown = [path for path, visible in layers if visible]
    code = Path(__file__).parent
    command = [program, *_namespaces(), *_world(layers, _private(shown), code), "--chdir", "/"]
    spaces = {name: os.readlink(f"/proc/self/ns/{name}") for name in _SPACES}
    hidden = {*map(str, view().hidden), str(Path.home()), "/etc/passwd"} - {*packages()}
    told = json.dumps([spaces, sorted(hidden), ["/", *map(str, shown)]])
    command += ["--", sys.executable, "-I", "-S", "-c", _PROOF, told]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"bubblewrap is installed but does not answer within {_SECONDS} s"
    except OSError as trouble:
        return _explained(str(trouble))
    try:
        got = json.loads(ran.stdout)
    except ValueError:
        return _explained(ran.stderr)
    return f"bubblewrap runs but does not isolate: code in it {'; '.join(got[:3])}" if got else ""


def _explained(error: str) -> str:
    last = error.strip().splitlines()[-1:] or ["it ended without a word"]
    text = f"bubblewrap is installed but cannot run: {last[0]}"
    if os.path.exists("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"):
        return (
            f"{text}; Ubuntu needs an AppArmor profile for it (apt-get install apparmor-profiles)"
        )
    return f"{text}; user namespaces are switched off here (in a container, most often)"


def _program() -> str:
    found = shutil.which("bwrap")
    if found is None:
        raise ConfigurationError(f"bubblewrap is not installed: {ADVICE}")
    return found


def _namespaces() -> list[str]:
    """As root the account changes inside, after the mounts; else a user namespace hides it."""
    common = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--new-session"]
    common += ["--unshare-cgroup-try", "--hostname", "box", "--clearenv", "--cap-drop", "ALL"]
    if os.geteuid() == 0:
        return [*common, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    return [*common, "--unshare-user", "--uid", "65534", "--gid", "65534"]


def _world(layers: list[tuple[Path, bool]], private: str, code: Path) -> list[str]:
    world = ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]
    world += ["--perms", "1777", "--size", str(64 * 1024 * 1024), "--tmpfs", private]
    above = [str(folder) for folder in _folders_above([path for path, _ in layers])]
    for folder in above:
        world += ["--dir", folder]
    for path, shown in layers:
        if not shown:
            world += ["--tmpfs", str(path), "--remount-ro", str(path)]
        elif path.is_symlink() and path.parent == Path("/"):
            world += ["--symlink", os.readlink(path), str(path)]
        else:
            world += ["--ro-bind", str(path), str(path)]
    world += ["--ro-bind", str(code), _CODE]
    for folder in ("/", *above):  # to be passed through; Python lists where it imports from
        world += ["--chmod", "0555" if folder in packages() else "0111", folder]
    return [*world, "--remount-ro", "/"]


def _folders_above(paths: list[Path]) -> list[Path]:
    """Parents to be made by hand, so as to say who may do what in them."""
    above = {folder for path in paths for folder in path.parents if folder != Path("/")}
    covered = {folder for folder in above if any(p == folder or p in folder.parents for p in paths)}
    return sorted(above - covered, key=lambda folder: len(folder.parts))


def _private(shown: list[Path]) -> str:
    """Where a box keeps its files: /tmp, unless something to be shown stands below it."""
    return "/private" if any(Path("/tmp") in path.parents for path in shown) else "/tmp"
