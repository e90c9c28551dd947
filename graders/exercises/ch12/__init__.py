"""Chapter 12's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

from graders.exercises.ch12.breaker_pays import PAYS_FROM
from graders.exercises.ch12.confounds import CONFOUNDS
from graders.exercises.ch12.extraction import EXTRACTED
from graders.exercises.ch12.paired_interval import READING
from graders.exercises.ch12.reviewer import REVIEWED
from graders.exercises.ch12.seeds_needed import SEEDS_NEEDED

EXERCISES = (READING, CONFOUNDS, SEEDS_NEEDED, REVIEWED, PAYS_FROM, EXTRACTED)
