"""Chapter 07's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.ch07.fan_out import ABREAST
from graders.exercises.ch07.rate_limit import IN_TURN
from graders.exercises.ch07.scheduler import SCHEDULE
from graders.exercises.ch07.urgency import URGENCY
from graders.exercises.ch07.wave_delays import DELAYS

EXERCISES = (ABREAST, SCHEDULE, URGENCY, IN_TURN, DELAYS)
