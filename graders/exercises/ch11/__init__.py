"""Chapter 11's project: six requirements, each an exercise over all that a student has built."""

from __future__ import annotations

from graders.exercises.ch11.exported_trace import TRACED
from graders.exercises.ch11.failure_handling import FAILURES
from graders.exercises.ch11.parallelism import PARALLEL
from graders.exercises.ch11.plan_first import PLANNED
from graders.exercises.ch11.synthesis import SYNTHESIS
from graders.exercises.ch11.worker_set import WORKERS

EXERCISES = (PLANNED, WORKERS, PARALLEL, FAILURES, SYNTHESIS, TRACED)
