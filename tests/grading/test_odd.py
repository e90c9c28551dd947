"""Right answers in odd notebooks keep every point, in more than a hundred ways to mangle them.

Here two exercises play one trial, each way every fourth day in one of four chapters; `pytest
--thorough` plays each way in every chapter but the project, with all exercises.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from graders.chapters import released
from graders.judge.chapters import Chapter
from graders.judge.judge import Judge, judge
from tests.grading.odd import MANGLED, as_file
from tests.sampling import part

SOLVED = [each.name for each in released()][:11]
DEAR = ("endless loop beside", "cannot be stopped", "without end", "wait in real", "jupytext")
"""Ways that take seconds: they are played when everything is."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    every = metafunc.config.getoption("thorough")
    usual = [way for way in MANGLED if every or not any(each in way for each in DEAR)]
    cases = [
        (way, chapter)
        for n, way in enumerate(usual)
        for chapter in (SOLVED if every else [(SOLVED[0], SOLVED[6], SOLVED[9], SOLVED[10])[n % 4]])
    ]
    cases = part(cases, metafunc.config, of=4)
    metafunc.parametrize(("way", "chapter"), cases, ids=[f"{w} {c[:2]}" for w, c in cases])


def short(chapter: Chapter, most: int) -> Chapter:
    """The chapter with one trial and one seed of so many exercises."""
    exercises = tuple(
        replace(each, trials=each.trials[:1], hidden_seeds=each.hidden_seeds[:1])
        for each in chapter.exercises[-most:]
    )
    return replace(chapter, exercises=exercises)


@pytest.fixture(scope="module")
def ready(request: pytest.FixtureRequest) -> Iterator[Judge]:
    most = 6 if request.config.getoption("thorough") else 2
    chapters = [short(each, most) for each in released() if each.name in SOLVED]
    with judge(box="none", own_work=True, chapters=chapters) as made:
        yield made


def test_a_mangled_notebook_keeps_its_points(
    ready: Judge, tmp_path: Path, way: str, chapter: str
) -> None:
    report = ready.submission(as_file(chapter, MANGLED[way], tmp_path))
    lost = [
        (exercise.number, trial.verdict.code, trial.verdict.message)
        for exercise in report.exercises
        for trial in exercise.trials
        if not trial.verdict.passed
    ]
    assert (report.code, lost) == ("", [])
    assert report.score == report.max_score > 0
