"""Right answers in odd notebooks keep every point, in more than a hundred ways to mangle them.

Two exercises play one trial, each way in one of four chapters. What a way breaks is how a notebook
is read, which knows no chapter: with `pytest --long` each way meets one chapter more, with six
exercises, so that every chapter but the project meets every eleventh; and so do ways that are dear.
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
from tests.marking import LONG

SOLVED = [each.name for each in released()][:11]
DEAR = ("endless loop beside", "cannot be stopped", "without end", "wait in real", "jupytext")
"""Ways that take seconds: they are played when everything is."""
USUAL = [way for way in MANGLED if not any(each in way for each in DEAR)]
ONCE = {way: SOLVED[(0, 6, 9, 10)[n % 4]] for n, way in enumerate(USUAL)}
CASES = [
    pytest.param(way, chapter, id=f"{way} {chapter[:2]}", marks=marks)
    for n, way in enumerate(MANGLED)
    for chapter, marks in {SOLVED[n % len(SOLVED)]: LONG, ONCE.get(way, ""): ()}.items()
    if chapter
]


def short(chapter: Chapter, most: int) -> Chapter:
    """The chapter with one trial and one seed of so many exercises."""
    exercises = tuple(
        replace(each, trials=each.trials[:1], hidden_seeds=each.hidden_seeds[:1])
        for each in chapter.exercises[-most:]
    )
    return replace(chapter, exercises=exercises)


@pytest.fixture(scope="module")
def ready(request: pytest.FixtureRequest) -> Iterator[Judge]:
    most = 6 if request.config.getoption("long") else 2
    chapters = [short(each, most) for each in released() if each.name in SOLVED]
    with judge(box="none", own_work=True, chapters=chapters) as made:
        yield made


@pytest.mark.parametrize(("way", "chapter"), CASES)
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
