"""Chapter 11's project: six requirements, each an exercise over all that a student has built."""

from __future__ import annotations

from graders.project.answering import SYNTHESIS
from graders.project.failing import FAILURES
from graders.project.overlapping import PARALLEL
from graders.project.planning import PLANNED
from graders.project.tracing import TRACED
from graders.project.workers import WORKERS

EXERCISES = (PLANNED, WORKERS, PARALLEL, FAILURES, SYNTHESIS, TRACED)
