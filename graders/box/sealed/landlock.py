"""Landlock: which files a process may open, for good; see the kernel's userspace-api/landlock."""

from __future__ import annotations

import ctypes
import os
import stat
import struct

from . import kernel

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same on every processor
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_OF_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15  # rights that make sense for one file
_RIGHTS = {0: 0, 1: 13, 2: 14, 3: 15, 4: 15}  # interface: how many file rights it knows
_NEWEST = 16
_TCP, _SCOPES = 0b11, 0b11

READ = _READ_FILE | _READ_DIR
WRITE = ~0


def version() -> int:
    """The kernel's Landlock interface, 0 when it has none."""
    try:
        return kernel.syscall(_CREATE, 0, 0, 1)
    except OSError:
        return 0


def confine(rules: list[tuple[int, int]]) -> None:
    """Let this process open only what lies beneath the given (descriptor, rights) pairs.

    No TCP and no signals or abstract sockets to the outside either, where the kernel's Landlock
    knows them. Raises OSError.
    """
    interface = version()
    handled = (1 << _RIGHTS.get(interface, _NEWEST)) - 1
    fields = [handled, _TCP, _SCOPES][: 1 + (interface >= 4) + (interface >= 6)]
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    ruleset = kernel.syscall(_CREATE, ctypes.c_char_p(attributes), len(attributes), 0)
    for descriptor, rights in rules:
        _add(ruleset, descriptor, rights & handled)
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.syscall(_RESTRICT, ruleset, 0)
    os.close(ruleset)


def _add(ruleset: int, descriptor: int, rights: int) -> None:
    if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
        rights &= _OF_FILES
    rule = struct.pack("=Qi", rights, descriptor)
    kernel.syscall(_ADD, ruleset, 1, ctypes.c_char_p(rule), 0)
