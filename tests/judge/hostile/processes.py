"""Hostile code that goes for processes and for the machine's strength."""

import contextlib
import ctypes
import os
import signal
import threading
import time


def fork_and_hide(victim: str) -> list[str]:
    """Fifty sleepers in sessions of their own."""
    del victim
    started = 0
    for _ in range(50):
        try:
            if os.fork() == 0:
                os.setsid()
                time.sleep(5)
                os._exit(0)
            started += 1
        except OSError:
            break
    return [f"started {started}"] if started else []


def take_four_gigabytes(victim: str) -> list[str]:
    """More memory than is allowed."""
    del victim
    try:
        taken = b"x" * (4 << 30)
    except MemoryError:
        return []
    return [f"took {len(taken)}"]


def leave_at_once(victim: str) -> list[str]:
    """End without a word, as if all were done."""
    del victim
    os._exit(0)


def crash(victim: str) -> list[str]:
    """Read where nothing is."""
    del victim
    ctypes.string_at(0)
    return []


def stop_itself(victim: str) -> list[str]:
    """Stand still without using time, deaf to everything."""
    del victim
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    os.kill(os.getpid(), signal.SIGSTOP)
    while True:
        time.sleep(60)


def threads_that_never_end(victim: str) -> list[str]:
    """Go on computing after the child has answered."""
    del victim

    def burn() -> None:
        while True:
            pass

    for _ in range(3):
        threading.Thread(target=burn).start()
    return []


def close_everything(victim: str) -> list[str]:
    """Close every descriptor but the channel, then scribble over whatever else is there."""
    del victim
    for descriptor in [0, 1, 2, *range(4, 256)]:
        with contextlib.suppress(OSError):
            os.write(descriptor, b"garbage\n")
        with contextlib.suppress(OSError):
            os.close(descriptor)
    return []


def hang_at_exit(victim: str) -> list[str]:
    """Wait for ever when the interpreter shuts down."""
    del victim
    import atexit

    atexit.register(time.sleep, 3600)
    return []


def signal_everybody(victim: str) -> list[str]:
    """End all that can be seen, in every way there is to say it."""
    del victim
    ways = [lambda: os.kill(-1, signal.SIGKILL), lambda: os.killpg(0, signal.SIGKILL)]
    ways += [lambda p=pid: os.kill(p, signal.SIGKILL) for pid in range(1, 40) if pid != os.getpid()]
    got = []
    for way in ways:
        try:
            way()
            got.append("a signal was sent")
        except OSError:
            pass
    return got
