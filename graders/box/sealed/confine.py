"""How a process gives up what a box must not have, in the order in which it has to happen."""

from __future__ import annotations

import contextlib
import os
import resource
import sys
from typing import Any

Settings = dict[str, Any]
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_opened: list[tuple[int, int]] = []  # Landlock's rules, opened once and used by every fork


def seal(settings: Settings) -> None:
    """Make the warmed process unprivileged and unreachable before it imports anything."""
    if settings["reach"]:
        _reach(settings["reach"], settings["roots"])
    if settings["uid"] is not None:
        os.setgroups([])
        os.setresgid(settings["uid"], settings["uid"], settings["uid"])
        os.setresuid(settings["uid"], settings["uid"], settings["uid"])
    if settings["confined"]:
        from . import kernel, landlock, seccomp

        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
        seccomp.prepare(own_files=settings["own_files"])
        if landlock.version():
            _open_rules(settings["roots"])


def compact(settings: Settings) -> None:
    """Make forks of this process cheap, where the kernel helps."""
    if settings["confined"]:
        from . import kernel

        with contextlib.suppress(OSError, ValueError):
            kernel.into_huge_pages()


def private_mount(private: str, size: int) -> None:
    """Mount a fresh folder of limited size for the box's files, and hide /proc."""
    from . import kernel

    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_SLAVE)
    flags = kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("tmpfs", private, "tmpfs", flags, f"size={size},nr_inodes=4096,mode=700")
    kernel.mount("tmpfs", "/proc", "tmpfs", flags | kernel.MS_RDONLY, "size=4k,mode=555")


def lock(settings: Settings, private: str) -> None:
    """Give up files and privileges for good."""
    if settings["confined"]:
        from . import kernel, landlock

        if landlock.version():
            own = os.open(private, os.O_PATH)
            landlock.confine([*_opened, (own, landlock.WRITE)])
        elif settings["needs_landlock"]:
            raise OSError("this kernel has no Landlock")
        if settings["namespaces"]:
            kernel.drop_capabilities()


def close_from(first: int, settings: Settings) -> None:
    """Close every descriptor from `first` on."""
    if settings["confined"]:
        from . import kernel

        kernel.close_from(first)
    else:
        os.closerange(first, min(os.sysconf("SC_OPEN_MAX"), 65536))


def filter_calls(settings: Settings) -> None:
    """The last step, after the descriptors are closed: the filter of system calls."""
    if settings["confined"]:
        from . import kernel, seccomp

        # Its keeper, of the same account, watches the files it holds; nobody else can look in.
        kernel.prctl(kernel.PR_SET_DUMPABLE, 1)
        seccomp.confine(own_files=settings["own_files"])


def limit(limits: dict[str, Any], base_bytes: int, settings: Settings) -> None:
    """Set the limits that the kernel keeps, soft and hard."""
    others = 1 if settings["namespaces"] else _tasks_of_account()  # the keeper is counted too
    cpu = -int(-limits["cpu_seconds"] // 1)
    wanted = {
        "RLIMIT_AS": base_bytes + limits["memory_bytes"],
        "RLIMIT_CPU": cpu,
        "RLIMIT_NPROC": limits["processes"] + others,
        "RLIMIT_FSIZE": limits["file_bytes"],
        "RLIMIT_NOFILE": limits["open_files"],
        "RLIMIT_CORE": 0,
        "RLIMIT_MEMLOCK": 0,
        "RLIMIT_MSGQUEUE": 0,
    }
    for name, value in wanted.items():
        _set(getattr(resource, name, None), int(value))


def _set(kind: int | None, value: int) -> None:
    if kind is None:
        return
    hard = resource.getrlimit(kind)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    try:
        resource.setrlimit(kind, (value, value))
    except (ValueError, OSError):
        if sys.platform == "linux":
            raise


def _tasks_of_account() -> int:
    """What the account runs already, with room for what it may start meanwhile.

    The kernel counts tasks by account where a box has no user namespace of its own.
    """
    total = 256
    for pid in filter(str.isdigit, _listed("/proc")):
        try:
            if os.stat(f"/proc/{pid}").st_uid in (os.getuid(), 0):
                total += len(os.listdir(f"/proc/{pid}/task"))
        except OSError:
            continue
    return total


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _open_rules(roots: list[str]) -> None:
    from . import landlock

    for path in roots:
        _opened.append((os.open(path, os.O_PATH), landlock.READ))
    for path in filter(os.path.exists, _DEVICES):
        _opened.append((os.open(path, os.O_PATH), landlock.READ | 1 << 1))


def _reach(blocked: list[str], roots: list[str]) -> None:
    """As root: make what lies below folders only root may enter visible to the account of boxes.

    In a mount namespace of its own, each such folder is replaced by an open one that holds just the
    roots below it. Raises OSError where even root may not do this.
    """
    from . import kernel

    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_SLAVE)
    for folder in blocked:
        inside = [path for path in roots if path.startswith(folder + "/")]
        held = [os.open(path, os.O_PATH) for path in inside]
        kernel.mount("tmpfs", folder, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=755")
        for path, descriptor in zip(inside, held, strict=True):
            _place(path, descriptor)
        kernel.mount("none", folder, None, 0x20 | kernel.MS_RDONLY)


def _place(path: str, descriptor: int) -> None:
    from . import kernel

    source = f"/proc/self/fd/{descriptor}"
    if os.path.isdir(source):
        os.makedirs(path, mode=0o755, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))
    kernel.mount(source, path, None, kernel.MS_BIND | kernel.MS_REC)
    os.close(descriptor)
