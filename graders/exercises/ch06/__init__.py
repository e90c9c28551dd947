"""Chapter 06's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.ch06.critical_path import CRITICAL_PATH
from graders.exercises.ch06.plan_cycles import CIRCLES
from graders.exercises.ch06.plan_departures import DEPARTURES
from graders.exercises.ch06.plan_generation import MAKE_PLAN
from graders.exercises.ch06.plan_validation import FIRST_LOOK

EXERCISES = (FIRST_LOOK, CIRCLES, CRITICAL_PATH, MAKE_PLAN, DEPARTURES)
