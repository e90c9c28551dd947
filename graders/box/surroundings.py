"""What a probe of a box tries to reach: a listener, sockets, and another's file."""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What of the judge's machine a box must not reach: real things, made for the probes."""

    folder: Path
    secret: Path
    port: int
    path: str
    name: str


@contextlib.contextmanager
def surroundings() -> Iterator[Surroundings]:
    """Make them, and take them away again."""
    name = f"probe-{uuid.uuid4().hex}"
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="probe-")))
        folder.chmod(0o777)
        secret = folder / "submission.txt"
        secret.write_text("another student's")
        secret.chmod(0o666)
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        for address in (str(folder / "socket"), f"\0{name}"):
            server = stack.enter_context(socket.socket(socket.AF_UNIX))
            server.bind(address)
            server.listen()
        os.chmod(folder / "socket", 0o777)
        receiver = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        receiver.bind(f"\0{name}-datagram")
        port = listener.getsockname()[1]
        yield Surroundings(folder, secret, port, str(folder / "socket"), name)
