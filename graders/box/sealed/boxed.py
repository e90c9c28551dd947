"""The box itself: a fork of the warmed process that gives everything up, then runs the child."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import tempfile
import traceback
from typing import Any, NoReturn, TextIO

from . import confine

CHANNEL = 3


def become(
    channel: int,
    output: int,
    limits: dict[str, Any],
    settings: confine.Settings,
    private: str,
    base_bytes: int,
) -> NoReturn:
    """Turn this fork into a box and run `child.main.main(CHANNEL)` in it; never returns."""
    code = 1
    try:
        _enter(channel, output, limits, settings, private, base_bytes)
        code = _run()
    except BaseException:
        _complain()
    finally:
        os._exit(code & 0xFF)


def _enter(
    channel: int,
    output: int,
    limits: dict[str, Any],
    settings: confine.Settings,
    private: str,
    base_bytes: int,
) -> None:
    os.setsid()
    os.dup2(output, 1)
    os.dup2(output, 2)
    if settings["confined"]:
        from . import kernel

        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if settings["namespaces"]:
        confine.private_mount(private, limits["disk_bytes"])
    _move_in(private)
    confine.lock(settings, private)
    os.dup2(channel, CHANNEL)
    confine.close_from(CHANNEL + 1, settings)
    confine.limit(limits, base_bytes, settings)
    confine.filter_calls(settings)
    random.seed()


def _move_in(private: str) -> None:
    home = os.path.join(private, "home")
    os.umask(0o077)
    os.makedirs(home, exist_ok=True)
    os.chdir(home)
    os.environ.update(HOME=home, TMPDIR=private)
    tempfile.tempdir = None


def _run() -> int:
    from child import main  # type: ignore[import-not-found]  # a copy that stands beside this one

    streams = sys.stdout, sys.stderr = _stream(1), _stream(2)
    try:
        return int(main.main(CHANNEL) or 0)
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    finally:
        for stream in streams:
            with contextlib.suppress(OSError, ValueError):  # the code may have closed them
                stream.flush()


def _stream(descriptor: int) -> TextIO:
    """A stream that gives up each line at once: what was printed before a kill is seen."""
    return open(descriptor, "w", buffering=1, encoding="utf-8", errors="replace", closefd=False)


def _complain() -> None:
    """Print the error straight to the output; the code before may have replaced sys.stderr."""
    os.write(2, traceback.format_exc()[-4000:].encode("utf-8", "replace"))
