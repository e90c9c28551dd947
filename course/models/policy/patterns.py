"""Patterns: a short text that a simple regular expression accepts.

Covers literals, classes, groups, alternatives and counts, which is what schemas use for ids and
codes. Look-arounds and back references are read as empty.
"""

from __future__ import annotations

import re

_CLASSES = {"d": "0", "w": "a", "s": " ", "D": "a", "W": "-", "S": "a"}
_MOST = 200


def sample(pattern: str) -> str:
    """A text that the pattern accepts, or "" when the pattern is beyond this reader."""
    try:
        text, _ = _alternatives(pattern, 0, 0)
        return text if re.search(pattern, text) else ""
    except (IndexError, ValueError, re.error, RecursionError):
        return ""


def _alternatives(p: str, i: int, depth: int) -> tuple[str, int]:
    """The first alternative from place `i` to the closing bracket or the end."""
    out = ""
    while i < len(p) and p[i] != ")":
        if p[i] == "|":
            return out, _skip(p, i)
        piece, i = _atom(p, i, depth)
        least, i = _count(p, i)
        out += piece * least
        if len(out) > _MOST:
            raise ValueError("the pattern asks for a long text")
    return out, i


def _skip(p: str, i: int) -> int:
    """The place of the bracket that closes the group around `i`, or the end of the pattern."""
    open_groups = 0
    while i < len(p):
        if p[i] == "\\":
            i += 1
        elif p[i] == "[":
            i = p.index("]", i + 2)
        elif p[i] == "(":
            open_groups += 1
        elif p[i] == ")" and not open_groups:
            return i
        elif p[i] == ")":
            open_groups -= 1
        i += 1
    return i


def _atom(p: str, i: int, depth: int) -> tuple[str, int]:
    char = p[i]
    if char == "(":
        return _group(p, i, depth)
    if char == "[":
        return _bracket(p, i)
    if char == "\\":
        return _CLASSES.get(p[i + 1], "" if p[i + 1] in "bBAZ" else p[i + 1]), i + 2
    if char in "^$":
        return "", i + 1
    return ("a" if char == "." else char), i + 1


def _group(p: str, i: int, depth: int) -> tuple[str, int]:
    if depth > 20:
        raise ValueError("the pattern is nested too deeply")
    if p.startswith(("(?=", "(?!", "(?<=", "(?<!"), i):
        return "", _skip(p, i + 1) + 1
    opening = re.compile(r"\((?:\?:|\?P?<\w+>)?").match(p, i)
    text, end = _alternatives(p, opening.end() if opening else i + 1, depth + 1)
    return text, end + 1


def _bracket(p: str, i: int) -> tuple[str, int]:
    end = p.index("]", i + 2)
    body = p[i + 1 : end]
    if body.startswith("^"):
        return next(c for c in "a0-_ ~A" if re.fullmatch(p[i : end + 1], c) is not None), end + 1
    if body.startswith("\\"):
        return _CLASSES.get(body[1], body[1]), end + 1
    return body[0], end + 1


def _count(p: str, i: int) -> tuple[int, int]:
    """The least number of repeats asked for at place `i`, and the place after it."""
    match = re.compile(r"(?:\{(\d+)(?:,\d*)?\}|([*+?]))[?+]?").match(p, i)
    if not match:
        return 1, i
    if match.group(1) is not None:
        return int(match.group(1)), match.end()
    return (1 if match.group(2) == "+" else 0), match.end()
