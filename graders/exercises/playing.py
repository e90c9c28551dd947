"""An exercise played in the notebook: one line for each trial, in the judge's own words."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NoReturn

from course.notebook import CheckFailed, NotAttempted, check, ledger
from course.notebook.overlooked import overlooked, stale
from course.notebook.show import show_html
from graders.exercises.lookup import chapter_of, exercise, exercises_of
from graders.exercises.opening import offer
from graders.exercises.progress import standing
from graders.feedback import Finding, evidence_text, findings, notebook_result
from graders.feedback.words import CONTRACT, NOTHING_YET
from graders.judge.comparing import Runs
from graders.judge.judge import beside_inside, not_played, trial_inside
from graders.records.log import Log
from graders.records.report import ExerciseReport, TrialVerdict
from graders.records.scenario import Exercise, Trial
from graders.records.verdict import Sign, Verdict

OUTCOMES: Mapping[Sign, ledger.Outcome] = {
    "passed": "passed", "not yet": "failed", "not attempted": "not attempted"
}  # fmt: skip
SECONDS = 30.0
"""Real seconds for one trial; what never gives control back is ended long before."""


def play(number: str, *definitions: Callable[..., Any]) -> None:
    """Check an exercise with its visible seed: shows what failed, then what passed.

    Args:
        number: the exercise's, such as "1.3".
        definitions: what is judged, in the order of the exercise's `definitions`; left out, the
            names are looked up in the notebook.

    Raises:
        CheckFailed, NotAttempted: what is shown first, when not every trial passed.
    """
    meant = exercise(number)
    with _named(meant, definitions, sys._getframe(1).f_globals) as names:
        _play(meant, names, (meant.visible_seed,))


def play_hidden(number: str, *definitions: Callable[..., Any]) -> None:
    """The same with the exercise's hidden seeds, for a chapter's hidden tests.

    It shows something only when something failed: the visible check has just told the rest.
    """
    meant = exercise(number)
    with _named(meant, definitions, sys._getframe(1).f_globals) as names:
        _play(meant, names, meant.hidden_seeds, silent=True)


@contextmanager
def _named(
    meant: Exercise, definitions: tuple[Callable[..., Any], ...], notebook: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """The notebook's names, with what was handed over under the names that are judged."""
    home = next((getattr(each, "__globals__", None) for each in definitions), None)
    names = notebook if home is None else home
    before = {name: names[name] for name in meant.definitions if name in names}
    names.update(zip(meant.definitions, definitions, strict=False))
    try:
        yield names
    finally:
        for name in meant.definitions[: len(definitions)]:
            names.pop(name, None)
        names.update(before)


def _play(
    meant: Exercise, names: dict[str, Any], seeds: tuple[int, ...], *, silent: bool = False
) -> None:
    """Play every trial, then tell: what failed first, what else did, and what passed."""
    if why := stale(meant.number, meant.definitions):
        _refuse(meant, f"not judged: {why}")
    judged: list[TrialVerdict] = []
    seen: dict[str, tuple[Log, int]] = {}
    trouble: Exception | None = None
    for trial in meant.trials:
        if skipped := not_played(judged):
            judged.append(TrialVerdict(trial.title, trial.points, skipped))
            continue
        title = f"{meant.number} {trial.title}"
        before = len(judged)
        try:
            with check(title, seconds=SECONDS, quiet=True):
                told, log, seed = _judged(meant, trial, names, seeds)
                judged.append(told)
                seen[trial.title] = log, seed
                _tell(told.verdict)
        except (CheckFailed, NotAttempted) as raised:
            if len(judged) == before:  # it was ended from outside: there is no verdict
                trouble = raised
                break
    _note(meant, judged, broken_off=trouble)
    judged = _with_what_was_overlooked(meant.number, judged)
    runs = _beside(meant, judged, seen)
    parted = {title: each.comparison() for title, each in runs.items()}
    judged = [replace(each, comparison=parted.get(each.title)) for each in judged]
    found = findings(judged)
    if found or (judged and not silent):
        _show(meant, judged, found)
        offer([(f, runs[f.titles[0]]) for f in found if f.comparison])
    if trouble is not None:
        raise trouble
    if found:
        kind = CheckFailed if found[0].sign == "not yet" else NotAttempted
        raise kind(_line(meant, found[0]))


def _refuse(meant: Exercise, why: str) -> NoReturn:
    """Show why nothing is judged, and note nothing: the last outcome stands."""
    verdict = Verdict("not attempted", "not_attempted", why)
    judged = [TrialVerdict(each.title, each.points, verdict) for each in meant.trials]
    found = findings(judged)
    _show(meant, judged, found)
    raise NotAttempted(_line(meant, found[0]))


def _note(meant: Exercise, judged: Sequence[TrialVerdict], *, broken_off: Exception | None) -> None:
    """Note the run in the student's progress: all its trials at once, for it is one run."""
    outcomes = {each.title: OUTCOMES[each.verdict.sign] for each in judged}
    if isinstance(broken_off, CheckFailed):
        outcomes[meant.trials[len(judged)].title] = "failed"
    ledger.record(meant.number, outcomes)


def _with_what_was_overlooked(number: str, judged: list[TrialVerdict]) -> list[TrialVerdict]:
    """The verdicts; those that met a stub say why it still stands, where that can be known."""
    untouched = [each for each in judged if each.verdict.message == NOTHING_YET]
    why = overlooked(number) if untouched else ""
    if not why:
        return judged
    said = replace(untouched[0].verdict, message=f"{NOTHING_YET}: {why}")
    return [replace(each, verdict=said) if each in untouched else each for each in judged]


def _beside(
    meant: Exercise, judged: Sequence[TrialVerdict], seen: Mapping[str, tuple[Log, int]]
) -> dict[str, Runs]:
    """For each reason to fail, by the title of the trial that speaks of it, that run beside a right
    one; the others' right runs are not made."""
    speak = {each.titles[0] for each in findings(judged) if each.sign == "not yet"}
    runs = {}
    for trial in meant.trials:
        if trial.title in speak & seen.keys():
            log, seed = seen[trial.title]
            runs[trial.title] = beside_inside(meant, trial, log, seed=seed)
    return {title: each for title, each in runs.items() if each is not None}


def _show(meant: Exercise, judged: Sequence[TrialVerdict], found: Sequence[Finding]) -> None:
    """A box in a notebook, and the same in lines wherever HTML cannot be shown."""
    report = ExerciseReport(meant.number, tuple(judged))
    where = standing(report, exercises_of(chapter_of(meant.number)))
    lines = []
    for each in found:
        lines.append(_line(meant, each))
        lines += [f"  {CONTRACT} “{each.sentence}”"] if each.sentence else []
        lines += [evidence_text(each.trials[0].verdict)] if each.evidence else []
        lines += [f"  {each.comparison.cause}"] if each.comparison else []
    lines += [f"✓ {meant.number} {e.title} — passed" for e in judged if e.verdict.passed]
    show_html(notebook_result(report, where), "\n".join([*lines, where]))


def _line(meant: Exercise, found: Finding) -> str:
    """A finding in the words of `course.notebook.check`."""
    title = f"{meant.number} {found.titles[0]}"
    if found.sign == "not yet":
        return f"✗ {title} — not yet: {found.message}"
    said = found.trials[0].verdict.message
    return f"○ {title} — {said}{', not attempted yet' if said.startswith('needs') else ''}"


def _judged(
    meant: Exercise, trial: Trial, names: dict[str, Any], seeds: tuple[int, ...]
) -> tuple[TrialVerdict, Log, int]:
    """The first verdict that does not pass, or the last one; what was seen, and the seed."""
    for seed in seeds:
        judged, log = trial_inside(meant, trial, names, seed=seed)
        if not judged.verdict.passed:
            break
    return judged, log, seed


def _tell(verdict: Verdict) -> None:
    """Raise what `course.notebook.check` turns into its line."""
    if verdict.sign == "not attempted":
        needed = verdict.message.removeprefix("needs exercise ").split()[0]
        raise NotImplementedError(f"Exercise {needed}" if needed[0].isdigit() else verdict.message)
    if not verdict.passed:
        raise AssertionError(verdict.message)
