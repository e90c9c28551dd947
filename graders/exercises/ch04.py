"""Chapter 04's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.approving import DECIDE
from graders.exercises.attempting import ATTEMPT
from graders.exercises.charging import CHARGE
from graders.exercises.delegating import ANSWER_ALL
from graders.exercises.ordering import READ_ORDER
from graders.exercises.waiting import WAITS

EXERCISES = (READ_ORDER, ANSWER_ALL, CHARGE, ATTEMPT, DECIDE, WAITS)
