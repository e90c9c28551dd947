"""The sentences that say an order or a number, and how each can be broken.

`python -m tests.grading.clauses` prints them, with the answer that breaks each in each way, or why
the sentence forbids none. `python -m tests.grading.clauses 3` prints one chapter's.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from graders.exercises import exercises_of
from graders.feedback.quoting import whole_sentence
from graders.records.scenario import Exercise
from graders.release import chapters
from tests.grading.answers import answers

REASONS = Path(__file__).with_name("unbroken.toml")
WAYS = {
    "left out": "it is not done at all, or a half of it",
    "swap": "what is to come first comes last, or the other way round",
    "second": "right for the first of its kind, and not for the next one, or the reverse",
    "equality": "one more or one less than the number, or the number itself left out",
    "two ends": "right in the middle, and not at the beginning or at the end",
    "same": "what is equal is taken for one, or what is one for several",
}
_ORDER = (("swap",), ("second",))
_EACH = (("second", "two ends", "same"),)
ASKED: dict[str, tuple[tuple[str, ...], ...]] = {
    **dict.fromkeys(("first", "last", "before", "after", "until"), _ORDER),
    **dict.fromkeys(("at most", "at least", "exactly"), (("equality",),)),
    "only": (("left out",),),
    "once": (("same", "second"),),
    "in a row": (("second", "equality"),),
    "each": _EACH,
}
"""For each word the ways in which its sentence is to be broken; of several in a bracket, one."""
_CODE = re.compile(r"`[^`]*`")
_WORD = re.compile(rf"(?<!at )\b({'|'.join(ASKED)})\b", re.IGNORECASE)


@dataclass(frozen=True)
class Clause:
    """A whole sentence of a contract.

    Attributes:
        exercise: its number.
        text: as the chapter has it.
        words: those of `ASKED` that stand in its clauses.
        broken: the answers that break it, by the way in which each does.
        reasons: why none breaks it in a way.
    """

    exercise: str
    text: str
    words: tuple[str, ...]
    broken: Mapping[str, Sequence[str]]
    reasons: Mapping[str, str]

    def lacking(self) -> Iterator[str]:
        """What is to be broken and is not, without a reason; and reasons that are none."""
        asked = {ways for word in self.words for ways in ASKED[word]}
        for ways in sorted(asked):
            if not any(way in self.broken or way in self.reasons for way in ways):
                yield f"{self.exercise}: no answer breaks it ({' or '.join(ways)}): {self.text}"
        open_ways = {way for ways in asked if not set(ways) & set(self.broken) for way in ways}
        for way in sorted(set(self.reasons) - open_ways):
            yield f"{self.exercise}: {way} needs no reason: {self.text}"


def clauses(exercise: Exercise) -> list[Clause]:
    """An exercise's sentences that have such a word and ask for something."""
    told = answers(exercise.number)
    grouped = defaultdict(list)
    for row in exercise.contract:
        grouped[whole_sentence(exercise.number, row.text)].append(row)
    found = []
    for text, rows in grouped.items():
        said = (word for row in rows for word in _WORD.findall(_CODE.sub("", row.text)))
        words = tuple(sorted({word.lower() for word in said}))
        if not words or all(row.given for row in rows):
            continue
        broken = defaultdict(list)
        for row in rows:
            if row.broken_by:
                for way in told.way.get(row.broken_by, "left out").split(", "):
                    broken[way].append(row.broken_by)
        why = reasons(exercise.number, text)
        found.append(Clause(exercise.number, text, words, dict(broken), why))
    return found


def reasons(exercise: str, text: str) -> dict[str, str]:
    """Why a sentence is broken in no such way: a way's name to a reason."""
    told = _reasons().get(exercise, {})
    return {
        way: why
        for begin, (ways, why) in told.items()
        for way in ways.split(", ")
        if text.startswith(begin)
    }


def _reasons() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(REASONS.read_text(encoding="utf-8"))


def everything(chapter: str = "") -> Iterator[Clause]:
    """The clauses of all chapters, or of one ("3")."""
    for name in chapters():
        number = name.partition("_")[0]
        if not chapter or int(chapter) == int(number):
            for exercise in exercises_of(number):
                yield from clauses(exercise)


def stray(found: Sequence[Clause]) -> Iterator[str]:
    """Reasons of which no sentence is, or several are."""
    for exercise, told in _reasons().items():
        for begin in told:
            many = sum(each.exercise == exercise and each.text.startswith(begin) for each in found)
            if many != 1:
                yield f'{REASONS.name}: {many} sentences of {exercise} begin with "{begin}"'


def page(found: Sequence[Clause]) -> Iterator[str]:
    """The list, line by line."""
    for each in found:
        yield f"{each.exercise} {each.text} [{', '.join(each.words)}]"
        for way in WAYS:
            for name in each.broken.get(way, ()):
                yield f"    {way}: {name}"
            if way in each.reasons:
                yield f"    {way}: none, {each.reasons[way]}"
    ways = sum(len(names) for each in found for names in each.broken.values())
    yield f"{len(found)} sentences, {ways} answers that break one"


if __name__ == "__main__":
    print("\n".join(page(list(everything(*sys.argv[1:2])))))
