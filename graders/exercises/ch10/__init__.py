"""Chapter 10's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.ch10.load_balancing import SERVE
from graders.exercises.ch10.resume import CARRY_ON
from graders.exercises.ch10.team_as_worker import DO_AS_TEAM
from graders.exercises.ch10.three_parts import LEAD
from graders.exercises.ch10.workers_from_plan import SHARED_NAMES, STAFF

EXERCISES = (DO_AS_TEAM, SHARED_NAMES, STAFF, SERVE, CARRY_ON, LEAD)
