"""Times of day in English text, as "HH:MM" in 24 hours.

Of times without "am" or "pm" the hours 1 to 6 (1 to 5 with minutes) are taken as afternoon and the
rest as written, unless the text says morning, afternoon or evening.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from course.models.policy.patterns import regex
from course.models.policy.words import NUMBER_WORDS


class FoundTime(NamedTuple):
    """A time of day found in a text, "HH:MM", with its place (character offsets)."""

    value: str
    start: int
    end: int


_COUNTS = ("dozen", "couple", "pair", "once", "twice")
_HOURS = "|".join(w for w, n in NUMBER_WORDS.items() if 1 <= n <= 12 and w not in _COUNTS)
_HOUR = rf"(?P<h>\d{{1,2}}|{_HOURS})"
_HALF = (
    r"(?: ?(?P<half>a\.?m\.?|p\.?m\.?)(?![a-z])| (?:in the|at) (?P<part>morning|afternoon|evening"
    r"|night)\b| (?P<part2>tonight))"
)
_MINUTES = r"(?:a )?(?:quarter|(?:five|ten|twenty|twenty-five|\d{1,2})(?: minutes)?)"
_UNTIL = r"(?:a )?(?:(?:quarter|five|ten|twenty|twenty-five)(?: minutes)?|\d{1,2} minutes)"
_PATTERNS = tuple(
    regex(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\d:.])(?P<h>\d{{1,2}}):(?P<m>\d{{2}})(?::\d{{2}})?(?![\d:]){_HALF}?",
        rf"\b(?P<h>\d{{1,2}})\.(?P<m>\d{{2}}){_HALF}",
        r"\b(?:at|by|from|till|until|around|before|after) (?P<h>\d{1,2})(?:[.h]|(?<= 0\d))"
        r"(?P<m>[0-5]\d)\b(?! ?[€$£%]| [a-z]+s\b| (?-i:[A-Z][a-z])| (?:euro|percent|kg|km|cm|m)\b)",
        rf"\b(?:at|by|from|till|until|around|before|after) (?P<h>{_HOURS})[ -](?P<m>ten|fifteen"
        rf"|twenty(?:-five)?|thirty|thirty-five|forty(?:-five)?|fifty)(?![\w-]){_HALF}?",
        rf"\b(?P<lead>half past|{_MINUTES} past|(?<!from )(?<!between ){_UNTIL} to) {_HOUR}\b"
        rf"(?! (?!(?:this|suits|works|is|was|does)\b)[a-z]+s\b){_HALF}?",
        rf"\b(?:at|by|around|about|before|after|till|until|from) (?P<lead>half) (?P<h>{_HOURS})\b"
        rf"(?! dozen){_HALF}?",
        rf"\b{_HOUR}(?= ?(?:till|until|to|and|-|–) ?(?:half past \w+|{_MINUTES} (?:past|to) \w+"
        rf"|(?P<end>\d{{1,2}})[:.]\d\d|(?P<end2>\d{{1,2}}|{_HOURS}) ?(?:o[’']?clock\b|{_HALF})"
        r"|noon\b|midnight\b))",
        rf"\b{_HOUR}(?:ish)?{_HALF}",
        rf"\b{_HOUR} ?o[’']?clock\b{_HALF}?",
        rf"\b(?P<lead>half past|{_MINUTES} past|{_UNTIL} to) (?P<name>noon|midday|midnight)\b",
        r"\b(?P<name>noon|midday|midnight)\b",
        rf"\bfrom {_HOUR}(?=[,;!?]|[.] |[.]?$| (?:in the|on|for|till|until)\b)",
        rf"\b(?:at|by|around|until|till|before|after|to) {_HOUR}\b(?! ?[%€$£:.,/-]?\d)(?! and a )"
        rf"(?! (?-i:(?!Mon|Tue|Wed|Thu|Fri|Sat|Sun|On|In|For)[A-Z][a-z]))(?! "
        rf"(?:(?!(?:this|is|was)\b)[a-z]+s|people|percent|euro|minute|mins?|hrs?|hour|day|night|week|month|year|more)\b)",
    )
)
_CLOCK = regex(
    r"\d|o.?clock|noon|mid|past|quarter|at |by |from |around |until |before |after | in the ", re.I
)


_EARLY = regex(r"\bmorning\b|\d ?a\.?m\b", re.IGNORECASE)
_LATE = regex(r"(?:day|\btomorrow|\bthis|\bin the) (?:evening|afternoon)\b", re.I)


def _number(text: str) -> int:
    return int(text) if text.isdigit() else NUMBER_WORDS.get(text.lower(), 1)


def _hour(match: re.Match[str], text: str) -> int:
    word = match["h"].lower()
    hour = int(word) if word.isdigit() else NUMBER_WORDS[word]
    groups = match.groupdict()
    half = (groups.get("half") or "").lower()
    part = (groups.get("part") or groups.get("part2") or "").lower()
    end = groups.get("end2")
    if end and hour >= _number(end):
        half = part = ""
    night = part == "night" and 6 <= hour < 12
    if half.startswith("p") or part in ("afternoon", "evening", "tonight") or night:
        return hour % 12 + 12
    if half.startswith("a") or part in ("morning", "night"):
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


def _led(lead: str) -> int:
    """The minutes that the words before an hour add: "twenty past", "a quarter to"."""
    if not lead:
        return 0
    count = re.sub(r"^a |(?: minutes)?(?: past| to)$", "", lead)
    said = {"half": 30, "quarter": 15}.get(count) or _number(count)
    return -said if lead.endswith(" to") else said


def _value(match: re.Match[str], text: str) -> str | None:
    groups = match.groupdict()
    led = _led((groups.get("lead") or "").lower())
    if groups.get("name"):
        minutes = ((0 if groups["name"].lower() == "midnight" else 720) + led) % 1440
    else:
        minutes = _hour(match, text) * 60 + _number(groups.get("m") or "0") + led
    return (
        f"{minutes // 60:02}:{minutes % 60:02}"
        if 0 <= minutes < 1440 and _number(groups.get("m") or "0") < 60
        else None
    )


@lru_cache(maxsize=4_000)
def find_times(text: str) -> tuple[FoundTime, ...]:
    """The times of day in a text, in order, without overlaps."""
    if not _CLOCK.search(text):
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
