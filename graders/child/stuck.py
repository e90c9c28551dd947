"""Is a thread at work, or does it wait in the operating system?

A box has no /proc to tell. There, who uses no processor for long enough is asleep.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_TASKS = Path("/proc/self/task")
PATIENCE = 15  # looks that must find a thread asleep before it counts as blocked for good
_WITHOUT_STATES = 3  # times as many: beside others, who is ready may have to wait for a processor
_TOLD = ("NSpid", "State", "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")


def activity(threads: Iterable[int]) -> object:
    """A sign that stays equal only while all these threads sleep.

    Args:
        threads: their native ids.

    Returns:
        None when one of them is running or ready to run. A thread that waits for a processor is
        ready, so a busy machine is not mistaken for a sleeping thread.
    """
    known = _states()
    if not known:
        return tuple(used(threads).items())
    signs = [known.get(thread) for thread in threads]
    if any(sign is None or not sign[0].startswith("S") for sign in signs):
        return None
    return tuple(signs)


def patience() -> int:
    """How many looks must bring the same sign."""
    return PATIENCE if _paths() else PATIENCE * _WITHOUT_STATES


def used(threads: Iterable[int]) -> dict[int, float]:
    """Processor seconds of these threads, by native id; of all together where nobody tells."""
    if sys.platform != "linux":
        return {0: time.process_time()}
    found = {}
    for thread in threads:
        with suppress(OSError):  # it has just ended
            found[thread] = time.clock_gettime(~thread << 3 | 6)  # the kernel's name for its clock
    return found


def _states() -> dict[int, tuple[str, ...]]:
    """State and switches of this process's threads, by native id; empty where nobody tells."""
    found = {}
    for path in _paths():
        try:
            lines = (path / "status").read_text().splitlines()
        except OSError:  # it just ended, or this is not to be read here
            continue
        fields = {name: value.strip() for name, _, value in (each.partition(":") for each in lines)}
        ident, *sign = (fields.get(name, "") for name in _TOLD)
        if ident:  # in the innermost namespace, as the thread knows itself
            found[int(ident.split()[-1])] = tuple(sign)
    return found


def _paths() -> list[Path]:
    try:
        return list(_TASKS.iterdir())
    except OSError:
        return []
