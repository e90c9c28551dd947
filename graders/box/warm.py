"""The judge's side of the boxes: starts the warmed process, orders boxes from it, ends them."""

from __future__ import annotations

import array
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import course
from course.errors import CourseError
from graders.box.backend import Backend
from graders.box.folder import SEALED, Folder, remove
from graders.box.limits import Limits
from graders.box.sealed.kit import kit

CHILD = Path(__file__).resolve().parents[1] / "child"
_START_SECONDS = 120  # importing everything, on a busy machine without cached bytecode
_END_SECONDS = 20
_NO_ANSWER = "the keeper of a box does not answer: judge this again"

Kind = Literal["exited", "signalled", "cpu", "wall", "disk", "stopped", "broken"]


class BoxError(CourseError):
    """The sandbox itself failed, not the code in it: it did not start, or its keeper died."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a box ended.

    Attributes:
        kind: exited or signalled by itself; cpu, wall, disk: a limit ended it; stopped: the judge.
        status: exit code, or minus the signal's number.
        cpu_seconds: processor time it used.
        delayed: seconds for which it was ready and had to wait for a processor.
        output: what it printed, capped.
        printed: how many bytes it printed in all.
    """

    kind: Kind
    status: int
    cpu_seconds: float
    output: str
    printed: int = 0
    delayed: float = 0.0

    @property
    def reason(self) -> str:
        """The ending in words."""
        if self.kind == "exited":
            return f"exited {self.status}"
        if self.kind == "signalled":
            name = signal.Signals(-self.status).name
            return f"killed by signal {-self.status} ({name})"
        return {
            "cpu": "used up its processor time",
            "wall": "used up its time",
            "disk": "wrote more than it may",
            "stopped": "ended by the judge",
        }[self.kind]


@dataclass(frozen=True, slots=True)
class Used:
    """What a box has used up to now: see `Ending`. Zero where the system does not tell."""

    cpu_seconds: float = 0.0
    delayed: float = 0.0


class Box:
    """One box. `socket` is the judge's end of the channel to its `child.main.main`."""

    def __init__(self, channel: socket.socket, lifeline: socket.socket) -> None:
        self.socket = channel
        self._lifeline = lifeline
        self._heard = bytearray()
        self._report: dict[str, Any] = {}
        self._used = Used()
        self._told = 0
        self._ending: Ending | None = None

    def wait(self, seconds: float) -> bool:
        """Wait for the box to end by itself, at most so long; whether it has ended."""
        deadline = time.monotonic() + seconds
        while self._ending is None:
            left = deadline - time.monotonic()
            if not _readable(self._lifeline, left):
                return False
            self._read()
        return True

    def end(self) -> Ending:
        """End the box if it lives, and say how it ended. Raises BoxError when its keeper died."""
        if not self.wait(0.0):
            with contextlib.suppress(OSError):
                self._lifeline.shutdown(socket.SHUT_WR)
            if not self.wait(_END_SECONDS):
                raise BoxError(_NO_ANSWER)
        assert self._ending is not None
        return self._ending

    def used(self) -> Used:
        """What it has used up to now. Raises BoxError when its keeper died."""
        told = self._told
        with contextlib.suppress(OSError):
            self._lifeline.sendall(b"?")
        while self._told == told and self._ending is None:
            if not _readable(self._lifeline, _END_SECONDS):
                raise BoxError(_NO_ANSWER)
            self._read()
        return self._used

    def output(self) -> str:
        """What it printed on standard output and error, capped; ends the box."""
        return self.end().output

    def reason(self) -> str:
        """How it ended, in words; ends the box."""
        return self.end().reason

    def _read(self) -> None:
        try:
            data = self._lifeline.recv(65536)
        except ConnectionResetError:  # it ended before it read what it was asked
            data = b""
        self._heard += data
        *lines, self._heard = self._heard.split(b"\n")
        for line in lines:
            self._report = json.loads(line)
            if self._report["kind"] == "living":
                self._told += 1
                self._used = Used(self._report["cpu"], self._report["delayed"])
        if data:
            return
        report = self._report
        if report.get("kind", "living") == "living":
            raise BoxError("the keeper of a box was lost: is the machine out of memory?")
        if report["kind"] == "broken":
            raise BoxError(f"a box could not be made: {report['output'].strip().splitlines()[-1]}")
        self._ending = Ending(
            kind=report["kind"],
            status=report["status"],
            cpu_seconds=report["cpu"],
            output=report["output"],
            printed=report["printed"],
            delayed=report["delayed"],
        )


@dataclass(frozen=True)
class Lent:
    """A way to a parent's boxes, which may be sent to another process: a warmed one is large.

    Attributes:
        control: where boxes are ordered.
        folder: where a box's files go that has no mount of its own for them; None: each has one.
        uid: the account that these files belong to.
    """

    control: socket.socket
    folder: Folder | None = None
    uid: int | None = None
    several: ClassVar[bool] = True

    @contextlib.contextmanager
    def box(self, limits: Limits | None = None) -> Iterator[Box]:
        """A fresh box, ended with all that lives in it when the block is left."""
        with contextlib.ExitStack() as stack:
            private = self.folder.private(self.uid) if self.folder else None
            if private is not None:
                stack.callback(remove, private)
            box = _ordered(self.control, limits or Limits(), private)
            try:
                yield box
            finally:
                box.socket.close()
                box.end()
                box._lifeline.close()


class Parent:
    """A sealed, warmed process that forks a box in a few milliseconds."""

    def __init__(self, backend: Backend, child: Path) -> None:
        self.backend = backend
        self.child = child
        self._folder = Folder()
        self._sandbox: _Sandbox | None = None

    def start(self) -> None:
        """Start the warmed process. Raises BoxError with the last line it wrote."""
        self._kit = _kit(self.child)
        self._folder.fill(self.child)
        self._sandbox = self._started()

    @property
    def namespaces(self) -> bool:
        """Whether each box has namespaces of its own (else what the sandbox gives must do)."""
        return self._running().namespaces

    @property
    def several(self) -> bool:
        """Whether it can hold more than one box at a time."""
        return self.namespaces or not self.backend.separate

    @contextlib.contextmanager
    def box(self, limits: Limits | None = None) -> Iterator[Box]:
        """A fresh box, ended with all that lives in it when the block is left."""
        sandbox = self._sandbox_for_box()
        with self._to(sandbox).box(limits) as box:
            yield box

    def lend(self) -> Lent | None:
        """A way to its boxes for other processes; begun anew if its process has died.

        None where boxes of several judges could harm each other: without namespaces they see each
        other's processes, and old kernels count together what all of root's boxes start.
        """
        old = tuple(map(int, os.uname().release.split(".")[:2])) < (5, 14)
        if not self.namespaces or (old and os.geteuid() == 0):
            return None
        return self._to(self._sandbox_for_box())

    def _to(self, sandbox: _Sandbox) -> Lent:
        folder = self._folder if sandbox.needs_folder else None
        return Lent(sandbox.control, folder, sandbox.uid)

    def close(self) -> None:
        """End the warmed process, and every box that still lives."""
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None
        self._folder.close()

    def _sandbox_for_box(self) -> _Sandbox:
        """The sandbox to fork from: a new one where a box would meet what the last one left."""
        sandbox = self._running()
        if (sandbox.used and not self.several) or sandbox.lost():
            sandbox.close()
            sandbox = self._sandbox = self._started()
        sandbox.used = True
        return sandbox

    def _started(self) -> _Sandbox:
        """A running sandbox. Raises BoxError where it runs another kit than this process does."""
        sandbox = _Sandbox(self.backend, self._folder.path)
        if told := _differs(self._kit, sandbox.kit):
            sandbox.close()
            raise BoxError(told)
        return sandbox

    def _running(self) -> _Sandbox:
        if self._sandbox is None:
            raise BoxError("this parent is closed: boxes are made inside its with block")
        return self._sandbox


class _Sandbox:
    """One running warmed process and its control socket."""

    def __init__(self, backend: Backend, root: Path) -> None:
        launch = backend.launch(root / "code", root)
        self.uid: int | None = launch.settings["uid"]
        self.needs_folder = not launch.settings["mounts_private"]
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        with theirs:
            number = theirs.fileno()
            self._process = subprocess.Popen(
                [*launch.command, str(number), json.dumps(launch.settings)],
                env=launch.environment,
                stdin=subprocess.DEVNULL,
                stdout=self._errors,
                stderr=self._errors,
                pass_fds=[number],
                cwd="/",
                start_new_session=True,  # a Ctrl-C is for the judge, who ends it
            )
        self.used = False
        ready = self._ready()
        self.namespaces: bool = ready["namespaces"]
        self.kit: dict[str, list[str]] = ready["kit"]

    def lost(self) -> bool:
        """Whether the warmed process has died."""
        return self._process.poll() is not None

    def close(self) -> None:
        self.control.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()

    def _ready(self) -> dict[str, Any]:
        self.control.settimeout(_START_SECONDS)
        try:
            answer = self.control.makefile().readline()
        except TimeoutError:
            answer = ""
        if not answer:
            words = self._last_words()
            self._process.kill()
            self.close()
            raise BoxError(f"the box did not start: {words}")
        self.control.settimeout(None)
        ready: dict[str, Any] = json.loads(answer)
        return ready

    def _last_words(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"


def _kit(child: Path) -> dict[str, list[str]]:
    """What a box has to run. Raises BoxError where this process has two copies of the kit."""
    home = Path(course.__file__).resolve().parent
    if home.parent != CHILD.parents[1]:
        raise BoxError(
            f"two copies of the kit are mixed, {home.parent} and {CHILD.parents[1]}: "
            "use the environment of one"
        )
    return kit({"course": home, "child": child, "sealed": SEALED})


def _differs(here: dict[str, list[str]], there: dict[str, list[str]]) -> str:
    """What to do where parent and box have not the same kit; empty where they have."""
    if here["course"][0] != there["course"][0]:
        return (
            f"a box takes its course from {there['course'][0]}, and the judge has "
            f"{here['course'][0]}: use the environment of this copy"
        )
    changed = [name for name in here if here[name][1] != there[name][1]]
    if not changed:
        return ""
    return f"the kit has changed while it ran ({', '.join(changed)}): give the same command again"


def _ordered(control: socket.socket, limits: Limits, private: Path | None) -> Box:
    """A box from the warmed process. One message is one order, whoever else sends some."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    lifeline, keepers = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    text = json.dumps({**asdict(limits), "private": private and str(private)}).encode()
    sent = array.array("i", [theirs.fileno(), keepers.fileno()])
    with theirs, keepers:
        try:
            control.sendmsg([text], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, sent)])
        except OSError as trouble:
            raise BoxError(f"the warmed process is gone: {trouble.strerror}") from trouble
    return Box(ours, lifeline)


@contextlib.contextmanager
def warm(backend: Backend, *, child: Path = CHILD) -> Iterator[Parent]:
    """Start the warmed process of a backend, and end it with the block.

    Args:
        backend: from `choose`.
        child: the package that runs in a box: a folder with main.py, whose `main(fd)` is called.

    Raises:
        BoxError: the sandbox did not start.
    """
    parent = Parent(backend, child)
    try:
        parent.start()
        yield parent
    finally:
        parent.close()


def _readable(end: socket.socket, seconds: float) -> bool:
    poll = select.poll()  # select.select stops at descriptor 1023
    poll.register(end, select.POLLIN)
    return bool(poll.poll(max(0.0, seconds) * 1000))
