"""What is to be said of an exercise: each mistake once, whatever number of its checks it fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graders.records.comparison import Comparison
from graders.records.report import TrialVerdict
from graders.records.verdict import Bar, Sign


@dataclass(frozen=True)
class Finding:
    """Trials of one exercise that did not pass for one and the same reason.

    Attributes:
        trials: which ones, in order; the first speaks for all.
        of: how many trials the exercise has.
    """

    trials: tuple[TrialVerdict, ...]
    of: int

    @property
    def sign(self) -> Sign:
        """Not yet, or not attempted."""
        return self.trials[0].verdict.sign

    @property
    def code(self) -> str:
        """The stable code of what is wrong."""
        return self.trials[0].verdict.code

    @property
    def titles(self) -> tuple[str, ...]:
        """What was checked, as the student reads it."""
        return tuple(each.title for each in self.trials)

    @property
    def message(self) -> str:
        """What was expected, what came and where to look, with the number of checks if several."""
        said = self.trials[0].verdict.message
        return said if len(self.trials) == 1 else f"{said} ({len(self.trials)} of {self.of} checks)"

    @property
    def sentence(self) -> str:
        """The contract's sentence that was broken; empty when nobody knows which."""
        return self.trials[0].sentence

    @property
    def evidence(self) -> tuple[Bar, ...]:
        """What can be drawn."""
        return self.trials[0].verdict.evidence

    @property
    def comparison(self) -> Comparison | None:
        """Where the run parts from a right one."""
        return self.trials[0].comparison

    @property
    def lost(self) -> float:
        """The points that these trials are worth."""
        return sum(each.points for each in self.trials)


def findings(trials: Sequence[TrialVerdict]) -> tuple[Finding, ...]:
    """What is to be said of an exercise, the first failure first; nothing when all passed.

    Args:
        trials: the verdicts on all of an exercise's trials, in their order.
    """
    groups: dict[tuple[str, ...], list[TrialVerdict]] = {}
    for each in trials:
        if not each.verdict.passed:
            groups.setdefault(_reason(each), []).append(each)
    found = [Finding(tuple(group), len(trials)) for group in groups.values()]
    return tuple(sorted(found, key=lambda finding: finding.sign == "not attempted"))


def _reason(trial: TrialVerdict) -> tuple[str, ...]:
    """What trials have in common that fail for the same reason."""
    verdict = trial.verdict
    return verdict.sign, verdict.cause or verdict.message
