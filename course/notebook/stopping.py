"""The Stop button, for cells that await."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
import threading


def wake_on_signals() -> bool:
    """Let any signal wake the running event loop, so that Stop interrupts ``await`` at once.

    JupyterLab's Stop button sends SIGINT. While a cell awaits, ipykernel's handler (6.31 and 7.4)
    cancels the cell through a callback that it adds to the loop; but the loop sleeps in its
    selector and looks at new callbacks only when something wakes it. With ``await event.wait()``
    or a long ``asyncio.sleep`` that may be never (ipykernel issues 881 and 1239). Python can write
    a byte to a socket for every signal that comes (``signal.set_wakeup_fd``); the loop listens to
    that socket from here on, and no signal's handler is changed.

    It does nothing where there is no running loop, outside the main thread, on Windows, in a
    browser's tab, or when somebody has set such a socket already: an event loop does for its own
    signal handlers, and is then woken by it as well.

    Returns:
        Whether signals wake the loop from now on because of this call.
    """
    loop = asyncio._get_running_loop()
    main = threading.current_thread() is threading.main_thread()
    if loop is None or not main or sys.platform in ("win32", "emscripten"):
        return False
    ears, mouth = socket.socketpair()
    ears.setblocking(False)
    mouth.setblocking(False)
    before = signal.set_wakeup_fd(mouth.fileno(), warn_on_full_buffer=False)
    if before != -1:
        signal.set_wakeup_fd(before)
        ears.close()
        mouth.close()
        return False
    loop.add_reader(ears, _hear, ears, mouth)
    return True


def _hear(ears: socket.socket, mouth: socket.socket) -> None:
    """Empty the socket: being woken was all. Holding the other end here keeps it open."""
    try:
        ears.recv(4096)
    except (BlockingIOError, InterruptedError):
        return
