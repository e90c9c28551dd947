"""A boundary in miniature: real asyncio code calls its tools, and a log comes out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from course import clock
from graders.records.log import Exchange

Says = Callable[[dict[str, Any], int], tuple[float, Any]]
"""Arguments and how many calls came before -> seconds, and an answer (an exception fails)."""


class Boundary:
    """Records what crosses it, in virtual time.

    Args:
        says: what the tools answer.
    """

    def __init__(self, says: Says) -> None:
        self.exchanges: list[Exchange] = []
        self._says = says

    async def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool and wait for its answer."""
        number = len(self.exchanges)
        before = sum(e.name == tool for e in self.exchanges)
        seconds, answer = self._says(arguments, before)
        token = f"tk{number}f{number * 7919 % 977}"
        self.exchanges.append(Exchange(number, "tool", tool, arguments, clock.now(), token=token))
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            self._close(number, "cancelled", None)
            raise
        if isinstance(answer, Exception):
            self._close(number, "failed", {"error": str(answer)})
            raise answer
        reply = f"{answer} {token}"
        self._close(number, "answered", reply)
        return reply

    def _close(self, number: int, outcome: Any, reply: Any) -> None:
        before = self.exchanges[number]
        self.exchanges[number] = replace(before, end=clock.now(), outcome=outcome, reply=reply)
