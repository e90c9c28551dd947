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
from course.models.policy.mentions import mentions
from course.models.policy.ranking import delegates
from course.models.policy.reader.choices import words
from course.models.policy.reader.filling import fill_from_afar, fill_slots
from course.models.policy.reader.matters import Matter, matters_of, mended, unserved
from course.models.policy.reader.slots import Slot
from course.models.policy.verbs import EITHER, VERBS
from course.models.wire import ToolSpec

_DEPENDS = re.compile(
    r"(?<!sure )(?<!see )(?<!know )(?<!wonder )(?<!wondering )(?<!ask )(?<!better )(?<!glad )"
    r"\bif\b(?! (?:somebody|someone|anybody|anyone|smb|possible|you (?:can|could|like|need)))"
    r"|(?<!at )(?<!for )\bonce (?!more|again|a |per |every)\w+ (?:is|are|has|have|was|can|you|it)\b"
    r"|\b(?:unless|otherwise|depending|whichever|in case|cheapest|nearest)\b"
    r"|\bas soon as (?!possible)|\bshould (?:that|it|there|he|she|they)\b",
    re.IGNORECASE,
)
_LONGEST = 2_500
"""Characters of a message that is read in this way; longer ones bring documents along."""


def matters_in(talk: Talk, tools: tuple[ToolSpec, ...]) -> list[Matter]:
    """What the request in hand asks of the tools; empty where it is not for the reader."""
    text = talk.request
    if (
        not tools
        or not text.strip()
        or len(text) > _LONGEST
        or talk.given
        or talk.known
        or talk.tried
    ):
        return []
    if _DEPENDS.search(text) or any(delegates(t) for t in tools):
        return []
    if unserved(tools, text, talk.today):
        return []
    said = matters_of(tools, _whole(talk), talk.today)
    found = [_completed(m, talk, tools) for m in said]
    return [] if any(_unheard(m) for m in found) else found


_IT = re.compile(r"\b(?:it|that|this|them)\b", re.IGNORECASE)


def _whole(talk: Talk) -> str:
    """The request with the replies to questions about it, and with what "it" means where an id
    was told before."""
    text = " ".join((f"{t.strip()}." if t.strip()[-1:].isalnum() else t.strip())
                    for t in (talk.request, *talk.answers))  # fmt: skip
    ids = [m for m in mentions(text, talk.today) if m.kind == "id"]
    if ids or not _IT.search(text):
        return text
    for earlier in talk.earlier[:4]:
        told = [m for m in mentions(earlier, talk.today) if m.kind == "id"]
        if told:
            return f"It is about {told[-1].text}. {text}"
    return text


_OBJECTS = frozenset("me us the my our a an it them that this all".split())
_JOINT = re.compile(r"(?:,|;|[.!?]|\band\b|\bthen\b)\s+")
_POLITE = re.compile(r"^(?:(?:please|also|then|kindly|just|(?:can|could|would) you)\s+)*", re.I)


def _unheard(matter: Matter) -> bool:
    """Whether a matter holds more than one call says: a second order, or a list of plain things."""
    if sum(map(_orders, _JOINT.split(matter.text))) > 1:
        return True
    plain = [s for s in matter.slots if s.param.kind in ("words", "query") and not s.shapes]
    told = [str(matter.filling.values[s.name]) for s in plain if s.name in matter.filling.values]
    return any(_beside(value, matter.text) for value in told)


def _orders(text: str) -> bool:
    """Whether a piece opens with a verb that orders something."""
    first = words(_POLITE.sub("", text.strip()))[:2]
    if first and first[0].text in EITHER:
        return len(first) > 1 and first[1].text in _OBJECTS
    return bool(first) and first[0].stem in VERBS


def _beside(value: str, text: str) -> bool:
    """Whether a value stands beside another one in the text: "croissants and pretzels"."""
    found = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE)
    if not found:
        return False
    after, before = text[found.end() :], text[: found.start()]
    return bool(
        re.match(r",? and (?:the |an? )?\w", after)
        or re.search(r"\w,? and (?:the |an? )?$", before)
    )


def _completed(matter: Matter, talk: Talk, tools: tuple[ToolSpec, ...]) -> Matter:
    """The matter with what replies, the rest of the request and older messages add."""
    filling = matter.filling
    values, missing = dict(filling.values), list(filling.missing)
    answers = [mended(a, tools) for a in talk.answers]
    for text, reply in (*((a, True) for a in answers), *((t, False) for t in talk.earlier[:4])):
        found = dict(_supplied(missing, text, talk.today, reply=reply))
        values |= found
        missing = [s for s in missing if s.name not in found]
    plain = fill(matter.tool.parameters, _texts(matter, talk), matter.tool.name).values
    for slot in matter.slots:
        free = slot.name not in values or slot.param.kind == "prose"
        if free and slot.name in plain:
            values[slot.name] = plain[slot.name]
    missing = [s for s in missing if s.name not in values]
    return replace(matter, filling=replace(filling, values=values, missing=missing))


def _texts(matter: Matter, talk: Talk) -> Texts:
    return Texts(matter.text, talk.answers, (), (talk.instructions,), talk.today)


def _supplied(
    missing: list[Slot], text: str, today: date, *, reply: bool
) -> Iterator[tuple[str, Any]]:
    """What a text adds for slots that are missing; a reply is about them, so less is enough."""
    found = (fill_slots if reply else fill_from_afar)(tuple(missing), text, today)
    for slot in missing:
        if slot.name in found.values:
            yield slot.name, found.values[slot.name]
        elif reply and len(missing) == 1 and slot.param.kind in ("words", "query", "prose"):
            yield slot.name, text.strip().strip('."“”').strip()
