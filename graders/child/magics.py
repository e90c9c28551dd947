"""What a notebook says to IPython, taken out of a text that Python is to read."""

from __future__ import annotations

import ast
import re

_MAGIC = re.compile(
    r"^(?P<blank>[ \t]*)(?:%time[ \t]+(?P<timed>.*)|(?P<names>\w[\w., \t]*)=[ \t]*[%!].*"
    r"|[%!?].*|[\w.]+\?{1,2}[ \t]*)$",
    re.MULTILINE,
)
_WRITES = """with open({file!r}, {mode!r}, encoding="utf-8") as _:
    _.write({text!r})
__import__("sys").path.insert(0, "")"""
_RUNS_PYTHON = ("%%time", "%%capture", "%%prun")


def without_magics(source: str) -> str:
    """The source with IPython's magics, shell lines and questions left out, if it has any."""
    first, _, rest = source.lstrip().partition("\n")
    if first.startswith("%%"):
        magic, *words = first.split()
        if magic in ("%%writefile", "%%file") and words:
            return _WRITES.format(file=words[-1], text=rest, mode="a" if "-a" in words else "w")
        return "\n" + without_magics(rest) if magic in _RUNS_PYTHON else ""
    if _MAGIC.search(source) is None or _is_python(source):
        return source
    return _MAGIC.sub(_without, source)


def _is_python(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    except (ValueError, RecursionError, MemoryError):
        pass
    return True


def _without(found: re.Match[str]) -> str:
    if found["names"]:
        return f"{found['blank']}{found['names']}= None"
    return found["blank"] + (found["timed"] or "pass")
