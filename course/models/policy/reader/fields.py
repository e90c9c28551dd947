"""Fields: what the name of a field of a document says of its value, and the labels of a form."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from course.models.policy.lexicon import synonyms
from course.models.policy.params import suggested as shown
from course.models.policy.patterns import regex
from course.models.policy.reader.choices import words
from course.models.policy.reader.slots import Slot
from course.models.policy.words import STOP_WORDS, name_words, stem, word_list

_GENERIC = frozenset(stem(w) for w in word_list("documents.generic"))
RELATIVES = word_list("documents.kin")


def own_stems(slot: Slot) -> frozenset[str]:
    """The stems of a field's name, without those that any field may have; a preposition in the
    middle only joins the others."""
    said = name_words(slot.name)
    every = frozenset(stem(w) for w in said)
    return every - _GENERIC - (STOP_WORDS - {said[0], said[-1]}) or every


def vocabulary(slot: Slot) -> frozenset[str]:
    """The only words that a field may hold, by its name or its examples; empty where any may."""
    if {*shown(slot.param)} & {*RELATIVES}:
        return frozenset(RELATIVES)
    said = own_stems(slot)
    for name in ("colour", "language"):
        if said & {stem(name), name.replace("u", "")}:
            return frozenset(word_list(f"documents.{name}"))
    return frozenset()


def is_person(slot: Slot) -> bool:
    """Whether a field is for somebody's name."""
    return slot.param.kind == "name" or (
        slot.param.kind == "words" and bool(_ACTS.search(name_words(slot.name)[-1]))
    )


_ACTS = regex(r"(?:ant|er|or|ist|ian|ee)$")


# ---- labels of forms


@dataclass(frozen=True, slots=True)
class Label:
    """A label of a form ("Site manager: Aoife Byrne"): its stems, where it begins, and where its
    value stands."""

    stems: frozenset[str]
    words: tuple[str, ...]
    begin: int
    start: int
    end: int

    def names(self, slot: Slot) -> float:
        """How much of a field's name the label says, 0 to 1."""
        own = own_stems(slot)
        said = self.stems.union(*(synonyms(s) for s in self.stems))
        begun = {stem(n) for n in name_words(slot.name) if any(
            n.startswith(w) for w in self.words if len(w) > 2)}  # fmt: skip
        return len(own & (said | begun)) / len(own)


_LABELS = regex(
    r"(?:^|\n|(?<=\s{3})|\t)[-*• ]*(?P<label>[^\W\d_][^\n:;,?]{0,35}?)(?: *\.+)?[:=](?=\s|$)[ \t]*"
    r"(?P<v>[^\n]*?)(?=\s{3,}|\t|\n|$)"
)


@lru_cache(maxsize=2_000)
def labels(text: str) -> tuple[Label, ...]:
    """The labels of a text, with the place of their values."""
    found = []
    for each in _LABELS.finditer(text):
        said = tuple(w.text for w in words(each["label"]))
        if said and len(said) <= 4:
            stems = frozenset(stem(w) for w in said)
            found.append(Label(stems, said, each.start("label"), *each.span("v")))
    return tuple(found)


def label_of(slot: Slot, text: str) -> Label | None:
    """The label that says a field's whole name."""
    return next((each for each in labels(text) if each.names(slot) == 1.0), None)


EMPTY = regex(r"(?:[-–—./ ]*|\(?(?:empty|none|n/a|not known|unknown|nil|not given)\)?)", re.I)


def left_empty(slot: Slot, text: str) -> bool:
    """Whether a form has nothing behind a field's label."""
    label = label_of(slot, text)
    if label is None or (slot.param.kind == "array" and _ITEMS.match(text, label.end)):
        return False
    return bool(EMPTY.fullmatch(text[label.start : label.end]))


_ITEMS = regex(r"\s*\n\s*(?:[-*•–]|\d{1,2}[.)])")
