"""Chapter 07's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.delaying import DELAYS
from graders.exercises.fanning import ABREAST
from graders.exercises.queueing import IN_TURN
from graders.exercises.ranking import URGENCY
from graders.exercises.scheduling import SCHEDULE

EXERCISES = (ABREAST, SCHEDULE, URGENCY, IN_TURN, DELAYS)
