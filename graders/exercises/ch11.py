"""Chapter 11's project: its six requirements, each an exercise over all that a student has built."""

from __future__ import annotations

from graders.project.planning import PLANNED

EXERCISES = (PLANNED,)
