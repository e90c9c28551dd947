"""Words for a place in what a stage gave back: no message shows a path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_FIRST = "first second third fourth fifth sixth seventh eighth ninth tenth".split()

Places = Mapping[str, str]
"""What stands at a path, such as {"*.waits": "the waits of the {} call"}.

A star is any one step; `{}` says which: "first" for a place in a list, the name for a key.
"""


def placed(path: str | Sequence[str], places: Places | None = None, *, whole: str = "") -> str:
    """How a message names what stands at a path of the result.

    Args:
        path: its steps, or the same with dots between them.
        places: words of the exercise; the longest pattern that fits the path's beginning speaks,
            and what is left of the path is said step by step.
        whole: how the result itself is called; "the result" when nobody knows better.
    """
    steps = path.split(".") if isinstance(path, str) else list(path)
    steps = [each for each in steps if each]
    begin, length = _begun(steps, places or {})
    said = begin or (places or {}).get("", "") or whole or "the result"
    for step in steps[length:]:
        said = f"{_step(step)} of {said}"
    return said


def is_named(path: Sequence[str], places: Places) -> bool:
    """Whether an exercise has words of its own for the last step of a path."""
    return bool(path) and _begun(path, places)[1] == len(path)


def _begun(steps: Sequence[str], places: Places) -> tuple[str, int]:
    """The words for as much of a path as there are words for, and how many steps that is."""
    fitting = [
        (len(parts), -parts.count("*"), words, parts)
        for pattern, words in places.items()
        if pattern and _fits(parts := pattern.split("."), steps)
    ]
    if not fitting:
        return "", 0
    length, _, words, parts = max(fitting)
    stars = [_which(step) for part, step in zip(parts, steps, strict=False) if part == "*"]
    return words.format(*stars), length


def _fits(parts: Sequence[str], steps: Sequence[str]) -> bool:
    pairs = zip(parts, steps, strict=False)
    return len(parts) <= len(steps) and all(part in ("*", step) for part, step in pairs)


def _which(step: str) -> str:
    return ordinal(int(step) + 1) if step.isdecimal() else f'"{step}"'


def _step(step: str) -> str:
    return f"the {_which(step)} item" if step.isdecimal() else f"`{step}`"


def ordinal(number: int) -> str:
    """The word for a place in a row, from 1: "first", "11th", "22nd"."""
    if number <= len(_FIRST):
        return _FIRST[number - 1]
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if 11 <= number % 100 <= 13 else ending}"
