"""Chapter 02's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.ch02.calibration import COVERAGE_ACCURACY, THRESHOLD_FOR
from graders.exercises.ch02.hybrid_router import DECIDE
from graders.exercises.ch02.missing_fields import UNSHOWN
from graders.exercises.ch02.stage_input import SHOWN
from graders.exercises.ch02.structured_output import FILL

EXERCISES = (SHOWN, FILL, UNSHOWN, COVERAGE_ACCURACY, THRESHOLD_FOR, DECIDE)
