"""Chapter 03's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.carrying import CARRY_OUT, HANDOFF_TOOL
from graders.exercises.circling import CIRCLE, REPEATS
from graders.exercises.climbing import DUE
from graders.exercises.grouping import GROUPS

EXERCISES = (HANDOFF_TOOL, CARRY_OUT, GROUPS, REPEATS, CIRCLE, DUE)
