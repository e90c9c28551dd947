"""Workers share no tools: what each of them was offered, as its model's requests say."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import combinations
from typing import Any

from graders.checks.keys import Key, grouped
from graders.checks.text import reach
from graders.records.log import Exchange, Log
from graders.records.verdict import Check, Verdict, passed
from graders.records.wording import bars, count, fail, listed, sealed, shown

CODES = {
    "tools.too_few": "there were fewer workers than wanted",
    "tools.none": "a worker has no tools",
    "tools.shared": "two workers have a tool in common",
    "tools.forbidden": "a worker has a tool that it must not have",
    "tools.unknown": "a worker has a tool that does not exist",
}


def tools_disjoint(
    key: Key | None = None,
    *,
    at: str = "",
    at_least: int = 2,
    forbidden: Collection[str] = (),
    common: Collection[str] = (),
    known: Collection[str] | None = None,
) -> Check:
    """Each worker has tools of its own.

    Args:
        key: requests to models -> the worker that makes them; what they offer is what counts.
        at: without a key, dotted path into the result: worker -> names of its tools.
        at_least: workers that there must be.
        forbidden: tools that no worker may have, such as those that delegate.
        common: tools that may be shared.
        known: the tools that there are; None accepts any name.
    """

    @sealed
    def check(log: Log) -> Verdict:
        tools = _offered(log, key) if key else _declared(reach(log.result, at))
        trouble = _trouble(tools, at_least, set(forbidden), set(common), known)
        if trouble is None:
            return passed()
        code, expected, got = trouble
        look = "look at which tools each worker is made with"
        evidence = bars(log.requests())
        return fail(f"tools.{code}", expected=expected, got=got, look=look, evidence=evidence)

    return check


def offered(exchange: Exchange) -> set[str]:
    """The names of the tools that a request to a model offers."""
    listing = exchange.request.get("tools")
    functions = [each.get("function") for each in _items(listing) if isinstance(each, Mapping)]
    return {str(each.get("name")) for each in functions if isinstance(each, Mapping)}


def _offered(log: Log, key: Key) -> dict[str, set[str]]:
    groups = grouped(log, lambda e: key(e) if e.kind == "model" else None)
    return {worker: set().union(*map(offered, asked)) for worker, asked in groups.items()}


def _declared(value: Any) -> dict[str, set[str]]:
    if not isinstance(value, Mapping):
        return {}
    return {str(worker): {str(name) for name in _items(names)} for worker, names in value.items()}


def _items(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _trouble(
    tools: Mapping[str, set[str]],
    at_least: int,
    forbidden: set[str],
    common: set[str],
    known: Collection[str] | None,
) -> tuple[str, str, str] | None:
    if len(tools) < at_least:
        return "too_few", f"at least {count(at_least, 'worker')}", f"got {len(tools)}"
    for worker, names in tools.items():
        if not names:
            return "none", "tools for each worker", f"but {shown(worker)} has none"
        bad = sorted(names & forbidden)
        if bad:
            return "forbidden", f"no worker to have {listed(bad)}", f"but {shown(worker)} has it"
        strange = sorted(names - set(known)) if known is not None else []
        if strange:
            return "unknown", "only tools that there are", f"but {shown(worker)} has {strange[0]}"
    for (one, first), (other, second) in combinations(tools.items(), 2):
        both = sorted((first & second) - common)
        if both:
            got = f"but {shown(one)} and {shown(other)} both have {listed(both)}"
            return "shared", "no tool to belong to two workers", got
    return None
