"""What a schema asks for once its references are written out, known before anybody tries it.

Forty lines can refer to each other so that written out they are millions, and a list of lists of
lists can ask for as many items. Counting takes a moment, for what is counted once is remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

MOST_COPIES = 1_000
"""Parts that the references of a request's schemas may add to those that stand there."""
MOST_LETTERS = 30_000
"""Letters of the shortest JSON that a schema lets be an answer, all choices together."""
LONGEST, MOST_ITEMS = 20_000, 1_000
"""Letters of a text and items of a list beyond which no bound of a schema is met."""

_MOST = 10**12
_EMPTY = 2  # letters of "", [] and {}
Schema = Mapping[str, Any]


class Weight(NamedTuple):
    """Parts of a schema, and letters of the shortest JSON that fits it."""

    parts: int = 0
    letters: int = 0


def weigh(schema: Schema, find: Callable[[str, Schema], Any]) -> Weight:
    """The weight of a valid schema.

    Args:
        find: what a reference leads to in the schema.
    """
    known: dict[str, Weight] = {}

    def led(reference: str) -> Weight:
        if reference not in known:
            known[reference] = Weight(1, _EMPTY)  # where it leads to itself
            known[reference] = of(find(reference, schema))
        return known[reference]

    def of(part: object) -> Weight:
        if not isinstance(part, Mapping):
            return Weight(0, _EMPTY)
        fields = part.get("properties") or {}
        needed = [of(fields[n]) for n in fields if n in part.get("required", ())]
        needed += each(part.get("allOf")) + each(part.get("prefixItems"))
        needed += [led(part["$ref"])] if "$ref" in part else []
        ways = each(part.get("anyOf")) + each(part.get("oneOf"))
        others = [of(fields[n]) for n in fields if n not in part.get("required", ())]
        others += each((part.get("patternProperties") or {}).values())
        others += [of(part[k]) for k in ("additionalProperties", "not") if k in part]
        item, least = of(part["items"]) if "items" in part else Weight(), part.get("minItems") or 0
        given = (part.get("default"), part.get("const"), *(part.get("enum") or ())[:1])
        letters = (
            _EMPTY
            + max(len(str(each)) for each in (*given, ""))
            + min(part.get("minLength") or 0, LONGEST)
        )
        letters += sum(each.letters for each in needed) + min(least, MOST_ITEMS) * (
            item.letters + 1
        )
        letters += min((each.letters for each in ways), default=0)
        parts = 1 + item.parts + sum(each.parts for each in (*needed, *ways, *others))
        return Weight(min(parts, _MOST), min(int(letters), _MOST))

    def each(parts: Iterable[object] | None) -> list[Weight]:
        return [of(part) for part in parts or ()]

    return of(schema)
