"""Carrying: what a part of a request needs of the rest, so that it can be understood alone."""

from __future__ import annotations

import re

from course.models.policy.clauses import Clause, split
from course.models.policy.conversation import Talk
from course.models.policy.cues import lead_of
from course.models.policy.matters import Matter
from course.models.policy.mentions import TITLES, Mention, mentions
from course.models.policy.prose import polished
from course.models.policy.verbs import commands
from course.models.policy.wordlists import cue
from course.models.policy.words import content

_WHO = ("name", "id", "email", "phone", "uuid")
_PERSON = re.compile(r"\b(?:he|she|him|her|his|hers|they|them|their)\b", re.IGNORECASE)
_SAME_DAY = re.compile(r"\b(?:then|same day|that day)\b", re.IGNORECASE)
_ASKS = cue("carrying.asks")
_HOUSE = re.compile(r"\byours?\b", re.IGNORECASE)
_SERVING = re.compile(rf"^{TITLES}|^(?:Dr|Prof)\b")


def in_full(matter: Matter, talk: Talk) -> str:
    """The part in words that can be understood without the rest: with the names, ids and dates
    that the request states elsewhere and this part leaves out."""
    text = re.sub(r"(?<=[.;] )[a-z]", lambda m: m[0].upper(), polished(matter.clause.text))
    known = set(content(text))
    about = dict.fromkeys(f for f in _carried(text, talk) if not set(content(f)) <= known)
    return f"{text} ({', '.join(about)})" if about else text


def _carried(text: str, talk: Talk) -> list[str]:
    """Who and what a part is about, and when, if it doesn't say so itself."""
    own = {m.kind for m in mentions(text, talk.today)}
    said = [c for source in (talk.request, *talk.answers) for c in split(source)]
    before = _before(text, said)
    facts = [c.text for c in said if c.fact and c.text not in text]
    elliptic = not (_ASKS.match(text) or commands(text))
    days = before if elliptic or _SAME_DAY.search(text) else []
    found = _who(text, own, before, facts, talk, elliptic)
    if "date" not in own:
        found += [m.text for t in days for m in _unquoted(t, talk) if m.kind == "date"]
    return found


def _before(text: str, said: list[Clause]) -> list[str]:
    """The clauses before a part, in their order."""
    words = set(content(text))
    place = next((n for n, c in enumerate(said) if words <= set(content(c.text))), len(said))
    return [c.text for c in said[:place]] + [c.text for c in said[place : place + 1]]


def _who(
    text: str, own: set[str], before: list[str], facts: list[str], talk: Talk, elliptic: bool
) -> list[str]:
    if "name" in own:
        return []
    told = [m.text for t in facts for m in _unquoted(t, talk) if m.kind in _WHO]
    if elliptic:
        return told + [m.text for t in before for m in _unquoted(t, talk) if m.kind in _WHO]
    return told or ([] if _HOUSE.search(text) else _nearest(text, before, talk))


def _nearest(text: str, before: list[str], talk: Talk) -> list[str]:
    """Whom or what a pronoun stands for: what was named last, in this or an earlier message."""
    told = [
        [(m, lead_of(c, m) in _WHERE) for m in _unquoted(c, talk) if m.kind in _WHO]
        for c in (*before[::-1], *talk.earlier[:2])
    ]
    found: list[str] = []
    if _PERSON.search(text):
        people = [[m for m, place in t if m.kind == "name" and not place] for t in told]
        people = [[m for m in t if not _SERVING.match(m.text)][:1] for t in people]
        found = next(([m.text for m in t] for t in people if t), [])
    if not found or _THERE.search(text):
        things = [[m.text for m, place in t if place or not _THERE.search(text)] for t in told]
        things = [[x for x in t if not _SERVING.match(x)] for t in things]
        found += next((t[:2] for t in things if t), [])
    return found


_WHERE = ("to", "in", "at", "near", "from")
_THERE = re.compile(r"\bthere\b", re.IGNORECASE)


def _unquoted(text: str, talk: Talk) -> list[Mention]:
    found = mentions(text, talk.today)
    quoted = [m for m in found if m.kind == "quoted"]
    return [m for m in found if m not in quoted and not any(m.overlaps(q) for q in quoted)]
