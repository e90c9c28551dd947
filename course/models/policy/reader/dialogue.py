"""Dialogue: what a reply asks for that only makes sense after what was said before it.

"The second one, for four", "the same for my sister", "sixteen, not fourteen", "yes, go ahead": the
tool is the one that was spoken of, and what the reply leaves out comes from the record that it
chooses, from what was offered, from the last call and from older messages, in this order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from course.models.policy.conversation import Made, Talk, calls_in, text_of
from course.models.policy.corrected import mended
from course.models.policy.dates import find_dates, find_spans
from course.models.policy.lexicon import head_action
from course.models.policy.mentions import mentions
from course.models.policy.needs import Record, Wanted, pick, reads_only, records, value_for
from course.models.policy.patterns import regex
from course.models.policy.ranking import delegates, scores_of
from course.models.policy.reader.choices import hits
from course.models.policy.reader.filling import fill_slots
from course.models.policy.reader.matters import ASKED, Judged, index_of, judged
from course.models.policy.reader.odds import LIKELY
from course.models.policy.reader.slots import Offer, Slot, offer_of
from course.models.policy.replies import YES, reply_value
from course.models.policy.schemas import fits
from course.models.policy.values import shaped
from course.models.policy.words import ORDINALS, content, cue
from course.models.wire import ChatRequest, ToolSpec

_NO = regex(
    r"^\W*(?:no|nope|nah)\b"
    r"|\b(?:thanks?|thank you|bye|nothing (?:else|more)|that(?:'s| is) all)\W*$",
    re.IGNORECASE,
)
_AGAIN = cue("dialogue.again")
_ON, _MORE = cue("dialogue.goes_on"), cue("dialogue.more")
CHOICE = regex(
    r"\b(?:first|second|third|last|later|latest|earlier|earliest|cheaper|cheapest|other|that) one\b"
    r"|\b(?:the|that) (?:first|second|third|last|later|latest|earlier|earliest|other)\b",
    re.IGNORECASE,
)
"""How people choose among several things that were named."""
_REJECTS, _LEAVES = cue("dialogue.rejects"), cue("dialogue.leaves")
LEANS = regex("|".join(p.pattern for p in (_AGAIN, _ON, _REJECTS)), re.IGNORECASE)
"""How a reply shows that it makes sense only after what was said before it."""
_PIECE = regex(r"(?<=[.!?;,])\s+|\s+[-–—]+\s+|\s+(?=but\b|though\b|without\b)", re.IGNORECASE)
_DEGREES = {"later": "latest", "earlier": "earliest", "cheaper": "cheapest"}
_MEANT = 0.2
"""From which probability on a tool was spoken of."""
_WHOLE = 0.5
"""What it counts that a call has all it needs, some of it from the reply."""
_LOOSE = ("name", "words", "query", "prose")


def followed_up(request: ChatRequest, talk: Talk, tools: tuple[ToolSpec, ...]) -> list[Wanted]:
    """The call that a reply to something said asks for; empty where it stands for itself."""
    turn = _turn_of(request, talk, tools)
    if turn is None or (_NO.search(turn.reply) and not YES.search(turn.reply)):
        return []
    place = _tool(turn)
    if place is None:
        return []
    values, lacks, new = _values(turn, place)
    wanted = Wanted(tools[place].name, values)
    done = {Wanted(m.name, m.arguments).key for m in turn.made}
    return [wanted] if new and not lacks and wanted.key not in done else []


def declined(request: ChatRequest, talk: Talk) -> bool:
    """Whether a reply turns down what was offered or asked, and wants nothing else."""
    turn = _turn_of(request, talk, request.tools)
    if turn is None or "?" not in turn.said:
        return False
    return bool(_LEAVES.search(talk.latest)) and not followed_up(request, talk, request.tools)


def in_their_month(talk: Talk, request: ChatRequest) -> Talk:
    """The conversation; days of a reply that name no month ("what about the 10th?") are those next
    to the day that was spoken of last."""
    spoken = (text_of(m) for m in reversed(request.messages[-_BACK:-1]) if m.get("role") != "tool")
    days = (d.value for t in spoken for d in reversed(find_dates(t, talk.today)))
    near = next((d for d in days if d >= talk.today), None)
    if near is None or len(request.messages) < 3:
        return talk
    return replace(
        talk,
        latest=_dated(talk.latest, near, talk.today),
        request=_dated(talk.request, near, talk.today) if not talk.answers else talk.request,
        answers=tuple(_dated(a, near, talk.today) for a in talk.answers),
    )


_BACK = 6
"""Messages in which the day is looked for that a reply is about."""
_ONLY_DAY = regex(r"(?:the )?(\d{1,2})(?:st|nd|rd|th)", re.IGNORECASE)


def _dated(text: str, near: date, today: date) -> str:
    for found in reversed(find_dates(text, today)):
        bare = _ONLY_DAY.fullmatch(text[found.start : found.end])
        months = [(near.replace(day=1) + timedelta(days=31 * n)).replace(day=1) for n in (-1, 0, 1)]
        days = [m + timedelta(days=int(bare[1]) - 1) for m in months] if bare else []
        likely = [
            d for d, m in zip(days, months, strict=False) if d.month == m.month and d >= today
        ]
        day = min(likely, key=lambda d: abs(d - near), default=found.value)
        if day != found.value:
            text = f"{text[: found.start]}{day.day} {day:%B %Y}{text[found.end :]}"
    return text


@dataclass(frozen=True)
class _Turn:
    """A reply with what stands before it: what was said, its question, the calls made so far."""

    said: str
    asked: str
    reply: str
    made: tuple[Made, ...]
    talk: Talk
    offer: Offer


def _turn_of(request: ChatRequest, talk: Talk, tools: tuple[ToolSpec, ...]) -> _Turn | None:
    messages = request.messages
    if len(messages) < 2 or messages[-1].get("role") != "user" or not tools:
        return None
    said = text_of(messages[-2]) if messages[-2].get("role") == "assistant" else ""
    if not said:
        return None
    asked = " ".join(s for s in re.split(r"(?<=[.!?])\s+|\n+", said) if s.endswith("?"))
    reply = mended(_accepted(talk.latest), tools)
    return _Turn(said, asked, reply, calls_in(messages), talk, offer_of(tools))


def _accepted(reply: str) -> str:
    """A reply without the pieces that only say what is not wanted."""
    kept = [p for p in _PIECE.split(reply) if not _REJECTS.search(p)]
    return " ".join(kept) if any(re.search(r"\w", p) for p in kept) else reply


def _tool(turn: _Turn) -> int | None:
    """The place of the tool that a reply is about."""
    offer, reply, talk = turn.offer, turn.reply, turn.talk
    names = [t.name for t in offer.tools]
    last = next((m for m in reversed(turn.made) if m.name in names), None)
    own = judged(offer, reply, talk.today)[0]
    more = own.likely < ASKED and bool(_MORE.match(talk.latest))
    if last and last.error is None and (more or _ON.search(talk.latest)):
        return names.index(last.name)
    other = last is not None and names[own.place] != last.name
    agreed = bool(turn.asked and own.filling.missing and YES.search(reply))
    apart = (other or not CHOICE.search(reply)) and not agreed
    if own.likely >= ASKED and _tells(own, turn) and apart:
        return own.place
    chooses = CHOICE.search(reply) and last is not None and last.error is None
    again = _AGAIN.search(reply) or not turn.asked
    if last and not chooses and (last.error is not None or again) and not reads_only(
        offer.tools[names.index(last.name)]
    ):  # fmt: skip
        return names.index(last.name)
    worth = dict(enumerate(scores_of(index_of(offer), turn.asked)))
    before = talk.request if talk.answers else "".join(talk.earlier[:1])
    for text in (turn.asked,) if agreed else (f"{turn.asked} {reply}", reply, before):
        for found in judged(offer, text, talk.today) if text.strip() else ():
            alone = text == reply and not _tells(found, turn)
            worth[found.place] += found.likely * (0.2 if alone else 1.0)
    if last is not None and last.error is None:
        worth[names.index(last.name)] = 0.0
    asks = reply.rstrip().endswith("?") and head_action(reply) in (None, "find")
    for place in worth:
        _, lacks, new = _values(turn, place)
        apart = (last is not None and names[place] == last.name) or delegates(offer.tools[place])
        if new and not (lacks or apart or asks):
            worth[place] += _WHOLE
    best = max(worth, key=lambda n: worth[n])
    return best if worth[best] >= _MEANT else None


def _tells(found: Judged, turn: _Turn) -> bool:
    """Whether a text told of a tool more than names and words, which may be what was asked for."""
    slots = turn.offer.slots[found.place]
    kinds = {s.param.kind for s in slots if s.name in found.filling.surely}
    return bool(kinds - {*_LOOSE} if turn.asked else kinds)


def _values(turn: _Turn, place: int) -> tuple[dict[str, Any], list[Slot], int]:
    """The arguments of a tool from all that was said, the slots that lack theirs, and how many
    the reply itself says or chooses; one at least if it agrees."""
    slots = turn.offer.slots[place]
    sources = list(_sources(slots, turn.offer.tools[place], turn))
    values = {k: v for source in reversed(sources) for k, v in source.items()}
    missing = tuple(s for s in slots if s.param.required and s.name not in values)
    values |= _asked_for(missing, turn)
    for slot in missing:
        if slot.param.kind == "boolean" and not slot.param.nullable:
            values.setdefault(slot.name, False)
    for name, value in values.items():
        if isinstance(value, list):
            left = [v for v in value if not _dropped(v, turn.talk.latest)]
            values[name] = left or value
    lacks = [s for s in slots if s.param.required and s.name not in values]
    several = len(records(turn.made[-1:])) > 1
    agreed = YES.search(turn.reply) or CHOICE.search(turn.reply)
    new = max(len({*sources[0], *(sources[1] if several else ())}), int(bool(agreed)))
    return {s.name: values[s.name] for s in slots if s.name in values}, lacks, new


def _dropped(value: Any, reply: str) -> bool:
    """Whether a reply leaves one of several values out, in full or by its last digits."""
    said = " ".join(p for p in _PIECE.split(reply) if _REJECTS.search(p))
    ends = re.findall(r"\w+", str(value))[-1:]
    return any(re.search(rf"(?<!\w){re.escape(e)}(?!\w)", said, re.IGNORECASE) for e in ends)


def _asked_for(missing: tuple[Slot, ...], turn: _Turn) -> dict[str, Any]:
    """What a reply says for the slots that are still missing: after a question less is enough, and
    else its one number."""
    if not missing:
        return {}
    if not turn.asked:
        said = [m for m in mentions(CHOICE.sub(" ", turn.reply), turn.talk.today)
                if m.kind == "number"]  # fmt: skip
        numbers = [s for s in missing if s.param.kind == "number"]
        one = len(said) == len(numbers) == 1
        return {numbers[0].name: shaped(numbers[0].param, said[0], turn.reply)} if one else {}
    found = dict(fill_slots(missing, turn.reply, turn.talk.today).values)
    for slot in missing:
        if slot.name not in found and slot.param.kind in ("number", "time", "enum"):
            told = reply_value(slot.param, turn.reply, {}, turn.talk.today)
            found |= {} if told is None else {slot.name: told}
    return found


def _sources(slots: tuple[Slot, ...], tool: ToolSpec, turn: _Turn) -> Iterator[Mapping[str, Any]]:
    """Where arguments come from, the nearest first; a name or plain words in a reply to a question
    about something else are taken for an argument only where nothing else is."""
    talk, made = turn.talk, turn.made
    older: dict[str, Any] = {}
    for text in (*reversed(talk.earlier), *((talk.request,) if talk.answers else ())):
        older |= _filled(slots, text, talk.today)
    switches = tuple(s for s in slots if s.param.kind == "boolean")
    said = {**_filled(slots, turn.reply, talk.today), **_filled(switches, talk.latest, talk.today)}
    aside = {s.name for s in slots if s.name in older and _is_beside(s, turn.asked)}
    yield {k: v for k, v in said.items() if k not in aside}
    yield _chosen(slots, turn)
    last = next((m for m in reversed(made) if m.name == tool.name), None)
    if YES.search(turn.reply) or last is None:
        clear = tuple(s for s in slots if s.param.kind not in _LOOSE)
        yield _filled(clear, turn.asked, talk.today)
        sure = bool(YES.search(turn.reply))
        one = tuple(s for s in clear if (sure or s.param.kind != "number")
                    and len(_offered(s, turn.said, talk.today)) < 2)  # fmt: skip
        yield _filled(one, turn.said, talk.today)
    if last is not None:
        yield dict(last.arguments)
    yield _carried(slots, made)
    yield older
    yield {k: v for k, v in said.items() if k in aside}


def _is_beside(slot: Slot, asked: str) -> bool:
    """Whether a question is about something else than a name or plain words."""
    loose = bool(asked) and slot.param.kind in _LOOSE and not slot.param.stems & {*content(asked)}
    return loose and not (slot.param.kind == "name" and _WHO.search(asked))


_WHO = regex(r"\b(?:who|whom|whose|names?|called)\b", re.IGNORECASE)


def _offered(slot: Slot, said: str, today: date) -> list[Any]:
    """The values that something said offers for a slot: choices, days or times."""
    if slot.param.kind == "enum":
        return list(dict.fromkeys(h.value for h in hits(slot.param, said)))
    return list(dict.fromkeys(m.value for m in mentions(said, today) if m.kind == slot.param.kind))


def _carried(slots: tuple[Slot, ...], made: tuple[Made, ...]) -> Mapping[str, Any]:
    """What earlier calls of other tools were about: arguments of the same name, and the day; not
    what the last result leaves open, for there a choice is to be made."""
    found: dict[str, Any] = {}
    brought = records(made[-1:])
    open_ = {s.name for s in slots if len({str(_held(s, r)) for r in brought} - {"None"}) > 1}
    for call in made:
        for slot in (s for s in slots if s.name not in open_):
            value = call.arguments.get(slot.name)
            if value not in (None, "") and fits(value, slot.param.raw):
                found[slot.name] = value
    days = [v for m in made for v in m.arguments.values() if _DAY.fullmatch(str(v))]
    dated = [s for s in slots if s.param.kind == "date" and s.name not in found]
    return found | ({dated[0].name: days[-1]} if days and len(dated) == 1 else {})


_DAY = regex(r"\d{4}-\d\d-\d\d")


def _filled(slots: tuple[Slot, ...], text: str, today: date) -> Mapping[str, Any]:
    found = fill_slots(slots, text, today, likely=LIKELY).values
    plain = {s.name for s in slots if s.param.kind == "id"}
    return {k: v for k, v in found.items() if k not in plain or re.search(r"\d", str(v))}


def _chosen(slots: tuple[Slot, ...], turn: _Turn) -> Mapping[str, Any]:
    """What the record holds that a reply chooses among those that the last call brought, and the
    one time of those offered at the part of the day that it names."""
    made, today = turn.made[-1:], turn.talk.today
    found = [r for r in records(made) if any(_held(s, r) is not None for s in slots)]
    reply = re.sub(r"\w+", lambda m: _DEGREES.get(m.group().lower(), m.group()), turn.reply)
    top, sure = pick(found, reply, today) if len(found) > 1 else (found, bool(found))
    if not sure and len(found) > 1 and not CHOICE.search(reply):
        top, sure = pick(found, turn.asked, today)
    if not sure and len(at := [r for r in found if _then(r, reply, today)]) == 1:
        top, sure = at, True
    held = ((s, _held(s, top[0])) for s in slots) if top and sure else ()
    values = {s.name: v for s, v in held if v is not None}
    clock = [s for s in slots if s.param.kind == "time" and s.name not in values]
    times = _times(turn) if clock else []
    fit = [t for t in times if _in_part(t, reply)] or _by_place(times, reply)
    return values | ({clock[0].name: fit[0]} if len(fit) == 1 else {})


def _by_place(times: list[str], reply: str) -> list[str]:
    """The one of several times that a reply chooses by its place: "the last one"."""
    said = CHOICE.search(reply)
    words = {_DEGREES.get(w, w) for w in said.group().lower().split()} if said else set()
    if len(times) < 2 or not words:
        return []
    by_clock = {"latest": max(times), "earliest": min(times), "last": times[-1]}
    places = [times[n - 1] for w, n in ORDINALS.items() if w in words and 0 < n <= len(times)]
    return [*(t for w, t in by_clock.items() if w in words), *places][:1]


def _held(slot: Slot, record: Record) -> Any:
    """What a record holds for a slot, if it fits."""
    value = value_for(slot.param, record)
    return value if value is not None and fits(value, slot.param.raw) else None


def _then(record: Record, reply: str, today: date) -> bool:
    """Whether a record's one time lies in the part of the day that a reply names, or its first
    day in the week or month."""
    told = [v for v in record.fields.values() if isinstance(v, str)]
    times = [v for v in told if _CLOCK.fullmatch(v)]
    days = [v for v in told if _DAY.fullmatch(v)]
    spans = find_spans(reply, today) if days else ()
    within = any(a.isoformat() <= days[0] <= b.isoformat() for a, b, *_ in spans)
    return within or (len(times) == 1 and _in_part(times[0], reply))


_CLOCK = regex(r"\d\d:\d\d")


def _times(turn: _Turn) -> list[str]:
    """The times that were offered last."""
    return list(dict.fromkeys(str(m.value) for m in mentions(turn.said) if m.kind == "time"))


_PARTS = {name: cue(f"dialogue.{name}") for name in ("morning", "later")}


def _in_part(time: str, reply: str) -> bool:
    """Whether a time lies in the part of the day that a reply names."""
    early, late = (bool(_PARTS[name].search(reply)) for name in ("morning", "later"))
    return bool(time) and early != late and (time < "12:00") == early
