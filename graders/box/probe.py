"""Proves what a box holds, by trying to break out of it; see graders/box/tester."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graders.box.backend import Backend
from graders.box.limits import MIB, Limits
from graders.box.surroundings import Surroundings, surroundings
from graders.box.view import packages, view
from graders.box.warm import BoxError, Ending, Parent, warm

TESTER = Path(__file__).resolve().parent / "tester"
_PROJECT = Path(__file__).resolve().parents[2]
_LIMITS = Limits(
    memory_bytes=256 * MIB,
    cpu_seconds=10,
    processes=24,
    file_bytes=4 * MIB,
    wall_seconds=20,
    disk_bytes=16 * MIB,
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a box has to stop.

    Attributes:
        name: what was tried.
        held: whether the box stopped it.
        detail: what got through, when it didn't.
    """

    name: str
    held: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one attempt inside a box came to: what it achieved, and how the box ended.

    `answered` is False when the box ended before it could say; `let_go` says that nobody held
    the channel once the box had ended.
    """

    got: list[str]
    ending: Ending
    answered: bool
    let_go: bool


def attempt(parent: Parent, name: str, limits: Limits = _LIMITS, /, **values: Any) -> Attempt:
    """Run one function of tester/attempts.py in a fresh box of a parent warmed with `TESTER`."""
    return _order(parent, {"attempt": name, "values": values}, limits)


def attempt_source(
    parent: Parent, source: str, limits: Limits = _LIMITS, /, **values: Any
) -> Attempt:
    """Run a text in a fresh box; it appends what it achieved to `got`."""
    return _order(parent, {"source": source, "values": values}, limits)


def _order(parent: Parent, order: dict[str, Any], limits: Limits) -> Attempt:
    with parent.box(limits) as box:
        channel = box.socket.dup()
        channel.settimeout(limits.wall_seconds + 10)
        answer = b""
        with contextlib.suppress(ConnectionError):
            channel.sendall(json.dumps(order).encode() + b"\n")
            answer = channel.makefile("rb").readline()
        box.wait(limits.wall_seconds if not answer else 1)
        ending = box.end()
    with channel:
        let_go = _is_closed(channel)
    got: list[str] = json.loads(answer) if answer else []
    return Attempt(got, ending, bool(answer), let_go)


def _is_closed(channel: socket.socket) -> bool:
    channel.settimeout(2)
    try:
        while channel.recv(4096):
            pass
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    return True


def probe(backend: Backend) -> list[Finding]:
    """Try to break out of a backend's boxes in every way we know. Takes some seconds.

    Raises:
        BoxError: its sandbox did not start.
    """
    with warm(backend, child=TESTER) as parent, surroundings() as around:
        return [
            Finding(name, False, "nothing would stop it, so it was not tried")
            if name in _HARMFUL and not backend.walls
            else _finding(name, try_it, parent, around)
            for name, try_it in _PROBES.items()
        ]


def _finding(
    name: str,
    try_it: Callable[[Parent, Surroundings], list[str]],
    parent: Parent,
    around: Surroundings,
) -> Finding:
    try:
        got = try_it(parent, around)
    except BoxError as trouble:
        return Finding(name, False, str(trouble))
    return Finding(name, not got, "; ".join(got[:3]))


def _works(parent: Parent, _: Surroundings) -> list[str]:
    source = "import asyncio, openai; asyncio.run(asyncio.to_thread(print, 'hello'))"
    tried = attempt_source(parent, source)
    fine = tried.answered and tried.ending.output == "hello\n" and tried.ending.reason == "exited 0"
    return [] if fine else [f"{tried.ending.reason}: {tried.ending.output.strip()[-200:]}"]


def _network(parent: Parent, around: Surroundings) -> list[str]:
    return attempt(parent, "network", port=around.port).got


def _unix_sockets(parent: Parent, around: Surroundings) -> list[str]:
    return attempt(parent, "unix_sockets", path=around.path, name=around.name).got


def _reading(parent: Parent, around: Surroundings) -> list[str]:
    project = [_PROJECT / name for name in ("solutions", "graders", "tests", "notebooks", ".git")]
    places = [around.folder, around.secret, *project, *_at_home(), Path("/etc/passwd"), *_above()]
    return attempt(parent, "reading", paths=[str(path) for path in places if path.exists()]).got


def _at_home() -> list[Path]:
    """What the home holds, but for what leads to the interpreter."""
    shown = view().shown
    home = Path.home()
    entries = list(home.iterdir()) if os.access(home, os.R_OK) else []
    return [each for each in entries if not any(each in path.parents for path in shown)][:100]


def _above() -> list[Path]:
    """Folders on the way to what is shown; Python lists those that it imports from."""
    shown = view().shown
    above = {folder for path in shown for folder in path.parents} - {*map(Path, packages())}
    return [each for each in above if not any(path in (each, *each.parents) for path in shown)]


def _writing(parent: Parent, around: Surroundings) -> list[str]:
    name = f"left-by-a-box-{uuid.uuid4().hex}"
    before = _picture(around.secret)
    shown = [path for path in view().shown if path.is_dir()]
    folders = [
        around.folder,
        Path.home(),
        _PROJECT,
        *shown,
        *map(Path, ("/", "/dev/shm", "/var/tmp")),
    ]
    got = attempt(
        parent,
        "writing",
        folders=[str(path) for path in folders],
        name=name,
        file=str(around.secret),
    ).got
    left = [path for path in (each / name for each in folders) if path.exists()]
    for path in left:
        path.unlink(missing_ok=True)
    whole = _picture(around.secret) == before
    return [f"left {path}" for path in left] + ([] if whole else ["changed a file"]) + _real(got)


def _picture(file: Path) -> tuple[object, ...]:
    if not file.exists():
        return ()
    status = file.stat()
    return file.read_text(), status.st_mode, status.st_mtime_ns, status.st_nlink


def _real(got: list[str]) -> list[str]:
    """Without what was written where only the box itself sees it."""
    return [each for each in got if not each.startswith("wrote in ")]


def _processes(parent: Parent, _: Surroundings) -> list[str]:
    tried = attempt(parent, "processes", allowed=_LIMITS.processes)
    return tried.got + ([] if tried.let_go else ["processes were left"])


def _memory(parent: Parent, _: Surroundings) -> list[str]:
    return attempt(parent, "memory", allowed=_LIMITS.memory_bytes).got


def _disk(parent: Parent, _: Surroundings) -> list[str]:
    sizes = {"file_bytes": _LIMITS.file_bytes, "disk_bytes": _LIMITS.disk_bytes}
    return attempt(parent, "disk", **sizes).got + attempt(parent, "deleted_files", **sizes).got


def _processor(parent: Parent, _: Surroundings) -> list[str]:
    tried = attempt(parent, "spin", Limits(cpu_seconds=1, wall_seconds=30))
    return [] if tried.ending.kind == "cpu" else [tried.ending.reason]


def _time(parent: Parent, _: Surroundings) -> list[str]:
    tried = attempt(parent, "sleep", Limits(wall_seconds=0.3))
    return [] if tried.ending.kind == "wall" else [tried.ending.reason]


def _leftovers(parent: Parent, _: Surroundings) -> list[str]:
    path = f"/tmp/left-by-a-box-{uuid.uuid4().hex}"
    left = attempt(parent, "leftovers", path=path)
    got = [] if left.let_go else ["a process outlived its box"]
    got += attempt(parent, "found_leftovers", path=path).got
    Path(path).unlink(missing_ok=True)
    return got


def _killing(parent: Parent, around: Surroundings) -> list[str]:
    got = attempt(parent, "killing", pids=[os.getpid(), os.getppid()]).got
    return got + _works(parent, around)


def _tracing(parent: Parent, _: Surroundings) -> list[str]:
    return attempt(parent, "tracing", pids=[os.getpid(), os.getppid()]).got


def _breaking_out(parent: Parent, _: Surroundings) -> list[str]:
    return attempt(parent, "breaking_out").got


def _flood(parent: Parent, _: Surroundings) -> list[str]:
    ending = attempt(parent, "flood", amount=4 * MIB).ending
    kept = len(ending.output)
    fine = kept <= _LIMITS.output_bytes and ending.printed >= 4 * MIB
    return [] if fine else [f"kept {kept} of {ending.printed} bytes"]


_PROBES: dict[str, Callable[[Parent, Surroundings], list[str]]] = {
    "ordinary code runs": _works,
    "network": _network,
    "unix sockets": _unix_sockets,
    "reading elsewhere": _reading,
    "writing elsewhere": _writing,
    "fork bomb": _processes,
    "memory": _memory,
    "disk": _disk,
    "endless loop": _processor,
    "endless wait": _time,
    "endless output": _flood,
    "leftovers": _leftovers,
    "killing others": _killing,
    "looking into others": _tracing,
    "breaking out": _breaking_out,
}
_HARMFUL = (
    "writing elsewhere",
    "fork bomb",
    "disk",
    "killing others",
    "looking into others",
    "breaking out",
)


def machine() -> str:
    """The machine in a few words, for a report."""
    system = os.uname()
    return f"{sys.platform} {system.release} {system.machine}, uid {os.geteuid()}"
