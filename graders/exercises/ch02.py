"""Chapter 02's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.calibrating import COVERAGE_ACCURACY, THRESHOLD_FOR
from graders.exercises.deciding import DECIDE
from graders.exercises.filling import FILL
from graders.exercises.staging import SHOWN
from graders.exercises.unseen import UNSHOWN

EXERCISES = (SHOWN, FILL, UNSHOWN, COVERAGE_ACCURACY, THRESHOLD_FOR, DECIDE)
