"""The filter of system calls that a box runs under: a small BPF program, written by hand.

It refuses rather than allows by name, so that ordinary Python goes on working; a call that is newer
than the table doesn't exist. The answers are errors that Python turns into exceptions, and only a
program for another processor's calls is killed.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import platform
import struct

from . import kernel
from .numbers import MACHINES, NEWEST, NUMBERS

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, constant

_LOAD, _AND, _EQUAL, _GREATER, _RETURN = 0x20, 0x54, 0x15, 0x25, 0x06
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
_CLONE_THREAD = 0x00010000
_NAMESPACES = 0x7E020000
_AF_UNIX, _SOCK_STREAM = 1, 1
_SEND_SIGNALS = (8, 10, 15)  # fcntl: F_SETOWN, F_SETSIG, F_SETOWN_EX
_TERMINALS = (0x5412, 0x541C, 0x8901, 0x8902)  # TIOCSTI, TIOCLINUX, FIOSETOWN, SIOCSPGRP

_TAKES_ARGUMENTS = {
    "clone", "clone3", "kill", "tgkill", "rt_sigqueueinfo", "prlimit64", "socketpair", "open",
    "openat", "openat2", "fcntl", "ioctl", "prctl",
}  # fmt: skip
# Landlock doesn't see changes to a file that aren't made by opening it. Where files are the
# account's own, some are refused, and modes and times silently stay as they are: Python's own
# copying sets both, and nothing that is judged reads them.
_CHANGES_FILES = {
    "chown", "fchown", "lchown", "fchownat", "setxattr", "lsetxattr", "fsetxattr", "removexattr",
    "lremovexattr", "fremovexattr", "truncate",
}  # fmt: skip
_MODES_AND_TIMES = {
    "chmod", "fchmod", "fchmodat", "utime", "utimes", "futimesat", "utimensat",
}  # fmt: skip


def supported() -> bool:
    """Whether this processor's table is known here."""
    return platform.machine() in MACHINES and struct.calcsize("P") == 8


def confine(*, own_files: bool) -> None:
    """Put this process, and whatever it becomes, under the filter; there is no way back.

    `own_files` says that every file it could change is its own (a private mount), so changing
    modes and times harms nobody. Raises OSError where the kernel has no filters.
    """
    packed = prepare(own_files=own_files) + _packed(_signals(platform.machine(), os.getpid()))
    code = ctypes.create_string_buffer(packed, len(packed))
    header = struct.pack("HxxxxxxP", len(packed) // 8, ctypes.addressof(code))
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.prctl(kernel.PR_SET_SECCOMP, 2, ctypes.create_string_buffer(header, len(header)))


@functools.cache
def prepare(*, own_files: bool) -> bytes:
    """The part that is the same for every box, made ahead for this processor."""
    return _packed(_refusals(platform.machine(), own_files=own_files))


def _packed(program: list[Instruction]) -> bytes:
    return b"".join(struct.pack("=HBBI", *each) for each in program)


def assemble(machine: str, *, own_files: bool, own_pid: int) -> list[Instruction]:
    """The program for one processor. `own_pid` is the only process that may be sent a signal."""
    return _refusals(machine, own_files=own_files) + _signals(machine, own_pid)


def _refusals(machine: str, *, own_files: bool) -> list[Instruction]:
    architecture, column = MACHINES[machine]
    allowed = _CHANGES_FILES | _MODES_AND_TIMES if own_files else set()
    ruled = [name for name in NUMBERS if name not in _TAKES_ARGUMENTS | allowed]
    program = [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_GREATER, 0, 1, NEWEST),
        _answer(errno.ENOSYS),
    ]
    for name in ruled:
        answer = 0 if name in _MODES_AND_TIMES else errno.EPERM
        program += _for_call(NUMBERS[name][column], [_answer(answer)])
    for name, block in _argument_rules():
        program += _for_call(NUMBERS[name][column], block)
    return program


def _signals(machine: str, own_pid: int) -> list[Instruction]:
    """Signals may go to this process alone; what no rule has named is allowed."""
    program: list[Instruction] = []
    for name in ("kill", "tgkill", "rt_sigqueueinfo"):
        number = NUMBERS[name][MACHINES[machine][1]]
        program += _for_call(number, _only(0, 0xFFFFFFFF, own_pid))
    return [*program, (_RETURN, 0, 0, _ALLOW)]


def _answer(number: int) -> Instruction:
    return (_RETURN, 0, 0, _REFUSE | number)


def _for_call(number: int | None, block: list[Instruction]) -> list[Instruction]:
    return [] if number is None else [(_EQUAL, 0, len(block), number), *block]


def _argument_rules() -> list[tuple[str, list[Instruction]]]:
    """Calls whose first arguments decide; the low 32 bits are all the kernel reads of them."""
    return [
        # A missing clone3 makes the C library use clone, whose flags a filter can read.
        ("clone3", [_answer(errno.ENOSYS)]),
        ("clone", _only(0, _CLONE_THREAD | _NAMESPACES, _CLONE_THREAD)),
        ("prlimit64", _only(0, 0xFFFFFFFF, 0)),
        # One connected pair is what an event loop needs; datagram pairs can write to an address.
        ("socketpair", _only(0, 0xFFFFFFFF, _AF_UNIX, _only(1, 0xF, _SOCK_STREAM))),
        # Older Landlock lets a file that is opened for reading be emptied.
        ("open", _not(1, 0x203, (0x200,))),
        ("openat", _not(2, 0x203, (0x200,))),
        ("openat2", [_answer(errno.ENOSYS)]),
        # The keeper must go on seeing which files are held open, and take the box with it.
        ("prctl", _not(0, 0xFFFFFFFF, (kernel.PR_SET_DUMPABLE, kernel.PR_SET_PDEATHSIG))),
        ("fcntl", _not(1, 0xFFFFFFFF, _SEND_SIGNALS)),
        ("ioctl", _not(1, 0xFFFFFFFF, _TERMINALS)),
    ]


def _only(
    argument: int, mask: int, wanted: int, then: list[Instruction] | None = None
) -> list[Instruction]:
    """Go on with `then` (or allow) when argument & mask == wanted, else refuse."""
    after = then or [(_RETURN, 0, 0, _ALLOW)]
    return [*_masked(argument, mask), (_EQUAL, 1, 0, wanted), _answer(errno.EPERM), *after]


def _not(argument: int, mask: int, unwanted: tuple[int, ...]) -> list[Instruction]:
    """Refuse when argument & mask is one of `unwanted`, else allow."""
    block = _masked(argument, mask)
    for value in unwanted:
        block += [(_EQUAL, 0, 1, value), _answer(errno.EPERM)]
    return [*block, (_RETURN, 0, 0, _ALLOW)]


def _masked(argument: int, mask: int) -> list[Instruction]:
    return [(_LOAD, 0, 0, _FIRST_ARGUMENT + 8 * argument), (_AND, 0, 0, mask)]
