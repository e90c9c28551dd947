"""The keeper of one box: forks it, watches it, ends it, and reports how it ended.

A keeper is a trusted process of its own between the warmed process and the box, so that a box is
ended even when the judge is gone: the lifeline closing is enough.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import time
import traceback
from typing import Any, NoReturn

from . import boxed, confine, space

_TICK = 0.02  # seconds between looks at the size of a folder that no mount bounds


def keep(
    limits: dict[str, Any], channel: int, lifeline: int, *, settings: confine.Settings
) -> NoReturn:
    """Run one box to its end and report on the lifeline; never returns."""
    report: dict[str, Any]
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        report = _Watch(limits, lifeline, settings).run(channel)
    except BaseException:
        report = {"kind": "broken", "status": 1, "output": traceback.format_exc()}
    with contextlib.suppress(OSError):
        _send(lifeline, _line(report))
    os._exit(0)


def namespaces_work(settings: confine.Settings) -> bool:
    """Whether a box can have user, process, mount and network namespaces of its own here."""
    helper = os.fork()
    if helper == 0:
        with contextlib.suppress(OSError):
            _own_namespaces()
            inner = os.fork()
            if inner == 0:
                with contextlib.suppress(OSError):
                    confine.private_mount(settings["private"], 65536)
                    os._exit(0)
                os._exit(1)
            os._exit(os.waitstatus_to_exitcode(os.waitpid(inner, 0)[1]) != 0)
        os._exit(1)
    return os.waitpid(helper, 0)[1] == 0


def _own_namespaces() -> None:
    from . import kernel

    uid, gid = os.getuid(), os.getgid()
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # else the kernel keeps the maps to itself
    kernel.unshare(
        kernel.CLONE_NEWUSER
        | kernel.CLONE_NEWPID
        | kernel.CLONE_NEWNS
        | kernel.CLONE_NEWIPC
        | kernel.CLONE_NEWNET
        | kernel.CLONE_NEWUTS
    )
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


class _Watch:
    """One box from its fork to its report."""

    def __init__(self, limits: dict[str, Any], lifeline: int, settings: confine.Settings) -> None:
        self.limits = limits
        self.lifeline = lifeline
        self.settings = settings
        self.kept = bytearray()
        self.printed = 0
        self.private = limits["private"] or settings["private"]
        self.deadline = time.monotonic() + limits["wall_seconds"]
        self.ended = ""
        self.halted = 0  # the signal that stopped the box, where it can be stopped
        self.looked = 0.0
        self.proc = -1

    def run(self, channel: int) -> dict[str, Any]:
        self.output, write_end = os.pipe()
        base_bytes = _address_space()
        if self.settings["namespaces"]:
            _own_namespaces()
        if os.path.isdir("/proc"):  # the box will hide it from both
            self.proc = os.open("/proc", os.O_PATH)
        self.box = os.fork()
        if self.box == 0:
            boxed.become(channel, write_end, self.limits, self.settings, self.private, base_bytes)
        os.close(channel)
        os.close(write_end)
        self._watch()
        self._kill()
        os.waitid(os.P_PID, self.box, os.WEXITED | os.WNOWAIT)
        delayed = self._used()["delayed"]
        _, status, usage = os.wait4(self.box, 0)
        self._drain()
        return {**self._report(status, usage.ru_utime + usage.ru_stime), "delayed": delayed}

    def _watch(self) -> None:
        poll = select.poll()
        poll.register(self.output, select.POLLIN)
        poll.register(self.lifeline, select.POLLIN)
        ending = _watch_process(self.box)
        if ending is not None:
            poll.register(ending, select.POLLIN)
        while not self.ended:
            ready = {descriptor for descriptor, _ in poll.poll(self._patience(ending))}
            if self.output in ready and not self._read():
                poll.unregister(self.output)
            if self.lifeline in ready and not self._asked():
                self.ended = "stopped"
            elif (ending in ready) if ending is not None else _is_over(self.box):
                self.ended = "itself"
            elif time.monotonic() >= self.deadline:
                self.ended = "wall"
            elif not self.settings["namespaces"]:
                self._look()

    def _asked(self) -> bool:
        """Answer how much the box has used up to now; False when the judge wants no more of it."""
        try:
            asked = os.read(self.lifeline, 64)
            for _ in asked:
                _send(self.lifeline, _line({"kind": "living", **self._used()}))
        except OSError:
            return False
        return bool(asked)

    def _used(self) -> dict[str, float]:
        """Processor seconds, and seconds for which it was ready and had to wait for a processor."""
        used = {"cpu": 0.0, "delayed": 0.0}
        with contextlib.suppress(OSError, IndexError, ValueError):
            used["cpu"] = time.clock_gettime(~self.box << 3 | 2)  # the kernel's name for its clock
            status = os.open(f"{self.box}/schedstat", os.O_RDONLY, dir_fd=self.proc)
            with open(status) as file:
                used["delayed"] = int(file.read().split()[1]) / 1e9
        return used

    def _patience(self, ending: int | None) -> float:
        """Milliseconds to wait for something to happen."""
        left: float = max(0.0, self.deadline - time.monotonic())
        ticking = ending is None or not self.settings["namespaces"]
        return 1000 * (min(left, _TICK) if ticking else left) + 1

    def _read(self) -> bool:
        """Take what was printed; what is past the cap is thrown away. False at the end."""
        data = os.read(self.output, 65536)
        self.printed += len(data)
        self.kept += data[: self.limits["output_bytes"] - len(self.kept)]
        return bool(data)

    def _drain(self) -> None:
        os.set_blocking(self.output, False)
        with contextlib.suppress(BlockingIOError):
            while self._read():
                pass

    def _look(self) -> None:
        """What namespaces would see to: the size of its files, and that it cannot be stopped.

        At most once in a tick: a box that prints without end would else wait for us, unharmed.
        """
        if time.monotonic() < self.looked + _TICK:
            return
        self.looked = time.monotonic()
        self.halted = _stopped_by(self.box)
        if self.halted:
            self.ended = "halted"
        elif self._too_large():
            self.ended = "disk"

    def _too_large(self) -> bool:
        used = space.in_folder(self.private) + space.nameless(self.box)
        return bool(used > self.limits["disk_bytes"])

    def _kill(self) -> None:
        """End the box and whatever shares its session."""
        for end, target in ((os.killpg, self.box), (os.kill, self.box)):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                end(target, signal.SIGKILL)

    def _report(self, status: int, cpu: float) -> dict[str, Any]:
        code = os.waitstatus_to_exitcode(status)
        kind = self.ended
        if kind == "halted":
            kind, code = "signalled", -self.halted
        if kind == "itself":
            kind = "exited" if code >= 0 else "signalled"
            # The kernel counts whole ticks for the limit, and may see more than was really used.
            spent = cpu > 0.5 * self.limits["cpu_seconds"]
            if spent and code in (-signal.SIGKILL, -signal.SIGXCPU):
                kind = "cpu"
        text = bytes(self.kept).decode("utf-8", "replace")
        return {"kind": kind, "status": code, "cpu": cpu, "output": text, "printed": self.printed}


def _watch_process(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _is_over(pid: int) -> bool:
    """Whether it ended, leaving it to be waited for."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _stopped_by(pid: int) -> int:
    """The signal that made it stand still, where it would use neither time nor memory; else 0."""
    try:
        found = os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOHANG)
    except ChildProcessError:  # it has just ended
        return 0
    return 0 if found is None else int(found.si_status)


def _address_space() -> int:
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 1 << 30


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _send(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
