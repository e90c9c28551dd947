"""Dialogue: what a reply asks for that only makes sense after what was said before it.

"The second one, for four", "the same for my sister", "sixteen, not fourteen", "yes, go ahead": the
tool is the one that was spoken of, and what the reply leaves out comes from the record that it
chooses, from what was offered, from the last call and from older messages, in this order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from course.models.policy.chat import YES
from course.models.policy.conversation import Made, Talk, calls_in, text_of
from course.models.policy.needs import Wanted
from course.models.policy.reader.filling import LIKELY, fill_slots
from course.models.policy.reader.matters import judged, mended, scores_of
from course.models.policy.reader.slots import Offer, Slot, offer_of
from course.models.policy.records import pick, records, value_for
from course.models.policy.schemas import fits
from course.models.wire import ChatRequest, ToolSpec

_NO = re.compile(r"^\W*(?:no|nope|nah)\b|\b(?:thanks?|thank you|bye)\W*$", re.IGNORECASE)
_AGAIN = re.compile(r"\b(?:same|again|as well|too|also|another|likewise)\b", re.IGNORECASE)
CHOICE = re.compile(
    r"\b(?:first|second|third|last|later|latest|earlier|earliest|cheaper|cheapest|other|that) one\b"
    r"|\b(?:the|that) (?:first|second|third|last|later|latest|earlier|earliest|other)\b",
    re.IGNORECASE,
)
"""How people choose among several things that were named."""
_DEGREES = {"later": "latest", "earlier": "earliest", "cheaper": "cheapest"}
_MEANT = 0.2
"""From which probability on a tool was spoken of."""


def followed_up(request: ChatRequest, talk: Talk, tools: tuple[ToolSpec, ...]) -> list[Wanted]:
    """The call that a reply to something said asks for; empty where it stands for itself."""
    messages = request.messages
    if len(messages) < 2 or messages[-1].get("role") != "user" or not tools:
        return []
    said = text_of(messages[-2]) if messages[-2].get("role") == "assistant" else ""
    reply = mended(talk.latest, tools)
    if not said or (_NO.search(reply) and not YES.search(reply)):
        return []
    made = calls_in(messages)
    offer = offer_of(tools)
    place = _tool(offer, said, reply, made, talk)
    if place is None:
        return []
    tool, slots = tools[place], offer.slots[place]
    sources = list(_sources(slots, tool, said, reply, made, talk))
    values = {k: v for source in reversed(sources) for k, v in source.items()}
    new = sources[0] or YES.search(reply) or CHOICE.search(reply)
    wanted = Wanted(tool.name, {s.name: values[s.name] for s in slots if s.name in values})
    lacks = [s for s in slots if s.param.required and s.name not in values]
    done = {Wanted(m.name, m.arguments).key for m in made}
    return [wanted] if new and not lacks and wanted.key not in done else []


def _tool(offer: Offer, said: str, reply: str, made: tuple[Made, ...], talk: Talk) -> int | None:
    """The place of the tool that a reply is about."""
    names = [t.name for t in offer.tools]
    own = judged(offer, reply, talk.today)[0]
    last = next((m for m in reversed(made) if m.name in names), None)
    other = last is not None and names[own.place] != last.name
    if own.likely >= 0.5 and own.filling.surely and (other or not CHOICE.search(reply)):
        return own.place
    asked = " ".join(s for s in re.split(r"(?<=[.!?])\s+", said) if s.endswith("?"))
    chooses = CHOICE.search(reply) and last is not None and last.error is None
    if last and not chooses and (last.error is not None or _AGAIN.search(reply) or not asked):
        return names.index(last.name)
    worth = dict(enumerate(scores_of(offer.tools, asked)))
    for text in (f"{asked} {reply}", reply, talk.request):
        for found in judged(offer, text, talk.today) if text.strip() else ():
            worth[found.place] += found.likely
    if last is not None and last.error is None:
        worth[names.index(last.name)] = 0.0
    best = max(worth, key=lambda n: worth[n])
    return best if worth[best] >= _MEANT else None


def _sources(
    slots: tuple[Slot, ...],
    tool: ToolSpec,
    said: str,
    reply: str,
    made: tuple[Made, ...],
    talk: Talk,
) -> Iterator[Mapping[str, Any]]:
    """Where arguments come from, the nearest first."""
    yield _filled(slots, reply, talk.today)
    yield _chosen(slots, reply, said, made, talk.today)
    last = next((m for m in reversed(made) if m.name == tool.name), None)
    agreed = YES.search(reply)
    if agreed or last is None:
        yield _filled(slots, said, talk.today)
    if last is not None:
        yield dict(last.arguments)
    for text in (talk.request, *talk.earlier):
        yield _filled(slots, text, talk.today)


def _filled(slots: tuple[Slot, ...], text: str, today: date) -> Mapping[str, Any]:
    return fill_slots(slots, text, today, likely=LIKELY).values


def _chosen(
    slots: tuple[Slot, ...], reply: str, said: str, made: tuple[Made, ...], today: date
) -> Mapping[str, Any]:
    """What the record holds that a reply chooses among those that the last call brought."""
    found = [r for r in records(made[-1:]) if made[-1].error is None] if made else []
    words = re.sub(r"\w+", lambda m: _DEGREES.get(m.group().lower(), m.group()), reply)
    top, sure = pick(found, words, today) if len(found) > 1 else (found, bool(found))
    if not sure and len(found) > 1 and not CHOICE.search(reply):
        top, sure = pick(found, said, today)
    if not top or not sure:
        return {}
    values = ((s, value_for(s.param, top[0])) for s in slots)
    return {s.name: v for s, v in values if v is not None and fits(v, s.param.raw)}
