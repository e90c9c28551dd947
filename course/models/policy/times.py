"""Times of day in English text.

Conventions: without "am" or "pm", the hours 1 to 6 (1 to 5 with minutes) are taken as afternoon
and the rest as written, unless the text says morning, afternoon or evening. The value is text in
24 hours, "14:30".
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from course.models.policy.words import NUMBER_WORDS


class FoundTime(NamedTuple):
    """A time of day found in a text, "HH:MM", with its place (character offsets)."""

    value: str
    start: int
    end: int


_HOURS = "|".join(
    w for w, n in NUMBER_WORDS.items() if 1 <= n <= 12 and w not in ("dozen", "couple", "pair")
)
_HOUR = rf"(?P<h>\d{{1,2}}|{_HOURS})"
_HALF = (
    r"(?: ?(?P<half>a\.?m\.?|p\.?m\.?)(?![a-z])| in the (?P<part>morning|afternoon"
    r"|evening)| (?P<part2>tonight))"
)
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\d:.])(?P<h>\d{{1,2}}):(?P<m>\d{{2}})(?::\d{{2}})?(?![\d:]){_HALF}?",
        rf"\b(?P<h>\d{{1,2}})\.(?P<m>\d{{2}}){_HALF}",
        rf"\b(?P<lead>half past|quarter past|quarter to) {_HOUR}\b{_HALF}?",
        rf"\b{_HOUR}{_HALF}",
        rf"\b{_HOUR} ?o[’']?clock\b{_HALF}?",
        r"\b(?P<name>noon|midday|midnight)\b",
        rf"\b(?:at|by|around|until|till|before|after|to) {_HOUR}\b(?! ?[%€$£:.,/-]?\d)(?! "
        rf"(?:[a-z]+s|people|percent|euro|minute|hour|day|night|week|month|year|more)\b)",
    )
)
_LEADS = {"half past": 30, "quarter past": 15, "quarter to": -15}
_HINT = re.compile(
    r"\d|o.?clock|noon|mid|past|quarter|at |by |around |until |before |after | in the ", re.I
)


_EARLY = re.compile(r"\bmorning\b|\d ?a\.?m\b", re.IGNORECASE)
_LATE = re.compile(
    r"\b(?:day|tomorrow|this) (?:evening|afternoon)\b|day (?:evening|afternoon)\b", re.I
)


def _hour(match: re.Match[str], text: str) -> int:
    word = match["h"].lower()
    hour = int(word) if word.isdigit() else NUMBER_WORDS[word]
    groups = match.groupdict()
    half = (groups.get("half") or "").lower()
    part = (groups.get("part") or groups.get("part2") or "").lower()
    if half.startswith("p") or part in ("afternoon", "evening", "tonight"):
        return hour % 12 + 12
    if half.startswith("a") or part == "morning":
        return hour % 12
    late, early = _halves(text)
    if hour < 12 and late and not early:
        return hour + 12
    latest = 5 if groups.get("m") else 6
    afternoon = 1 <= hour <= latest and (len(word) < 2 or not word.isdigit())
    return hour + 12 if afternoon and not early else hour


@lru_cache(maxsize=64)
def _halves(text: str) -> tuple[bool, bool]:
    """Whether a text speaks of the later and of the earlier half of a day."""
    return bool(_LATE.search(text)), bool(_EARLY.search(text))


def _value(match: re.Match[str], text: str) -> str | None:
    groups = match.groupdict()
    if groups.get("name"):
        return "00:00" if groups["name"].lower() == "midnight" else "12:00"
    minutes = _hour(match, text) * 60 + int(groups.get("m") or 0)
    minutes += _LEADS.get((groups.get("lead") or "").lower(), 0)
    return (
        f"{minutes // 60:02}:{minutes % 60:02}"
        if 0 <= minutes < 1440 and int(groups.get("m") or 0) < 60
        else None
    )


@lru_cache(maxsize=4_000)
def find_times(text: str) -> tuple[FoundTime, ...]:
    """The times of day in a text, in order, without overlaps."""
    if not _HINT.search(text):
        return ()
    kept: list[FoundTime] = []
    taken = bytearray(len(text))
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            value = _value(match, text)
            start = (
                match.start("h")
                if match.groupdict().get("h") and not match.groupdict().get("lead")
                else match.start()
            )
            if value and not any(taken[start : match.end()]):
                kept.append(FoundTime(value, start, match.end()))
                taken[start : match.end()] = b"x" * (match.end() - start)
    return tuple(sorted(kept, key=lambda f: f.start))
