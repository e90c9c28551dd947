"""A chapter in a browser's tab: what is told there, and what its kernel does as others do."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from course.notebook.exercises import RELEASED

HERE = (
    "In a browser's tab: tokens are estimates, Stop is Kernel > Restart Kernel, and your work is"
    " kept in this browser alone. File > Download is what you hand in."
)
ANOTHER = (
    "Your copy of this chapter is of release {mine}, and this page of {ours}. It runs and is judged"
    " as it is; for the new text rename your copy and open the chapter again."
)
NOT_LOADED = (
    "this page could not load it. Figures and classifiers need Pyodide's own packages, from the"
    " internet or from the site; the rest of the chapter runs without."
)
ON_A_COMPUTER = "needs a computer: `make lab` there has it. The rest of the chapter runs here."
COMPUTERS = frozenset(("ctranslate2", "livekit", "tokenizers", "uvicorn"))
"""Packages for which a tab has no sound, sockets or threads."""

Ran = Mapping[str, Any]
"""What a kernel says of a cell that was run; Jupyter's `execute_reply`."""


def settle(shell: Any) -> None:
    """Say what is different here, and let errors be shown as on a computer, in an IPython shell."""
    print(HERE)
    mine, ours = _release(Path.cwd()), _release(RELEASED / Path.cwd().name)
    if mine and ours and mine != ours:
        print(ANOTHER.format(mine=mine, ours=ours))
    if shell is not None:
        go_on(shell)


def lacking(trouble: ModuleNotFoundError) -> str:
    """In a line, what a module that is not there means, and what still works."""
    package = (trouble.name or "").partition(".")[0]
    said = ON_A_COMPUTER if package in COMPUTERS else NOT_LOADED
    return f"No module named {trouble.name!r}: {said}"


def go_on(shell: Any) -> None:
    """Let an error be shown and stop no other cell, from the next cell on.

    A tab's page drops what waits below any error, also where a cell's tag says that it may raise,
    and tells the kernel nothing of tags. So an error is shown as an output, and the cell counts as
    run. The released chapters tag all cells from their first check on.
    """
    kernel = shell.kernel
    if not getattr(kernel.run, "goes_on", False):
        kernel.run = _going_on(kernel.run, shell.display_pub.publish)


def _going_on(
    run: Callable[[str], Awaitable[Ran]], publish: Callable[[dict[str, str]], None]
) -> Callable[[str], Awaitable[Ran]]:
    async def goes_on(code: str) -> Ran:
        told = await run(code)
        if told["status"] != "error":
            return told
        text = "\n".join(told["traceback"])
        publish({"application/vnd.jupyter.stderr": text, "text/plain": text})
        return {"status": "ok", "payload": told.get("payload", [])}

    goes_on.goes_on = True  # type: ignore[attr-defined]
    return goes_on


def _release(chapter: Path) -> str:
    """The number of the release that a chapter's notebook is of; empty where none is said."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        book = json.loads((chapter / f"{chapter.name}.ipynb").read_text(encoding="utf-8"))
        return str(book["metadata"]["switchboard"]["release"])
    return ""
