"""Arguments by kind, with the right tool given: `python -m tests.reading.arguments natural ...`.

Of each request that asks for one call the whole message is read for that tool. An argument counts
as right if it is what was expected, or left out where nothing was.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

from course.models.policy.conversation import stated_today, written_on
from course.models.policy.dates import REFERENCE
from course.models.policy.reader.filling import fill_tool
from course.models.policy.reader.slots import as_told, offer_of
from tests.policy import cases

KINDS = {"intid": "id", "datetime": "time", "month": "date", "query": "words", "amount": "number"}
"""Kinds that are counted with another one."""


def _kind(slot: Any, wanted: Any) -> str:
    if isinstance(wanted, dict) and {*wanted} <= {"contains", "any"}:
        return "free text"
    if "pattern" in slot.param.schema:
        return "pattern"
    return KINDS.get(slot.param.kind, slot.param.kind)


def measured(name: str) -> tuple[Counter[str], Counter[str]]:
    """How many arguments of a set are right, and how many there are, by kind."""
    right, of = Counter[str](), Counter[str]()
    for case in cases.load(name):
        if [len(turn) for turn in case.calls] != [1]:
            continue
        [[call]] = case.calls
        offer = offer_of(as_told(case.tools, case.instructions))
        place = [t.name for t in case.tools].index(call["name"])
        today = stated_today(case.instructions) or written_on(case.instructions) or REFERENCE
        made = fill_tool(offer, place, case.say, today).values
        for slot in offer.slots[place]:
            wanted = call["arguments"].get(slot.name)
            if slot.name not in made and slot.name not in call["arguments"]:
                continue
            both = slot.name in made and slot.name in call["arguments"]
            of[_kind(slot, wanted)] += 1
            right[_kind(slot, wanted)] += both and cases.same(wanted, made[slot.name])
    return right, of


def main() -> None:
    for name in sys.argv[1:] or ["natural"]:
        right, of = measured(name)
        print(f"{name}: {right.total()} of {of.total()}")
        for kind, count in of.most_common():
            print(f"    {kind:10} {right[kind]:4} of {count:4}")


if __name__ == "__main__":
    main()
