"""Names on the telephone: the nearest that are known, and a question back.

A recogniser writes a name as it sounds ("Ailu Okafer"), and a question is better than a wrong
record. So what was heard is compared with the names that exist; the best are offered to the caller,
and only their yes, or a name that was heard letter for letter, is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

OFFERED = 3
_FAR = 0.45
_FILLERS = re.compile(
    r"\b(?:hello|hi|yes|well|my|the|patient'?s?|full|name|names|is|it's|it|i'm|i|am|this|speaking|"
    r"here|called|mr|mrs|ms|miss)\b",
    re.IGNORECASE,
)
_SPELT, _RHYMING = re.compile(r"\b[A-Z]{2,5}\b"), re.compile("[BCDEGPTVZ]")  # "ECG", "BCG"
_ALIKE = (  # letters that sound the same, by what a recogniser mixes up
    (r"ph", "f"), (r"c[kh]?|q|x|g", "k"), (r"z", "s"), (r"v|w", "f"), (r"d|th", "t"), (r"b", "p"),
    (r"[aeiouyh]+", "a"), (r"(.)\1+", r"\1"),
)  # fmt: skip


@dataclass(frozen=True)
class NameHeard:
    """What was heard as a name, and who may be meant.

    Attributes:
        heard: the words that were left of it.
        candidates: known names, the nearest first, at most `OFFERED`.
        certain: the first was heard letter for letter, so there is nothing to ask.
    """

    heard: str
    candidates: tuple[str, ...]
    certain: bool

    @property
    def question(self) -> str:
        """What to ask back."""
        if not self.candidates:
            return "I did not catch the name. Could you say it again, first and last name?"
        if len(self.candidates) == 1:
            return f"Did you say {self.candidates[0]}?"
        return f"Did you say {', '.join(self.candidates[:-1])}, or {self.candidates[-1]}?"

    def taken(self, answer: str) -> str | None:
        """The name that the caller's answer to the question settles; None when it does not.

        "Yes" takes the only or the first candidate, a name the nearest of them, "no" none.
        """
        if not self.candidates or re.match(r"\W*no\b", answer, re.IGNORECASE):
            return None
        words = re.findall(r"[^\W_]+", answer.lower())
        ordinal = {"first": 0, "second": 1, "third": 2, "last": -1}
        for word in words:
            if word in ordinal and "name" not in words:
                return self.candidates[min(ordinal[word], len(self.candidates) - 1)]
        again = nearest(answer, self.candidates)
        if again.candidates:
            return again.candidates[0]
        return (
            self.candidates[0] if {"yes", "yeah", "yep", "right", "correct"} & set(words) else None
        )


def nearest(heard: str, known: Iterable[str]) -> NameHeard:
    """Who may be meant by what was heard.

    Args:
        heard: the caller's words, such as "My name is Ailu Okafer."
        known: the names that exist.
    """
    name = " ".join(re.findall(r"[^\W\d_]+", _FILLERS.sub(" ", heard)))
    ranked = sorted(((likeness(name, each), each) for each in set(known)), reverse=True)
    best: Sequence[str] = [each for score, each in ranked[:OFFERED] if score >= _FAR]
    exact = [each for each in best if each.lower() == name.lower()]
    if exact:
        return NameHeard(name, tuple(exact[:1]), True)
    return NameHeard(name, tuple(best), False)


def likeness(heard: str, name: str) -> float:
    """From 0 to 1, by spelling and by sound, spaces left out: the recogniser cuts words anew."""
    if not heard:
        return 0.0
    spelt = SequenceMatcher(None, _plain(heard), _plain(name), autojunk=False).ratio()
    sounds = SequenceMatcher(None, _sound(heard), _sound(name), autojunk=False).ratio()
    return (spelt + sounds) / 2


def _plain(name: str) -> str:
    return "".join(sign for sign in name.lower() if sign.isalpha())


def _sound(name: str) -> str:
    sounds = _plain(_SPELT.sub(lambda letters: _RHYMING.sub("E", letters[0]), name))
    for pattern, sign in _ALIKE:
        sounds = re.sub(pattern, sign, sounds)
    return sounds
