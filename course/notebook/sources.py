"""A definition of the package on the page: what it takes, what it is for, its code on demand."""

from __future__ import annotations

import ast
import importlib.util
import re
import textwrap
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from course.errors import ConfigurationError
from course.markup import Markup, fill, joined
from course.notebook.show import show_html

WIDE = 96  # columns of a signature before it is broken
_Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Source:
    """One definition as its module has it.

    Attributes:
        place: such as ``"course.models.line:Backoff"``.
        signature: how it begins: what it takes and gives, or a class with its fields.
        sentence: the first of its docstring, in a line; empty where there is none.
        code: its text, decorators included.
    """

    place: str
    signature: str
    sentence: str
    code: str

    @property
    def lines(self) -> int:
        """How many lines its code has, without empty ones."""
        return sum(bool(line.strip()) for line in self.code.splitlines())


def show_source(*places: str) -> None:
    """Show definitions of the package: signature, first sentence, and the code folded below.

    Args:
        places: each as "module:name", such as ``"course.models.line:Backoff"``.

    Raises:
        ConfigurationError: there is no such module, or no such definition in it.
    """
    found = [read_source(place) for place in places]
    show_html(joined(map(_html, found)), "\n\n".join(map(_plain, found)))


def read_source(place: str) -> Source:
    """Read one definition from its module's file, which is not imported.

    Raises:
        ConfigurationError: there is no such module, or no such definition in it.
    """
    module, _, name = place.partition(":")
    text = _text(module)
    nodes = {each: node for node in ast.parse(text).body if (each := _name(node)) is not None}
    node = nodes.get(name)
    if node is None:
        near = get_close_matches(name, nodes, n=1)
        raise ConfigurationError(
            f"no {name!r} in {module}" + (f"; it has {near[0]!r}" if near else "")
        )
    wrapped = textwrap.wrap(
        _signature(node), WIDE, subsequent_indent="    ", break_long_words=False
    )
    return Source(place, "\n".join(wrapped), _sentence(node), _code(text, node))


def _text(module: str) -> str:
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None:
        raise ConfigurationError(
            f'no module {module!r}: write "module:name", such as "course.agent:loop"'
        )
    return Path(spec.origin).read_text(encoding="utf-8")


def _name(node: ast.stmt) -> str | None:
    """What a top-level statement defines."""
    if isinstance(node, _Named):
        return node.name
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    if isinstance(node, ast.AnnAssign):
        target = node.target
    return target.id if isinstance(target, ast.Name) else None


def _signature(node: ast.stmt) -> str:
    if isinstance(node, ast.ClassDef):
        return f"class {node.name}({_taken(node)})"
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
        gives = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        return f"{word} {node.name}({ast.unparse(node.args)}){gives}"
    return ast.unparse(node)


def _taken(node: ast.ClassDef) -> str:
    """What a class is made with: its fields, or what its `__init__` takes, or else its bases."""
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            return ast.unparse(each.args).removeprefix("self").removeprefix(", ")
    fields = [ast.unparse(each) for each in node.body if isinstance(each, ast.AnnAssign)]
    return ", ".join(fields or map(ast.unparse, node.bases))


def _sentence(node: ast.stmt) -> str:
    words = ast.get_docstring(node) if isinstance(node, _Named) else None
    first = " ".join((words or "").partition("\n\n")[0].split())
    return re.split(r"(?<=[.?!]) ", first, maxsplit=1)[0]


def _code(text: str, node: ast.stmt) -> str:
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    return "\n".join(text.splitlines()[first - 1 : node.end_lineno])


def _html(source: Source) -> Markup:
    return fill(
        "<pre><b>{}</b></pre><p>{}</p>"
        "<details><summary>{} ({} lines)</summary><pre>{}</pre></details>",
        source.signature, source.sentence, source.place, source.lines, source.code,
    )  # fmt: skip


def _plain(source: Source) -> str:
    told = (source.signature, source.sentence, f"▸ {source.place} ({source.lines} lines)")
    return "\n".join(filter(None, told))
