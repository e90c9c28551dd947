"""A place in a result has words: those of the exercise, and plain ones for what is left."""

from __future__ import annotations

import re

import pytest

from graders.checks import equals, fits
from graders.checks.places import ordinal, placed
from graders.exercises import exercises_of
from graders.records.log import Log
from graders.records.scenario import Exercise
from tests.notebooks import kit

PLACES = {"*": "the {} call", "*.waits.*": "the {1} wait of the {0} call", "given.*": "what {} got"}
EXERCISES = [
    each
    for path in sorted((kit.ROOT / "solutions").glob("*/*.ipynb"))
    if path.stem[:2] != "11"
    for each in exercises_of(path.stem[:2])
]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("", "the result"),
        ("0", "the first call"),
        ("11.raised", "`raised` of the 12th call"),
        ("0.waits.1", "the second wait of the first call"),
        ("0.waits", "`waits` of the first call"),
        ("2.items.0.price", "`price` of the first item of `items` of the third call"),
        ("given.k2", 'what "k2" got'),
        (("given", "a.b"), 'what "a.b" got'),
        ("other.3", 'the fourth item of the "other" call'),
    ],
)
def test_a_place_has_words(path: str | tuple[str, ...], said: str) -> None:
    assert placed(path, PLACES) == said


def test_a_row_has_its_ordinals() -> None:
    said = " ".join(map(ordinal, (1, 3, 10, 11, 12, 13, 21, 22, 23, 101, 111)))
    assert said == "first third tenth 11th 12th 13th 21st 22nd 23rd 101st 111th"


def test_what_is_not_there_is_said_without_the_stages_own_names() -> None:
    log = Log(result=[{"gave": 1, "later": 2}], returned=True, places={"*.raised": "the {} error"})
    stage = fits([{"raised": 503}])(log).message
    own = fits([{"day": 503}])(log).message
    assert "expected the first error to be 503, but there was none;" in stage
    assert "expected `day` of the first item of the result to be 503" in own
    assert "but there is only `gave`, `later`;" in own


def test_a_list_that_is_too_long_says_how_long_and_shows_only_what_is_short() -> None:
    short = equals(["a"])(Log(result=["a", "b"], returned=True)).message
    told = {"role": "tool", "content": "a" * 200}
    long = equals([{}])(Log(result=[{}, told], returned=True)).message
    none = equals([])(Log(result=[[]], returned=True)).message
    assert 'to have 1 item, got 2: ["a", "b"];' in short
    assert "to have 1 item, got 2;" in long
    assert "the result to be empty, got 1: [[]];" in none


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.number)
def test_every_exercise_has_words_for_its_places(exercise: Exercise) -> None:
    assert exercise.places
    for pattern, words in exercise.places.items():
        stars = pattern.split(".").count("*")
        named = {int(each) for each in re.findall(r"\{(\d+)\}", words)}
        assert words.count("{}") <= stars and named <= set(range(stars)), pattern
        assert placed(pattern.replace("*", "0"), exercise.places)
