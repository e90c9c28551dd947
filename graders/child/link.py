"""The judged process's way to the world that answers it."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from typing import Any, Protocol

from pydantic_core import from_json

from .plain import to_line

Message = Mapping[str, Any]


class Ended(BaseException):
    """The world is over: nothing of the judged code may go on."""


class Link(Protocol):
    """The way to the world."""

    def send(self, message: Message) -> None:
        """Tell the world something."""

    def exchange(self, message: Message) -> dict[str, Any]:
        """Tell the world something and wait for its delivery."""
        ...


class LineLink:
    """JSON lines over a socket: the link to a world in another process."""

    def __init__(self, fd: int) -> None:
        self._socket = socket.socket(fileno=fd)
        self._lines = self._socket.makefile("rb")
        self.said = 0
        self.listening = False

    def send(self, message: Mapping[str, Any]) -> None:
        """Tell the world something."""
        line = to_line(message)
        self.said += 1
        self._socket.sendall(line)

    def receive(self) -> dict[str, Any]:
        """Wait for a message; ends this process when there is nobody to send one."""
        self.listening = True
        line = self._lines.readline()
        self.listening = False
        if not line:
            os._exit(3)
        message: dict[str, Any] = from_json(line)
        return message

    def exchange(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Tell the world something and wait for its delivery."""
        self.send(message)
        return self.receive()
