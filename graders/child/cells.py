"""Running a notebook's cells as source text: no kernel, no magics, top-level `await` welcome."""

from __future__ import annotations
import __future__

import ast
import asyncio
import inspect
import linecache
import selectors
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from itertools import zip_longest
from types import CodeType
from typing import Any

from course import clock

from .failures import failure, first_line
from .magics import without_magics
from .withheld import Finished

_FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
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


class Interrupted(BaseException):
    """A cell that is not the answer's took longer than it may; what it made until then is kept."""


Aside = Callable[[], AbstractContextManager[None]]
"""What limits the time of a cell that is not the answer's: raises Interrupted in it."""


class Cells:
    """Runs cells in one namespace, in order; one that fails is noted and the rest goes on.

    One that used a name which only a later cell made is run once more after that.

    Args:
        namespace: what they share.
        judged: names that count only where code of the student's gives them their value.
        before: called before the first code of the student's, or at the end.
    """

    def __init__(
        self,
        namespace: dict[str, Any],
        aside: Aside = nullcontext,
        judged: Collection[str] = (),
        before: Callable[[], None] = lambda: None,
    ) -> None:
        self.namespace = namespace
        self.notes: list[dict[str, str]] = []
        self._aside = aside
        self._judged = judged
        self._before = before
        self._begun = False
        self._own: dict[str, Any] = {}
        self._flags = 0
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, cells: Iterable[Mapping[str, Any]]) -> None:
        """Run cells, each with a `name` and its `source`.

        It is the student's unless `own` says no, and the answer's unless `side` says so.
        """
        waiting: list[tuple[Mapping[str, Any], str, dict[str, str]]] = []
        for cell in cells:
            trouble = self._try(cell)
            if isinstance(trouble, NameError) and trouble.name:
                waiting.append((cell, trouble.name, self.notes[-1]))
        while ready := next((each for each in waiting if each[1] in self.namespace), None):
            waiting.remove(ready)
            self.notes.remove(ready[2])
            self._try(ready[0])
        self._begin()
        self._put_aside()  # what an import of the chapter's gave is no answer
        if self._loop is not None:
            self._loop.close()

    def _try(self, cell: Mapping[str, Any]) -> BaseException | None:
        """Run one cell; returns what ended it, which is noted."""
        if not cell.get("own", True):
            return self._noted(cell)
        self._begin()
        released = self._put_aside()
        trouble = self._noted(cell)
        self._own = {name: self.namespace[name] for name in self._judged if name in self.namespace}
        self.namespace.update(released | self._own)
        return trouble

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            self._before()

    def _put_aside(self) -> dict[str, Any]:
        """Leave of what is judged what the student's code made; gives what the release's did."""
        names = [name for name in self._judged if name in self.namespace]
        released = {name: self.namespace.pop(name) for name in names}
        self.namespace.update(self._own)
        return released

    def _noted(self, cell: Mapping[str, Any]) -> BaseException | None:
        side = cell.get("side", False)
        try:
            with self._aside() if side else nullcontext():
                self._run_one(cell["name"], cell["source"])
        except BaseException as trouble:
            if not side and not isinstance(trouble, Exception | Finished):
                raise
            said = failure(trouble, self.namespace)
            if isinstance(trouble, Interrupted):
                said["line"] = first_line(cell["source"])
            self.notes.append({"cell": cell["name"], **said})
            return trouble
        return None

    def _run_one(self, name: str, source: str) -> None:
        file = f"<cell {name}>"
        before = linecache.getlines(file)  # other statements of the cell
        lines = zip_longest(source.splitlines(keepends=True), before, fillvalue="\n")
        shown = [new if new.strip() else old for new, old in lines]
        linecache.cache[file] = (len(source), None, shown, file)
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
