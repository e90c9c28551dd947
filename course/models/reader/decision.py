"""Decision: whether the reader's understanding of a request is taken, and what it asks for.

The request in hand may go over several messages: replies to questions about it fill what is still
missing, and so do older messages. What depends on a condition is left to the steps of the policy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Any

from course.models.policy.arguments import Texts, fill
from course.models.policy.conversation import Talk
from course.models.policy.ranking import delegates
from course.models.reader.filling import fill_slots
from course.models.reader.matters import Matter, matters_of
from course.models.reader.slots import Slot
from course.models.reader.wordings import mended
from course.models.wire import ToolSpec

_DEPENDS = re.compile(
    r"\b(?:if|unless|once|otherwise|depending|whichever|in case|as soon as|cheapest|nearest)\b"
    r"|\bshould (?:that|it|there|he|she|they)\b",
    re.IGNORECASE,
)
_PLAIN = ("words", "query", "prose", "datetime", "currency", "url", "file", "month", "intid")
_LONGEST = 2_500
"""Characters of a message that is read in this way; longer ones bring documents along."""


def matters_in(talk: Talk, tools: tuple[ToolSpec, ...]) -> list[Matter]:
    """What the request in hand asks of the tools; empty where it is not for the reader."""
    text = talk.request
    if not tools or len(text) > _LONGEST or talk.given or talk.known or talk.tried:
        return []
    if _DEPENDS.search(text) or any(delegates(t) for t in tools):
        return []
    return [_completed(m, talk, tools) for m in matters_of(tools, text, talk.today)]


def _completed(matter: Matter, talk: Talk, tools: tuple[ToolSpec, ...]) -> Matter:
    """The matter with what replies, the rest of the request and older messages add."""
    filling = matter.filling
    values, missing = dict(filling.values), list(filling.missing)
    answers = [mended(a, tools) for a in talk.answers]
    for text, reply in [*((a, True) for a in answers), *((t, False) for t in _around(matter, talk))]:
        found = dict(_supplied(missing, text, talk.today, reply=reply))
        values |= found
        missing = [s for s in missing if s.name not in found]
    plain = fill(matter.tool.parameters, _texts(matter, talk, values), matter.tool.name).values
    named = {s.name: s for s in missing}
    for name, value in plain.items():
        kind = next(s.param.kind for s in matter.slots if s.name == name)
        if name not in values and (name in named or kind in _PLAIN) and kind in _PLAIN:
            values[name] = value
    missing = [s for s in missing if s.name not in values]
    return replace(matter, filling=replace(filling, values=values, missing=missing))


def _around(matter: Matter, talk: Talk) -> Iterator[str]:
    if matter.text != talk.request:
        yield talk.request
    yield from talk.earlier[:4]


def _texts(matter: Matter, talk: Talk, values: dict[str, Any]) -> Texts:
    return Texts(matter.text, talk.answers, (), (talk.instructions,), talk.today)


def _supplied(
    missing: list[Slot], text: str, today: date, *, reply: bool
) -> Iterator[tuple[str, Any]]:
    """What a text adds for slots that are missing; a reply is about them, so less is enough."""
    found = fill_slots(tuple(missing), text, today, reply=reply)
    for slot in missing:
        if slot.name in found.values:
            yield slot.name, found.values[slot.name]
        elif reply and len(missing) == 1 and slot.param.kind in ("words", "query", "prose"):
            yield slot.name, text.strip().strip('."“”').strip()
