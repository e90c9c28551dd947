"""Every sentence of a contract is looked at, and has a wrong answer that breaks only it.

What the chapters ask is read from their text. That a breaking answer loses points, and none but for
its sentence, is seen where all answers are played: in test_answers.py.
"""

import pytest

from graders.records.scenario import Exercise
from tests.grading import contracts
from tests.grading.classroom import wrong_answers
from tests.grading.test_projects import WRONG as PROJECTS
from tests.judge.mutants import JUDGED

WRITTEN = [pytest.param(each, id=each.number) for each in JUDGED]


def test_every_contract_is_written_down() -> None:
    assert [each.number for each in JUDGED if not each.contract] == []


@pytest.mark.parametrize("exercise", WRITTEN)
def test_every_sentence_stands_in_the_chapter(exercise: Exercise) -> None:
    said = contracts.folded(contracts.heading(exercise))
    said += contracts.folded(" ".join(contracts.docstrings(exercise)))
    assert [
        each.text for each in exercise.contract if contracts.folded(each.text) not in said
    ] == []


@pytest.mark.parametrize("exercise", WRITTEN)
def test_whatever_the_heading_asks_is_in_the_contract(exercise: Exercise) -> None:
    left = [contracts.uncovered(each, exercise.contract) for each in contracts.bullets(exercise)]
    assert [each for each in left if each] == []


@pytest.mark.parametrize("exercise", WRITTEN)
def test_whatever_the_docstring_asks_is_in_the_contract(exercise: Exercise) -> None:
    told = [each for text in contracts.docstrings(exercise) for each in contracts.told(text)]
    assert [each for each in told if not contracts.is_told(each, exercise.contract)] == []


@pytest.mark.parametrize("exercise", WRITTEN)
def test_every_sentence_has_a_wrong_answer_or_a_reason(exercise: Exercise) -> None:
    if contracts.is_of_project(exercise):
        answers = {wrong.name for wrong in PROJECTS if wrong.group == exercise.number}
    else:
        chapter = exercise.number.split(".")[0].zfill(2)
        answers = {name for name, _ in wrong_answers(chapter)[exercise.number]}
    for each in exercise.contract:
        assert bool(each.given) != bool(each.broken_by), each.text
        assert bool(each.given) != bool(each.trials), each.text
        assert each.given or each.broken_by in answers, each.text


@pytest.mark.parametrize("exercise", WRITTEN)
def test_a_wrong_answer_breaks_one_sentence_of_the_heading(exercise: Exercise) -> None:
    """The docstring may say the same in other words."""
    said = contracts.folded(contracts.heading(exercise))
    broken = [
        each.broken_by
        for each in exercise.contract
        if each.broken_by and contracts.folded(each.text) in said
    ]
    assert sorted(broken) == sorted(set(broken))


@pytest.mark.parametrize("exercise", WRITTEN)
def test_every_trial_looks_at_a_sentence(exercise: Exercise) -> None:
    looked_at = {trial for each in exercise.contract for trial in each.trials}
    assert looked_at == {trial.title for trial in exercise.trials}
