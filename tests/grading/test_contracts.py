"""Every sentence of a contract is looked at, and has a wrong answer that breaks only it.

The contracts are pages; what the chapters ask is read from their text. That a breaking answer loses
points, and none but for its sentence, is seen where all answers are played: in test_answers.py.
"""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from course.errors import ConfigurationError
from graders.exercises import exercise as by_number
from graders.exercises import exercises_of
from graders.exercises.contracts import HEAD, PAGES, read, written
from graders.records.scenario import Exercise, Sentence
from tests.grading import contracts
from tests.grading.answers import answers
from tests.judge.mutants import JUDGED, SOLVED


def names(exercise: Exercise) -> set[str]:
    """The names of an exercise's wrong answers."""
    return {name for name, _ in answers(exercise.number).wrong}


@pytest.mark.parametrize("exercise", [pytest.param(each, id=each.number) for each in JUDGED])
def test_a_contract_says_what_its_chapter_asks_and_each_sentence_can_be_broken(
    exercise: Exercise,
) -> None:
    assert list(contracts.faults(exercise, names(exercise))) == []


Contract = tuple[Sentence, ...]
SPOILED: dict[str, Callable[[Contract], Contract]] = {
    "there is no contract": lambda contract: (),
    "stands neither in": lambda contract: (replace(contract[1], text="Sings."), *contract[2:]),
    "the heading asks for": lambda contract: contract[:1],
    "a docstring asks for": lambda contract: contract[:-1],
    "there is no such wrong": lambda contract: (
        *contract[:1],
        replace(contract[1], broken_by="nobody's"),
        *contract[2:],
    ),
    "or a reason why": lambda contract: (replace(contract[0], given=""), *contract[1:]),
    "no trial has this title": lambda contract: (
        *contract[:1],
        replace(contract[1], trials=("another",)),
        *contract[2:],
    ),
    "two sentences of the heading": lambda contract: (
        *contract[:1],
        replace(contract[1], broken_by=contract[2].broken_by),
        *contract[2:],
    ),
}


@pytest.mark.parametrize("fault", SPOILED)
def test_each_fault_of_a_contract_is_told(fault: str) -> None:
    good = by_number("0.1")
    spoiled = replace(good, contract=SPOILED[fault](good.contract))
    assert any(fault in each for each in contracts.faults(spoiled, names(good)))


HEADS = f"| {' | '.join(HEAD)} |"


def section(*rows: str) -> str:
    return "\n".join(["# A chapter", "", "## 0.1", "", *rows])


@pytest.mark.parametrize("chapter", SOLVED)
def test_a_page_has_a_section_for_each_exercise_and_rows_as_they_are_written(chapter: str) -> None:
    text = (PAGES / f"{chapter}.md").read_text(encoding="utf-8")
    found = read(text, f"{chapter}.md")
    assert list(found) == [each.number for each in exercises_of(chapter)]
    rows = [written(row) for rows in found.values() for row in rows]
    assert rows == [line for line in text.splitlines() if line.startswith("| ") and line != HEADS]


def test_a_row_says_all_that_a_sentence_has() -> None:
    trials = by_number("0.2").trials
    page = section(
        "| `a \\| b`, | the dearest | `value`, `raised.late` | 1 3 |",
        "| Sings. | none: says why |  |  |",
    )
    told = [row.sentence(trials) for row in read(page, "00.md")["0.1"]]
    assert told == [
        Sentence("`a | b`,", (trials[0].title, trials[2].title), "the dearest",
                 ("value", "raised.late")),
        Sentence("Sings.", given="says why"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        (section("| Sings. | the dearest | 1 |"), "00.md:5: write | sentence |"),
        ("| Sings. | the dearest |  | 1 |", "00.md:1: write"),
        (section("| Sings. | the dearest |  | its first |"), "00.md:5: trials are numbers"),
        (section("", "| Sings. | the dearest |  | 9 |"), "00.md:6: there is no trial 9"),
    ],
)
def test_a_row_that_cannot_be_read_is_told_with_page_and_line(page: str, fault: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(fault)):
        [row.sentence(by_number("0.1").trials) for row in read(page, "00.md")["0.1"]]
