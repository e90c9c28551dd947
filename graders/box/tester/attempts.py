"""What a hostile program would try; each returns what it achieved, an empty list when nothing."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator

Got = list[str]
_STAY = 4  # seconds that a process stays which gets away: longer than anybody looks


def _worked(what: str, action: Callable[[], object]) -> Got:
    """`[what]` when the action raises nothing."""
    try:
        action()
    except (OSError, MemoryError, RuntimeError, ValueError):
        return []
    return [what]


def network(port: int) -> Got:
    """Reach a listener of the judge's machine, and send a datagram."""

    def connect() -> None:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()

    def send() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"out", ("127.0.0.1", port))

    return _worked("connected over TCP", connect) + _worked("sent over UDP", send)


def unix_sockets(path: str, name: str) -> Got:
    """Reach a unix socket of the judge's machine, by path and by abstract name."""

    def reach(address: str) -> None:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1)
            connection.connect(address)

    def datagram() -> None:
        pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        with pair[0], pair[1]:
            pair[0].sendto(b"out", "\0" + name + "-datagram")

    return [
        *_worked("connected to a socket by its path", lambda: reach(path)),
        *_worked("connected to an abstract socket", lambda: reach("\0" + name)),
        *_worked("sent through a datagram pair", datagram),
    ]


def reading(paths: list[str]) -> Got:
    """Read files and list folders."""

    def read(path: str) -> None:
        if os.path.isdir(path):
            if not os.listdir(path):
                raise FileNotFoundError(path)
        else:
            with open(path, "rb") as file:
                file.read(1)

    return [found for path in paths for found in _worked(f"read {path}", lambda p=path: read(p))]  # type: ignore[misc]


def writing(folders: list[str], name: str, file: str) -> Got:
    """Make files in folders, and change one that exists in every way there is."""

    def make(folder: str) -> None:
        with open(os.path.join(folder, name), "w") as made:
            made.write("left")

    def changed(path: str, flags: int) -> None:
        os.close(os.open(path, flags))

    got = [done for each in folders for done in _worked(f"wrote in {each}", lambda f=each: make(f))]  # type: ignore[misc]
    ways: dict[str, Callable[[], object]] = {
        "opened for writing": lambda: changed(file, os.O_WRONLY),
        "emptied while opening": lambda: changed(file, os.O_RDONLY | os.O_TRUNC),
        "truncated": lambda: os.truncate(file, 0),
        "removed": lambda: os.unlink(file),
        "renamed": lambda: os.rename(file, file + ".moved"),
        "linked": lambda: os.link(file, "linked"),
    }
    for act in (lambda: os.chmod(file, 0o600), lambda: os.utime(file, (0, 0))):
        _worked("may be answered without being done", act)
    return got + [done for way, act in ways.items() for done in _worked(f"{way} {file}", act)]


def processes(allowed: int) -> Got:
    """Start processes, then threads, for as long as it goes; the end of the box ends them."""
    children = 0
    with contextlib.suppress(OSError):
        while children < 4 * allowed:
            if os.fork() == 0:
                os.setsid()
                time.sleep(_STAY)
                os._exit(0)
            children += 1
    stop = threading.Event()
    threads = _threads(stop, 4 * allowed)
    stop.set()
    found = [f"started {children} processes"] if children else []
    return found + ([f"started {threads} threads"] if threads >= 4 * allowed else [])


def _threads(stop: threading.Event, most: int) -> int:
    started = 0
    with contextlib.suppress(RuntimeError):
        while started < most:
            threading.Thread(target=stop.wait, args=(20,), daemon=True).start()
            started += 1
    return started


def memory(allowed: int) -> Got:
    """Take twice the memory allowed, at once, piece by piece, and outside the address space."""
    pieces: list[bytearray] = []

    def piecewise() -> None:
        while len(pieces) < 64:
            pieces.append(bytearray(allowed // 32))

    got = _worked(f"took {2 * allowed} bytes at once", lambda: bytearray(2 * allowed))
    got += _worked(f"took {2 * allowed} bytes in pieces", piecewise)
    pieces.clear()
    return got + _worked("made a file in memory", lambda: os.memfd_create("hidden"))


def disk(file_bytes: int, disk_bytes: int) -> Got:
    """Write one file that is too large, then more files than fit, named and nameless."""

    def fill(path: str, size: int) -> None:
        with open(path, "wb") as file:
            file.write(b"x" * size)

    def many() -> None:
        for number in range(2 * disk_bytes // file_bytes):
            fill(f"part-{number}", file_bytes - 1)
        time.sleep(1)  # where files are watched rather than bounded, time for a look

    got = _worked(f"wrote a file of {2 * file_bytes} bytes", lambda: fill("one", 2 * file_bytes))
    return got + _worked(f"wrote {2 * disk_bytes} bytes in all", many)


def deleted_files(file_bytes: int, disk_bytes: int) -> Got:
    """Fill the disk with files that have no name any more."""
    held = []

    def many() -> None:
        for _ in range(2 * disk_bytes // file_bytes):
            file = tempfile.TemporaryFile()  # noqa: SIM115 - held open on purpose
            held.append(file)
            file.write(b"x" * (file_bytes - 1))
            file.flush()
        time.sleep(1)

    return _worked(f"wrote {2 * disk_bytes} bytes in deleted files", many)


def spin() -> Got:
    """Compute for ever."""
    while True:
        pass


def sleep() -> Got:
    """Wait for ever, deaf to what can be caught."""
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        with contextlib.suppress(OSError):
            signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(60)


def leftovers(path: str) -> Got:
    """Leave a daemon that holds the channel, and a file where the next box might look."""
    with contextlib.suppress(OSError), open(path, "w") as file:  # /tmp may be hidden or read-only
        file.write("left")
    got: Got = []
    with contextlib.suppress(OSError):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(_STAY)
            os._exit(0)
        os.wait()
        got.append("left a daemon")
    return got


def found_leftovers(path: str) -> Got:
    """What `leftovers` of an earlier box left for this one."""
    return _worked(f"found {path} of an earlier box", lambda: os.stat(path))


def killing(pids: list[int]) -> Got:
    """Send signals to everything but itself, directly and by ways around."""
    own = os.getpid()
    targets = sorted({*range(1, 50), os.getppid(), *pids, *_siblings()} - {own, 0})
    got = [
        sent
        for pid in targets
        for sent in _worked(f"signalled {pid}", lambda p=pid: os.kill(p, 0))  # type: ignore[misc]
    ]
    return got + _worked("sent a signal through a descriptor", lambda: _own_signal(targets[-1]))


def _siblings() -> Iterator[int]:
    with contextlib.suppress(OSError):
        yield from (int(name) for name in os.listdir("/proc") if name.isdigit())


def _own_signal(pid: int) -> None:
    import fcntl

    reader, writer = os.pipe()
    try:
        fcntl.fcntl(reader, fcntl.F_SETOWN, pid)
    finally:
        os.close(reader)
        os.close(writer)


def tracing(pids: list[int]) -> Got:
    """Look into other processes."""
    libc = ctypes.CDLL(None, use_errno=True)
    got: Got = []
    for pid in {os.getppid(), *pids, 1} - {os.getpid(), 0}:
        if libc.ptrace(16, pid, None, None) == 0:  # PTRACE_ATTACH
            libc.ptrace(17, pid, None, None)
            got.append(f"traced {pid}")
        got += _worked(f"read the memory of {pid}", lambda p=pid: _memory_of(p))  # type: ignore[misc]
    return got


def _memory_of(pid: int) -> None:
    with open(f"/proc/{pid}/environ", "rb") as file:
        file.read()


def breaking_out() -> Got:
    """Ask the kernel for more: namespaces, mounts, another root, other accounts, higher limits."""
    libc = ctypes.CDLL(None, use_errno=True)
    own = os.fsencode(tempfile.gettempdir())
    ways: dict[str, int] = {
        "made a user namespace": libc.unshare(0x10000000),
        "mounted a file system": libc.mount(b"none", own, b"tmpfs", 0, None),
        "unmounted one": libc.umount2(own, 8),
        "changed the root": libc.chroot(own),
        "ran a program": _program(),
        "set up io_uring": libc.syscall(425, 1, ctypes.create_string_buffer(120)),
    }
    got = [what for what, answer in ways.items() if answer >= 0]
    got += _worked("became root", lambda: os.setuid(0)) if os.getuid() else []
    for name in ("RLIMIT_AS", "RLIMIT_NPROC", "RLIMIT_FSIZE", "RLIMIT_CPU"):
        kind = getattr(resource, name)
        more = resource.getrlimit(kind)[1] + 1
        got += _worked(f"raised {name}", lambda k=kind, m=more: resource.setrlimit(k, (m, m)))  # type: ignore[misc]
    return got


def _program() -> int:
    try:
        return os.posix_spawn("/bin/true", ["true"], {})
    except OSError:
        return -1


def flood(amount: int) -> Got:
    """Print without end."""
    line = "x" * 1023
    for _ in range(amount // 1024):
        print(line)
    return []
