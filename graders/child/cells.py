"""Running a notebook's cells as source text: no kernel, no magics, top-level `await` welcome."""

from __future__ import annotations
import __future__

import ast
import asyncio
import inspect
import linecache
import re
import selectors
import threading
from collections.abc import Iterable, Mapping
from types import CodeType
from typing import Any

from course import clock

from .failures import failure

_FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
_MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.MULTILINE)
_LOOK = 0.05  # real seconds between two looks at threads that may still bring something
_FAST = 1e6  # a cell that waits, such as for a simulated model, waits a millionth of it


class _CellLoop(clock.ScaledLoop):
    """Ends a cell that waits for what can never happen, which no timer and no thread brings."""

    def _select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None:
            return super()._select(timeout)
        while True:
            ready = super()._select(_LOOK * _FAST)
            if ready:
                return ready
            if threading.active_count() == 1:
                raise RuntimeError("the cell waits for ever: what it awaits can never happen")


class Cells:
    """Runs cells in one namespace, in order; one that fails is noted and the rest goes on."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace = namespace
        self.notes: list[dict[str, str]] = []
        self._flags = 0
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, cells: Iterable[Mapping[str, str]]) -> None:
        """Run cells, each with a `name` and its `source`."""
        for cell in cells:
            try:
                self._run_one(cell["name"], cell["source"])
            except Exception as trouble:
                said = failure(trouble, self.namespace)
                self.notes.append({"cell": cell["name"], **said})
        if self._loop is not None:
            self._loop.close()

    def _run_one(self, name: str, source: str) -> None:
        file = f"<cell {name}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        code = self._compile(source, file)
        self._flags |= code.co_flags & _FUTURE
        if not code.co_flags & inspect.CO_COROUTINE:
            exec(code, self.namespace)
            return
        if self._loop is None:
            self._loop = _CellLoop(_FAST)
            self._loop.set_exception_handler(lambda loop, context: None)
        self._loop.run_until_complete(eval(code, self.namespace))

    def _compile(self, source: str, file: str) -> CodeType:
        flags = self._flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        try:
            return _code(source, file, flags)
        except SyntaxError:
            plain = without_magics(source)
            if plain == source:
                raise
            return _code(plain, file, flags)


def _code(source: str, file: str, flags: int) -> CodeType:
    code: CodeType = compile(source, file, "exec", flags, dont_inherit=True)
    return code


def without_magics(source: str) -> str:
    """The source with IPython's magics and shell lines left out."""
    if source.lstrip().startswith("%%"):
        return ""
    return _MAGIC.sub(r"\1pass", source)
