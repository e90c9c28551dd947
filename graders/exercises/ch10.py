"""Chapter 10's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.admitting import SERVE
from graders.exercises.deputing import DO_AS_TEAM
from graders.exercises.resuming import CARRY_ON
from graders.exercises.staffing import SHARED_NAMES, STAFF

EXERCISES = (DO_AS_TEAM, SHARED_NAMES, STAFF, SERVE, CARRY_ON)
