"""The finished version of what an exercise builds, taken out of the package while it is judged.

It is no answer, however it is come by. So each such function loses its code, in place: whoever
holds it, under whatever name, holds what is left, and in a box there is no other copy. Functions of
the package that build on it get the student's own definition instead.
"""

from __future__ import annotations

import importlib
import linecache
import os
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import reduce
from itertools import takewhile
from pathlib import Path
from types import CodeType, CoroutineType, FrameType, FunctionType
from typing import Any

ROUNDS = 20
"""Calls of the student's definition in one another, past which it waits for nothing but itself."""

_rounds: ContextVar[int] = ContextVar("rounds", default=0)


class Finished(BaseException):
    """The answer is the finished version, of the module that is named here.

    No exception of the student's, whatever they catch.
    """


class Withheld:
    """The finished definitions of one exercise, to be taken away before it is judged.

    Args:
        places: what is taken away: name to "module:attribute".
        judged: names of the exercise's definitions.
        namespace: the names of the student's notebook.

    Attributes:
        met: the module of one that was called in place of an answer; empty when none was.
    """

    def __init__(
        self, places: Mapping[str, str], judged: Collection[str], namespace: Mapping[str, Any]
    ) -> None:
        self.namespace = namespace
        self.met = ""
        self._places = places
        self._judged = judged
        self._codes: dict[FunctionType, CodeType] = {}

    def take(self, *, for_good: bool = False) -> None:
        """Take them away: for good in a box, where nothing can bring them back.

        There, nobody can read them in their modules' files either.
        """
        for name, place in self._places.items():
            finished = function_at(place)
            code = finished.__code__
            left = _left_of(code, _Asked(self, name, finished, None if for_good else code))
            for each in {finished, *self._copies(code)}:
                self._codes[each] = each.__code__
                _give(each, left)
        if for_good:
            _close_books(self._codes)
            self._codes.clear()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Take them away within the `with` block."""
        self.take()
        try:
            yield
        finally:
            for function, code in self._codes.items():
                _give(function, code)
            self._codes.clear()

    def told(self, ending: dict[str, Any]) -> dict[str, Any]:
        """How a stage ended: by what it met, even where something caught that."""
        if not self.met:
            return ending
        return {"do": "raised", "type": Finished.__name__, "message": self.met, "line": ""}

    def own(self, name: str) -> Any:
        """The student's definition of this name; None where they have or need none."""
        return self.namespace.get(name) if name in self._judged else None

    def _copies(self, original: CodeType) -> Iterator[FunctionType]:
        """Functions of the notebook that were made of this code, or of its text by `exec`."""
        for value in self.namespace.values():
            if isinstance(value, FunctionType) and value.__code__.co_name == original.co_name:
                code = value.__code__
                typed = linecache.getline(code.co_filename, code.co_firstlineno)
                same = _names_in(code) == _names_in(original)
                if code.co_filename == original.co_filename or (same and not typed):
                    yield value


def _give(function: FunctionType, code: CodeType) -> None:
    """Let a function run this code; Python 3.13 warns where only one of both is a coroutine's.

    Here that is meant: who calls a withheld coroutine function is told at once.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        function.__code__ = code


def _names_in(code: CodeType) -> tuple[tuple[str, ...], ...]:
    return code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars


def function_at(place: str) -> FunctionType:
    """The function at "module:attribute"."""
    module, _, attribute = place.partition(":")
    function = reduce(getattr, attribute.split("."), importlib.import_module(module))
    assert isinstance(function, FunctionType), f"{place} is no plain function"
    return function


class _Asked:
    """What is called in place of a finished definition.

    Args:
        code: what it was, for the judge's own worlds where they share this process.
    """

    def __init__(
        self, withheld: Withheld, name: str, finished: FunctionType, code: CodeType | None
    ) -> None:
        self._withheld = withheld
        self._name = name
        self._finished = finished
        self._judges = None
        if code is not None:
            defaults, named = finished.__defaults__, finished.__kwdefaults__
            self._judges = FunctionType(code, finished.__globals__, name, defaults)
            self._judges.__kwdefaults__ = named

    def __call__(self, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        above = list(_above(sys._getframe(2)))
        package = sum(1 for _ in takewhile(_is_of("course."), above))
        if self._judges is not None and any(map(_is_the_judge, above[package:][:1])):
            return self._judges(*args, **named)
        own = self._withheld.own(self._name)
        if not package or own is None or own is self._finished or _rounds.get() > ROUNDS:
            self._withheld.met = self._finished.__module__
            raise Finished(self._withheld.met)
        before = _rounds.set(_rounds.get() + 1)
        try:
            given = own(*args, **named)
        finally:
            _rounds.reset(before)
        return _one_round_on(given) if isinstance(given, CoroutineType) else given


async def _one_round_on(given: CoroutineType[Any, Any, Any]) -> Any:
    before = _rounds.set(_rounds.get() + 1)
    try:
        return await given
    finally:
        _rounds.reset(before)


def _above(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_of(package: str) -> Callable[[FrameType], bool]:
    return lambda frame: str(frame.f_globals.get("__name__")).startswith(package)


def _is_the_judge(frame: FrameType) -> bool:
    return _is_of("graders.")(frame) and not _is_of("graders.child.")(frame)


def _left(*args: Any, **named: Any) -> Any:
    asked: Any = "who is asked"
    return asked(args, named)


def _left_of(code: CodeType, asked: _Asked) -> CodeType:
    """Code that looks like the finished one from outside, and only asks."""
    constants = (asked if isinstance(each, str) else each for each in _left.__code__.co_consts)
    return _left.__code__.replace(
        co_consts=tuple(constants),
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
    )


def _close_books(codes: Mapping[FunctionType, CodeType]) -> None:
    """Let nobody read these functions: not by `inspect`, and not in their files."""
    homes = {code.co_filename: function.__module__ for function, code in codes.items()}
    lines = {file: linecache.getlines(file) for file in homes}
    for function, code in codes.items():
        _cross_out(function, code, lines[code.co_filename])
    for file, text in lines.items():
        linecache.cache[file] = (len(text), None, text, file)  # no time: it is never read anew
    sys.addaudithook(_refusing(homes))


def _cross_out(function: FunctionType, code: CodeType, lines: list[str]) -> None:
    """Put a call of what is left in the place of a function's text."""
    first, last = code.co_firstlineno - 1, _last_line(code)
    indent = lines[first][: -len(lines[first].lstrip())]
    home = f"__import__('importlib').import_module({function.__module__!r})"
    text = [
        f"{indent}def {function.__name__}(*args, **named):  # write your own\n",
        f"{indent}    return {home}.{function.__qualname__}(*args, **named)\n",
    ]
    lines[first:last] = text + ["\n"] * (last - first - len(text))


def _last_line(code: CodeType) -> int:
    own = [end for _, end, *_ in code.co_positions() if end is not None]
    return max([*own, *(_last_line(each) for each in code.co_consts if isinstance(each, CodeType))])


def _refusing(homes: Mapping[str, str]) -> Callable[[str, tuple[Any, ...]], None]:
    """An audit hook: whoever opens one of these files, or what was compiled of it, hears whose."""
    closed: dict[object, str] = {}
    for file, module in homes.items():
        path = Path(file)
        for each in (path, *path.parent.glob(f"__pycache__/{path.stem}.*.pyc")):
            about = each.stat()
            closed[each.name] = closed[about.st_dev, about.st_ino] = module

    def hook(event: str, given: tuple[Any, ...]) -> None:
        reads = event in ("open", "os.symlink", "os.link")
        if not reads or not isinstance(given[0], str | bytes | os.PathLike):
            return
        try:
            about = os.stat(given[0])
            module = closed.get((about.st_dev, about.st_ino))
        except OSError:  # new, or beside an open folder
            writes = event == "open" and str(given[1]).startswith(("w", "x", "a"))
            module = None if writes else closed.get(os.path.basename(os.fsdecode(given[0])))
        if module is not None:
            raise Finished(module)

    return hook
