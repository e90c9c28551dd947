"""What beginners get wrong: each is told the right cause, in one line, in the chapter's words."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from graders.records.wording import LONGEST
from tests.grading.common import COMMON, PAGE, Common, exercise_of, page, told

GRADERS_WORDS = re.compile(
    r"\b(the run|exchange|exchanges|label|stage|bench|scenario|trial|log|check\.\w+|unreadable)\b"
    r"|the result's|`\d|\.\d+\.|using what came back|critical path"
)
OF_A_CHAPTER = {"2.1": {"stage"}}  # a word of the chapter's own


each_answer = pytest.mark.parametrize(
    "answer", COMMON, ids=lambda each: f"{each.exercise} {each.name}"
)


@each_answer
def test_a_common_mistake_is_told_its_cause(answer: Common) -> None:
    first = told(answer)[0]
    assert f"{first.code}.".startswith(f"{answer.code}."), first.message
    assert answer.says in first.message


@each_answer
def test_every_message_is_a_line_in_plain_words(answer: Common) -> None:
    allowed = OF_A_CHAPTER.get(answer.exercise, set())
    for found in told(answer):
        message = found.trials[0].verdict.message
        assert len(message) <= LONGEST and "\n" not in message
        said = re.sub(r"\(line \d+: .*?\)|\"[^\"]*\"|'[^']*'", "", message)  # what is quoted
        words = {each[0] for each in GRADERS_WORDS.finditer(said)}
        assert words <= allowed, message


@each_answer
def test_a_message_names_the_definition_the_line_or_what_was_seen(answer: Common) -> None:
    exercise, found = exercise_of(answer.exercise), told(answer)[0]
    named = any(f"`{name}" in found.message for name in exercise.definitions)
    placed = found.code.startswith("value.") or found.evidence != ()
    assert named or "line " in found.message or placed, found.message


def test_there_are_six_for_each_of_ten_exercises() -> None:
    counted = Counter(each.exercise for each in COMMON)
    assert len(counted) >= 10
    assert set(counted.values()) == {6}
    assert len({each.source for each in COMMON}) == len(COMMON)


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == "\n".join(page()) + "\n", (
        "run python -m tests.grading.common"
    )
