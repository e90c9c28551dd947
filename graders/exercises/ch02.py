"""Chapter 02's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.filling import FILL
from graders.exercises.staging import SHOWN
from graders.exercises.unseen import UNSHOWN

EXERCISES = (SHOWN, FILL, UNSHOWN)
