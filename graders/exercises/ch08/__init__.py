"""Chapter 08's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.ch08.cascading_failure import CASCADE
from graders.exercises.ch08.circuit_breaker import CALL_THROUGH
from graders.exercises.ch08.clean_slate import MENDED
from graders.exercises.ch08.refinement import REFINE
from graders.exercises.ch08.retry import INSIST
from graders.exercises.ch08.task_retries import WITH_ONE

EXERCISES = (INSIST, REFINE, CALL_THROUGH, WITH_ONE, CASCADE, MENDED)
