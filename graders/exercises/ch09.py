"""Chapter 09's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.choosing import SELECT
from graders.exercises.condensing import REDUCE
from graders.exercises.diagnosing import DIAGNOSE
from graders.exercises.disagreeing import CONTRADICTIONS
from graders.exercises.gapping import GAPS
from graders.exercises.stating import COMPLETED

EXERCISES = (GAPS, CONTRADICTIONS, COMPLETED, REDUCE, SELECT, DIAGNOSE)
