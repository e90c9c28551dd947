"""An answer to a test exercise, played inside and in a box, with the same tokens."""

from __future__ import annotations

import contextlib
import io
import sys
from types import ModuleType

from graders.box import Parent
from graders.child.cells import Cells
from graders.judge.endings import verdict_on
from graders.judge.inside import play_inside
from graders.judge.judge import world_of
from graders.judge.outside import play_outside, script_for
from graders.judge.world import tokens_from
from graders.records.verdict import Verdict
from tests.judge.exercises.case import PRELUDE, Case

TOKENS = tokens_from(b"the same in both")


def _cells(source: str) -> list[dict[str, str]]:
    return [{"name": "1", "source": PRELUDE}, {"name": "2", "source": source}]


def notebook_names() -> dict[str, object]:
    """The names of a notebook that nothing has run in, of a module that pydantic can find."""
    module = sys.modules["notebook"] = ModuleType("notebook")
    return vars(module)


def inside(case: Case, source: str) -> Verdict:
    """The verdict of the notebook's own transport."""
    [trial] = case.exercise.trials
    scenario = world_of(case.exercise, trial, 1)
    names = notebook_names()
    with contextlib.redirect_stdout(io.StringIO()):
        Cells(names).run(_cells(source))
        log = play_inside(trial.stage, scenario, TOKENS, names)
    return verdict_on(log, trial.checks(scenario), exercise=case.exercise.number)


def boxed(parent: Parent, case: Case, source: str) -> Verdict:
    """The verdict of a fresh box."""
    [trial] = case.exercise.trials
    scenario = world_of(case.exercise, trial, 1)
    script = script_for(trial.stage, scenario, _cells(source))
    played = play_outside(parent, script, scenario, TOKENS)
    return verdict_on(played.log, trial.checks(scenario), exercise=case.exercise.number)
