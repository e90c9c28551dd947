"""Chapter 01's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.answering import ANSWER_CALL
from graders.exercises.describing import DESCRIBE
from graders.exercises.gathering import ANSWER_CALLS
from graders.exercises.looping import LOOP
from graders.exercises.streaming import JOIN_DELTAS

EXERCISES = (DESCRIBE, ANSWER_CALL, ANSWER_CALLS, LOOP, JOIN_DELTAS)
