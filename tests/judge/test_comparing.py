"""A check that fails shows its run beside a right one, from the moment at which they part."""

import contextlib
import io
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from course.notebook import CheckFailed
from graders.chapters import released
from graders.classroom.results import Result
from graders.exercises import exercise, exercises_of, playing
from graders.feedback import feedback_page, findings, report_text
from graders.feedback.drawing import comparison_svg
from graders.judge.comparing import Runs, finished_answer
from graders.judge.inside import play_inside
from graders.judge.judge import beside_inside, judge, judge_inside, trial_inside, world_of
from graders.judge.world import tokens_from
from graders.records.comparison import Comparison
from graders.records.log import Exchange, Log
from graders.records.report import ExerciseReport, Report, TrialVerdict
from graders.records.scenario import Exercise
from graders.records.verdict import Bar, not_yet
from tests.grading.answers import answers
from tests.grading.judging import cells_of, names_of
from tests.notebooks import kit

CHAPTERS = {path.name[:2]: path.name for path in sorted((kit.ROOT / "solutions").iterdir())}
FAILING = {
    ("1.3", "one after the other", "runs them at the same time"): (
        0.0,
        "In your run this comes 13.00 s later: answer_calls calls lift with 11, since it waits for"
        " lift with 13.",
        "All of them run at the same time,",
    ),
    ("8.1", "makes a call too many", "makes one call where one is allowed"): (
        0.625032,
        "The same until 0.63 s; then in your run: insist asks the model again. In a right run this"
        " never happens.",
        "after `backoff.tries` calls,",
    ),
    ("3.2", "hands over before the tools are done", "runs the tools first and then hands over"): (
        0.0,
        "In your run this comes 13.00 s earlier: answer_message calls transfer_to_garden with It is"
        " about money, since it does not wait for lift with 13.",
        "",  # several sentences may be meant
    ),
    (
        "7.2",
        "goes forward in waves",
        "starts each task the moment its own dependencies are over",
    ): (
        1.0,
        "The same until 1.00 s; then in your run this comes 6.38 s later: schedule calls work with"
        " m5, {'w2': 'w2: …'}, since it waits for work with m4.",
        "Each task starts the moment its own dependencies are over,",
    ),
    (
        "7.2",
        "gives all results to everybody",
        "starts each task the moment its own dependencies are over",
    ): (
        7.375,
        "The same until 7.38 s; then in a right run: schedule calls work with k4, {'m4': 'm4: …'}."
        " In your run: schedule calls work with k4, {'w2': 'w2: …', 'm4': 'm4: …'}.",
        "`await work(task, given)` carries out one task, where `given` holds the results of its own"
        " dependencies by id.",
    ),
    (
        "2.2",
        "asks again without saying why",
        "gives an answer that does not fit back with the reason",
    ): (
        0.5,
        "The same until 0.50 s; then in a right run the model is told “user: Your answer does not"
        " fit: weight: Input should be less than or equal to 30.",
        "Use `ask_in_form`, `answer_calls`, `fitted` and `correction`.",
    ),
    (
        "4.2",
        "delegates first and uses its own tools afterwards",
        "runs delegations and its own tools at the same time",
    ): (
        0.0,
        "In your run this comes 16.00 s later: answer_all calls lift with 3, since it waits for"
        " plumbing.",
        "Carry out all calls of one message at the same time, delegations and ordinary tools.",
    ),
}
"""Exercise, wrong answer and trial; the moment, how the cause begins, the contract's sentence."""
NO_EXAMPLE = {"1.4": {"keeps to other limits too"}}
"""Trials in which the package does more than the exercise asks for: it stops in mid-call."""
BUILT = [each for chapter in CHAPTERS for each in exercises_of(chapter) if finished_answer(each)]


@cache
def names(number: str, wrong: str) -> dict[str, Any]:
    meant, chapter = exercise(number), CHAPTERS[number.partition(".")[0].zfill(2)]
    source = dict(answers(number).wrong)[wrong]
    return names_of(cells_of(chapter, meant, source), meant)


def compared(number: str, wrong: str, title: str) -> tuple[TrialVerdict, Runs | None]:
    """A trial played with a wrong answer, and both runs."""
    meant = exercise(number)
    [trial] = [each for each in meant.trials if each.title == title]
    with contextlib.redirect_stdout(io.StringIO()):
        judged, log = trial_inside(meant, trial, names(number, wrong), seed=1)
    return judged, beside_inside(meant, trial, log, seed=1)


@pytest.mark.parametrize("case", FAILING, ids=lambda case: f"{case[0]} {case[1]}")
def test_a_failed_check_opens_at_the_moment_where_the_runs_part(case: tuple[str, str, str]) -> None:
    time, cause, sentence = FAILING[case]
    judged, runs = compared(*case)
    assert runs is not None
    beside = runs.comparison()
    assert beside is not None
    assert beside.time == pytest.approx(time, abs=1e-6)
    assert beside.cause.startswith(cause)
    assert sentence in judged.sentence
    assert bool(sentence) == bool(judged.sentence)
    view = runs.view(judged.sentence)
    assert view["said"] == judged.sentence
    assert view["parting"]["time"] == pytest.approx(time, abs=1e-6)
    assert view["names"] == ["your run", "a right run"]
    yours, right = (view["views"][n]["moments"][view["parting"]["ab"[n]]] for n in (0, 1))
    assert any(each["t"] == pytest.approx(time, abs=1e-6) for each in (yours, right))
    assert any(bar.marked for bar in (*beside.yours, *beside.right))


@pytest.mark.parametrize("meant", BUILT, ids=lambda meant: meant.number)
def test_the_right_run_is_right(meant: Exercise) -> None:
    answered = finished_answer(meant)
    assert answered is not None
    judged = judge_inside(answered, {}, seed=1)
    wrong = {each.title for each in judged if not each.verdict.passed}
    assert wrong == NO_EXAMPLE.get(meant.number, set())


def test_fresh_texts_are_no_difference() -> None:
    for number in ("1.3", "4.2", "7.2"):
        answered = finished_answer(exercise(number))
        assert answered is not None
        for trial in answered.trials:
            one, two = (
                play_inside(
                    trial.stage, world_of(answered, trial, 1), tokens_from(salt), {}, answered
                )
                for salt in (b"one", b"two")
            )
            assert {e.token for e in one.exchanges}.isdisjoint(e.token for e in two.exchanges)
            assert Runs(answered, trial, one, two).comparison() is None


def test_where_the_world_sees_no_difference_nothing_is_shown() -> None:
    wrong = "in the order in which they finish"
    _, runs = compared("1.3", wrong, "answers in the order of the calls")
    assert runs is not None
    assert runs.comparison() is None
    meant = exercise("1.1")
    assert all(not trial_inside(meant, t, {}, seed=1)[1].exchanges for t in meant.trials)
    [first, *_] = [each for each in exercises_of("12") if finished_answer(each) is None]
    assert beside_inside(first, first.trials[0], Log(), seed=1) is None


def test_whatever_was_asked_of_the_world_the_verdict_stands() -> None:
    _, runs = compared("1.3", "one after the other", "runs them at the same time")
    assert runs is not None
    junk: list[Any] = [{"messages": [{"content": ["x"]}]}, {"messages": 3}, {"messages": [[]]}]
    asked = [Exchange(n, "model", "m", each, 0.0, outcome="open") for n, each in enumerate(junk)]
    odd = replace(runs, yours=Log(exchanges=tuple(asked)))
    odd.comparison()  # whatever it gives: it raises nothing
    endless = replace(runs.yours, exchanges=runs.yours.exchanges[:1] * 5_000)
    beside = replace(runs, yours=endless).comparison()
    assert beside is not None
    assert len(beside.yours) <= 8


def test_the_check_in_a_notebook_tells_the_cause_and_plays_one_right_run_a_reason(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SWITCHBOARD_STATE", str(tmp_path))
    played: list[str] = []

    def beside(meant: Exercise, trial: Any, log: Log, *, seed: int) -> Runs | None:
        played.append(trial.title)
        return beside_inside(meant, trial, log, seed=seed)

    monkeypatch.setattr(playing, "beside_inside", beside)
    one_by_one = names("1.3", "one after the other")["answer_calls"]
    with pytest.raises(CheckFailed, match="only one ran at a time"):
        playing.play("1.3", one_by_one)
    told = capsys.readouterr().out
    assert "  In your run this comes 13.00 s later: answer_calls calls lift with 11" in told
    assert played == ["runs them at the same time"]


def test_a_judge_compares_and_plays_a_right_run_once_for_a_class(tmp_path: Path) -> None:
    [chapter] = [each for each in released() if each.name == "01_one_agent"]
    [meant] = [each for each in chapter.exercises if each.number == "1.3"]
    book = kit.read(kit.ROOT / "notebooks/01_one_agent/01_one_agent.ipynb")
    answer = kit.by_id(book, "ex_1_3")
    answer.source = dict(answers("1.3").wrong)["one after the other"]
    path = kit.write(book, tmp_path / "01_one_agent.ipynb")
    failing = [each for each in meant.trials if each.title == "runs them at the same time"]
    only = replace(chapter, exercises=(replace(meant, trials=tuple(failing)),))
    with judge(chapters=(only,), box="none", own_work=True) as made:
        first, second = made.submission(path), made.submission(path)
        assert len(made.right) == 1
    assert first == second
    [trial] = first.exercises[0].trials
    assert trial.comparison is not None
    assert "since it waits for lift with" in trial.comparison.cause
    assert trial.comparison.cause in report_text(first, width=400)
    assert "Your run" in feedback_page(first)
    assert "they part here" in feedback_page(first)
    line = Result("ada", chapter.name, report=first).line()
    assert trial.comparison.cause in line
    assert len(line) < 12_000


def test_the_picture_of_two_runs_has_its_words_and_needs_no_colour() -> None:
    beside = Comparison(
        1.0, "In <yours>.", (Bar("<b>", 0, 1, marked=True),), (Bar("c", 0, None),), (9, 1)
    )
    picture = ElementTree.fromstring(comparison_svg(beside))
    assert picture.get("aria-label") == (
        "Two runs on one axis of virtual seconds. Your run: <b> (marked), 0 to 1 s."
        " A right run: c, from 0 s on."
    )
    texts = [each.text for each in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"they part here", "Your run: 1 of its 9 calls", "A right run", "▶"} <= set(texts)
    empty = Comparison(0.0, "It never happens.", (), (), (0, 0))
    ElementTree.fromstring(comparison_svg(empty))
    verdict = not_yet("code", "message", Bar("evidence", 0, 1))
    trials = (TrialVerdict("title", 1, verdict, comparison=beside),)
    page = feedback_page(Report("x.ipynb", "x", (ExerciseReport("1.1", trials),)))
    assert "<figcaption>In &lt;yours&gt;.</figcaption>" in page
    assert page.count("<svg") == 1  # of what failed there is one picture
    assert findings(trials)[0].comparison == beside
