"""The parent's end of the socket to a box: lines in and out, all of it bounded."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator

from graders.child.plain import to_line
from graders.judge.protocol import LONGEST_LINE

MOST_BYTES = 64_000_000
SEND_SECONDS = 10.0
PATIENCE = 20.0


class Gone(Exception):
    """The other end closed."""


class Flooded(Exception):
    """The other end sent more than anybody needs."""


class Silent(Exception):
    """Nothing was heard for as long as is allowed; `seconds` of real time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"nothing for {seconds:.0f} s")
        self.seconds = seconds


class Channel:
    """JSON lines over a socket.

    Args:
        end: the parent's end of the socket.
        patience: real seconds of silence that are allowed. It is long, since a machine may be
            busy: who computes without end is ended earlier, by the processor time used.
    """

    def __init__(self, end: socket.socket, patience: float = PATIENCE) -> None:
        self._socket = end
        self._patience = patience
        self._buffer = bytearray()
        self._received = 0
        end.settimeout(SEND_SECONDS)

    def send(self, message: dict[str, object]) -> None:
        """Send one message.

        Raises:
            Gone: the other end closed.
            Flooded: it sends, but does not read what it is answered.
        """
        try:
            self._socket.sendall(to_line(message))
        except TimeoutError:
            raise Flooded("messages whose answers it did not read") from None
        except OSError:
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
        poll = select.poll()  # select.select stops at descriptor 1023
        poll.register(self._socket, select.POLLIN)
        if not poll.poll(self._patience * 1000):
            raise Silent(self._patience)
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
