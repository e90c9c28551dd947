"""The parent's end of the socket to a box: lines in and out, all of it bounded."""

from __future__ import annotations

import select
import socket
from collections.abc import Callable, Iterator

from graders.child.plain import to_line
from graders.child.watch import LOOK
from graders.judge.protocol import LONGEST_LINE

MOST_BYTES = 2_000_000  # in whole lines; a right answer says less than 100,000
TOO_MANY = f"more than {MOST_BYTES} bytes"


class Gone(Exception):
    """The other end closed."""


class Flooded(Exception):
    """The other end sent more than anybody needs."""


class Channel:
    """JSON lines over a socket.

    Args:
        end: the parent's end of the socket.
        look: is called now and then, however much is heard or not; it may raise to end the talk.

    Attributes:
        received: bytes so far.
    """

    def __init__(self, end: socket.socket, look: Callable[[], None]) -> None:
        self.received = 0
        self._socket = end
        self._look = look
        self._buffer = bytearray()
        end.setblocking(False)

    def send(self, message: dict[str, object]) -> None:
        """Send one message. Raises Gone, or what looking raises, as when nobody reads it."""
        left = memoryview(to_line(message))
        while left:
            try:
                left = left[self._socket.send(left) :]
            except BlockingIOError:
                self._wait(select.POLLOUT)
            except OSError:
                raise Gone from None

    def lines(self) -> Iterator[bytes]:
        """The lines as they come.

        Raises:
            Gone, Flooded, or what looking raises.
        """
        said, begin = 0, 0  # in whole lines; where to look for the end of one
        while True:
            end = self._buffer.find(b"\n", begin)
            if end >= 0:
                line = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                said, begin = said + end + 1, 0
                if said > MOST_BYTES:
                    raise Flooded(TOO_MANY)
                yield line
                continue
            begin = len(self._buffer)
            if begin > LONGEST_LINE:
                raise Flooded("a line without end")
            self._buffer += self._more()

    def _more(self) -> bytes:
        self._wait(select.POLLIN)
        try:
            data = self._socket.recv(262_144)
        except BlockingIOError:
            return b""
        except OSError:
            raise Gone from None
        if not data:
            raise Gone
        self.received += len(data)
        return data

    def _wait(self, event: int) -> None:
        poll = select.poll()  # select.select stops at descriptor 1023
        poll.register(self._socket, event)
        poll.poll(LOOK * 1000)
        self._look()
