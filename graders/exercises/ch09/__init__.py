"""Chapter 09's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.ch09.answer_completion import COMPLETED
from graders.exercises.ch09.contradictions import CONTRADICTIONS
from graders.exercises.ch09.gaps import GAPS
from graders.exercises.ch09.judge_selection import SELECT
from graders.exercises.ch09.map_reduce import REDUCE
from graders.exercises.ch09.trace_diagnosis import DIAGNOSE

EXERCISES = (GAPS, CONTRADICTIONS, COMPLETED, REDUCE, SELECT, DIAGNOSE)
