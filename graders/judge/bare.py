"""A child without a box: a plain fork of this process. For one's own work and for tests."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import tempfile
from pathlib import Path
from types import TracebackType

from graders.child.main import main

OUTPUT = 64 * 1024  # bytes that are kept


class BareBox:
    """Forks a child that can do whatever this process can."""

    socket: socket.socket

    def __init__(self) -> None:
        self._pid = 0
        self._status: int | None = None
        self._text = ""

    def __enter__(self) -> BareBox:
        self.socket, far = socket.socketpair()
        self._file = tempfile.TemporaryFile()
        self._pid = os.fork()
        if not self._pid:
            os.setsid()
            for number in (1, 2):
                os.dup2(self._file.fileno(), number)
            self.socket.close()
            main(far.detach())
        far.close()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        trouble: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.socket.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)
        self._status = os.waitpid(self._pid, 0)[1]
        self._file.seek(0)
        self._text = self._file.read(OUTPUT).decode("utf-8", "replace")
        self._file.close()

    def output(self) -> str:
        """What it printed, cut to size."""
        return self._text

    def reason(self) -> str:
        """How it ended."""
        if self._status is None:
            return "still running"
        if os.WIFSIGNALED(self._status):
            return f"killed by signal {os.WTERMSIG(self._status)}"
        return f"exited {os.WEXITSTATUS(self._status)}"

    def cpu(self) -> float | None:
        """Processor seconds used so far."""
        try:
            fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return None
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
