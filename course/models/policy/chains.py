"""Chains: a call that an errand wants, and the changed tries that its errors led to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from course.models.policy.conversation import Made
from course.models.policy.hints import Hint, addressed, hints, meant_by, respelled
from course.models.policy.params import params
from course.models.policy.schemas import fits
from course.models.policy.store import Store
from course.models.policy.supply import supplied
from course.models.wire import ToolSpec

_TRIES = 3  # of one call, the first among them

Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class Chain:
    """How far a wanted call has come: the arguments to try next (None when there is nothing more to
    try), and the last call made with what came back."""

    tool: ToolSpec
    arguments: Arguments | None
    last: Made | None = None
    failed: tuple[Made, ...] = ()

    @property
    def done(self) -> bool:
        """Whether it brought something."""
        return self.last is not None and self.last.error is None and self.last.text is not None


def chains(tool: ToolSpec, first: Arguments, store: Store, made: tuple[Made, ...]) -> list[Chain]:
    """What became of a call: one chain, or several where an error means several values."""
    return _follow(tool, first, store, made, ())


def _follow(
    tool: ToolSpec,
    arguments: Arguments,
    store: Store,
    made: tuple[Made, ...],
    failed: tuple[Made, ...],
) -> list[Chain]:
    same = [m for m in made if m.name == tool.name and dict(m.arguments) == dict(arguments)]
    if not same:
        return [Chain(tool, arguments, None, failed)]
    last = same[-1]
    if last.error is None:
        return [Chain(tool, None, last, failed)]
    failed = (*failed, last)
    before = [dict(f.arguments) for f in failed]
    changed = changes(tool, arguments, last.error, store) if len(failed) < _TRIES else []
    fresh = [c for c in changed if dict(c) not in before]
    if not fresh:
        return [Chain(tool, None, last, failed)]
    return [c for a in fresh for c in _follow(tool, a, store, made, failed)]


def changes(tool: ToolSpec, arguments: Arguments, error: str, store: Store) -> list[Arguments]:
    """The arguments to try instead, as an error and the task say; none when they don't."""
    names = tuple(p.name for p in params(tool.parameters))
    rows: list[dict[str, Any]] = [dict(arguments)]
    for hint in hints(error):
        name = addressed(hint, arguments, names)
        values = _picked(hint, name, tool, store) if name else []
        if values:
            rows = [{**row, name: v} for row in rows for v in values]
    rows = [r for r in rows if r != dict(arguments)]
    return [*rows] or _otherwise(tool, dict(arguments), error)


def _picked(hint: Hint, name: str, tool: ToolSpec, store: Store) -> list[Any]:
    """The values for an argument that an error names: those that the ask or the task names."""
    param = next(p for p in params(tool.parameters) if p.name == name)
    named = meant_by(hint.values, store.ask) or meant_by(hint.values, store.task)
    if not named and hint.wrong:
        named = respelled(hint.wrong, hint.values) or _beside(hint, store.lines)
    found: list[Any] = [_typed(v, param.type) for v in named]
    dated = param.kind == "month" or "year" in name
    if (not found and not hint.wrong and param.kind not in _WORDED) or (dated and len(found) > 1):
        found = supplied(param, tool, store) or found
    return [v for v in found if fits(v, param.raw)]


def _beside(hint: Hint, lines: tuple[str, ...]) -> list[str]:
    """The value that results tell of the thing that was named instead of it: who manages the
    shop, where a shop was given."""
    near = [line for line in lines if hint.wrong.lower() in line.lower()]
    return [v for v in hint.values if any(v.lower() in line.lower() for line in near)][:1]


_WORDED = ("words", "name", "query", "prose")


def _typed(text: str, kind: str) -> Any:
    if kind in ("integer", "number") and re.fullmatch(r"-?\d+(?:\.\d+)?", text):
        return float(text) if "." in text else int(text)
    return text


_LEAVE = re.compile(r"\b(?:leave (?:a|the|one) filter out|without (?:the|a) filter|drop)\b", re.I)
_ANOTHER = re.compile(r"\b(?:take|try|choose|use) (?:another|the next|a later) (?P<what>\w+)", re.I)
_LONG = re.compile(r"\bat most (?P<most>\d+)\b", re.IGNORECASE)


def _otherwise(tool: ToolSpec, arguments: dict[str, Any], error: str) -> list[Arguments]:
    """Other ways that an error names: leaving a filter out, another month, fewer words."""
    another = _ANOTHER.search(error)
    if another:
        return [{**arguments, k: n} for k, v in arguments.items()
                if another["what"].lower() in k and (n := _next(v)) is not None]  # fmt: skip
    optional = [p.name for p in params(tool.parameters) if not p.required]
    if _LEAVE.search(error):
        given = [n for n in reversed(optional) if n in arguments]
        return [{k: v for k, v in arguments.items() if k != given[0]}] if given else []
    long, query = (
        _LONG.search(error),
        next((p.name for p in params(tool.parameters) if p.kind == "query"), ""),
    )
    words = str(arguments.get(query, "")).split()
    if long and "words" in error and len(words) > 3:
        return [{**arguments, query: " ".join(words[:3])}]
    return []


def _next(value: Any) -> Any:
    """The month or year after one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value + 1
    match = re.fullmatch(r"(\d{4})-(\d\d)", str(value))
    if not match:
        return None
    year, month = int(match[1]), int(match[2])
    return f"{year + month // 12}-{month % 12 + 1:02d}"
