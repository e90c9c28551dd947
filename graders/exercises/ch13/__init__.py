"""Chapter 13's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.ch13.endless_task import WHY_END
from graders.exercises.ch13.interrupted_work import ONCE
from graders.exercises.ch13.kept_context import PASSED_ON
from graders.exercises.ch13.silent_handoff import WITHOUT_FAREWELL
from graders.exercises.ch13.slow_stage import SLOW_STAGE
from graders.exercises.ch13.spoken_task import CALLBACK

EXERCISES = (CALLBACK, PASSED_ON, WITHOUT_FAREWELL, WHY_END, SLOW_STAGE, ONCE)
