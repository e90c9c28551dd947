"""The pages of public names: what docs/api.json freezes, with its docstrings."""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from web.host import ROOT

FROZEN = ROOT / "docs" / "api.json"


def write(folder: Path) -> None:
    """Write a page for each module with public names into a folder.

    Raises ImportError: a module that docs/api.json names is not there.
    """
    folder.mkdir(parents=True)
    for module, names in json.loads(FROZEN.read_text(encoding="utf-8")).items():
        (folder / f"{module}.md").write_text(page(module, names), encoding="utf-8")


def page(module: str, names: Mapping[str, Any]) -> str:
    """A module's page: its own docstring, then one directive a name, with its public members."""
    home = importlib.import_module(module)
    entries = [f".. automodule:: {module}\n   :no-members:\n"]
    entries += [
        _entry(module, name, frozen)
        for name, frozen in names.items()
        if not inspect.ismodule(getattr(home, name))  # it has a page of its own
    ]
    body = "\n".join(entries)
    return f"# `{module}`\n\n```{{eval-rst}}\n{body}```\n"


def example(_app: Any, _what: str, _name: str, _of: Any, _options: Any, lines: list[str]) -> None:
    """Let an indented example after a colon be code, as autodoc asks for each docstring."""
    for place in range(len(lines) - 2):
        line, blank, code = lines[place : place + 3]
        if line.endswith(":") and not blank and code.startswith("    "):
            lines[place] = f"{line}:"


def _entry(module: str, name: str, frozen: Any) -> str:
    """What asks autodoc for one name; its home is where it is indexed, if it stands in several."""
    value = getattr(importlib.import_module(module), name)
    options, auto = [], "auto"
    if inspect.isclass(value):
        kind = "exception" if issubclass(value, BaseException) else "class"
        options += [f":members: {', '.join(each for each in frozen if each != '()')}"]
    elif callable(value):
        kind = "function"
    else:  # a constant has no docstring but its type's
        kind, auto = "data", ""
        options += [f":type: {type(value).__name__}"]
    if module.count(".") and name in _front():
        options += [":no-index:"]
    return "\n   ".join([f".. {auto}{kind}:: {module}.{name}", *options]) + "\n"


@cache
def _front() -> frozenset[str]:
    return frozenset(json.loads(FROZEN.read_text(encoding="utf-8"))["course"])
