"""The parent's end of the socket to a box: lines in and out, all of it bounded."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from graders.child.plain import to_line
from graders.judge.protocol import LONGEST_LINE

MOST_BYTES = 64_000_000
SEND_SECONDS = 10.0
_LOOK = 0.1  # seconds between two looks at a silent child


class Gone(Exception):
    """The other end closed."""


class Flooded(Exception):
    """The other end sent more than anybody needs."""


class Silent(Exception):
    """Nothing was heard for as long as is allowed; `seconds` of real time."""

    def __init__(self, seconds: float, detail: str) -> None:
        super().__init__(detail)
        self.seconds = seconds
        self.detail = detail


@dataclass(frozen=True)
class Patience:
    """How long a child may be silent.

    Attributes:
        cpu: seconds of processor time, where the box can tell how much the child used.
        wall: real seconds, whatever the child does; long, since a machine may be busy.
    """

    cpu: float = 3.0
    wall: float = 20.0


class Channel:
    """JSON lines over a socket.

    Args:
        end: the parent's end of the socket.
        cpu: tells the processor time the child has used so far (seconds); None if nobody can.
    """

    def __init__(
        self, end: socket.socket, patience: Patience, cpu: Callable[[], float | None]
    ) -> None:
        self._socket = end
        self._patience = patience
        self._cpu = cpu
        self._buffer = bytearray()
        self._received = 0
        end.settimeout(SEND_SECONDS)

    def send(self, message: dict[str, object]) -> None:
        """Send one message.

        Raises:
            Gone: nobody reads it.
        """
        try:
            self._socket.sendall(to_line(message))
        except OSError:  # a time-out included: a child that reads nothing is gone too
            raise Gone from None

    def lines(self) -> Iterator[bytes]:
        """The lines as they come.

        Raises:
            Gone, Flooded, Silent: as they say.
        """
        begin = 0  # where to look for the end of a line
        while True:
            end = self._buffer.find(b"\n", begin)
            if end >= 0:
                line = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                begin = 0
                yield line
                continue
            begin = len(self._buffer)
            if begin > LONGEST_LINE:
                raise Flooded("a line without end")
            self._buffer += self._more()

    def _more(self) -> bytes:
        self._wait()
        try:
            data = self._socket.recv(262_144)
        except OSError:
            raise Gone from None
        if not data:
            raise Gone
        self._received += len(data)
        if self._received > MOST_BYTES:
            raise Flooded(f"more than {MOST_BYTES} bytes")
        return data

    def _wait(self) -> None:
        """Wait for bytes as long as the child may be silent."""
        begin, used = time.monotonic(), self._cpu()
        while not select.select([self._socket], [], [], _LOOK)[0]:
            wall, now = time.monotonic() - begin, self._cpu()
            if used is not None and now is not None and now - used > self._patience.cpu:
                raise Silent(wall, "")
            if wall > self._patience.wall:
                raise Silent(wall, "")
