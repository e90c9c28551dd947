"""A chapter in a browser's tab: what is told there, and what its kernel does as others do."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from course.errors import ConfigurationError
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
Load = Callable[[str], Awaitable[bool]]
"""Brings a module, and says whether it is there."""

_lacked: list[str] = []  # by the cell that runs


def settle(shell: Any) -> None:
    """Say what is different here, and let errors be shown as on a computer, in an IPython shell."""
    print(HERE)
    mine, ours = _release(Path.cwd()), _release(RELEASED / Path.cwd().name)
    if mine and ours and mine != ours:
        print(ANOTHER.format(mine=mine, ours=ours))
    if shell is not None:
        go_on(shell)


def absent(trouble: BaseException) -> str:
    """The module for want of which something was raised, by name; empty for other reasons."""
    if isinstance(trouble, ConfigurationError) and "switchboard-course[voice]" in str(trouble):
        return "livekit"  # which `course.voice` looks for without loading it
    cause = trouble.__context__ if isinstance(trouble, ConfigurationError) else trouble
    return (cause.name or "") if isinstance(cause, ModuleNotFoundError) else ""


def lacking(module: str) -> str:
    """In a line, what a module that is not there means, and what still works."""
    said = ON_A_COMPUTER if module.partition(".")[0] in COMPUTERS else NOT_LOADED
    _lacked.append(module)
    return f"No module named {module!r}: {said}"


def go_on(shell: Any, load: Load | None = None) -> None:
    """Let an error be shown and stop no other cell, from the next cell on.

    A tab's page drops what waits below any error, also where a cell's tag says that it may raise,
    and tells the kernel nothing of tags. So an error is shown as an output, and the cell counts as
    run. The released chapters tag all cells from their first check on.

    The kernel loads of Pyodide's own packages what a cell imports. What the course needs for a
    cell is loaded when it is lacking, and the cell is run again.

    Args:
        shell: of IPython, with the tab's kernel.
        load: what brings a module; Pyodide's when None.
    """
    if not isinstance(shell.kernel.run, _GoingOn):
        shell.kernel.run = _GoingOn(shell.kernel.run, shell.display_pub, load or _from_pyodide)


class _GoingOn:
    """What runs a cell in the place of the kernel's own function."""

    def __init__(self, run: Callable[[str], Awaitable[Ran]], page: Any, load: Load) -> None:
        self._run, self._page, self._load = run, page, load

    async def __call__(self, code: str) -> Ran:
        _lacked.clear()
        told = await self._run(code)
        tried = set[str]()
        while _lacked and (module := _lacked.pop()) not in tried and await self._load(module):
            tried.add(module)
            self._page.clear_output()
            told = await self._run(code)
        if told["status"] != "error":
            return told
        text = "\n".join(told["traceback"])
        self._page.publish({"application/vnd.jupyter.stderr": text, "text/plain": text})
        return {"status": "ok", "payload": told.get("payload", [])}


async def _from_pyodide(module: str) -> bool:
    from pyodide_js import loadPackagesFromImports  # type: ignore[import-not-found]

    await loadPackagesFromImports(f"import {module}")
    return find_spec(module.partition(".")[0]) is not None


def _release(chapter: Path) -> str:
    """The number of the release that a chapter's notebook is of; empty where none is said."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        book = json.loads((chapter / f"{chapter.name}.ipynb").read_text(encoding="utf-8"))
        return str(book["metadata"]["switchboard"]["release"])
    return ""
