"""Cells below an error run on in a browser's tab, as those tagged raises-exception do elsewhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

Ran = Mapping[str, Any]
"""What a kernel says of a cell that was run; Jupyter's `execute_reply`."""


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
