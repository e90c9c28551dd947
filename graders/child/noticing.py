"""What a stage notices of the student's definitions: what is called, and what comes back.

The stage's own text is watched, never the student's: each `student.name(...)` in it also tells
here what it gave, so a definition of whatever style is called as it is. What is found only chooses
the words for a trial that fails.
"""

from __future__ import annotations

import ast
import asyncio
import dis
import functools
import inspect
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from types import CodeType, CoroutineType, TracebackType
from typing import Any

from course.errors import VirtualTimeError

from .failures import cut, failure
from .plain import NotPlain

_STAGE = "<stage>"
_UNDER_WAY = (CoroutineType, asyncio.Future)
_YIELDING = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
_DOES_NOTHING = {"RESUME", "NOP", "POP_TOP", "RETURN_GENERATOR", "LOAD_CONST", "RETURN_VALUE"}
_DOES_NOTHING |= {"RETURN_CONST", "CACHE"}
_DOES_NOTHING |= {"CALL_INTRINSIC_1", "RERAISE"}  # how every coroutine function ends since 3.12
_ARGUMENTS = re.compile(r"(?:[\w.<>]+\.)?([\w<>]+)\(\) ((?:got|missing|takes) .*)")
_NO_KEYS = re.compile(r"'([A-Z]\w+)' object is not subscriptable")
_OF_TYPE = re.compile(r"'(\w+)' object")
_AWAITED = re.compile(r"object (\S+) can't be used in 'await' expression")
_FEW = 4  # values given together, each of which a message names
_RAISES = {dis.opmap["RAISE_VARARGS"], dis.opmap["RERAISE"]}
_LOOKING = suppress(Exception)  # what the student made may refuse to be looked at


@dataclass(frozen=True)
class Site:
    """One place in a stage that calls a definition of the student's.

    Attributes:
        name: the definition's.
        awaited: whether what it gives is awaited there.
        used: whether anything is done with what comes of it.
        wanted: the names that it is unpacked into; empty when it is not.
    """

    name: str
    awaited: bool
    used: bool
    wanted: tuple[str, ...]


class Noticing:
    """Watches one stage; `code` is to be run in its place, with `helpers` among its names."""

    def __init__(self, stage: str, namespace: Mapping[str, Any]) -> None:
        self.code, self._sites = _watched(stage)
        self.helpers = {_CALLED: self._called, _CAME: self._came, _CAUGHT: self._caught}
        self._names = tuple(dict.fromkeys(site.name for site in self._sites))
        self._namespace = namespace
        self._site: Site | None = None  # the last one that was played, and what it gave
        self._value: Any = None
        self._ready = True  # whether that had been awaited, where it had to be
        self._waiting: list[tuple[Site, Any, list[str]]] = []  # what came, and may be awaited yet
        self._missed: dict[str, list[str]] = {}  # by definition: what was already seen to be wrong
        self._slip: list[str] = []  # the first error of the student's own that the stage caught

    def _called(self, place: int, value: Any) -> Any:
        self._site, self._value = self._sites[place], value
        self._ready = not self._site.awaited
        if self._ready:
            return self._came(place, value)
        with _LOOKING:
            if not inspect.isawaitable(value):
                self._note(self._not_async(self._site.name))
        return value

    def _came(self, place: int, value: Any) -> Any:
        self._site, self._value, self._ready = self._sites[place], value, True
        with _LOOKING:
            if _under_way(value) is not None:
                self._waiting.append((self._site, value, self._finished(self._site, value)))
            elif value is None and self._site.used:
                found = self._gave_none(self._site.name)
                if found[:1] != ["none"] or _promised(self._namespace.get(self._site.name)):
                    self._note(found)
        return value

    def _caught(self) -> None:
        """A stage that catches what a definition may raise catches slips as well: keep the first.

        What the student's code raises by `raise` is meant, and so is what the stage raises.
        """
        trouble = sys.exc_info()[1]
        with _LOOKING:
            if self._slip or trouble is None or not _is_slip(trouble):
                return
            said = failure(trouble, self._namespace)
            if said["line"] and not _is_meant(trouble, self._namespace):
                told = f"{said['type']}: {said['message']}" if said["message"] else said["type"]
                self._slip = ["caught", told, said["line"]]

    def _note(self, mistake: list[str]) -> None:
        if mistake:
            self._missed.setdefault(mistake[1], mistake)

    def mistake(self, trouble: BaseException | None, said: Mapping[str, str]) -> list[str]:
        """Which of the common mistakes a run shows, as its kind and what is to be said of it.

        Args:
            trouble: what the run ended in; None when it returned.
            said: the same in words, as `failure` has it; its line is the student's own.

        Returns:
            A key of `graders.judge.mistakes.WORDS` and its texts; empty for none.
        """
        try:
            if trouble is not None and said["line"]:
                found = self._in_line(trouble, **said)
            else:
                for site, value, finished in self._waiting:
                    if _is_left_waiting(_under_way(value), site):
                        self._note(finished or self._unawaited(site, value))
                found = self._is_one_empty() or next(iter(self._missed.values()), [])
                if trouble is not None and not found:
                    found = self._afterwards(trouble, **said)
                found = found or self._slip
        except Exception:  # what the student made may refuse to be looked at
            return []
        return [cut(each, 200) for each in found]

    def _in_line(self, trouble: BaseException, type: str, message: str, line: str) -> list[str]:
        """What is wrong in a line of the student's own."""
        if isinstance(trouble, NotImplementedError):
            begun = [name for name in self._names if _is_begun(self._namespace.get(name))]
            return ["stub", begun[0], line] if begun else []
        if type == "NameError" and isinstance(trouble, NameError) and trouble.name:
            return ["name", trouble.name, line]
        awaited = _AWAITED.match(message)
        if type == "TypeError" and awaited:
            return ["awaits_value", awaited[1], line]
        if type in ("TypeError", "AttributeError") and _names_a_coroutine(message):
            return ["awaits_nothing", line]
        if message == "unhashable type: 'list'" and "gather(" in line:
            return ["gather", line]
        if isinstance(trouble, AttributeError) and trouble.name and trouble.obj is not None:
            return _attribute(trouble.name, trouble.obj, line)
        part = _NO_KEYS.match(message)
        return ["no_keys", part[1], line] if type == "TypeError" and part else []

    def _afterwards(self, trouble: BaseException, type: str, message: str, line: str) -> list[str]:
        """What is wrong with what a definition gave, or with how it wants to be called."""
        call = _ARGUMENTS.match(message) if type == "TypeError" else None
        called = next((name for name in self._names if call and self._is_named(name, call[1])), "")
        if call and called:
            return ["arguments", called, call[2]]
        if self._site is None or type == "Undefined":
            return []
        site, value = self._site, self._value
        told = cut(f"{type}: {message}" if message else type, 80)
        promised = _promised(self._namespace.get(site.name))
        if not self._ready:  # the stage has it in a task: only the error knows what it is
            known = _OF_TYPE.search(message)
            return ["type", site.name, known[1], promised, told] if known else []
        found = self._unready(site, getattr(trouble, "value", value))
        if found:
            return found
        if value is None and site.used:
            return self._gave_none(site.name)
        if value is None or not site.used:
            return ["undone", site.name]
        if isinstance(trouble, NotPlain):
            return ["no_data", site.name, trouble.value.__class__.__name__]
        kind = value.__class__.__name__
        if site.wanted and "unpack" in message:
            came = f"{len(value)} values" if _is_row(value) else f"one {kind}"
            return ["values", site.name, came, str(len(site.wanted)), ", ".join(site.wanted)]
        empty = not (_is_row(value) and value)
        if type in ("IndexError", "KeyError") and empty and (not promised or kind in promised):
            return ["short", site.name, kind]
        return ["type", site.name, f"{kind}{_members(value)}", promised, told]

    def _not_async(self, name: str) -> list[str]:
        """What is said of a definition that gave something which cannot be awaited."""
        code = _code_of(self._namespace.get(name))
        if code is None or code.co_flags & inspect.CO_COROUTINE:
            return []
        return ["yields" if code.co_flags & _YIELDING else "not_async", name]

    def _unready(self, site: Site, value: Any) -> list[str]:
        """What is said of a value that would first have to be awaited, or collected."""
        if inspect.isgenerator(value) or inspect.isasyncgen(value):
            own = value.__name__ == getattr(self._namespace.get(site.name), "__name__", "")
            return ["yields" if own else "generator", site.name]
        if _under_way(value) is None:
            return []
        return self._finished(site, value) or self._unawaited(site, value)

    def _finished(self, site: Site, value: Any) -> list[str]:
        """What is said of tasks that were over when they were handed back."""
        tasks = value if _is_row(value) else (value,)
        over = all(isinstance(each, asyncio.Task) and each.done() for each in tasks)
        several = "tasks" if _is_row(value) else "a task"
        return (
            ["finished", site.name, several, "each of them" if _is_row(value) else "it"]
            if over
            else []
        )

    def _unawaited(self, site: Site, value: Any) -> list[str]:
        waiting = _under_way(value)
        if isinstance(waiting, CoroutineType):
            if not site.awaited and waiting.cr_code is _code_of(self._namespace.get(site.name)):
                return ["is_async", site.name]
            code = _code_of(self._namespace.get(site.name))
            known = (*code.co_names, *code.co_varnames, *code.co_freevars) if code else ()
            if waiting.__name__ in known:  # so the student wrote this name
                return ["unawaited", site.name, f"{waiting.__name__}(...)", "it"]
            return ["unawaited", site.name, "something", "the call that makes it"]
        if waiting is not value:
            return ["tasks", site.name]
        gathered = type(waiting).__name__ == "_GatheringFuture"
        return ["unawaited", site.name, "asyncio.gather(...)" if gathered else "a task", "it"]

    def _is_one_empty(self) -> list[str]:
        codes = ((name, _code_of(self._namespace.get(name))) for name in self._names)
        return next((["empty", name] for name, code in codes if code and _is_empty(code)), [])

    def _is_named(self, name: str, called: str) -> bool:
        """Whether Python says `called` of this definition."""
        code = _code_of(self._namespace.get(name))
        return called in (name, code.co_name if code else name)

    def _gave_none(self, name: str) -> list[str]:
        made = self._namespace.get(name)
        code = _code_of(made)
        if code is not None and _returns_nothing(code):
            return ["prints" if "print" in code.co_names else "nothing", name]
        return [] if _may_be_none(_promised(made)) else ["none", name]


_CALLED, _CAME, _CAUGHT = "__called__", "__came__", "__caught__"


@functools.cache
def _watched(stage: str) -> tuple[CodeType, tuple[Site, ...]]:
    """A stage that tells what it calls, and the places where it does: there are few stages."""
    watching = _Watching(ast.parse(stage))
    return compile(watching.tree, _STAGE, "exec", dont_inherit=True), tuple(watching.sites)


class _Watching(ast.NodeTransformer):
    """Puts a word to `Noticing` around every call of a definition of the student's.

    And one at the beginning of whatever the stage does with an exception.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.sites: list[Site] = []
        self._path: list[ast.AST] = []  # from the tree to where it is read
        self._kept: dict[str, int] = {}  # names that something is kept under, to await it later
        self.tree: ast.Module = ast.fix_missing_locations(self.visit(tree))

    def visit(self, node: ast.AST) -> Any:
        self._path.append(node)
        try:
            return super().visit(node)
        finally:
            self._path.pop()

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self.generic_visit(node)
        called = ast.Expr(ast.Call(ast.Name(_CAUGHT, ast.Load()), [], []))
        node.body.insert(0, ast.copy_location(called, node))
        return node

    def visit_Await(self, node: ast.Await) -> ast.AST:
        called = _called_in(node.value)
        self.generic_visit(node)
        if called:
            return self._told(_CAME, len(self.sites) - 1, node)
        if isinstance(node.value, ast.Name) and node.value.id in self._kept:
            place = self._kept[node.value.id]
            self.sites[place] = replace(self.sites[place], awaited=True)
            return self._told(_CAME, place, node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = _called_in(node)
        self.generic_visit(node)
        if not called:
            return node
        *_, outside, around, _ = self._path
        awaited = isinstance(around, ast.Await) or _makes_a_task(around)
        if awaited:
            around = outside
        wanted: tuple[str, ...] = ()
        if isinstance(around, ast.Assign):
            target = around.targets[0]
            if isinstance(target, ast.Tuple):
                wanted = tuple(ast.unparse(each) for each in target.elts)
            elif isinstance(target, ast.Name):
                self._kept[target.id] = len(self.sites)
        self.sites.append(Site(called, awaited, not isinstance(around, ast.Expr), wanted))
        return self._told(_CALLED, len(self.sites) - 1, node)

    def _told(self, helper: str, place: int, node: ast.expr) -> ast.Call:
        made = ast.Call(ast.Name(helper, ast.Load()), [ast.Constant(place), node], [])
        return ast.copy_location(made, node)


def _makes_a_task(node: ast.AST) -> bool:
    names = ("create_task", "ensure_future", "wait_for")
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in names
    )


def _called_in(node: ast.AST) -> str:
    """The name of the student's definition that is called here; empty for anything else."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner = node.func.value
        if isinstance(owner, ast.Name) and owner.id == "student":
            return node.func.attr
    return ""


def _is_slip(trouble: BaseException) -> bool:
    """Whether an error is one that Python raises where a line is wrong, or a blocking call."""
    step = trouble.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    staged = step is None or step.tb_frame.f_code.co_filename == _STAGE
    own = type(trouble).__module__ == "builtins" and not isinstance(trouble, OSError)
    return (
        isinstance(trouble, Exception) and not staged and (own or type(trouble) is VirtualTimeError)
    )


def _is_meant(trouble: BaseException, namespace: Mapping[str, Any]) -> bool:
    """Whether the student's code raised an error itself: by a `raise`, wherever that stands."""
    own: TracebackType | None = None
    step = trouble.__traceback__
    while step is not None:
        own = step if step.tb_frame.f_globals is namespace else own
        step = step.tb_next
    return own is not None and own.tb_frame.f_code.co_code[own.tb_lasti] in _RAISES


def _code_of(made: Any) -> CodeType | None:
    """The code behind a definition, whatever it is wrapped in."""
    while isinstance(made, functools.partial):
        made = made.func
    made = inspect.unwrap(made) if callable(made) else made
    if not inspect.isroutine(made) and not isinstance(made, type):
        made = getattr(type(made), "__dict__", {}).get("__call__", made)
    code = getattr(made, "__code__", None)
    return code if isinstance(code, CodeType) else None


def _is_empty(code: CodeType) -> bool:
    """Whether there is nothing in it but `pass`, `...` or a docstring."""
    names = {dis.opname[each] for each in code.co_code[::2]}  # instructions are read for each play
    return names <= _DOES_NOTHING and _returns_nothing(code)


def _returns_nothing(code: CodeType) -> bool:
    """Whether none of its `return`s has a value."""
    before: dis.Instruction | None = None
    for each in dis.get_instructions(code):
        if each.opname == "RETURN_CONST" and each.argval is not None:
            return False
        if each.opname == "RETURN_VALUE":
            nothing = before is not None and before.opname == "LOAD_CONST" and before.argval is None
            if not nothing or each.is_jump_target:
                return False
        before = each
    return True


def _is_begun(made: Any) -> bool:
    """Whether a definition has lines beside its first one and one that raises."""
    code = _code_of(made)
    return code is not None and len({line for *_, line in code.co_lines() if line}) > 2


def _promised(made: Any) -> str:
    """What its first line says that it returns; empty when it does not say."""
    said = getattr(made, "__annotations__", {}).get("return", "")
    told = said if isinstance(said, str) else inspect.formatannotation(said)
    return re.sub(r"(?:\w+\.)+(\w)", r"\1", told)  # without the modules


def _may_be_none(promised: str) -> bool:
    """Whether None is among the types that are promised, and not only inside one of them."""
    try:
        said = ast.parse(promised, mode="eval").body if promised else None
    except SyntaxError:
        return True
    while isinstance(said, ast.BinOp):
        if ast.unparse(said.right) == "None":
            return True
        said = said.left
    return said is not None and ast.unparse(said).startswith(("None", "Optional"))


def _names_a_coroutine(message: str) -> bool:
    kinds = ("coroutine", "_GatheringFuture", "_asyncio.Task", "_asyncio.Future")
    return any(f"'{kind}' object" in message for kind in kinds)


def _is_row(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _members(value: Any) -> str:
    """What a list is made of, and what each of a few values is, such as " of Context and str"."""
    names = [each.__class__.__name__ for each in value] if _is_row(value) else []
    if len(set(names)) == 1:
        return f" of {names[0]}"
    if isinstance(value, tuple) and 1 < len(names) <= _FEW:
        return f" of {', '.join(names[:-1])} and {names[-1]}"
    return ""


def _under_way(value: Any) -> Any:
    """What still has to be awaited: the value itself, or the first such thing in it; or None."""
    members = value if _is_row(value) else (value,)
    return next((each for each in members if isinstance(each, _UNDER_WAY)), None)


def _is_left_waiting(waiting: Any, site: Site) -> bool:
    """Whether nobody has awaited it: neither who made it nor the stage, such as in a gathering."""
    if isinstance(waiting, CoroutineType):
        return inspect.getcoroutinestate(waiting) == inspect.CORO_CREATED
    return site.awaited


def _attribute(name: str, owner: Any, line: str) -> list[str]:
    """What is said of an attribute that is not there: a key of this name, or one like it, is."""
    import difflib  # only where something is wrong

    if isinstance(owner, dict):
        return ["key", name, line] if name in owner else []
    known = [each for each in dir(owner) if not each.startswith("_")]
    meant = difflib.get_close_matches(name, known, 1)
    return ["attribute", owner.__class__.__name__, name, *meant, line] if meant else []
