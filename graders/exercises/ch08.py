"""Chapter 08's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.cascading import CASCADE
from graders.exercises.insisting import INSIST
from graders.exercises.persisting import WITH_ONE
from graders.exercises.rewording import REFINE
from graders.exercises.tripping import CALL_THROUGH

EXERCISES = (INSIST, REFINE, CALL_THROUGH, WITH_ONE, CASCADE)
