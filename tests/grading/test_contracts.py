"""Every sentence of a contract is looked at, and has a wrong answer that breaks only it.

What the chapters ask is read from their text. That a breaking answer loses points, and none but for
its sentence, is seen where all answers are played: in test_answers.py.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest

from graders.exercises import exercise as by_number
from graders.records.scenario import Exercise, Sentence
from tests.grading import contracts
from tests.grading.classroom import wrong_answers
from tests.grading.test_projects import WRONG as PROJECTS
from tests.judge.mutants import JUDGED


def names(exercise: Exercise) -> set[str]:
    """The names of an exercise's wrong answers."""
    if contracts.is_of_project(exercise):
        return {wrong.name for wrong in PROJECTS if wrong.group == exercise.number}
    told = wrong_answers(exercise.number.split(".")[0].zfill(2)).get(exercise.number, [])
    return {name for name, _ in told}


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
