"""Is a thread at work, or does it wait in the operating system?"""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

_TASKS = Path("/proc/self/task")
_GRACE = 0.5  # seconds of one and the same sign where the system does not tell
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
        return int(time.monotonic() / _GRACE)
    signs = [known.get(thread) for thread in threads]
    if any(sign is None or not sign[0].startswith("S") for sign in signs):
        return None
    return tuple(signs)


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
