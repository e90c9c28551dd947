"""Cues: what the words before a mention say of its role, and stems by which roles are known."""

from __future__ import annotations

import re
from functools import lru_cache

from course.models.policy.mentions import Mention
from course.models.policy.params import Param, role_stems
from course.models.policy.wordlists import table, word_list
from course.models.policy.words import STOP_WORDS, stem, tokens

_SIDES = table("cues.sides")
_ROLES = _SIDES | table("cues.roles")
_ROLE_STEMS = {word: frozenset(stem(r) for r in roles.split()) for word, roles in _ROLES.items()}
_OPPOSED = {
    lead: frozenset().union(*(_ROLE_STEMS[o] for o in _SIDES if o != lead)) - _ROLE_STEMS[lead]
    for lead in ("from", "to", "until")
}
_STEP = frozenset(STOP_WORDS) - frozenset(word_list("cues.leads"))


@lru_cache(maxsize=8_000)
def _before(text: str, start: int) -> tuple[tuple[str, str], ...]:
    """Up to four words before a place, nearest first, as (word, stem), not past a comma or stop."""
    head = (
        re.split(r"[.,;:?!](?=\s)", text[:start])[-1]
        if not text[:start].rstrip().endswith(":")
        else text[:start]
    )
    return tuple((t.text.lower(), t.stem) for t in reversed(tokens(head)[-5:]))


def lead_of(text: str, mention: Mention) -> str:
    """The preposition that leads to a mention ("from", "to", ...), "" when there is none."""
    if mention.lead:
        return mention.lead
    for word, _ in _before(text, mention.start)[:3]:
        if word in _ROLE_STEMS or word in ("until", "till", "before", "under", "below", "above"):
            return word
        if word not in _STEP:
            return ""
    return ""


_ONTO = ("to", "until", "till")


def role_of(lead: str, param: Param) -> str:
    """Whether a preposition speaks for the role of a parameter, against it, or says nothing."""
    own = role_stems(param)
    if own & _ROLE_STEMS.get(lead, frozenset()) or ("new" in own and lead in _ONTO):
        return "for"
    if "new" in own and lead == "from":
        return "against"
    return "against" if own & _OPPOSED.get(lead, frozenset()) else ""


PLACES = frozenset(stem(w) for w in "country city town place location region area".split())
BIRTH = frozenset(stem(w) for w in "birth birthday born dob".split())
PERSONS = frozenset(stem(w) for w in word_list("cues.persons"))
STAFF = frozenset(stem(w) for w in word_list("cues.staff"))
SERVING = STAFF | frozenset(stem(w) for w in word_list("cues.serving"))
