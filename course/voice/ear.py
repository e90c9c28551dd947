"""Words for the ear: what an agent wrote, in sentences that can be listened to.

Who reads finds their place again, who hears does not. So a list of facts becomes a sentence for
each, and dates, amounts and numbers of records are said as people say them. Only what is spoken
changes: history and trace keep what the model wrote.

Source: the text transforms of LiveKit Agents 1.8.9 (`tts_text_transforms`).
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterable, AsyncIterator
from datetime import date

_DAY = re.compile(r"\b(\d{4}-\d\d-\d\d)(?:[T ](\d\d):(\d\d)(?::\d\d)?)?\b")
_MONEY = {
    "EUR": "euros", "€": "euros", "USD": "dollars", "$": "dollars", "GBP": "pounds", "£": "pounds",
}  # fmt: skip
_UNIT = "|".join(map(re.escape, _MONEY))
_AMOUNT = re.compile(rf"(?:({_UNIT}) ?)?(?<!\d)(\d[\d,]*)\.(\d\d)\b(?: ?({_UNIT}))?")
_ID = re.compile(r"\b(?=[\w-]*\d)([A-Z]{1,4})-?(\d{3,})\b")
_END = re.compile(r"(?<=[.!?])(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)\s+|\n+")
_FACTS = 3  # as many parts after a colon are a list of facts


def _day(found: re.Match[str]) -> str:
    try:
        day = date.fromisoformat(found[1])
    except ValueError:
        return found[0]
    said = f"{day:%A} {day.day} {day:%B}"
    if found[2] is None:
        return said
    minutes = f":{found[3]}" if found[3] != "00" else " o'clock"
    return f"{said} at {int(found[2])}{minutes}"


def _amount(found: re.Match[str]) -> str:
    unit = _MONEY.get(found[1] or found[4] or "")
    if unit is None:
        return found[0]
    return f"{found[2]} {unit}" + (f" {int(found[3])}" if int(found[3]) else "")


def _id(found: re.Match[str]) -> str:
    return " ".join(found[1] + found[2])


def _facts(sentence: str) -> list[str]:
    """A sentence, or one for each of its facts where it lists them."""
    head, _, listed = sentence.partition(": ")
    parts = re.split(r"[,;] (?=\S)", listed.rstrip("."))
    if len(parts) < _FACTS or any(part.startswith(("and ", "or ")) for part in parts):
        return [sentence]
    told = map(str.strip, (head, *parts))
    return [f"{part[0].upper()}{part[1:]}." for part in told if part]


def for_the_ear(text: str) -> str:
    """A text as it is said: one fact a sentence.

    Args:
        text: any number of sentences.
    """
    said: list[str] = []
    for sentence in filter(None, _END.split(text.strip())):
        plain = _AMOUNT.sub(_amount, _DAY.sub(_day, sentence))
        said += _facts(_ID.sub(_id, plain))
    return " ".join(said)


async def spoken_text(pieces: AsyncIterable[str]) -> AsyncIterator[str]:
    """The same for a text that comes in pieces: each sentence goes on as soon as it is whole."""
    waiting = ""
    async for piece in pieces:
        waiting += piece
        *whole, waiting = _END.split(waiting)
        for sentence in filter(None, whole):
            yield for_the_ear(sentence) + " "
    if waiting.strip():
        yield for_the_ear(waiting)
