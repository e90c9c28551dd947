"""Whether an experiment can show anything, tried before it is run, in a few runs of no cost.

A bench of one's own whose tools tell another thing than its truth gives every run a success of 0,
and a fault that meets nothing leaves every arm as it is: both look like findings.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from course.errors import ConfigurationError
from course.lab.one import opened, play
from course.lab.spec import Cell, Experiment

FAULTS = {
    "fault_model": "asks a model what this kind spoils",
    "fault_tool": "uses a tool of the bench",
    "fault_move": "gives work away",
}
"""The shares of faults, and what a run does that they meet."""


def proved(experiment: Experiment) -> None:
    """Play what a bench and the faults need to be good for anything, one run each.

    Raises ConfigurationError: a bench has no truth for its tasks; its truth is in no result of its
    tools; or a fault strikes in no arm that has it.
    """
    first: dict[tuple[str, str], Cell] = {}
    for cell in experiment.cells():
        if cell.model == "oracle":
            first.setdefault((cell.bench, cell.arm), cell)
    for text in dict.fromkeys(bench for bench, _ in first):
        _truthful(next(cell for (bench, _), cell in first.items() if bench == text))
    for share in FAULTS:
        struck = [cell for cell in first.values() if getattr(cell, share)]
        if struck and not any(_meets(cell, share) for cell in struck):
            raise ConfigurationError(
                f"{share.replace('_', '.')} strikes nothing here: none of"
                f" {', '.join(dict.fromkeys(cell.pattern for cell in struck))} {FAULTS[share]};"
                " leave it out, or add a pattern that does"
            )


def _truthful(cell: Cell) -> None:
    """Whether somebody competent, alone and without bad luck, finds anything that is true."""
    with opened(cell) as (_, case):
        if case.excluded:
            return
        if case.errands and not case.truth:
            raise ConfigurationError(
                f"bench '{cell.bench}' has no truth for task {cell.task}: give its Case a truth,"
                " each errand's id with the value that its tool tells, as text"
            )
        pattern = "pipeline" if case.only_chain else "single"
    luckless = replace(cell, pattern=pattern, policy="retry", profile="calm", fault_model=0.0,
                       fault_tool=0.0, fault_move=0.0, flaw=(), deadline=None, load=1, gap=0.0,
                       spans=False, measures=())  # fmt: skip
    row = play(luckless).row
    if row["status"] == "scored" and not row["right"] and case.truth:
        told = ", ".join(f"{name} is '{value}'" for name, value in list(case.truth.items())[:3])
        raise ConfigurationError(
            f"bench '{cell.bench}': no truth of task {cell.task} ({told}) is in any result of its"
            " tools: are errands called by the tools' names and arguments, and is each truth what"
            " its tool tells, as text?"
        )


def _meets(cell: Cell, share: str) -> bool:
    """Whether a fault strikes a run if nothing escapes it."""
    every: dict[str, Any] = {share: 1.0, "spans": False, "measures": ()}
    return bool(play(replace(cell, **every)).row["faults"])
