"""How many selects a query is once its common tables (WITH) are written out.

SQLite copies a common table wherever it is named, before it counts a step or asks its authorizer.
Twenty of them that each name the one before twice are a million selects, and gigabytes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

_TOKEN = re.compile(
    r"--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|\[[^\]]*\]|[\w$]+|\S",
    re.DOTALL,
)
_BEFORE_A_TABLE = {"from", "join", "in", ",", "("}
_MOST_TABLES = 100
_MOST = 10**9


def selects(sql: str) -> int:
    """The selects that naming common tables makes of a query; 0 where it has none.

    What reads like a table's name and is none counts as well, so it is at least so many.
    """
    tokens = [_plain(each) for each in _TOKEN.findall(sql) if not each.startswith(("--", "/*"))]
    bodies = list(_bodies(tokens))
    names, defined = {name for name, _, _ in bodies}, {place for _, place, _ in bodies}
    if len(bodies) > _MOST_TABLES:
        return _MOST
    named = Counter(
        (_owner(place, bodies), token)
        for place, token in enumerate(tokens)
        if token in names and place not in defined and _is_named(tokens, place)
    )
    known: dict[str, int] = {}

    def written_out(name: str) -> int:
        if name not in known:
            known[name] = 1  # where it names itself, it is no copy
            inner = [(into, count) for (owner, into), count in named.items() if owner == name]
            known[name] = min(1 + sum(n * written_out(into) for into, n in inner), _MOST)
        return known[name]

    return max(written_out(""), *map(written_out, names)) - 1 if bodies else 0


def _plain(token: str) -> str:
    return token.strip('"`[]').lower() or token


def _bodies(tokens: Sequence[str]) -> Iterator[tuple[str, int, range]]:
    """Each common table, name AS (...) or name (columns) AS (...): the name, where it stands, and
    where its text does."""
    for place, token in enumerate(tokens):
        begin, name = place + 1, place - 1
        while begin < len(tokens) and tokens[begin] in ("not", "materialized"):
            begin += 1
        if token != "as" or name < 0 or begin == len(tokens) or tokens[begin] != "(":
            continue
        if tokens[name] == ")":
            while name > 0 and tokens[name] != "(":
                name -= 1
            name -= 1
        yield tokens[name], name, range(begin, _end(tokens, begin))


def _end(tokens: Sequence[str], begin: int) -> int:
    depth = 0
    for place in range(begin, len(tokens)):
        depth += (tokens[place] == "(") - (tokens[place] == ")")
        if depth == 0:
            return place
    return len(tokens)


def _owner(place: int, bodies: Sequence[tuple[str, int, range]]) -> str:
    """The common table whose text this is part of, the innermost; "" for the query's own."""
    around = [(len(body), name) for name, _, body in bodies if place in body]
    return min(around)[1] if around else ""


def _is_named(tokens: Sequence[str], place: int) -> bool:
    after = tokens[place + 1] if place + 1 < len(tokens) else ""
    return place > 0 and tokens[place - 1] in _BEFORE_A_TABLE and after != "."
