"""Decision: what the request in hand asks of the tools.

The request may go over several messages: replies to questions about it fill what is still missing,
and so do older messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Any

from course.models.policy.arguments import Texts, fill
from course.models.policy.clauses import split
from course.models.policy.conversation import Talk
from course.models.policy.corrected import mended
from course.models.policy.match import shared_words
from course.models.policy.mentions import mentions
from course.models.policy.params import params
from course.models.policy.patterns import regex
from course.models.policy.reader.filling import Filling, fill_from_afar, fill_slots
from course.models.policy.reader.matters import Matter, matters_of
from course.models.policy.reader.shapes import found_in
from course.models.policy.reader.slots import Slot
from course.models.policy.spoken import unspoken
from course.models.policy.words import cue, name_words
from course.models.wire import ToolSpec


def matters_in(talk: Talk, tools: tuple[ToolSpec, ...]) -> list[Matter]:
    """What the request in hand asks of the tools, in its order; empty if that is nothing."""
    if not tools or not talk.request.strip():
        return []
    talk = in_hand(talk, tools)
    whole = _whole(talk)
    said = matters_of(tools, whole, talk.today)
    guessed = [m.tool for m in said if m.likely < _MEANT and unspoken(m.tool, whole)]
    if guessed:
        said = matters_of(tuple(t for t in tools if t not in guessed), whole, talk.today)
    said = said or _handed(talk, tools)
    made = [completed(m, talk, tools) for m in said]
    return [_with_ids(m, talk) for m in made] if len(made) > 1 else made


_MEANT = 0.55
"""How likely a deed has to be that nothing undoes, where no word speaks of it."""


def _with_ids(matter: Matter, talk: Talk) -> Matter:
    """One of several matters with the ids that the message tells for all of them."""
    values = dict(matter.filling.values)
    for slot in matter.filling.missing:
        found = {s.value for s in found_in(slot.shapes, talk.request) if not s.doubtful}
        values |= {slot.name: found.pop()} if len(found) == 1 else {}
    missing = [s for s in matter.filling.missing if s.name not in values]
    return replace(matter, filling=replace(matter.filling, values=values, missing=missing))


def in_hand(talk: Talk, tools: tuple[ToolSpec, ...]) -> Talk:
    """The conversation with as much of the request as is read: of one that others share one's own
    part, of one that brings a document along its ends."""
    if shares(talk.instructions):
        talk = replace(talk, request=_own_part(talk.request, tools))
    if len(talk.request) > _LONGEST:
        talk = replace(talk, request=_both_ends(talk.request))
    return talk


# An agent that shares a request with others leaves their parts alone.
_OTHERS = cue("decision.others")


def shares(instructions: str) -> bool:
    """Whether instructions say that others see to the rest of the request."""
    return bool(_OTHERS.search(instructions))


_LONGEST, _HEAD, _TAIL = 1_600, 500, 900
"""Characters of a message that is read as a whole, and of the ends of a longer one."""
_SENTENCE_END = regex(r"[.!?\n]\s+")


def _both_ends(text: str) -> str:
    """The first and the last sentences of a message that brings a document along."""
    head, tail = text[:_HEAD], text[-_TAIL:]
    ends = [m.end() for m in _SENTENCE_END.finditer(head)]
    begin = _SENTENCE_END.search(tail)
    return f"{head[: ends[-1]] if ends else head}\n{tail[begin.end() :] if begin else tail}"


def _handed(talk: Talk, tools: tuple[ToolSpec, ...]) -> list[Matter]:
    """The one tool for which a message of fields, and no words, holds all that it needs; where
    there are several, nothing says which is meant."""
    needs = [(t, [p.name for p in params(t.parameters) if p.required]) for t in tools]
    whole = [t for t, names in needs if names and all(name in talk.given for name in names)]
    made = [Matter(talk.request, t, 1.0, Filling({}), order=(t,)) for t in whole]
    return made if len(made) == 1 else []


def _own_part(text: str, tools: tuple[ToolSpec, ...]) -> str:
    """Of a request that others share the clauses that have words of one's own tools."""
    own = [c.text for c in split(text) if any(shared_words(t, c.text) for t in tools)]
    return " ".join(own) or text


_IT = regex(r"\b(?:it|that|this|them)\b", re.IGNORECASE)


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


def completed(matter: Matter, talk: Talk, tools: tuple[ToolSpec, ...]) -> Matter:
    """The matter with what replies, the rest of the request and older messages add."""
    filling = matter.filling
    values, missing = dict(filling.values), list(filling.missing)
    answers = [mended(a, tools) for a in talk.answers]
    for text, reply in (*((a, True) for a in answers), *((t, False) for t in talk.earlier[:4])):
        found = dict(_supplied(missing, text, talk.today, reply=reply))
        values |= found
        missing = [s for s in missing if s.name not in found]
    found = dict(of_caller(missing, talk.instructions, talk.today))
    values, missing = {**values, **found}, [s for s in missing if s.name not in found]
    plain = fill(matter.tool.parameters, _texts(matter, talk), matter.tool.name).values
    used = {str(v) for n, v in values.items() if n not in plain}
    for slot in matter.slots:
        if slot.name not in values and slot.name in plain and str(plain[slot.name]) not in used:
            values[slot.name] = plain[slot.name]
    missing = [s for s in missing if s.name not in values]
    return replace(matter, filling=replace(filling, values=values, missing=missing))


_CALLER, _IN_GENERAL = cue("decision.caller"), cue("decision.in_general")
_STATED = regex(r"(?<=[.;!])\s+|\n+")


def of_caller(missing: list[Slot], instructions: str, today: date) -> Iterator[tuple[str, Any]]:
    """What instructions tell of who is asking ("The caller holds berth D-9"), for slots that
    nothing else fills: ids by their form, and addresses."""
    told = [s for s in _STATED.split(instructions) if _CALLER.search(s)]
    about = " ".join(s for s in told if not _IN_GENERAL.search(s)) if missing else ""
    for slot in missing if about else ():
        ids = {s.value for s in found_in(slot.shapes, about) if not s.doubtful}
        places = [m.text for m in mentions(about, today) if m.kind == "address"]
        placed = "address" in {*name_words(slot.name)}
        if len(ids) == 1 or (placed and len(places) == 1):
            yield slot.name, ids.pop() if ids else places[0]


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
