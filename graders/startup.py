"""What each kernel of `make lab` runs when it starts (PYTHONSTARTUP names this file).

Until a chapter's first cell has called `start()`, a name that is not there is told in one line
that says what to run: whoever begins at a check, or below, meets no traceback. It imports nothing
of the course, which would cost every kernel its time and memory.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any


def _listen() -> None:
    try:
        from IPython import get_ipython
    except ImportError:
        return
    way_out = (
        "run the cells above it first (menu Run, Run All Above Selected Cell);"
        " the first of them calls start()"
    )

    # Inside, since it runs among the names of the notebook, which may be deleted.
    def not_there_yet(
        shell: Any,
        kind: type[NameError],
        trouble: NameError,
        trace: TracebackType | None,
        tb_offset: int | None = None,
    ) -> list[str]:
        lines = [f"○ `{trouble.name}` is not there yet: {way_out}"]
        shell._showtraceback(kind, trouble, lines)
        return lines

    shell = get_ipython()
    if shell is not None:  # and not a terminal that was opened beside
        shell.set_custom_exc((NameError,), not_there_yet)


_listen()
