"""Is a thread at work, or does it wait in the operating system?"""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

_TASKS = Path("/proc/self/task")
_GRACE = 0.5  # seconds of one and the same sign where the system does not tell


def activity(threads: Iterable[int]) -> object:
    """A sign that stays equal only while all these threads sleep.

    Args:
        threads: their native ids.

    Returns:
        None when one of them is running or ready to run. A thread that waits for a processor is
        ready, so a busy machine is not mistaken for a sleeping thread.
    """
    if not _TASKS.exists():
        return int(time.monotonic() / _GRACE)
    signs = []
    for thread in threads:
        sign = _sign(_TASKS / str(thread))
        if sign is None:
            return None
        signs.append(sign)
    return tuple(signs)


def _sign(task: Path) -> tuple[str, str] | None:
    try:
        state = (task / "stat").read_text().rpartition(")")[2].split()[0]
        ran = (task / "schedstat").read_text()
    except OSError:  # it just ended, or the system keeps no such figures
        return None
    return (state, ran) if state == "S" else None
