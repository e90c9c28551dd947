"""What the judge says about a submission, as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from graders.records.comparison import Comparison
from graders.records.verdict import Verdict

Partial = Literal["trial", "exercise"]
"""What earns points by itself: each trial, or only a whole exercise, as with nbgrader."""


@dataclass(frozen=True)
class TrialVerdict:
    """The verdict on one trial: the first run that did not pass, or the last one.

    Attributes:
        title: as the student reads it.
        points: what it is worth.
        verdict: passed, not yet or not attempted, with code, message and evidence.
        output: what the student's code printed in that run, cut to size. Never judged.
        sentence: the contract's sentence that was broken; empty when none or nobody knows.
        comparison: where that run parts from a right one; None where there is none to show.
    """

    title: str
    points: float
    verdict: Verdict
    output: str = ""
    sentence: str = ""
    comparison: Comparison | None = None

    @property
    def score(self) -> float:
        """The points earned: all or none."""
        return self.points if self.verdict.passed else 0.0

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "title": self.title,
            "sign": self.verdict.sign,
            "code": self.verdict.code,
            "message": self.verdict.message,
            "sentence": self.sentence,
            "evidence": [asdict(bar) for bar in self.verdict.evidence],
            "comparison": asdict(self.comparison) if self.comparison else None,
            "score": self.score,
            "max_score": self.points,
        }


@dataclass(frozen=True)
class ExerciseReport:
    """The verdicts on one exercise.

    Attributes:
        partial: whether each trial that passed earns its points, or only all of them together.
    """

    number: str
    trials: tuple[TrialVerdict, ...]
    partial: Partial = "trial"

    @property
    def score(self) -> float:
        """The points earned."""
        if self.partial == "exercise" and not all(each.verdict.passed for each in self.trials):
            return 0.0
        return sum(trial.score for trial in self.trials)

    @property
    def max_score(self) -> float:
        """The points there are."""
        return sum(trial.points for trial in self.trials)

    @property
    def output(self) -> str:
        """What the code printed, each text once."""
        return "\n".join(dict.fromkeys(trial.output for trial in self.trials if trial.output))

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "number": self.number,
            "partial": self.partial,
            "score": self.score,
            "max_score": self.max_score,
            "trials": [trial.to_json() for trial in self.trials],
            "output": self.output,
        }


@dataclass(frozen=True)
class Report:
    """Everything about one submission.

    Attributes:
        notebook: its file name.
        chapter: the chapter it was judged as; empty when it is of none.
        exercises: one report each, in order.
        code: why it could not be judged, such as "notebook.not_json"; empty when it was.
        message: the same in a sentence.
        notes: cells of the student's that raised while the notebook was built up, one line each.
    """

    notebook: str
    chapter: str = ""
    exercises: tuple[ExerciseReport, ...] = ()
    code: str = ""
    message: str = ""
    notes: tuple[str, ...] = ()

    def counted_by(self, partial: Partial) -> Report:
        """The same verdicts, with points for each trial or for whole exercises only."""
        counted = (replace(exercise, partial=partial) for exercise in self.exercises)
        return replace(self, exercises=tuple(counted))

    @property
    def score(self) -> float:
        """The points earned."""
        return sum(exercise.score for exercise in self.exercises)

    @property
    def max_score(self) -> float:
        """The points there are."""
        return sum(exercise.max_score for exercise in self.exercises)

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for `json.dumps`."""
        return {
            "notebook": self.notebook,
            "chapter": self.chapter,
            "score": self.score,
            "max_score": self.max_score,
            "code": self.code,
            "message": self.message,
            "exercises": [exercise.to_json() for exercise in self.exercises],
            "notes": list(self.notes),
        }
