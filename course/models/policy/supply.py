"""Supply: the arguments of a call, from a task and from earlier results.

More than one value may be meant ("the price of Arden and of Belmont", "in June and in July"): then
there is more than one call. What the task does not hold is looked for in results, by the words
around it; nothing is taken for want of something better.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from course.models.policy.errand import Store
from course.models.policy.mentions import COUNTRIES, mentions, without_names
from course.models.policy.params import Param, params
from course.models.policy.reader.choices import chosen
from course.models.policy.reader.slots import shaped_like
from course.models.policy.schemas import as_schema, fits, type_of
from course.models.policy.stated import (
    amounts,
    amounts_in,
    amounts_said,
    is_arithmetic,
    months,
    sums,
    worded,
    years,
)
from course.models.policy.words import content, name_words
from course.models.wire import ToolSpec

MOST = 8  # calls of one tool for one ask


@dataclass(frozen=True)
class Supplied:
    """The calls that can be made, as arguments, and the parameters that nothing was found for."""

    calls: tuple[Mapping[str, Any], ...]
    missing: tuple[Param, ...] = ()


def supply(tool: ToolSpec, store: Store, *, alone: bool = False) -> Supplied:
    """The arguments for one tool; several sets where the task means several things; `alone` tells
    that the results are about one of them."""
    wanted = params(tool.parameters)
    options = {p.name: _options(p, wanted, tool, store) for p in wanted}
    about = store.subjects
    if not alone and len(about) > 1 and store.lines and not _says(options, about):
        apart = _for_each(tool, store)
        if apart:
            return Supplied(tuple(apart[:MOST]))
    missing = tuple(p for p in wanted if p.required and not options[p.name])
    if missing:
        return Supplied((), missing)
    named = [p for p in wanted if options[p.name]]
    rows = product(*(options[p.name] for p in named))
    calls = (dict(zip((p.name for p in named), row, strict=True)) for row in rows)
    return Supplied(tuple(_matched(c, wanted, store) for c in list(calls)[:MOST]))


def _says(options: Mapping[str, list[Any]], about: tuple[str, ...]) -> bool:
    """Whether an argument says whom a call is about."""
    return any(a in found for found in options.values() for a in about)


def _for_each(tool: ToolSpec, store: Store) -> list[Mapping[str, Any]]:
    """The calls for each of several subjects from the results about it, where no argument says
    whose it is."""
    calls: list[Mapping[str, Any]] = []
    for each in store.subjects:
        lines = tuple(line for line in store.lines if each in line)
        calls += supply(tool, replace(store, lines=lines), alone=True).calls if lines else ()
    return calls


def _matched(call: dict[str, Any], wanted: tuple[Param, ...], store: Store) -> dict[str, Any]:
    """A call whose figures are those of its own subject, where the results tell whose they are."""
    own = [str(v) for v in call.values() if isinstance(v, str)]
    for param in wanted:
        if param.name in call and param.kind in _FIGURES and param.required:
            lines = tuple(line for line in store.lines if any(o in line for o in own))
            found = amounts_in(param, lines) if lines else []
            if found and not amounts_said(param, store):
                call[param.name] = found[0]
    return call


def supplied(param: Param, tool: ToolSpec, store: Store) -> list[Any]:
    """What one parameter may be, taken as needed."""
    needed = replace(param, required=True)
    return _options(needed, (needed,), tool, store)


_FIGURES = ("number", "amount")


def _options(param: Param, wanted: tuple[Param, ...], tool: ToolSpec, store: Store) -> list[Any]:
    """The values that a parameter may have."""
    found = _found(param, wanted, tool, store)
    fitting = [v for v in found if fits(v, param.raw)]
    return list(dict.fromkeys(fitting)) if all(map(_hashable, fitting)) else fitting


_GROUP = re.compile(r"(?:^|[;.\n])\s*[\w ]{2,20}? ?\d+:\s*(?P<items>[^;:\n]+?)(?=;|\.\s|\.?$|\n)")


def _series(param: Param, text: str) -> list[Any]:
    """Lists of lists that a task writes out ("week 1: a, b; week 2: c"), as one value."""
    if type_of(as_schema(param.schema.get("items"))) != "array":
        return []
    groups = []
    for match in _GROUP.finditer(text):
        bare = re.sub(r"\s*\([^)]*\)", "", match["items"])
        members = (m.strip(" .") for m in re.split(r",\s*(?:and )?|\s+and\s+", bare))
        groups.append([m for m in members if m])
    return [groups] if len(groups) > 1 else []


def _hashable(value: Any) -> bool:
    return not isinstance(value, list | dict)


def _found(param: Param, wanted: tuple[Param, ...], tool: ToolSpec, store: Store) -> Iterator[Any]:
    if is_arithmetic(param) and (wanted_sums := [s.expression for s in sums(store)]):
        yield from wanted_sums
    elif param.kind == "enum":
        yield from _chosen(param, store)
    elif "year" in name_words(param.name):
        yield from years(param, store)
    elif param.kind == "month":
        yield from months(param, store)
    elif param.kind in ("id", "intid"):
        yield from _ids(param, store)
    elif param.kind in ("date", "time", "email", "phone", "url"):
        yield from _formed(param, store)
    elif param.kind in _FIGURES:
        yield from amounts(param, store)
    elif param.kind == "array":
        yield from _series(param, store.task)
    elif param.kind in ("name", "words", "query", "prose", "currency"):
        yield from worded(param, wanted, tool, store)


def _chosen(param: Param, store: Store) -> list[Any]:
    """The enumerated values that are named: all that the ask names, or the one it means."""
    options = [o for o in param.schema.get("enum", [param.schema.get("const")]) if o is not None]
    for text in store.texts:
        named = [o for o in options if _names(str(o), text)]
        if len(named) > 1:
            return named
        meant = [o for o in options if o in named or _told_of(str(o), param.description, text)]
        if meant:
            return meant
        one = chosen(param, without_names(text)) if len(options) > 1 else None
        if one is not None:
            return [one]
    near = [line for line in store.lines if any(a in line for a in store.subjects)]
    return (
        [o for o in options if any(_names(str(o), line) for line in near)] if param.required else []
    )


def _names(value: str, text: str) -> bool:
    if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE):
        return True
    spoken = {name for name, code in COUNTRIES.items() if code == value}
    return bool(spoken & set(re.findall(r"[a-z]+", text.lower())))


def _told_of(value: str, description: str, text: str) -> bool:
    """Whether a text says what a description says of a value ("own is the currency it is quoted
    in")."""
    match = re.search(rf"\b{re.escape(value)}\b([^,;.]+)", description, re.IGNORECASE)
    about = {w for w in content(match.group(1)) if len(w) > 3} if match else set()
    return len(about) > 1 and about <= set(content(text))


def _ids(param: Param, store: Store) -> list[Any]:
    """Ids by their shape: those in the ask or task, or in the results about its subjects."""
    for text in store.texts:
        found = [m.group() for m in shaped_like(param, text)]
        found = found or [
            m.text for m in mentions(text) if m.kind == "id" and "pattern" not in param.schema
        ]
        if found:
            return list(dict.fromkeys(found))
    near = [line for line in store.lines if any(s in line for s in store.subjects)]
    for lines in (near, store.lines):
        found = [m.group() for line in lines for m in shaped_like(param, line)]
        if found:
            return list(dict.fromkeys(found))[:MOST]
    return []


def _formed(param: Param, store: Store) -> list[Any]:
    kind = param.kind
    found = [m.value for t in store.texts for m in mentions(t, store.today) if m.kind == kind]
    return [v for v in found[:1] if v is not None]
