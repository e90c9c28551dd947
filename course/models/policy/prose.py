"""Prose: the free-text arguments, such as a message, a reason or a task."""

from __future__ import annotations

import re

from course.models.policy.clauses import is_fact
from course.models.policy.mentions import mentions
from course.models.policy.params import Param
from course.models.policy.verbs import head_action
from course.models.policy.words import content, name_words

_MESSAGES = frozenset(
    "message text body content note notes comment comments remarks statement greeting".split()
)
_REMARKS = frozenset("note notes comment comments remarks".split())
_REASONS = frozenset("reason explanation why cause".split())
_SUBJECTS = frozenset(
    "description details detail issue problem complaint feedback symptom symptoms".split()
)
_FAULTS = frozenset("fault defect".split())
_LIMITS = frozenset("constraints constraint limits requirements".split())
_CONTEXTS = frozenset("context background summary".split())

_SAID = re.compile(
    r"(?:\b(?:saying|says|say|reading|to say)\b(?: that)?:?|\b(?:message|note|text"
    r"|comment|notes?):|\bto tell (?:him|her|them)(?: that)?"
    r"|\btell(?:ing)? (?:him|her|them|[A-Z]\w+(?: [A-Z]\w+)?)(?: that)?|\bthat (?=(?:i|we"
    r"|the|he|she|they|my|our|it|there|you)\b))\s*",
    re.IGNORECASE,
)
_BECAUSE = re.compile(
    r"\b(?:because(?: of)?|due to|on account of|as it|as they|since (?=i |we |the |it "
    r"|my )|reason:|as (?=i |we |the |it |my ))\s*",
    re.IGNORECASE,
)
_THAT = re.compile(r"(?:\bthat\b|:|\babout\b|\bsaying\b|\bwith the note\b)\s+", re.IGNORECASE)
_POLITE = re.compile(
    r"^(?:(?:please|can you|could you|would you|will you|kindly|i(?:'d| would) like "
    r"(?:you )?to|i want (?:you )?to|i need (?:you )?to"
    r"|also|then|and|hi|hello|hey|help me(?: to)?|first|finally|we need to|let's)[\s,]+)+",
    re.IGNORECASE,
)
_CONSTRAINT = re.compile(
    r"\b(?:(?:in|under|within|with) (?:at most |no more than |less than |up to |max"
    r"(?:imum)? )?\d+ (?:words?|sentences?|minutes?|hours?|days?|lines?|bullet points?"
    r"|points?|characters?|items?)"
    r"|(?:at most|no more than|less than|fewer than|at least|up to|only|without|excluding"
    r"|no later than|(?:by|before|until) (?=\w+day|tomorrow|\d)|in (?:english|german|french|spanish"
    r"|italian))\b[^,.;]*)",
    re.IGNORECASE,
)


def polished(text: str) -> str:
    """A part of a request as a task: without politeness, first letter large."""
    bare = _POLITE.sub("", text.strip()).strip()
    return bare[:1].upper() + bare[1:]


def constraints(text: str) -> str:
    """The phrases of a text that limit how something is done, joined by semicolons."""
    return "; ".join(dict.fromkeys(m.group().strip() for m in _CONSTRAINT.finditer(text)))


def _quoted(text: str) -> str | None:
    return next((str(m.value) for m in mentions(text) if m.kind == "quoted"), None)


_TYPED = ("phone", "email", "id", "number", "date", "time", "amount", "address")


def _from(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.search(text)
    rest = text[match.end() :].strip().rstrip(".!") if match else ""
    typed = any((m.start, m.end) == (0, len(rest)) and m.kind in _TYPED for m in mentions(rest))
    return rest if content(rest) and not typed else None


_FOR = re.compile(
    r"\bfor (?:an?|some) (?P<what>[a-z][\w-]*(?: [a-z][\w-]*)?)(?=\s*$|[.,;?!]| (?:on|at"
    r"|with|next|this|in|for|tomorrow|today)\b)"
)


def _purpose(text: str) -> str | None:
    """What something is for, when the text says so with an article: "for a check-up"."""
    match = _FOR.search(text)
    return match["what"] if match else None


def _facts(text: str) -> str | None:
    """Sentences that merely state something, which is what a description consists of."""
    sentences = re.split(r"(?<=[.!?])\s+", text)
    told = [s for s in sentences if not s.endswith("?") and (is_fact(s) or head_action(s) is None)]
    return " ".join(told).rstrip(".") if told and len(told) < len(sentences) else None


_ASIDE = re.compile(
    r"(?:, |[.!;] |\band )(?P<why>(?:(?:my|the|our|his|her)(?: \w+){1,3}|i|we|he|she|they|it|there)"
    r"(?:['’]\w+| (?:has|have|had|is|am|are|was|were|can(?:['’]t|not)?|won['’]t"
    r"|do(?:es)?n['’]t|need|feel|got|broke|must|will))\b[^.!?]*)",
    re.IGNORECASE,
)


def _aside(text: str) -> str | None:
    """What a text adds about somebody's state, which is why the rest is asked for."""
    match = _ASIDE.search(text)
    return match["why"] if match and not _WISHING.search(match["why"]) else None


_WISHING = re.compile(r"\b(?:would|like|please|want|name|born|number|e-?mail)\b", re.IGNORECASE)


def free_text(param: Param, clause: str) -> str | None:
    """The part of a clause that a free-text parameter asks for.

    None when it holds none; a required parameter falls back on the whole clause.
    """
    said = set(name_words(param.name))
    if said & _LIMITS:
        return constraints(clause) or None
    if said & _MESSAGES:
        found = _quoted(clause) or _from(_SAID, clause)
        found = found or (_aside(clause) if said & _REMARKS and not param.required else None)
    elif said & _REASONS:
        found = _from(_BECAUSE, clause) or _purpose(clause) or _aside(clause)
    elif said & _FAULTS:
        found = _facts(clause)
    elif said & _SUBJECTS:
        found = _quoted(clause) or _facts(clause) or _from(_THAT, clause) or _from(_BECAUSE, clause)
    elif said & _CONTEXTS:
        found = _facts(clause)
    else:
        found = polished(clause) if param.required else None
    if found is None and param.required:
        return "" if said & _LIMITS else polished(clause)
    return found
