"""The warmed process: imports what a child needs once, then forks a box for every order.

It is trusted and never runs a student's code. Orders come over the control socket, each with two
descriptors: the box's end of its channel, and the lifeline, over which the keeper reports.
"""

from __future__ import annotations

import array
import gc
import importlib
import json
import os
import signal
import socket
import sys
import warnings
from pathlib import Path
from typing import Any

from . import confine, keeper
from .kit import PACKAGES, kit


def serve(control_fd: int, text: str) -> None:
    """Warm up as the settings (JSON) say, report readiness, then serve until the socket closes."""
    settings: dict[str, Any] = json.loads(text)
    control = socket.socket(fileno=control_fd)
    confine.seal(settings)
    _import(settings["modules"])
    settings["namespaces"] = settings["namespaces"] and keeper.namespaces_work(settings)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers are reaped by the kernel
    gc.collect()
    gc.freeze()  # a fork's collector then leaves these pages shared
    confine.compact(settings)
    ready = {"namespaces": settings["namespaces"], "kit": kit(_homes())}
    control.sendall(json.dumps(ready).encode() + b"\n")
    while order := _receive(control):
        limits, descriptors = order
        if os.fork() == 0:
            control.close()
            keeper.keep(limits, *descriptors, settings=settings)
        for each in descriptors:
            os.close(each)
    os._exit(0)


def _import(modules: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in modules:
            importlib.import_module(name)
        prepare = getattr(sys.modules["child.main"], "prepare", None)
        if prepare is not None:
            prepare()


def _homes() -> dict[str, Path]:
    """Where the packages stand that were imported here."""
    return {name: Path(sys.modules[name].__path__[0]).resolve() for name in PACKAGES}


def _receive(control: socket.socket) -> tuple[dict[str, Any], tuple[int, int]] | None:
    """One order: descriptors end a message on a stream, so orders never run together."""
    received = array.array("i")
    data, ancillary, _, _ = control.recvmsg(65536, socket.CMSG_SPACE(2 * received.itemsize))
    for level, kind, content in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            received.frombytes(content)
    if not data or len(received) != 2:
        return None
    return json.loads(data), (received[0], received[1])
