"""A report for a terminal: one line a verdict, its message and its evidence below."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from graders.feedback.gathered import Finding, findings
from graders.feedback.words import (
    CONTRACT,
    NOTHING_YET,
    extent,
    label,
    points,
    readable,
    remark,
    share,
    signed,
    standing,
)
from graders.records.report import ExerciseReport, Report, TrialVerdict
from graders.records.verdict import Bar, Verdict
from graders.records.wording import clip, one_line

TIME = 24  # characters of the time axis
MOST = 12  # steps; the page shows all
INDENT = " " * 12
_LINES = 6  # of the output; the page has more
_NUMBER, _SIGN, _POINTS = 10, 17, 14  # 0.75 of 0.75 is the widest


def evidence_text(verdict: Verdict) -> str:
    """The evidence of a verdict as lines of text; empty when there is none.

    `█` is a step, `▒` one that the message speaks of (it has `▶` in front too), `▸` the end of one
    that never ended. Of many steps only those around the first marked one are shown.
    """
    bars = verdict.evidence
    if not bars:
        return ""
    marked = next((place for place, bar in enumerate(bars) if bar.marked), 0)
    first = max(min(marked - MOST // 2, len(bars) - MOST), 0)
    kept = bars[first : first + MOST]
    column, total = max(len(label(bar)) for bar in kept), extent(bars)
    lines = [_line(bar, column, total) for bar in kept]
    after = len(bars) - first - len(kept)
    above = [f"  … {first} before"] if first else []
    return "\n".join([*above, *lines, *([f"  … {after} after"] if after else [])])


def _line(bar: Bar, column: int, total: float) -> str:
    begin = min(round(share(bar.start, total) * TIME), TIME - 1)
    end = TIME if bar.end is None else round(share(bar.end, total) * TIME)
    length = max(end - begin, 1)
    drawn = ("▒" if bar.marked else "█") * length
    if bar.end is None:
        drawn = drawn[:-1] + "▸"
    mark = "▶" if bar.marked else " "
    drawn = " " * begin + drawn
    return f"{mark} {label(bar):<{column}} │{drawn:<{TIME}}│ {remark(bar)}"


def report_text(report: Report, *, width: int = 100) -> str:
    """A report as a table, for a terminal `width` characters wide."""
    return "\n".join(_lines(report, max(width, 60)))


def _lines(report: Report, width: int) -> Iterator[str]:
    name = clip(one_line(report.notebook), 80)
    if report.code:
        yield one_line(f"✗ {name}: {report.message} ({report.code})")
        if report.exercises:
            total = points(report.score, report.max_score)
            yield f"{total} points, since its name says {one_line(report.chapter)}"
        return
    yield f"{name}, judged as {one_line(report.chapter)}"
    yield ""
    if report.exercises:
        yield f"{'exercise':<{_NUMBER}}{'verdict':<{_SIGN}}{'points':<{_POINTS}}what is checked"
    else:
        yield "This chapter has no exercise that is judged."
    for exercise in report.exercises:
        yield from _exercise(exercise, width)
    if report.notes:
        yield ""
        yield "Cells that ended in an error:"
        yield from (_wrapped(clip(note, 300), width, "  ") for note in report.notes)
    yield ""
    yield standing(report)


def _exercise(exercise: ExerciseReport, width: int) -> Iterator[str]:
    speaks = {each.titles[0]: each for each in findings(exercise.trials)}
    for place, trial in enumerate(exercise.trials):
        number = "" if place else one_line(exercise.number)
        yield from _trial(number, trial, speaks.get(trial.title), width)
    if exercise.output and any(each.verdict.sign == "not yet" for each in exercise.trials):
        yield f"{INDENT}your output:"
        for line in readable(exercise.output, lines=_LINES).split("\n"):
            yield f"{INDENT}  │ {clip(line, width - len(INDENT) - 4)}"


def _trial(number: str, trial: TrialVerdict, speaks: Finding | None, width: int) -> Iterator[str]:
    """A trial, and below the first of those that fail for one reason what it is."""
    verdict = trial.verdict
    earned = points(trial.score, trial.points)
    yield (
        f"{number:<{_NUMBER}}{signed(verdict.sign):<{_SIGN}}{earned:<{_POINTS}}"
        f"{one_line(trial.title)}"
    )
    if speaks is not None and verdict.message != NOTHING_YET:
        code = "" if verdict.code == "not_attempted" else f" ({verdict.code})"
        yield _wrapped(speaks.message + code, width, INDENT)
        if speaks.sentence:
            yield _wrapped(f"{CONTRACT} “{clip(speaks.sentence, 400)}”", width, INDENT)
        if verdict.evidence:
            yield textwrap.indent(evidence_text(verdict), INDENT)
        if speaks.comparison:
            yield _wrapped(speaks.comparison.cause, width, INDENT)


def _wrapped(text: str, width: int, indent: str) -> str:
    return textwrap.fill(
        one_line(text),
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
