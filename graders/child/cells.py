"""Running a notebook's cells as source text: no kernel, no magics, top-level `await` welcome."""

from __future__ import annotations
import __future__

import ast
import asyncio
import inspect
import linecache
import re
from collections.abc import Iterable, Mapping
from types import CodeType
from typing import Any

from course import clock

from .failures import failure

_FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
_MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.MULTILINE)
_FAST = 1e6  # a cell that waits, such as for a simulated model, waits a millionth of it


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
            self._loop = clock.ScaledLoop(_FAST)
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
