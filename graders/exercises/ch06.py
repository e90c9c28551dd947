"""Chapter 06's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.chaining import CRITICAL_PATH
from graders.exercises.checking import FIRST_LOOK
from graders.exercises.departing import DEPARTURES
from graders.exercises.entangling import CIRCLES
from graders.exercises.proposing import MAKE_PLAN

EXERCISES = (FIRST_LOOK, CIRCLES, CRITICAL_PATH, MAKE_PLAN, DEPARTURES)
