"""What fails for one reason is said once, the first failure first, in the notebook as on paper."""

from pathlib import Path
from typing import Any

import pytest

from course.notebook import CheckFailed, NotAttempted
from graders.exercises import exercises_of, play, playing
from graders.feedback import feedback_page, findings, report_text
from graders.feedback.quoting import whole_sentence
from graders.judge.judge import judge_inside
from graders.records.log import Log
from graders.records.report import ExerciseReport, Report, TrialVerdict
from graders.records.scenario import Exercise, Scenario, Sentence, Trial
from graders.records.verdict import Verdict, not_yet, passed

UNTOUCHED = Verdict("not attempted", "not_attempted", "not attempted yet")
SAID = "gives the seconds back"


def told(*verdicts: Verdict, sentence: str = "") -> tuple[TrialVerdict, ...]:
    return tuple(
        TrialVerdict(f"title {i}", 0.5, verdict, sentence=sentence)
        for i, verdict in enumerate(verdicts)
    )


def test_one_reason_is_one_finding_and_the_failure_comes_before_what_is_open() -> None:
    one, same = not_yet("a", "one thing"), Verdict("not yet", "a", "one thing", cause="")
    line = [Verdict("not yet", f"b.{n}", f"at {n} s", cause="line 3") for n in (1, 2)]
    found = findings(told(UNTOUCHED, passed(), one, line[0], same, line[1], not_yet("a", "other")))
    assert [(each.message, each.titles, each.lost) for each in found] == [
        ("one thing (2 of 7 checks)", ("title 2", "title 4"), 1.0),
        ("at 1 s (2 of 7 checks)", ("title 3", "title 5"), 1.0),
        ("other", ("title 6",), 0.5),
        ("not attempted yet", ("title 0",), 0.5),
    ]
    assert findings(told(passed(), passed())) == ()


def test_a_page_and_a_table_say_it_once_and_show_the_sentence() -> None:
    wrong = not_yet("value.differs", "expected 3, got 4; look at the sum")
    judged = ExerciseReport("1.2", told(wrong, passed(), wrong, sentence=SAID))
    report = Report("x.ipynb", "01_x", (judged,))
    for text in (feedback_page(report), report_text(report)):
        assert text.lower().count("expected 3, got 4") == 1
        assert text.count("2 of 3 checks") == 1
        assert text.count(SAID) == 1
    assert [each["sentence"] for each in judged.to_json()["trials"]] == [SAID] * 3


SENTENCES = (
    Sentence("every\n word", ("both", "one"), codes=("value",)),
    Sentence("any verdict", ("both",)),
    Sentence("one of two", ("two",)),
    Sentence("the other of two", ("two",)),
)


@pytest.mark.parametrize(
    ("trial", "code", "meant"),
    [
        ("both", "value.differs", "every word"),
        ("both", "called.missing", "any verdict"),
        ("one", "called.missing", ""),
        ("two", "value.differs", ""),
        ("three", "value.differs", ""),
    ],
)
def test_the_broken_sentence_is_named_only_when_it_is_known(
    trial: str, code: str, meant: str
) -> None:
    assert Exercise("1.1", ("f",), (), contract=SENTENCES).sentence(trial, code) == meant


STAGE = "async def stage(bench, student):\n    return student.f()\n"


def _trial(title: str, check: Any) -> Trial:
    return Trial(title, STAGE, lambda draw: Scenario(), lambda world: [check])


def test_an_error_of_the_code_breaks_no_sentence() -> None:
    trials = (_trial("t", lambda log: passed() if log.result == 1 else not_yet("value.x", "no")),)
    exercise = Exercise("1.1", ("f",), trials, contract=(Sentence("is one", ("t",)),))
    [wrong] = judge_inside(exercise, {"f": lambda: 2})
    [broken] = judge_inside(exercise, {"f": lambda: 1 / 0})
    assert (wrong.sentence, broken.sentence) == ("is one", "")


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SWITCHBOARD_STATE", str(tmp_path))  # tries are counted there
    trials = (
        _trial("fine", lambda log: passed()),
        _trial("bad", lambda log: not_yet("value.x", "expected a; look at b")),
        _trial("bad too", lambda log: not_yet("value.x", "expected a; look at b")),
        _trial("other", lambda log: not_yet("value.y", "expected c; look at d")),
    )
    exercise = Exercise("1.1", ("f",), trials, contract=(Sentence("an a", ("bad",)),))
    monkeypatch.setattr(playing, "exercise", lambda number: exercise)


@pytest.mark.usefixtures("two")
def test_the_notebook_tells_the_first_failure_first(capsys: pytest.CaptureFixture[str]) -> None:
    line = "✗ 1.1 bad — not yet: expected a; look at b (2 of 4 checks)"
    with pytest.raises(CheckFailed) as trouble:
        play("1.1", lambda: 1)
    assert str(trouble.value) == line
    assert capsys.readouterr().out.splitlines()[:4] == [
        line,
        "  The exercise says: “an a”",
        "✗ 1.1 other — not yet: expected c; look at d",
        "✓ 1.1 fine — passed",
    ]


@pytest.mark.usefixtures("two")
def test_what_is_not_begun_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    def stub() -> None:
        raise NotImplementedError("Exercise 1.1 not attempted yet")

    with pytest.raises(NotAttempted, match=r"^○ 1.1 fine — not attempted yet$"):
        play("1.1", stub)
    assert capsys.readouterr().out.count("○") == 1


def test_after_an_endless_loop_the_exercise_is_still_worth_all_its_points(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SWITCHBOARD_STATE", str(tmp_path))
    played = []

    def judged(
        exercise: Exercise, trial: Trial, names: dict[str, Any], *, seed: int
    ) -> tuple[TrialVerdict, Log]:
        played.append(trial.title)
        endless = not_yet("blocked.endless_loop", "your code never gave control back")
        return TrialVerdict(trial.title, trial.points, endless), Log()

    trials = tuple(_trial(title, lambda log: passed()) for title in ("a", "b", "c"))
    monkeypatch.setattr(playing, "trial_inside", judged)
    monkeypatch.setattr(playing, "exercise", lambda number: Exercise("1.1", ("f",), trials))
    with pytest.raises(CheckFailed, match=r"never gave control back \(3 of 3 checks\)$"):
        play("1.1", lambda: 1)
    assert played == ["a"]
    assert f"0 of {sum(each.points for each in trials):g} ·" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("number", "piece", "whole"),
    [
        ("1.3", "All of them run at the same time,",
         "All of them run at the same time, and one that fails does not disturb the others."),
        ("3.2", "Answer all calls of one message: its ordinary calls at once,",
         "Answer all calls of one message: its ordinary calls at once, and then one handoff."),
        ("1.3", "words of no chapter,", "words of no chapter,"),
        ("99.1", "anything", "anything"),
    ],
)  # fmt: skip
def test_a_contract_is_quoted_by_whole_sentences(number: str, piece: str, whole: str) -> None:
    assert whole_sentence(number, piece) == whole


def test_quotes_of_all_exercises_end_where_sentences_end() -> None:
    project = "11"  # which asks in a table, by phrases
    quotes = {
        whole_sentence(each.number, " ".join(part.text.split()))
        for chapter in (f"{n:02}" for n in range(14))
        if chapter != project
        for each in exercises_of(chapter)
        for part in each.contract
        if not part.given
    }
    cut = {quote for quote in quotes if quote[-1] in ",;(" or quote[0] in ",;)"}
    assert len(quotes) > 100
    assert cut == set()
