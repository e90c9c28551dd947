"""What was typed and never taken over by the kernel, so that something older still stands."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

_LAST = "the cell that was run before this one"


def shell() -> Any | None:
    """The notebook's shell; None outside of a notebook."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def overlooked(exercise: str) -> str:
    """What was wrong with the answer in the cell that was run before the check, in one sentence.

    Args:
        exercise: the number of an exercise whose stub was met.

    Returns:
        A sentence; empty where the cell was the stub itself, or something else altogether.
    """
    return said_of(_cells_before(), f"Exercise {exercise} not attempted yet")


def stale(exercise: str, names: Sequence[str] = ()) -> str:
    """Why what is there is not what was typed last: the cell of the answer did not compile.

    Args:
        exercise: its number.
        names: the definitions that answer it; those of its stub when left out.

    Returns:
        A sentence; empty where the last cell that defines one of the names was taken over.
    """
    return stale_in(_cells_before(), f"Exercise {exercise} not attempted yet", names)


def stale_in(cells: Sequence[str], stub: str, names: Sequence[str] = ()) -> str:
    """The same, from the cells that were run before, oldest first, and the words of the stub."""
    wanted = names or [name for cell in cells if stub in cell for name in defined_in(cell)]
    bound = [rf"(?:def|class)\s+{name}\b|^{name}\s*=" for name in map(re.escape, wanted)]
    answers = [cell for cell in cells if any(re.search(each, cell, re.M) for each in bound)]
    try:
        _defined(answers[-1] if answers else "")
    except SyntaxError as trouble:
        return (
            f"your last answer has a syntax error in line {trouble.lineno}, so it was not run, and"
            " what was there before is not judged"
        )
    return ""


def _cells_before() -> list[str]:
    """The cells that were run before the one that runs, oldest first; none outside a notebook."""
    notebook = shell()
    if notebook is None:
        return []
    cells = [str(cell) for cell in notebook.history_manager.input_hist_parsed]
    return [cell for cell in cells if cell != cells[-1]]  # the check, however often it was run


def answered(names: Iterable[str]) -> str:
    """The cells that defined these names last, in the order in which they were run; else empty."""
    return answered_in(_cells_before(), names)


def answered_in(cells: Sequence[str], names: Iterable[str]) -> str:
    """The same, from the cells that were run before, oldest first."""
    last = {name: n for n, cell in enumerate(cells) for name in defined_in(cell)}
    places = {last.get(name) for name in names}
    found = sorted(place for place in places if place is not None)
    return "\n\n\n".join(cells[place] for place in found) if None not in places else ""


def said_of(cells: Sequence[str], stub: str) -> str:
    """The same, from the cells that were run before, oldest first, and the words of the stub."""
    stubs = [cell for cell in cells if stub in cell]
    if not stubs or stub in cells[-1] or "def " not in cells[-1]:
        return ""
    try:
        names, there = _defined(stubs[-1]), _defined(cells[-1])
    except SyntaxError as trouble:
        return f"{_LAST} has a syntax error in line {trouble.lineno}, so nothing of it was run"
    wanted = " and ".join(f"`{name}`" for name in names)
    if set(names) & set(there):
        return f"{_LAST} ended in an error before {wanted} was there"
    alike = [made for name in names for made in get_close_matches(name, there, n=1)]
    return f"{_LAST} defines `{alike[0]}`, and wanted is {wanted}" if alike else ""


def defined_in(source: str) -> list[str]:
    """The functions and classes that a cell defines; none where it does not compile."""
    try:
        return _defined(source)
    except SyntaxError:
        return []


def _defined(source: str) -> list[str]:
    """The functions and classes that a cell defines; raises SyntaxError."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST
    tree = compile(source, "cell", "exec", flags=flags, dont_inherit=True)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [node.name for node in ast.iter_child_nodes(tree) if isinstance(node, kinds)]
