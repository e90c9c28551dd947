"""What a message says in the end: a value that is taken back gives way to the one that holds.

People correct themselves while they speak ("on Friday, no, Saturday"), in a sentence of its own
("Sorry, Saturday of course, not Friday."), or by naming what they do not want ("not the small
one").
What reads a message after this stage finds each value once; letters that were exchanged in
writing stand as they were meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache

from course.models.policy.lexicon import known_words
from course.models.policy.mentions import Mention, mentions
from course.models.policy.patterns import regex
from course.models.policy.reader.choices import words
from course.models.policy.words import cue
from course.models.wire import ChatRequest, ToolSpec
from course.stems import known_stems

_BACK = (
    r"(?:no(?:pe)?|sorry|pardon|wait|hang on|i meant?(?: to say)?|i mean|or rather|rather|actually"
    r"|scratch that|correction|make (?:it|that)|strike that)"
)
_UNIT = (
    r"(?:\s?(?:[€$£%]|EUR|USD|GBP|euros?|dollars?|pounds?|people|persons|stars?|days?|o'clock)\b)?"
)
_TAKEN_BACK = regex(
    rf"{_UNIT}(?: i (?:think|guess|believe|reckon))?(?:[\s,;:–—…-]|\.{{2,}})++"
    rf"(?:oh,? |ah,? |uh,? |er,? )?(?:{_BACK}[\s,.:!]+)+"
    r"(?:[^.,;!?]{1,45}, (?=(?:it's|it is|that's) ))?"
    r"(?:(?:it's|it is|that's|on|at|for|to|by|till|until|from|the|an?)\s+)*[€$£]?",
    re.IGNORECASE,
)
_SAME_LEAD = regex(
    rf"\b(?P<lead>an?|the|in|by|\d+) (?P<wrong>\w[\w-]*),? (?:{_BACK}[\s,]+)+"
    r"(?P<right>(?:an?|the|in|by|\d+) \w)",
    re.IGNORECASE,
)
_TAKES_BACK = rf"(?:(?:hm+|um+|oh|ah|er),? )?(?:{_BACK}[\s,.:!-]+)+"
_AGAIN = regex(
    rf"(?P<of>(?! (?:at|for|to|on|in|by|from|with|and)\b)(?: [a-z][\w-]*){{1,4}}?)"
    rf"[\s,;:–—…-]+{_TAKES_BACK}(?:(?:at|for|to|by|better|an?)\s+)*",
    re.IGNORECASE,
)
"""What stands between a number, its unit, and the number that holds: "2 inches, no, better"."""
_CLOSES = regex(
    r"(?=\W*$|[.,;:!?]|\s(?:please|instead|for|to|at|in|on|by|and|then)\b)", re.IGNORECASE
)
_INSTEAD = (
    regex(
        r"^(?P<said>.*(?<!\w)(?P<lead>to|into|in|at|on|onto|from|with|for|by|an?) )"
        rf"(?P<old>[^\s.!?,]+(?: [^\s.!?,]+){{0,4}} ?)[.!?,]\s+{_TAKES_BACK}(?P=lead) (?!be\b)"
        r"(?P<new>[^\s.!?,]+(?: [^\s.!?,]+){0,4}? ?)(?P<rest>)"
        r"(?:,? ?i mean(?:t)?)?(?:,? please)?[.!]*$",
        re.IGNORECASE,
    ),
    regex(
        r"^(?P<said>.*(?<![\w'’]))(?P<old>(?!I\b)[A-Z]{1,3})(?P<rest>(?![\w'’])[^A-Z]*(?:[A-Z][a-z]"
        rf"[^A-Z]*?)*?)[.,]\s+(?i:{_TAKES_BACK})(?:an? )?(?P<new>[A-Z]{{1,3}})(?:,? please)?[.!]*$"
    ),
)
"""What is said in the end and holds instead: after the same small word ("to the orchard. No, sorry,
to the avenue I meant."), and of sizes and other letters ("in M. Hm, no, make that an L.")."""
_NOT_BUT = cue("corrected.not_but")
_AFTERWARDS = regex(
    rf"(?<=[^.][.!?])\s+(?:oh,? |ah,? )?(?:{_BACK}[\s,.:!-]+)+(?P<right>(?:[^.!?\n]|\.(?=\d))*?)"
    r"(?:,? (?:of course|rather|instead|that is|please))*"
    r"(?:,? (?:and )?not (?P<wrong>(?:[^.,!?\n]|\.(?=\d))*?))?(?:[.!](?=\s+(?-i:[A-Z]))|[.!]?\s*$)",
    re.IGNORECASE,
)
_UNWANTED = cue("corrected.unwanted")
_LEFT_ALONE = cue("corrected.left_alone")
_ALIKE = {"amount": "number", "currency": ""}
_FIRST_PERSON = regex(r"^(?:on|at|for|to|by|the|an?|it's|it is) ", re.IGNORECASE)


def as_meant(request: ChatRequest) -> ChatRequest:
    """The request with every message of the person as it was meant in the end.

    Where tools are offered, of a message as long as a document its beginning and its end are read:
    there people say what they want, and the time it takes does not grow with what lies between.
    """
    calls = bool(request.tools) and request.response_format == "text"
    messages = tuple(
        {
            **message,
            "content": corrected(_ends(message["content"]) if calls else message["content"]),
        }
        if message.get("role") == "user" and isinstance(message.get("content"), str)
        else message
        for message in request.messages
    )
    return request if messages == request.messages else replace(request, messages=messages)


_DOCUMENT, _HEAD, _TAIL = 12_000, 800, 1_200
"""Characters: from which length on only ends are read, and how much of each."""


def _ends(text: str) -> str:
    return text if len(text) <= _DOCUMENT else f"{text[:_HEAD]}\n{text[-_TAIL:]}"


def corrected(text: str) -> str:
    """The text without what it takes back, denies or leaves alone; as it was if nothing is left.

    A slip is corrected in the line in which it is made: forms and documents have many.
    """
    if len(text) > _LONGEST:
        return text
    return "\n".join(_corrected(line) for line in text.split("\n"))


@lru_cache(maxsize=2_000)
def _corrected(text: str) -> str:
    meant = _afterwards(text)
    meant = _in_passing(meant)
    for instead in _INSTEAD:
        meant = instead.sub(lambda m: f"{m['said']}{m['new'].strip()}{m['rest']}.", meant)
    meant = _SAME_LEAD.sub(lambda found: found["right"], meant)
    meant = _NOT_BUT.sub("", meant)
    for unwanted in (_UNWANTED, _LEFT_ALONE):
        rest = unwanted.sub("", meant)
        meant = rest if re.search(r"\w", rest) else meant
    return meant.strip() if meant != text else text


_LONGEST = 2_000
"""Characters: what is longer is a document, in which nobody corrects a slip of the tongue."""


def _kind(mention: Mention) -> str:
    return _ALIKE.get(mention.kind, mention.kind)


def _in_passing(text: str) -> str:
    """A value that is taken back at once: "on Friday, no, Saturday"."""
    if not _TAKEN_BACK.search(text):
        return text
    found = [each for each in mentions(text) if _kind(each)]
    for wrong in found:
        unit = _AGAIN.match(text, wrong.end) if wrong.kind == "number" else None
        after = next((each for each in found if each.start >= wrong.end), None)
        counts = unit and after and (after.kind, after.start) == ("number", unit.end())
        if unit and after and counts and _CLOSES.match(text, after.end):
            said = f"{text[: wrong.start]}{after.text}{unit['of']}"
            return _in_passing(said + text[after.end :])
        gap = _TAKEN_BACK.match(text, wrong.end)
        if gap is None:
            continue
        right = [each for each in found if each.start == gap.end() and _kind(each) == _kind(wrong)]
        if right:
            start = wrong.start - (text[: wrong.start].endswith(("€", "$", "£")))
            again = right[0].start - (text[: right[0].start].endswith(("€", "$", "£")))
            return _in_passing(text[:start] + text[again:])
    return text


def _last(words: str, text: str) -> int:
    """Where whole words stand in a text for the last time; -1 if they do not."""
    whole = re.compile(rf"(?<![\w.,-]){re.escape(words)}(?!\w|[.,-]\d)", re.IGNORECASE)
    return max((m.start() for m in whole.finditer(text)), default=-1) if words else -1


def _afterwards(text: str) -> str:
    """A value that holds instead, in a sentence of its own: "Sorry, Friday, not Thursday"."""
    for found in _AFTERWARDS.finditer(text):
        before, after = text[: found.start()], text[found.end() :]
        right = _FIRST_PERSON.sub("", found["right"].strip())
        wrong = _FIRST_PERSON.sub("", (found["wrong"] or "").strip())
        place = _last(wrong, before)
        if right and place >= 0:
            return before[:place] + right + before[place + len(wrong) :] + after
        told = mentions(right)
        if len(told) == 1 and told[0].start == 0 and told[0].end == len(right):
            alike = [each for each in mentions(before) if _kind(each) == _kind(told[0])]
            if alike:
                return before[: alike[-1].start] + right + before[alike[-1].end :] + after
    return text


# --- exchanged letters ---

_LETTERS = regex(r"[A-Za-z]{5,}")


@cache
def _by_letters() -> Mapping[str, str]:
    """Everyday words by their letters in order: two letters exchanged leave these the same."""
    found: dict[str, str] = {}
    for word in sorted(known_words()):
        found.setdefault("".join(sorted(word)), word)
    return found


def mended(text: str, tools: tuple[ToolSpec, ...]) -> str:
    """The text with exchanged letters put right, where what is meant is an everyday word or one
    of the tools' own."""
    own = {w.text for t in tools for w in words(f"{t.name.replace('_', ' ')} {t.description}")}
    letters = {"".join(sorted(w)): w for w in own if len(w) > 4}

    def right(found: re.Match[str]) -> str:
        said = found.group()
        low = said.lower()
        if low in own or low in known_words() or low in known_stems():
            return said
        before = text[: found.start()].rstrip()
        begins = not before or before[-1] in ".!?:"
        if not said.islower() and not (said.istitle() and begins):  # a name, or an abbreviation
            return said
        key = "".join(sorted(low))
        meant = letters.get(key) or _by_letters().get(key)
        if meant is None or meant[0] != low[0]:
            return said
        return meant.capitalize() if said.istitle() else meant

    return _LETTERS.sub(right, text)
