"""What an exercise may be given is given, in some trial: else nobody sees that it is not used."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from graders.exercises import exercises_of
from graders.judge.inside import play_inside
from graders.judge.judge import world_of
from graders.records.scenario import Exercise
from tests.grading.judging import SEED, cells_of, names_of
from tests.grading.test_answers import CHAPTERS
from tests.judge.exercises.playing import TOKENS

pytestmark = pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")


def defaults(function: Callable[..., Any]) -> dict[str, Any]:
    """The parameters that may be left out, as far as the text names them, with what they are then.

    Where the text says nothing of one, nothing is judged.
    """
    said, parameters = inspect.getdoc(function) or "", inspect.signature(function).parameters
    return {
        name: each.default
        for name, each in parameters.items()
        if each.default is not each.empty and re.search(rf"^ +{name}: ", said, re.MULTILINE)
    }


def watched(function: Callable[..., Any], seen: set[str]) -> Callable[..., Any]:
    """The same function, which notes the parameters that are given another value than usual."""
    usual, signature = defaults(function), inspect.signature(function)

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        seen.update(name for name in usual.keys() & given if given[name] != usual[name])
        return function(*args, **kwargs)

    return called


def never_given(chapter: str, exercise: Exercise) -> Iterator[str]:
    """The parameters of the chapter's own answer that no trial gives a value of its own."""
    names = names_of(cells_of(chapter, exercise), exercise)
    for definition in exercise.definitions:
        function = names[definition]
        if inspect.isfunction(function) and defaults(function):
            seen = set[str]()
            mine = {**names, definition: watched(function, seen)}
            for trial in exercise.trials:
                play_inside(trial.stage, world_of(exercise, trial, SEED), TOKENS, mine, exercise)
            yield from (f"{definition}({name}=...)" for name in defaults(function).keys() - seen)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_what_may_be_given_is_given(chapter: str) -> None:
    left = {
        exercise.number: found
        for exercise in exercises_of(chapter[:2])
        if (found := sorted(never_given(chapter, exercise)))
    }
    assert left == {}
