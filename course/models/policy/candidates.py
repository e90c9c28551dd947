"""Candidates: everything in a text that may become an argument."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from course.models.policy.mentions import Mention, mentions
from course.models.policy.params import Param, suggested
from course.models.policy.runs import runs
from course.models.policy.units import is_measure
from course.models.policy.wordlists import word_list
from course.models.policy.words import stem, tokens


def trimmed(run: Mention, vocabulary: frozenset[str]) -> Mention | None:
    """A run without the tool's own words at its ends; None when nothing else is in it."""
    words = list(tokens(run.text))
    while words and (words[0].stem in vocabulary or words[0].text.lower() in _QUALIFIERS):
        words = words[1:]
    while words and (words[-1].stem in vocabulary or words[-1].text == "of"):
        words = words[:-1]
    while words and words[0].text in ("of", "the"):
        words = words[1:]
    if {w.text.lower() for w in words} <= _EMPTY or is_measure(" ".join(w.text for w in words)):
        return None
    text = run.text[words[0].start : words[-1].end]
    start = run.start + words[0].start
    return Mention("run", text, start, start + len(text), text, lead=run.lead)


_EMPTY = frozenset("place places thing things something somewhere way kind sort".split())
_QUALIFIERS = frozenset(word_list("candidates.qualifiers"))


def candidates(text: str, today: date, vocabulary: frozenset[str]) -> list[Mention]:
    """All mentions of a text, and the runs of plain words between them."""
    found = mentions(text, today)
    typed = tuple(m for m in found if m.kind not in ("name", "quoted"))
    quoted = tuple(m for m in found if m.kind == "quoted")
    plain = [trimmed(r, vocabulary) for r in runs(text, (*typed, *quoted), _VERBS)]
    return [*found, *(r for r in plain if r)]


def apart(found: list[Mention], wanted: list[Param]) -> list[Mention]:
    """The mentions with runs cut after a first word that is one parameter's example, where
    another parameter may take the rest: "oak chair" is a wood and a piece."""
    nouns = [p for p in wanted if p.kind in ("words", "query")]
    shown = {s.lower() for p in nouns for s in suggested(p)} if len(nouns) > 1 else set()
    out: list[Mention] = []
    for mention in found:
        first, _, rest = str(mention.value).partition(" ")
        if mention.kind == "run" and rest and first.lower() in shown:
            cut = mention.start + len(first)
            out.append(replace(mention, value=first, text=first, end=cut))
            mention = replace(mention, value=rest, text=rest, start=cut + 1)
        out.append(mention)
    return out


_VERBS = frozenset(stem(w) for w in word_list("candidates.verbs"))
