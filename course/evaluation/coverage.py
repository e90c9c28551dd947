"""What of the results is in an answer, task by task, and how much of it is only copied.

A concatenation holds everything and answers nothing. So two things are measured: which facts of
each result the answer has, and how much of the answer stands word for word in the results.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from course.results import TaskResult

RUN = 8
"""Words in a row that are the same make a copied passage."""

_NUMBER = r"(?<![\w.,])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?!\w)"
_NAME = r"(?<![.!?]\s)(?<!^)(?<![\w-])[A-Z][\w-]{2,}"
FACT = re.compile(f"{_NUMBER}|{_NAME}", re.MULTILINE)
"""A figure, or a word with a capital letter that does not only begin a sentence."""

PIECE = re.compile(rf"{_NUMBER}|(?<![\w-])[A-Z][\w-]{{2,}}")


@dataclass(frozen=True)
class Coverage:
    """What an answer has of one result: its figures and names, found and missing.
    Built in chapter 09.
    """

    found: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The share of the facts that are there; 1 when the result has none."""
        every = len(self.found) + len(self.missing)
        return len(self.found) / every if every else 1.0


def facts(text: str) -> tuple[str, ...]:
    """The figures and names in a text, each once: numbers, and words with a capital
    letter that do not only begin a sentence. Built in chapter 09.
    """
    return tuple(dict.fromkeys(each.replace(",", "") for each in FACT.findall(text)))


def coverage(answer: str, results: Mapping[str, TaskResult]) -> dict[str, Coverage]:
    """For each task with a result, what the answer has of it. Built in chapter 09."""
    there = {each.replace(",", "") for each in PIECE.findall(answer)}
    made = {}
    for id, result in results.items():
        if result.done:
            every = facts(result.result)
            found = tuple(each for each in every if each in there)
            made[id] = Coverage(found, tuple(each for each in every if each not in there))
    return made


def copied(answer: str, results: Mapping[str, TaskResult]) -> float:
    """The share of an answer's words in passages of eight words or more that are in a
    result as well: 0 for an answer in words of its own, 1 for a concatenation. Built in chapter 09.
    """
    words = re.findall(r"\w+", answer.lower())
    passages = set()
    for result in results.values():
        said = re.findall(r"\w+", result.result.lower())
        passages |= {tuple(said[n : n + RUN]) for n in range(len(said) - RUN + 1)}
    taken = set()
    for n in range(len(words) - RUN + 1):
        if tuple(words[n : n + RUN]) in passages:
            taken |= set(range(n, n + RUN))
    return len(taken) / len(words) if words else 0.0
