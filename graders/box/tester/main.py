"""Runs one attempt, or a text, as told on the channel, and answers with what it got."""

from __future__ import annotations

import json
import socket
from typing import Any

from . import attempts


def main(channel: int) -> None:
    """Read one order (JSON), do it, and answer with the list of what succeeded (JSON)."""
    with socket.socket(fileno=channel) as connection:
        with connection.makefile() as lines:
            order: dict[str, Any] = json.loads(lines.readline())
        if "source" in order:
            scope: dict[str, Any] = {"got": [], "__name__": "attempt", **order["values"]}
            exec(compile(order["source"], "attempt", "exec"), scope)
            got = scope["got"]
        else:
            got = getattr(attempts, order["attempt"])(**order["values"])
        connection.sendall(json.dumps(got).encode() + b"\n")
