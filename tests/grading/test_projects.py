"""The judge tells right projects from wrong ones, group by group, whatever their style.

A wrong one is played until it is told its reason; `pytest --long` goes on to all groups.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from nbformat import NotebookNode
from nbgrader.api import Gradebook

from graders.box import warm
from graders.exercises import exercises_of
from graders.judge.boxes import OneAhead
from graders.judge.budget import USUAL
from graders.judge.chapters import Chapter
from graders.judge.judge import Judge, judge_inside
from graders.judge.outside import limits_of
from graders.records.report import TrialVerdict
from graders.records.scenario import Exercise
from graders.records.verdict import Verdict
from graders.release import load_config
from tests.grading.answers import PROJECT, of_chapter, styles
from tests.grading.classroom import open_class
from tests.grading.judging import cells_of, names_of
from tests.judge.boxes import strongest
from tests.marking import LONG
from tests.notebooks import kit

pytestmark = pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")

CHAPTER = "11_the_project"
EXERCISES = exercises_of("11")
SOLUTIONS = ("ex_11_workers", "ex_11_plan", "ex_11_execute")
BY_HAND = ("ex_11_memo", "ex_11_reflection")
BOXED = ("plain", "assembled")
"""Styles that are played in boxes, and with `pytest --long` in this process too."""
UNSEEN = 41  # of worlds that no check cell plays
Verdicts = dict[str, list[TrialVerdict]]


class Answer(NamedTuple):
    """A project that is changed in one thing.

    Attributes:
        group: number of the exercise that it fails; or the first that sees what is changed, if it
            is right.
        also: other groups that fall with it, or see it.
        says: a part of what the judge says of a wrong one.
    """

    name: str
    source: str
    group: str
    also: tuple[str, ...]
    says: str


def _of(kind: str) -> tuple[Answer, ...]:
    return tuple(
        Answer(name, source, group, told.also.get(name, ()), told.says.get(name, ""))
        for group, told in of_chapter(PROJECT).items()
        for name, source in getattr(told, kind)
    )


WRONG, ALSO_RIGHT = _of("wrong"), _of("right")


def made_by(source: str) -> dict[str, object]:
    """The names that a project makes which is one text."""
    return names_of([{"name": "1", "source": source}])


def played(
    names: dict[str, object], seed: int | None = None, groups: Collection[str] = ()
) -> Verdicts:
    """The verdicts on a project in this process, by exercise; of all of them or of these groups."""
    wanted = [each for each in EXERCISES if not groups or each.number in groups]
    with contextlib.redirect_stdout(io.StringIO()):
        return {each.number: judge_inside(each, names, seed=seed) for each in wanted}


def reasons(wrong: Answer, names: dict[str, object]) -> Iterator[tuple[str, Verdict]]:
    """What its group says against a project: first the trials that look at what it breaks."""
    [exercise] = [each for each in EXERCISES if each.number == wrong.group]
    broken = (each for each in exercise.contract if each.broken_by == wrong.name)
    looking = {title for each in broken for title in each.trials}
    trials = sorted(exercise.trials, key=lambda trial: trial.title not in looking)
    return said(names, replace(exercise, trials=tuple(trials)))


def said(names: dict[str, object], exercise: Exercise) -> Iterator[tuple[str, Verdict]]:
    """What each trial says, one after the other, as far as wanted."""
    for trial in exercise.trials:
        with contextlib.redirect_stdout(io.StringIO()):
            [one] = judge_inside(replace(exercise, trials=(trial,)), names)
        yield trial.title, one.verdict


def others_of(wrong: Answer, *, every: bool) -> set[str]:
    """Groups beside a wrong project's own: those that fall with it, and of every third one more.

    When it is to be every one: all of them.
    """
    rest = [e.number for e in EXERCISES if e.number not in {wrong.group, *wrong.also}]
    turn, third = divmod(WRONG.index(wrong), 3)
    one = rest[turn % len(rest) :][:1] if rest and third == 0 else []
    return {*wrong.also, *(rest if every else one)}


def lost(verdicts: Verdicts) -> list[tuple[str, str, str]]:
    """What did not pass: exercise, trial, reason."""
    return [
        (number, each.title, each.verdict.message)
        for number, trials in verdicts.items()
        for each in trials
        if not each.verdict.passed
    ]


def book() -> NotebookNode:
    return kit.read(kit.ROOT / "solutions" / CHAPTER / f"{CHAPTER}.ipynb")


@pytest.mark.parametrize(
    "style", [pytest.param(each, marks=LONG if each in BOXED else ()) for each in styles()]
)
def test_a_right_project_has_all_points_in_whatever_style(style: str) -> None:
    assert lost(played(made_by(styles()[style]), UNSEEN)) == []


@pytest.mark.parametrize("way", ALSO_RIGHT, ids=lambda each: each.name)
def test_so_has_one_that_does_a_single_thing_in_another_way(way: Answer) -> None:
    assert lost(played(made_by(way.source), groups=(way.group, *way.also))) == []


def test_the_chapters_own_project_has_all_points() -> None:
    assert lost(played(names_of(cells_of(CHAPTER, EXERCISES[0])), UNSEEN)) == []


@pytest.mark.parametrize("wrong", WRONG, ids=lambda each: each.name)
def test_a_wrong_project_loses_its_group_for_its_reason_and_keeps_others(
    wrong: Answer, request: pytest.FixtureRequest
) -> None:
    names, heard = made_by(wrong.source), dict[str, Verdict]()
    every = request.config.getoption("long")
    for trial, verdict in reasons(wrong, names):
        heard[trial] = verdict
        if wrong.says in verdict.message and not verdict.passed and not every:
            break
    fallen = {trial: verdict for trial, verdict in heard.items() if not verdict.passed}
    assert any(wrong.says in verdict.message for verdict in fallen.values()), heard
    [exercise] = [each for each in EXERCISES if each.number == wrong.group]
    for sentence in exercise.contract:
        if sentence.broken_by == wrong.name:
            assert all(sentence.is_meant(trial, each.code) for trial, each in fallen.items())
    numbers = others_of(wrong, every=every)
    others = [each for each in EXERCISES if each.number in numbers]
    falls = {e.number for e in others if any(not each.passed for _, each in said(names, e))}
    assert falls == set(wrong.also)


def test_each_group_has_wrong_projects_enough() -> None:
    groups = [wrong.group for wrong in WRONG]
    assert all(groups.count(each.number) >= 3 for each in EXERCISES), groups


@pytest.fixture(scope="module")
def boxed() -> Iterator[Judge]:
    chapter = Chapter(CHAPTER, book(), EXERCISES)
    with (
        warm(strongest()) as parent,
        contextlib.closing(OneAhead(parent, limits_of(USUAL))) as boxes,
    ):
        yield Judge(boxes, [chapter])


def handed_in(folder: Path, source: str) -> Path:
    """The chapter with this project in its last solution cell, and the other two emptied."""
    mine = book()
    for name in SOLUTIONS:
        kit.by_id(mine, name).source = source if name == SOLUTIONS[-1] else ""
    return kit.write(mine, folder / f"{CHAPTER}.ipynb")


@pytest.mark.parametrize("style", BOXED)
def test_a_right_project_has_all_points_in_boxes(boxed: Judge, style: str, tmp_path: Path) -> None:
    report = boxed.submission(handed_in(tmp_path, styles()[style]))
    assert lost({each.number: list(each.trials) for each in report.exercises}) == []
    assert report.score == sum(each.points for each in EXERCISES)


def test_a_wrong_project_loses_the_same_in_boxes(boxed: Judge, tmp_path: Path) -> None:
    [wrong] = [each for each in WRONG if each.name == "waits for whole waves"]
    report = boxed.submission(handed_in(tmp_path, wrong.source))
    verdicts = {each.number: list(each.trials) for each in report.exercises}
    assert {number for number, _, _ in lost(verdicts)} == {wrong.group}
    assert 0 < report.score < report.max_score


def test_the_chapter_has_a_check_for_each_group_and_all_names_before_them() -> None:
    order = [kit.grade_id(cell) for cell in book().cells if kit.grade_id(cell)]
    checks = [f"ex_{each.number.replace('.', '_')}_check" for each in EXERCISES]
    assert order == [*SOLUTIONS, *checks, *BY_HAND]


@pytest.mark.parametrize("name", BY_HAND)
def test_what_is_graded_by_hand_is_a_text_below_its_rubric(name: str) -> None:
    mine = book()
    cell = kit.by_id(mine, name)
    rubric = mine.cells[mine.cells.index(cell) - 1].source
    rows = [line for line in rubric.splitlines() if line.startswith("| **")]
    about = cell.metadata.nbgrader
    assert cell.cell_type == "markdown"
    assert about.grade and about.solution and not about.locked
    assert about.points == 2 * len(rows)  # a row of the rubric gives 2 points at the most
    assert f"{about.points} points" in rubric


def up_to_its_checks(whole: NotebookNode) -> NotebookNode:
    """The chapter without what it measures in the end: dear, and no point hangs on it."""
    last = max(n for n, cell in enumerate(whole.cells) if kit.grade_id(cell).endswith("_check"))
    kept = [c for n, c in enumerate(whole.cells) if n <= last or c.cell_type == "markdown"]
    return NotebookNode(whole, cells=kept)


@LONG  # nbgrader's commands are played with chapter 00, texts for a person in formgrader
@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
def test_nbgrader_scores_the_checks_and_leaves_the_texts_to_a_person(
    tmp_path: Path,
) -> None:
    room = open_class(tmp_path / "course", CHAPTER, up_to_its_checks(book()))
    [wrong] = [each for each in WRONG if each.name == "waits for whole waves"]
    mine = room.released
    for name in SOLUTIONS:
        kit.by_id(mine, name).source = wrong.source if name == SOLUTIONS[-1] else ""
    for name in BY_HAND:
        kit.by_id(mine, name).source = "What I have thought."
    room.hand_in("ada", mine)
    room.grade("ada")
    with Gradebook(load_config(room.root).CourseDirectory.db_url) as gradebook:
        grades = gradebook.find_submission_notebook(CHAPTER, CHAPTER, "ada").grades
        scores = {each.name: each.auto_score for each in grades if not each.needs_manual_grade}
        by_hand = {each.name: each.max_score for each in grades if each.needs_manual_grade}
    assert scores == {
        f"ex_{each.number.replace('.', '_')}_check": 0.0 if each.number == wrong.group else 5.0
        for each in EXERCISES
    }
    assert by_hand == {"ex_11_memo": 12.0, "ex_11_reflection": 8.0}
