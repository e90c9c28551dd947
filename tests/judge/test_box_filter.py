"""The filter of system calls, read by a small interpreter of BPF, for both processors."""

import errno
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.box.sealed import seccomp
from graders.box.sealed.numbers import MACHINES, NEWEST, NUMBERS
from tests.needs import lacking

ALLOW, KILL = "allow", "kill"
OWN = 4711
NAMESPACES = (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)


def judged(machine: str, number: int, *arguments: int, own_files: bool = True) -> object:
    """What the kernel would answer: allow, kill, or the error's number."""
    program = seccomp.assemble(machine, own_files=own_files, own_pid=OWN)
    words = {0: number, 4: MACHINES[machine][0]}
    words |= {16 + 8 * place: value & 0xFFFFFFFF for place, value in enumerate(arguments)}
    at = loaded = 0
    while True:
        code, yes, no, value = program[at]
        if code == 0x20:
            loaded = words.get(value, 0)
        elif code == 0x54:
            loaded &= value
        elif code == 0x15:
            at += yes if loaded == value else no
        elif code == 0x25:
            at += yes if loaded > value else no
        else:
            return {0x7FFF0000: ALLOW, 0x80000000: KILL}.get(value, value & 0xFFFF)
        at += 1


def call(machine: str, name: str, *arguments: int, own_files: bool = True) -> object:
    number = NUMBERS[name][MACHINES[machine][1]]
    assert number is not None, f"{machine} has no {name}"
    return judged(machine, number, *arguments, own_files=own_files)


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize(
    "name", ["execve", "socket", "connect", "ptrace", "mount", "unshare", "io_uring_setup", "bpf"]
)
def test_what_no_exercise_needs_is_refused(machine: str, name: str) -> None:
    assert call(machine, name) == errno.EPERM


def test_threads_start_and_processes_do_not(machine: str) -> None:
    thread = 0x3D0F00  # what the C library passes
    assert call(machine, "clone", thread) == ALLOW
    assert call(machine, "clone", 17) == errno.EPERM
    assert call(machine, "clone3") == errno.ENOSYS
    for flag in NAMESPACES:
        assert call(machine, "clone", thread | flag) == errno.EPERM


@given(pid=st.integers(-(2**31), 2**31 - 1), name=st.sampled_from(["kill", "tgkill"]))
def test_signals_go_to_oneself_alone(pid: int, name: str) -> None:
    for machine in MACHINES:
        wanted = ALLOW if pid == OWN else errno.EPERM
        assert call(machine, name, pid) == wanted


@given(family=st.integers(0, 50), kind=st.integers(0, 10))
def test_only_connected_pairs_are_sockets(family: int, kind: int) -> None:
    for machine in MACHINES:
        wanted = ALLOW if (family, kind) == (1, 1) else errno.EPERM
        assert call(machine, "socketpair", family, kind | 0o2004000) == wanted


def test_files_are_read_and_not_emptied_in_passing(machine: str) -> None:
    read, write, empty = 0o2000000, 0o1 | 0o100, 0o1000
    assert call(machine, "openat", 0, 0, read) == ALLOW
    assert call(machine, "openat", 0, 0, write | empty) == ALLOW
    assert call(machine, "openat", 0, 0, read | empty) == errno.EPERM
    assert call(machine, "openat2") == errno.ENOSYS


def test_modes_and_times_change_only_where_files_are_its_own(machine: str) -> None:
    for name in ("fchownat", "truncate", "fsetxattr"):
        assert call(machine, name, own_files=True) == ALLOW
        assert call(machine, name, own_files=False) == errno.EPERM
    for name in ("fchmodat", "utimensat"):
        assert call(machine, name, own_files=True) == ALLOW
        assert call(machine, name, own_files=False) == 0  # answered without being done


@given(number=st.integers(NEWEST + 1, 2**32 - 1))
def test_what_came_later_does_not_exist(number: int) -> None:
    for machine in MACHINES:
        assert judged(machine, number) == errno.ENOSYS


def test_another_processors_calls_end_the_box(machine: str) -> None:
    program = seccomp.assemble(machine, own_files=True, own_pid=OWN)
    assert program[:3] == [(0x20, 0, 0, 4), (0x15, 1, 0, MACHINES[machine][0]), (6, 0, 0, 1 << 31)]


def test_no_jump_leaves_the_program_and_it_fits(machine: str) -> None:
    program = seccomp.assemble(machine, own_files=False, own_pid=OWN)
    assert len(program) < 4096
    for at, (_, yes, no, _) in enumerate(program):
        assert at + 1 + max(yes, no) < len(program) or (yes, no) == (0, 0)
        assert 0 <= yes < 256 and 0 <= no < 256


@pytest.mark.parametrize(
    ("column", "header"),
    [
        (0, "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
        (1, "/usr/include/asm-generic/unistd.h"),
    ],
)
def test_the_numbers_are_the_kernels(column: int, header: str) -> None:
    if not Path(header).exists():
        lacking("kernel headers", header)
    text = Path(header).read_text()
    found = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text))
    wrong = {
        name: numbers[column]
        for name, numbers in NUMBERS.items()
        if numbers[column] is not None and int(found[name]) != numbers[column]
    }
    assert wrong == {}
