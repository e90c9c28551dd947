"""The few calls to the Linux kernel that Python 3.11 doesn't offer, through ctypes."""

from __future__ import annotations

import ctypes
import os

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_SLAVE = 1, 2, 4, 4096, 16384, 1 << 19

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4

_HUGE, _MADV_COLLAPSE = 2 << 20, 25
_CAPABILITY_VERSION = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def syscall(number: int, *arguments: object) -> int:
    """Call the kernel by number; ints are passed as longs. Raises OSError."""
    passed = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return _checked(_libc.syscall(ctypes.c_long(number), *passed), f"system call {number}")


def prctl(option: int, value: object = 0, pointer: object = 0) -> int:
    """Set a property of this process. Raises OSError."""
    passed = [ctypes.c_ulong(a) if isinstance(a, int) else a for a in (value, pointer, 0, 0)]
    return _checked(_libc.prctl(ctypes.c_int(option), *passed), f"prctl {option}")


def unshare(flags: int) -> None:
    """Leave the namespaces named by `flags` for fresh ones. Raises OSError."""
    _checked(_libc.unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """Mount, bind or change a mount. Raises OSError."""
    result = _libc.mount(
        os.fsencode(source),
        os.fsencode(target),
        None if kind is None else kind.encode(),
        ctypes.c_ulong(flags),
        options.encode() or None,
    )
    _checked(result, f"mount {target}")


def close_from(first: int) -> None:
    """Close every descriptor from `first` on. Raises OSError before Linux 5.9."""
    syscall(436, first, 0xFFFFFFFF, 0)


def into_huge_pages() -> None:
    """Move this process's own memory into pages of 2 MB where it can: a fork copies one entry each.

    A fork that writes splits the page and copies 4 kB of it. Before Linux 6.1 nothing happens.
    """
    with open("/proc/self/maps") as file:
        areas = [line.split() for line in file]
    for area, rights, _, _, _, *path in areas:
        begin, end = (int(address, 16) for address in area.split("-"))
        begin, end = -(-begin // _HUGE) * _HUGE, end // _HUGE * _HUGE
        if rights == "rw-p" and path in ([], ["[heap]"]) and begin < end:
            _libc.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), _MADV_COLLAPSE)


def drop_capabilities() -> None:
    """Give up every privilege that a user namespace had brought. Raises OSError."""
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    nothing = (ctypes.c_uint32 * 6)()
    _checked(_libc.capset(header, nothing), "capset")
