"""A judge proves itself: before a chapter's first submission counts, a right answer is judged.

What gets less than full marks then is the machine's fault, and no student's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from graders.judge.chapters import Chapter
from graders.judge.comparing import finished_answer
from graders.judge.judge import Judge, right_run
from graders.records.report import Report
from graders.records.scenario import Exercise

MOST = 32  # trials: a machine that judges wrongly shows it in fewer, and each costs a class time


def doubt(judge: Judge, chapter: Chapter, *, seed: int = 0) -> str:
    """Why this judge may not judge a chapter, in a sentence; empty where a right answer passes.

    Judged is the reference in `solutions/`, each trial with its first hidden seed; of more than
    `MOST` trials only some of each exercise. Where there are no solutions, as in a student's copy,
    it is what the package itself builds, trial by trial.

    Raises:
        BoxError: the sandbox itself failed.
    """
    every = -(-sum(len(each.trials) for each in chapter.exercises) // MOST)
    short = replace(chapter, exercises=[_once(each, every) for each in chapter.exercises])
    if chapter.reference is not None:
        report = replace(judge, chapters=[short]).submission(chapter.reference, seed=seed)
        lost = list(_lost(report))
        had = f"gets {report.score:g} of {report.max_score:g} points"
    else:
        lost = list(_failing(judge, short, seed))
        had = f"fails in {len(lost)} trials"
    if not lost:
        return ""
    return (
        f"nothing of {chapter.name} is graded, since a right answer {had} here: {lost[0]}; "
        "ask python -m graders doctor"
    )


def _once(exercise: Exercise, every: int) -> Exercise:
    """The exercise with one seed, and one of so many trials."""
    seeds = exercise.hidden_seeds[:1]
    return replace(exercise, hidden_seeds=seeds, trials=exercise.trials[:: max(every, 1)])


def _lost(report: Report) -> Iterator[str]:
    """What a report says of trials that did not pass."""
    if report.code:
        yield report.message
    for exercise in report.exercises:
        for each in exercise.trials:
            if not each.verdict.passed:
                yield f"{exercise.number} {each.title}: {each.verdict.message}"


def _failing(judge: Judge, chapter: Chapter, seed: int) -> Iterator[str]:
    """Trials that the package's own definitions do not pass."""
    for exercise in chapter.exercises:
        answered = finished_answer(exercise)
        if answered is None:
            continue
        for trial in exercise.trials:
            for hidden in exercise.hidden_seeds:
                if right_run(judge, answered, trial, seed, hidden) is None:
                    yield f"{exercise.number} {trial.title}"
