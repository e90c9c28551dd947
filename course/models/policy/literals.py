"""Literals: results that came as Python shows them, `{'a': None}` or `Bill(total='7 EUR')`."""

from __future__ import annotations

import ast
import re
from typing import Any

_FIELDS = re.compile(r"\w+=\S")
_BETWEEN = re.compile(r"(?<=['\"\w)\]}]) (?=\w+=['\"\w([{-])")
_DATED = ("date", "datetime")
LONGEST = 20_000
"""Characters beyond which a text is left alone."""


def python_value(text: str) -> Any:
    """What a text shows, if it is Python's way of showing data; else None.

    Dictionaries and lists, an object with its fields (`Name(field=...)`, or the fields alone, as
    pydantic prints them), dates. Nothing is run: the text is only read.
    """
    shown = text.strip()
    if len(shown) > LONGEST:
        return None
    if _FIELDS.match(shown):
        shown = f"fields({_BETWEEN.sub(', ', shown)})"
    elif not re.match(r"[\[{(]|[A-Z]\w*\(\w+=", shown):
        return None
    try:
        return _value(ast.parse(shown, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return {str(_value(key)): _value(value) for key, value in pairs if key is not None}
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [_value(each) for each in node.elts]
    if isinstance(node, ast.Call):
        return _object(node)
    return ast.literal_eval(node)


def _object(node: ast.Call) -> Any:
    """An object as its fields, a date as text."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    parts = [_value(each) for each in node.args]
    if name in _DATED and len(parts) >= 3:
        day = "-".join(f"{part:02}" for part in parts[:3])
        return f"{day} {parts[3]:02}:{parts[4]:02}" if len(parts) >= 5 else day
    if parts or not node.keywords:
        raise ValueError(f"{name} is no data")
    return {str(each.arg): _value(each.value) for each in node.keywords}
